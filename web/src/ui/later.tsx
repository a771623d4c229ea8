// Parts of the page that few need.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { reached } from "../api";
import type { App } from "../app";
import { t } from "../text/text";

type Load<P> = () => Promise<ComponentType<P>>;

const loaded = new Map<() => Promise<unknown>, unknown>();

/**
 * usePart returns a part once it is loaded, which it is when it is first wanted; failed tells that it could not be. It is tried again when the server
 * answers again. What load is stays the same function.
 */
export function usePart<P>(app: App, load: Load<P>, wanted: boolean): { Part?: ComponentType<P>; failed: boolean } {
  const [failed, setFailed] = useState<Load<P>>();
  useEffect(() => {
    if (!wanted || loaded.has(load)) return;
    return whenReached(load, (part) => {
      if (part) loaded.set(load, part);
      setFailed(part ? undefined : () => load);
      app.changed();
    });
  }, [load, wanted]);
  return { Part: loaded.get(load) as ComponentType<P> | undefined, failed: failed === load };
}

/** Loading stands on the card in the place of a part that is not there yet, or could not be loaded. */
export const Loading = ({ failed }: { failed: boolean }) => (
  <p class={failed ? "note problem" : "note late"}>{t(failed ? "place.failed" : "place.loading")}</p>
);

interface Props<P> {
  load: Load<P>;
  props: P;
}

/** Later is a part that is loaded when it is shown first. Without the link it stays away until there is one. */
export function Later<P extends object>({ load, props }: Props<P>) {
  const [Part, setPart] = useState<ComponentType<P>>();
  useEffect(() => whenReached(load, (part) => setPart(() => part)), []);
  return Part ? <Part {...props} /> : null;
}

// whenReached loads a part, and tells tell of it, or that it could not be loaded. Then it tries again whenever the server answers again. It returns what
// ends that.
function whenReached<P>(load: Load<P>, tell: (part?: ComponentType<P>) => void): () => void {
  let ended = false;
  const end = (): void => {
    ended = true;
    reached.removeEventListener("up", attempt);
  };
  const attempt = (): void =>
    void load().then(
      (part) => {
        if (!ended) tell(part);
        end();
      },
      () => {
        if (!ended) tell();
      },
    );
  reached.addEventListener("up", attempt);
  attempt();
  return end;
}
