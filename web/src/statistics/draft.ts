// What is written in the form of a statistic, and what is posted of it.
import type { LineString, Reference, ShapeOrSaved } from "../contract";
import { aclOf } from "../library/acl";
import { numberOf, readNumbers, type Listed } from "../lists/lists";
import { complete, cornered, drawn, formOf, type Form } from "../geometry";
import type { Shape } from "../shapes/library";
import { timeOf, wall } from "../text/clock";
import type { Definition, Repeat } from "./job";
import { kinds, type Field, type KindOf } from "./kinds";

/** Spot is a place that is asked about: a saved shape by its uid, or what was drawn. */
export interface Spot {
  how: string; // a kind of form that is drawn, or the uid of a shape
  form?: Form;
}

/** Period is of the last days, or from one time to another as the clock on the wall shows them. */
export interface Period {
  how: "day" | "week" | "month" | "own";
  from: string;
  to: string;
}

export type Value = number | boolean | string | undefined;

/** Draft is what is written in the form. */
export interface Draft {
  name: string;
  period: Period;
  who: string; // a Who, or "list:" with the name of a list
  numbers: string;
  ports: string;
  filter: string;
  spots: Spot[];
  values: Record<string, Value>;
  /** run is when it runs: now, at a time, or when somebody starts it. */
  run: "now" | "at" | "held";
  at: string; // of the clock on the wall
  repeat: Repeat | "never";
  mail_to: string[];
  /** seen is who else sees it: those of the user's groups, nobody, or those that are named. */
  seen: "groups" | "nobody" | "named";
  names: string[];
  /** known are those of the names whose uid is known. */
  known: Reference[];
}

const minute = 60e3;
const hour = 60 * minute;
const day = 24 * hour;
const spans = { day: day, week: 7 * day, month: 30 * day };

/** begun is the draft of a new statistic. */
export const begun = (kind: string, now: number): Draft => ({
  name: "",
  period: { how: "day", from: wall(now - day).slice(0, 16), to: wall(now).slice(0, 16) },
  who: kinds[kind].who[0],
  numbers: "",
  ports: "",
  filter: "",
  spots: kinds[kind].place?.least ? [{ how: kinds[kind].place.draws[0] }] : [],
  values: Object.fromEntries(kinds[kind].fields.map(({ key, usual }) => [key, usual])),
  run: "now",
  at: "",
  repeat: "never",
  mail_to: [],
  seen: "groups",
  names: [],
  known: [],
});

/** times returns begin and end, in Unix milliseconds; NaN of one that is not given. Whole days are those of UTC. */
export function times({ how, from, to }: Period, now: number, wholeDays: boolean): [begin: number, end: number] {
  const last = Math.floor(now / minute) * minute; // the clock of the server may be a little behind
  const [begin, end] = how === "own" ? [timeOf(from), timeOf(to)] : [last - spans[how], last];
  return wholeDays ? [Math.floor(begin / day) * day, Math.ceil(end / day) * day] : [begin, end];
}

const two = (n: number): string => String(n).padStart(2, "0");
const lasting = (s: number): string => `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(Math.floor(s % 60))}`;

function written({ type, as }: Field, value: Value): unknown {
  if (value === undefined || value === "") return undefined;
  if (type === "choice") return value === "none" ? undefined : value === "ellipse" ? { type: value } : value;
  if (type === "checks") return String(value).split(" ");
  if (type === "ships") return readNumbers(String(value)).ships.flatMap(({ mmsi }) => (mmsi ? [mmsi] : []));
  if (as === "seconds") return lasting(Number(value));
  if (as === "hours") return lasting(Number(value) * 3600);
  return as === "list" ? [lasting(Number(value) * 3600)] : value;
}

const iso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z/, "Z");

// placed writes a place: a saved area by its uid, so that it is that of the time of the run. A saved line is copied.
function placed(spot: Spot): unknown {
  const form = spot.form;
  if (!form || !complete(form)) return undefined;
  if (form.kind === "point") return { type: "Point", coordinates: form.chains[0][0] };
  if (form.kind === "line") return drawn(form).line;
  return isDrawn(spot) ? drawn(cornered(form)).polygon : { shape_id: spot.how };
}

/** isDrawn tells what is drawn from a saved shape. */
export const isDrawn = (spot: Spot): boolean => ["polygon", "circle", "line", "point"].includes(spot.how);

/** notNumbers are the words of a text, with digits in them, that are no number of a ship that may be asked of; imo tells whether IMO numbers may. */
export function notNumbers(text: string, imo: boolean): string[] {
  const { ships, bad } = readNumbers(text);
  return [...bad, ...(imo ? [] : ships.filter(({ mmsi }) => !mmsi).map(numberOf))];
}

/** portWords are the ports that were typed. */
export const portWords = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter(Boolean);

const portsOf = (text: string): object[] =>
  portWords(text).map((word) => (/^[A-Z]{2}[A-Z0-9]{3}$/.test(word) ? { locode: word } : { name: word }));

/** asksPlace tells whether a form asks for a place as it stands. */
export const asksPlace = (of: KindOf, draft: Draft): boolean =>
  of.place !== undefined && (!of.who.includes("area") || draft.who === "area");

const grouped = ({ who, values }: Draft): boolean => values.group_by === true && who.startsWith("list:");

// ofEllipse tells whether a field is a semi-axis of an own ellipse.
const ofEllipse = ({ key }: Field): boolean => key.startsWith("domain.");

/** asks tells whether a form asks for a field as it stands. */
export const asks = (field: Field, draft: Draft): boolean =>
  (!field.listed || draft.who.startsWith("list:")) &&
  (field.key !== "interval" || grouped(draft)) &&
  (field.key !== "inside" || draft.spots.length > 0) &&
  (!ofEllipse(field) || draft.values.domain === "ellipse") &&
  (field.key !== "tracks" || !grouped(draft)); // sums have no track

