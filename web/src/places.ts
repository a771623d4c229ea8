// The places of the client: the map, the panels beside it, the pages in front of it, and the wall display.

/** Place is a part of the client with an address of its own. */
export interface Place {
  name: string; // in the address; its word is menu.{name}
  kind: "map" | "panel" | "page" | "wall";
  section: "traffic" | "administration" | "own";
  rights?: readonly string[]; // it takes one of these; none given: any user
  guest?: true; // those that came by a link may open it too
}

/** places is every place, in the order of the menu. */
export const places: readonly Place[] = [
  { name: "map", kind: "map", section: "traffic" },
  { name: "port", kind: "panel", section: "traffic", rights: ["view_port"], guest: true },
  { name: "events", kind: "panel", section: "traffic", rights: ["view_watchdog"] },
  { name: "watchdogs", kind: "panel", section: "traffic", rights: ["view_watchdog"] },
  { name: "statistics", kind: "panel", section: "traffic", rights: ["web_report_access"] },
  { name: "lists", kind: "panel", section: "traffic", rights: ["view_shiplist"] },
  { name: "shapes", kind: "panel", section: "traffic" },
  { name: "filters", kind: "panel", section: "traffic" },
  { name: "route", kind: "panel", section: "traffic", rights: ["view_predicted_position"], guest: true },
  { name: "water", kind: "panel", section: "traffic", rights: ["admin_shapes"] },
  { name: "register", kind: "panel", section: "traffic" },
  { name: "wall", kind: "wall", section: "traffic" },
  { name: "users", kind: "page", section: "administration", rights: ["user_conf_access"] },
  { name: "groups", kind: "page", section: "administration", rights: ["user_conf_access"] },
  { name: "audit", kind: "page", section: "administration", rights: ["get_system_status_info"] },
  { name: "system", kind: "page", section: "administration", rights: ["get_system_status_info"] },
  { name: "links", kind: "panel", section: "own", rights: ["allow_web_service"] },
  { name: "profile", kind: "page", section: "own" },
];

/** placeOf finds a place by its name in the address. */
export const placeOf = (name: string | undefined): Place => places.find((p) => p.name === name) ?? places[0];
