// The types of watchdogs: what is drawn for each, which numbers and ships it has, and how all of that stands in its definition.
import { complete, cornered, drawn, type Form, type Kind } from "../geometry";
import type { Type, Watchdog } from "./watchdogs";

/** NumberOf is a number of what a watchdog watches. Minutes are kept as seconds, or as a text HH:MM:SS. */
export interface NumberOf {
  key: string;
  unit: "m" | "kn" | "min";
  min: number;
  max: number;
  /** usual is what it is when nobody says otherwise. */
  usual: number | undefined;
  as?: "seconds" | "text";
  /** word is that of its label where it is not its key. */
  word?: string;
}

/** KindOf is what a type of watchdog asks for. */
export interface KindOf {
  /** draws are the kinds of form that can be drawn; the first is offered. A circle stands for a ring of corners. */
  draws: readonly Kind[];
  /** at is where in the object of the type the place stands: the object itself, below a key, or as a centre and a radius. */
  at: "" | "geometry" | "polygon" | "line" | "center";
  /** anywhere tells that nothing has to be drawn. */
  anywhere?: boolean;
  /** own tells that the object names a ship or, with "list", a ship list; "must" that it has to. */
  own?: readonly ("list" | "must")[];
  numbers: readonly NumberOf[];
  /** shipless tells that it watches no ships. */
  shipless?: boolean;
  /** rest is how many seconds pass between two activations of a ship, as the server has it. */
  rest?: number;
}

const areas = ["polygon", "circle"] as const;
const metres = (key: string, usual: number | undefined, min: number, max: number): NumberOf => ({ key, unit: "m", usual, min, max });

/** kinds are all types, the ones that are asked for most first. */
export const kinds: Record<Type, KindOf> = {
  polygon: { draws: areas, at: "", numbers: [] },
  line: { draws: ["line"], at: "", numbers: [] },
  port: { draws: [], at: "", numbers: [] },
  lost: { draws: areas, at: "polygon", anywhere: true, own: ["list", "must"], numbers: [] },
  anchor: { draws: ["circle"], at: "center", own: [], numbers: [] },
  speed: {
    draws: areas,
    at: "polygon",
    numbers: [
      { key: "limit", unit: "kn", usual: undefined, min: 0.1, max: 102 },
      { key: "least", unit: "min", usual: 1, min: 0, max: 1440, as: "text" },
    ],
  },
  zone: { draws: [], at: "", anywhere: true, own: ["must"], numbers: [{ ...metres("radius", 500, 10, 20000), word: "near" }] },
  route: { draws: ["line"], at: "line", numbers: [metres("corridor", 500, 10, 10000)] },
  cpa: {
    draws: areas,
    at: "polygon",
    numbers: [metres("cpa_m", 556, 1, 18520), { key: "tcpa_s", unit: "min", usual: 12, min: 1, max: 60, as: "seconds" }],
    rest: 1800,
  },
  cable: { draws: ["line", "polygon"], at: "geometry", numbers: [metres("buffer", 1000, 1, 10000)], rest: 900 },
  fishing: { draws: areas, at: "", numbers: [] },
  silent: {
    draws: areas,
    at: "polygon",
    anywhere: true,
    numbers: [{ key: "after", unit: "min", usual: 20, min: 1, max: 1440, as: "text" }],
  },
  aton: { draws: areas, at: "polygon", anywhere: true, numbers: [metres("radius", 50, 10, 50000)] },
  feed: { draws: [], at: "", shipless: true, numbers: [] },
  box: { draws: [], at: "", shipless: true, numbers: [] },
};

/** allFeeds stands for every receiver. */
export const allFeeds = "*";

/** types are all of them in their order. */
export const types = Object.keys(kinds) as Type[];

/** fits tells whether a form can be what a type watches. */
export const fits = (type: Type, form: Kind): boolean => kinds[type].draws.includes(form);

/** typeFor is the type that is meant by a form first. */
export const typeFor = (form: Kind): Type => (form === "line" ? "line" : "polygon");

/** Numbers are those of a type, by their keys; one that was cleared is undefined. */
export type Numbers = Record<string, number | undefined>;

// What the object of a watchdog may have beside its place.
type Stored = Record<string, unknown> & { mmsi?: number; shiplist?: string };

const objectIn = (dog: Watchdog | undefined): Stored | undefined => dog && (dog[dog.type] as Stored | undefined);

function minutesOf(value: unknown): number {
  if (typeof value === "number") return value / 60;
  const [h, m, s] = String(value).split(":").map(Number);
  return h * 60 + m + s / 60;
}

function secondsText(minutes: number): string {
  const s = Math.round(minutes * 60),
    two = (n: number): string => String(n).padStart(2, "0");
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** numbersOf returns the numbers of a watchdog, or the usual ones of a type. */
export function numbersOf(type: Type, dog?: Watchdog): Numbers {
  const has = objectIn(dog);
  return Object.fromEntries(
    kinds[type].numbers.map(({ key, usual, as }) => {
      const value = has?.[key];
      return [key, value === undefined ? usual : as ? minutesOf(value) : (value as number)];
    }),
  );
}

function written(type: Type, numbers: Numbers): object {
  return Object.fromEntries(
    kinds[type].numbers.flatMap(({ key, as }) => {
      const value = numbers[key];
      if (value === undefined) return [];
      return [[key, as === "text" ? secondsText(value) : as === "seconds" ? Math.round(value * 60) : value]];
    }),
  );
}

/** Spot is what a watchdog watches: how its place is given, the form of it, the port or receiver, and the ship or ship list that its object names. */
export interface Spot {
  how: string; // a kind of form that is drawn, "stored" for that of the watchdog, "anywhere", or the uid of a shape
  form?: Form;
  port: string;
  feed: string;
  mmsi: number; // 0 for none
  shiplist: string;
}

/** spotOf returns what a watchdog watches now. */
export const spotOf = (dog: Watchdog): Spot => ({
  how: dog.form ? "stored" : kinds[dog.type].anywhere ? "anywhere" : "",
  form: dog.form,
  port: dog.port?.locode || dog.port?.name || "",
  feed: dog.feed ?? allFeeds,
  mmsi: objectIn(dog)?.mmsi ?? 0,
  shiplist: objectIn(dog)?.shiplist ?? "",
});

// placed writes a form as it stands in the object.
function placed(at: KindOf["at"], form: Form | undefined): object | undefined {
  if (!form || !complete(form)) return undefined;
  if (at === "center") return drawn(form).circle;
  const { line, polygon } = drawn(cornered(form)),
    geometry = line ?? polygon;
  return at === "" ? geometry : { [at]: geometry };
}

/** objectOf writes what is watched, under the name of the type as the API has it. */
export function objectOf(type: Type, { form, port, feed, mmsi, shiplist }: Spot, numbers: Numbers): object {
  const { at, own } = kinds[type];
  if (type === "port") return { port: port.trim() };
  if (type === "feed") return { feed };
  if (type === "box") return { box: {} };
  const place = placed(at, form);
  if (at === "" && !own) return { [type]: place };
  const ships = own && { ...(mmsi > 0 && { mmsi }), ...(shiplist !== "" && { shiplist }) };
  return { [type]: { ...place, ...ships, ...written(type, numbers) } };
}