/** bodyOf writes what is posted. */
export function bodyOf(kind: string, draft: Draft, now: number, wholeDays: boolean): Record<string, unknown> {
  const of = kinds[kind],
    [begin, end] = times(draft.period, now, wholeDays);
  const body: Record<string, unknown> = { begin: iso(begin), end: iso(end) };
  if (draft.name.trim() !== "") body.name = draft.name.trim();
  if (draft.filter.trim() !== "") body.filter = draft.filter.trim();
  if (draft.run === "held") body.execute = false;
  if (draft.run === "at" && !Number.isNaN(timeOf(draft.at))) body.execute = iso(timeOf(draft.at));
  if (draft.repeat !== "never") body.repeat = draft.repeat;
  if (draft.mail_to.length > 0) body.mail_to = draft.mail_to;
  if (draft.seen !== "groups") body.acl = draft.seen === "named" ? aclOf(draft.names, draft.known) : [];
  if (draft.who.startsWith("list:")) body.shiplist = draft.who.slice(5);
  if (draft.who === "numbers") {
    const { ships } = readNumbers(draft.numbers);
    body[of.numbers!] = of.numbers === "ships" ? ships : ships.map(({ mmsi }) => mmsi).filter(Boolean);
  }
  if (draft.who === "ports") body.ports = portsOf(draft.ports);
  if (asksPlace(of, draft)) {
    const places = draft.spots.map(placed).filter((p) => p !== undefined);
    if (places.length > 0) body[of.place!.key] = of.place!.most > 1 ? places : places[0];
  }
  for (const field of of.fields) {
    const value = asks(field, draft) ? written(field, draft.values[field.key]) : undefined;
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    if (field.key === "tracks" && value === false) continue; // as it is without the field
    const [first, second] = field.key.split(".");
    if (field.key === "group_by") body.group_by = value ? "shiplist" : "ungrouped";
    else if (second) body[first] = { ...(body[first] as object | undefined), [second]: value };
    else body[first] = value;
  }
  return body;
}

type Asked = ShapeOrSaved | LineString;

/** spotOf reads a place of a definition. */
export function spotOf(asked: Asked, shapes: readonly Shape[]): Spot {
  if ("shape_id" in asked) {
    const shape = shapes.find((s) => [s.uid, String(s.id), s.name].includes(String(asked.shape_id)));
    return { how: shape?.uid ?? String(asked.shape_id), form: shape?.form };
  }
  if (asked.type === "Point") {
    const [lon, lat] = asked.coordinates;
    return { how: "point", form: { kind: "point", chains: [[[lon, lat]]], radius: 0 } };
  }
  const form = formOf(asked.type === "LineString" ? { line: asked } : { polygon: asked });
  return { how: form?.kind ?? "polygon", form };
}

/** spotsOf reads the places of a definition. */
export function spotsOf(definition: Definition, shapes: readonly Shape[]): Spot[] {
  const key = kinds[definition.type]?.place?.key,
    given = key === undefined ? undefined : (definition[key] ?? definition.polygon);
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map((one) => spotOf(one as Asked, shapes));
}

const seconds = (text: string): number => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

function valueOf(field: Field, definition: Definition): Value {
  const { key, type, as, usual } = field,
    [first, second] = key.split("."),
    whole = definition[first];
  if (key === "group_by") return whole === "shiplist";
  const value = second ? (whole as Record<string, unknown> | undefined)?.[second] : whole;
  if (value === undefined || value === null) return type === "number" && !ofEllipse(field) ? undefined : usual;
  if (type === "choice") return typeof value === "string" ? value : "ellipse";
  if (type === "checks") return (value as string[]).join(" ");
  if (type === "ships") return (value as number[]).join(" ");
  if (as === "list") return seconds(String((value as string[])[0])) / 3600;
  return as === "hours" ? seconds(String(value)) / 3600 : as === "seconds" ? seconds(String(value)) : (value as Value);
}

/** draftOf writes a definition into the form, for one that is like it. Who sees it is kept of an own one alone. */
export function draftOf(definition: Definition, shapes: readonly Shape[], now: number, own = true): Draft {
  const { type, shiplist, mmsi, ships, ports } = definition,
    acl = own ? definition.acl : undefined,
    draft = begun(type, now),
    numbers = (ships as Listed[] | undefined) ?? (mmsi as number[] | undefined)?.map((each) => ({ mmsi: each }));
  const who = shiplist
    ? "list:" + String(shiplist)
    : ports
      ? "ports"
      : numbers
        ? "numbers"
        : kinds[type].who.includes("area")
          ? "area"
          : kinds[type].who.includes("there")
            ? "there"
            : draft.who;
  return {
    name: definition.name ?? "",
    period: { how: "own", from: wall(Date.parse(definition.begin)).slice(0, 16), to: wall(Date.parse(definition.end)).slice(0, 16) },
    who,
    numbers: (numbers ?? []).map(numberOf).join(" "),
    ports: ((ports as { locode?: string; name?: string; id?: number }[] | undefined) ?? [])
      .map((p) => p.locode ?? p.name ?? p.id)
      .join(", "),
    filter: definition.filter ?? "",
    spots: spotsOf(definition, shapes),
    values: Object.fromEntries(kinds[type].fields.map((field) => [field.key, valueOf(field, definition)])),
    run: "now",
    at: "",
    repeat: "never",
    mail_to: [],
    seen: acl ? (acl.length > 0 ? "named" : "nobody") : "groups",
    names: acl?.map(({ name }) => name) ?? [],
    known: acl ?? [],
  };
}
