// The kinds of statistics, and the fields of the form of each, named as in the API.
import type { Kind as FormKind } from "../geometry";

/** Place is where a kind asks: the field of the API, what may be drawn for it, and how many. */
export interface Place {
  key: string;
  draws: FormKind[];
  /** least is how many there must be; 0 is a place that may be left out. */
  least: number;
  /** most is how many there may be. */
  most: number;
}

/** Who is of which ships a kind asks: "all", "area", "ports", "numbers", "list" and "there", in the order in which they are offered. */
export type Who = "all" | "area" | "ports" | "numbers" | "list" | "there";

/** Field is a further field of a form; its key may lead into an object, as distance.max. */
export interface Field {
  key: string;
  word: string;
  type: "number" | "switch" | "period" | "ships" | "choice" | "checks";
  unit?: string;
  /** of are the values of a choice or of checks. */
  of?: readonly string[];
  hint?: string;
  usual?: number | boolean | string;
  max?: number;
  must?: boolean;
  /** as tells how a number is written: hours or seconds as HHH:MM:SS, or in a list. */
  as?: "hours" | "seconds" | "list";
  /** listed tells that the field needs a ship list. */
  listed?: boolean;
}

/** KindOf is what the form of a kind asks. */
export interface KindOf {
  place?: Place;
  who: Who[];
  /** numbers is the field of the ships that are named by their numbers. */
  numbers?: "mmsi" | "ships";
  fields: Field[];
  /** calls tells that a record tells of calls at ports. */
  calls?: boolean;
}

const area = (key = "shape", least = 1, most = 1): Place => ({ key, draws: ["polygon", "circle"], least, most });
const knots = (key: string, word: string, usual?: number): Field => ({ key, word, type: "number", unit: "kn", usual, max: 102 });
const team = (key: string, word: string): Field => ({ key, word, type: "ships" });
const near: Field = { key: "distance.max", word: "distance", type: "number", unit: "m", usual: 300, max: 10000, must: true };

const lengths = (key: string, word: string, usual: number): Field => ({
  key,
  word,
  type: "number",
  unit: "L",
  usual,
  max: 50,
  must: true,
  hint: "lengthsHint",
});

const tracks: Field = { key: "tracks", word: "tracks", type: "switch", usual: false };

/** kinds are those of the server, in the order of the cards. */
export const kinds: Record<string, KindOf> = {
  area: {
    place: area(),
    who: ["all", "list"],
    fields: [
      { key: "group_by", word: "grouped", type: "switch", usual: false, listed: true },
      { key: "interval", word: "interval", type: "period", usual: "day", listed: true },
      tracks,
    ],
  },
  passageline: { place: { key: "passageline", draws: ["line"], least: 1, most: 1 }, who: ["all"], fields: [tracks] },
  multipassageline: {
    place: { key: "passagelines", draws: ["line"], least: 2, most: 100 },
    who: ["all"],
    fields: [
      { key: "max_duration", word: "within", type: "number", unit: "h", usual: 24, max: 8760, must: true, as: "hours" },
      { key: "both_directions", word: "both", type: "switch", usual: false },
      tracks,
    ],
  },
  portcalls: { place: area(), who: ["ports", "area", "numbers", "list"], numbers: "mmsi", fields: [], calls: true },
  trip: { place: area(), who: ["all"], fields: [team("a_team", "onlyShips")], calls: true },
  historicaltrack: {
    place: area("shape", 0),
    who: ["numbers", "list", "there"],
    numbers: "mmsi",
    fields: [
      { key: "inside", word: "inside", type: "switch", usual: false },
      { key: "resolution", word: "resolution", type: "number", unit: "s", max: 86400, as: "seconds" },
    ],
  },
  density: {
    place: area(),
    who: ["all", "list"],
    fields: [{ key: "cell", word: "cell", type: "number", unit: "m", usual: 1000, max: 50000, must: true }],
  },
  sogdist: { place: area("shape", 0), who: ["numbers", "list"], numbers: "mmsi", fields: [knots("sog_threshold", "threshold", 1)] },
  multiship: { who: ["numbers"], numbers: "ships", fields: [] },
  nmss: {
    place: area(),
    who: ["all"],
    fields: [
      near,
      { key: "domain", word: "domain", type: "choice", of: ["none", "fujii", "ellipse"], usual: "none", hint: "domainHint" },
      lengths("domain.ahead", "domainAhead", 4),
      lengths("domain.abeam", "domainAbeam", 1.6),
      { key: "meeting", word: "meeting", type: "checks", of: ["head-on", "crossing", "overtaking"], usual: "", hint: "meetingHint" },
      knots("sog.min", "leastSpeed"),
      knots("sog.max", "mostSpeed"),
      knots("dsog.min", "speedApart"),
      knots("dsog.max", "speedApartMost"),
      { key: "dcog.min", word: "courseApart", type: "number", unit: "°", max: 180 },
      { key: "dcog.max", word: "courseApartMost", type: "number", unit: "°", max: 180 },
      team("a_team", "oneOf"),
    ],
  },
  nmsp: {
    place: { key: "shape", draws: ["point"], least: 1, most: 1 },
    who: ["all"],
    fields: [near, knots("sog.min", "leastSpeed"), knots("sog.max", "mostSpeed"), team("a_team", "onlyShips")],
  },
  transitpilot: {
    place: area("shapes", 2, 100),
    who: ["all"],
    fields: [
      { key: "intervals", word: "apart", type: "number", unit: "h", usual: 4, max: 8760, must: true, as: "list" },
      { ...team("a_team", "pilotBoats"), must: true },
      team("b_team", "onlyShips"),
    ],
  },
  pilotboat: { place: area(), who: ["all"], fields: [team("a_team", "pilotBoats")], calls: true },
};

/** needs is the right that a kind takes. */
export const needs = (kind: string): string => (kind === "historicaltrack" ? "view_historical_tracks" : "view_history");
