import type { App } from "../app";
import type { Shape } from "../contract";
import { records } from "../ui/load";
import type { Group, User } from "./model";

/** Owned is a ship list, shape, saved filter or watchdog, as far as its owner and those it is shared with go. */
export type Owned = Pick<Shape, "uid" | "name" | "owner" | "acl" | "region">;

/** Library is the owned things by their kind. */
export interface Library {
  shiplist: Owned[];
  shape: Owned[];
  filter: Owned[];
  watchdog: Owned[];
}
/** libraryKinds are the kinds of owned things, named as in the API. */
export const libraryKinds = ["shiplist", "shape", "filter", "watchdog"] as const;

/** World is what the pages of users and groups choose from. */
export interface World {
  users: User[];
  groups: Group[];
  library: Library;
}

/** loadWorld reads users and groups, and the lists, shapes, filters and watchdogs that the caller may see. */
export async function loadWorld(app: App): Promise<World> {
  const [users, groups, shiplist, shape, filter, watchdog] = await Promise.all([
    records<User>("config/user"),
    records<Group>("config/group"),
    app.session.may("view_shiplist") ? records<Owned>("config/shiplist") : [],
    records<Owned>("config/shape"),
    records<Owned>("config/filter"),
    app.session.may("view_watchdog") ? records<Owned>("watchdog/definition") : [],
  ]);
  return { users, groups, library: { shiplist, shape, filter, watchdog } };
}
