// The places of the client: the map, the panels beside it and the pages in front of it. What is not the map is loaded when
// it is first opened.
import type { ComponentType } from "preact";
import type { App } from "./app";

/** Props are what the component of a place is drawn from: path is what of the place is open, as ["alice"] of the users. */
export interface Props { app: App; path: string[] }

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
  { name: "shapes", kind: "panel", section: "traffic", load: () => import("./shapes/panel").then((m) => m.Shapes) },
];

/** placeOf finds a place by its name in the address. */
export const placeOf = (name: string | undefined): Place => places.find((p) => p.name === name) ?? places[0];
