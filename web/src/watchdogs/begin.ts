// With what a watchdog begins: what it watches first, and a name for it.
import type { App } from "../app";
import { complete, middle, normal } from "../geometry";
import type { Shape } from "../shapes/library";
import { place } from "../text/figures";
import { t } from "../text/text";
import { filterOf, type Draft } from "./kind";
import { allFeeds, kinds, type Spot } from "./kinds";
import { nameOf } from "./ships";
import type { Type } from "./watchdogs";

/** Begun is with what a new watchdog begins: a type, or a ship or shape that it is for. */
export interface Begun {
  type?: Type;
  mmsi?: number;
  shape?: Shape;
}

/** firstSpot is what a new watchdog watches before anybody changes that; quick is where two clicks are to be enough. */
export function firstSpot(type: Type, quick: boolean, { shape, mmsi = 0 }: Begun): Spot {
  const rest = { port: "", feed: allFeeds, mmsi: kinds[type].own ? mmsi : 0, shiplist: "" };
  if (shape) return { how: shape.uid, form: shape.form, ...rest };
  const { draws, anywhere } = kinds[type];
  return { how: anywhere ? "anywhere" : (quick && draws.find((form) => form === "circle")) || (draws[0] ?? ""), ...rest };
}

/** proposedOf is what is proposed of the fields of a new watchdog. */
export function proposedOf(app: App, begun: Begun, type: Type): Partial<Draft> {
  const { mmsi, shape } = begun,
    { own, rest } = kinds[type];
  return {
    ...(mmsi && !own ? { filter: filterOf(mmsi) } : {}),
    ...(mmsi || shape ? { severity: "warning" } : {}),
    name: suggestion(app, type, firstSpot(type, !begun.type, begun)), // no change of the user's, which would be asked about
    ...(rest ? { time_between_triggers: rest } : {}),
  };
}

const longest = 64; // letters of a name

/** suggestion is a name for what is watched: that of the shape, port or ship, else where it lies; "" while nothing is given. */
export function suggestion(app: App, type: Type, { how, form, port, feed, mmsi, shiplist }: Spot): string {
  if (kinds[type].shipless) return free(app, t("dog.type." + type) + (type === "feed" && feed !== allFeeds ? ` ${feed}` : ""));
  const ship = mmsi > 0 ? nameOf(app, mmsi) : shiplist,
    named = port.trim() || app.shapes.all.find((s) => s.uid === how)?.name,
    at = form && complete(form) ? middle(form) : undefined;
  const there = named ?? (at && t("dog.at." + type, { place: place(normal(at[0]), at[1], 1) }));
  const text = kinds[type].own && ship !== "" ? (named ? `${ship}: ${named}` : t("dog.of." + type, { ship })) : there;
  return text ? free(app, text) : "";
}

// free returns a name that no watchdog has yet: the text, or the text with a number.
function free(app: App, text: string): string {
  const taken = new Set(app.watchdogs.all.map((w) => w.name));
  for (let n = 1; ; n++) {
    const more = n === 1 ? "" : ` (${n})`,
      whole = text.slice(0, longest - more.length) + more;
    if (!taken.has(whole)) return whole;
  }
}
