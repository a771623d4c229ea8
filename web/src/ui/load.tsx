import { useEffect, useRef, useState } from "preact/hooks";
import { reached, send } from "../api";
import { t } from "../text/text";
import { whyOf } from "../why";

/** Loaded is what useLoaded has read, and why it could not. */
export interface Loaded<T> {
  data?: T;
  problem: string;
  again: () => Promise<void>;
}

/** useLoaded reads something when a page opens, and again when asked to. What could not be read is read when the server answers again. */
export function useLoaded<T>(load: () => Promise<T>, key = ""): Loaded<T> {
  const [state, setState] = useState<{ data?: T; problem: string }>({ problem: "" });
  const turn = useRef(0);
  const again = async (): Promise<void> => {
    const mine = ++turn.current;
    try {
      const data = await load();
      if (mine === turn.current) setState({ data, problem: "" });
    } catch (problem) {
      if (mine === turn.current) setState((was) => ({ ...was, problem: whyOf(problem) }));
    }
  };
  useEffect(() => {
    void again();
    return () => {
      turn.current++;
    };
  }, [key]);
  useEffect(() => {
    if (state.problem === "") return;
    const read = (): void => void again();
    reached.addEventListener("up", read);
    return () => reached.removeEventListener("up", read);
  }, [state.problem, key]);
  return { ...state, again };
}

/** NotLoaded stands where there is nothing to show yet. */
export function NotLoaded({ loaded }: { loaded: Loaded<unknown> }) {
  if (loaded.problem === "") return loaded.data === undefined ? <p class="empty late">{t("place.loading")}</p> : null;
  return (
    <div class="empty">
      <p class="problem" role="alert">
        {t("load.failed", { why: loaded.problem })}
      </p>
      <p>
        <button onClick={() => void loaded.again()}>{t("load.again")}</button>
      </p>
    </div>
  );
}

/** records returns the records of a list. */
export const records = async <R,>(path: string): Promise<R[]> => (await send<{ records: R[] }>("GET", path)).records;
