// The places of the client: the map, the panels beside it and the pages in front of it. What is not the map is loaded when
// it is first opened.
import type { ComponentType } from "preact";
import type { App } from "./app";

/** Props are what the component of a place is drawn from: path is what of the place is open, as ["alice"] of the users. */
export interface Props {
  app: App;
  path: string[];
}

export interface Place {
  name: string; // in the address; its word is menu.{name}
  kind: "map" | "panel" | "page";
  section: "traffic" | "administration" | "own";
  rights?: readonly string[]; // it takes one of these; none given: whoever is signed in
  load?: () => Promise<ComponentType<Props>>;
}

/** places is every place, in the order of the menu. */
export const places: readonly Place[] = [
  { name: "map", kind: "map", section: "traffic" },
  { name: "lists", kind: "panel", section: "traffic", rights: ["view_shiplist"], load: () => import("./lists/panel").then((m) => m.Lists) },
  { name: "shapes", kind: "panel", section: "traffic", load: () => import("./shapes/panel").then((m) => m.Shapes) },
  { name: "filters", kind: "panel", section: "traffic", load: () => import("./filters/panel").then((m) => m.Filters) },
  { name: "register", kind: "panel", section: "traffic", load: () => import("./register/panel").then((m) => m.Register) },
  {
    name: "users",
    kind: "page",
    section: "administration",
    rights: ["user_conf_access"],
    load: () => import("./admin/admin").then((m) => m.Users),
  },
  {
    name: "groups",
    kind: "page",
    section: "administration",
    rights: ["user_conf_access"],
    load: () => import("./admin/admin").then((m) => m.Groups),
  },
  {
    name: "audit",
    kind: "page",
    section: "administration",
    rights: ["get_system_status_info"],
    load: () => import("./admin/admin").then((m) => m.Audit),
  },
  { name: "profile", kind: "page", section: "own", load: () => import("./admin/admin").then((m) => m.Profile) },
];

/** placeOf finds a place by its name in the address. */
export const placeOf = (name: string | undefined): Place => places.find((p) => p.name === name) ?? places[0];
