import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { Refusal, send } from "../api";
import { t, told } from "../text/text";
import type { Group, Ref, User } from "./model";

export interface Loaded<T> {
  data?: T;
  problem: string;
  again: () => Promise<void>;
}

/** useLoaded reads something when a page opens, and again when asked to. */
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
  return { ...state, again };
}

/** whyOf says in a sentence why a call failed. */
export const whyOf = (problem: unknown): string => (problem instanceof Refusal ? told(problem.message) : t("signin.unreachable"));

/** known gives a text that not everything has; "" is none. */
export const known = (key: string): string => {
  const text = t(key);
  return text === key ? "" : text;
};

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

export const records = async <R,>(path: string): Promise<R[]> => (await send<{ records: R[] }>("GET", path)).records;

/** Owned is a ship list, shape or saved filter, as far as its owner and those it is shared with go. */
export interface Owned {
  uid: string;
  name: string;
  owner?: Ref;
  acl: Ref[];
  region?: number;
}

export interface Library {
  shiplist: Owned[];
  shape: Owned[];
  filter: Owned[];
}
export const libraryKinds = ["shiplist", "shape", "filter"] as const;

/** World is what the pages of users and groups choose from. */
export interface World {
  users: User[];
  groups: Group[];
  library: Library;
}

/** loadWorld reads users and groups, and the lists, shapes and filters that the caller may see. */
export async function loadWorld(app: App): Promise<World> {
  const [users, groups, shiplist, shape, filter] = await Promise.all([
    records<User>("config/user"),
    records<Group>("config/group"),
    app.session.may("view_shiplist") ? records<Owned>("config/shiplist") : [],
    records<Owned>("config/shape"),
    records<Owned>("config/filter"),
  ]);
  return { users, groups, library: { shiplist, shape, filter } };
}
