// The columns of the lists of a port. The heading of a time says what happened then.
import type { App } from "../app";
import { byText } from "../calls/words";
import { mmsiText, title } from "../ship";
import { brief, when } from "../text/clock";
import { draught, lasting, metres, miles } from "../text/figures";
import { t } from "../text/text";
import { statusText } from "../tracked/words";
import type { ColumnOf } from "../ui/table";
import { typeOf } from "./lanes";
import type { Tab } from "./day";
import type { Berth, Expected, Visit } from "./model";
import { lateText, plannedBerth } from "./words";

/** Column is a column of a list: words is what stands in it, and file what stands in a file where that is something else. */
export interface Column<R> extends ColumnOf<R> {
  words: (row: R) => string;
  file?: (row: R) => string | number | undefined;
}

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 19) + "Z";

function words<R>(key: string, width: string, of: (row: R) => string | undefined): Column<R> {
  return { key, heading: t("portcol." + key), text: of, words: (row) => of(row) ?? "", width };
}

function figure<R>(key: string, width: string, of: (row: R) => number | undefined, say: (value: number) => string): Column<R> {
  const said = (row: R): string => {
    const value = of(row);
    return value === undefined ? "" : say(value);
  };
  return { key, heading: t("portcol." + key), text: of, words: said, cell: said, file: of, width, right: true };
}

// span is a column of durations: a file has the minutes.
const span = <R,>(key: string, of: (row: R) => number | undefined): Column<R> => {
  const column = figure(key, "88px", of, lasting);
  const minutes = (row: R): number | undefined => {
    const value = of(row);
    return value === undefined ? undefined : Math.round(value / 60e3);
  };
  return { ...column, file: minutes };
};

// moment is a column of times: none says what stands where there is none.
function moment<R>(app: App, key: string, of: (row: R) => number | undefined, none: (row: R) => string = () => ""): Column<R> {
  const said = (row: R): string => {
    const time = of(row);
    return time === undefined ? none(row) : brief(time, app.picture.now());
  };
  const cell = (row: R) => <span title={iso(of(row))}>{said(row)}</span>;
  return {
    key,
    heading: t("portcol." + key),
    text: of,
    words: said,
    cell,
    file: (row) => iso(of(row)) ?? none(row),
    width: "minmax(76px, 1fr)",
  };
}

/** correctedText says which user corrected a time of a call, and what was detected; "" where nobody did. */
export function correctedText({ call }: Visit, key: "ata" | "atd", now: number): string {
  const found = call[`${key}Detected`];
  if (call.by === "" || found === call[key]) return "";
  return t("port.correctedBy", { name: call.by, time: found === undefined ? t("port.notDetected") : when(found, now, false) });
}

// checked is a column of times that users may correct: a mark says so, and its title by whom.
function checked(app: App, key: "ata" | "atd"): Column<Visit> {
  const column = moment<Visit>(app, key, ({ call }) => call[key]);
  const mark = (v: Visit): string => (correctedText(v, key, app.picture.now()) ? " ✎" : "");
  const cell = (v: Visit) => {
    const text = correctedText(v, key, app.picture.now());
    return (
      <span title={text || iso(v.call[key])}>
        {column.words(v)}
        {text && (
          <i class="corrected" role="img" aria-label={text}>
            ✎
          </i>
        )}
      </span>
    );
  };
  return { ...column, words: (v) => column.words(v) + mark(v), cell };
}

// whereText tells at what place of the port a ship is.
function whereText({ call }: Visit): string {
  const last = call.stays[call.stays.length - 1];
  if (!call.inPort) return "";
  if (call.left) return t("port.here");
  return t(last?.berthed ? "port.alongside" : "port.anchor");
}

// lay returns how long a ship lay alongside, or lies there.
const lay = (app: App, { call }: Visit): number | undefined =>
  call.service ?? (call.inPort && call.ata !== undefined && call.atd === undefined ? app.picture.now() - call.ata : undefined);

// outText stands for the time at which a ship left where there is none.
const outText = ({ call }: Visit): string => (call.inPort ? (call.left ? t("port.here") : "") : t("port.outUnseen"));

const first: Record<Exclude<Tab, "expected">, string> = {
  in: "name where berth ata lay waited draughtIn type previous next",
  arrived: "name ata berth border anchored type waited draughtIn previous lay atd next",
  left: "name ata atd out berth lay draughtOut type next waited previous",
};

// ordered puts the columns that a list is about first.
const ordered = <R,>(columns: Column<R>[], keys: string): Column<R>[] => {
  const wanted = keys.split(" ");
  const at = ({ key }: Column<R>): number => (wanted.includes(key) ? wanted.indexOf(key) : wanted.length);
  return [...columns].sort((a, b) => at(a) - at(b));
};

/** visitColumns are the columns of the calls of a list. */
export function visitColumns(app: App, tab: Exclude<Tab, "expected">): Column<Visit>[] {
  return ordered(
    [
      words("name", "minmax(112px, 2fr)", ({ ship }) => title(ship)),
      words("mmsi", "78px", ({ ship }) => mmsiText(ship.mmsi)),
      words("where", "minmax(118px, 1.2fr)", (v) =>
        v.call.berth && !v.call.left ? t("port.berth", { name: v.call.berth }) : whereText(v),
      ),
      moment(app, "border", ({ call }) => call.border),
      moment(app, "pilot", ({ call }) => call.pilot),
      moment(app, "anchored", ({ call }) => call.anchored ?? (call.stays[0]?.berthed ? undefined : call.stays[0]?.from)),
      checked(app, "ata"),
      checked(app, "atd"),
      moment(app, "out", ({ call }) => call.out, outText),
      words("berth", "minmax(78px, 1fr)", ({ call }) => call.berth),
      words("type", "minmax(78px, 1fr)", ({ group }) => typeOf(group)),
      figure("length", "56px", ({ ship }) => ship.length || undefined, metres),
      span("lay", (v) => lay(app, v)),
      span("waited", ({ call }) => call.waiting),
      figure("draughtIn", "92px", ({ call }) => call.draughtA, draught),
      figure("draughtOut", "94px", ({ call }) => call.draughtD, draught),
      words("previous", "minmax(72px, 1fr)", ({ previous }) => previous),
      words("next", "minmax(72px, 1fr)", ({ next }) => next),
      words("by", "minmax(80px, 1fr)", ({ call }) => byText(call)),
    ],
    first[tab],
  );
}

const agentOf = ({ tracked }: Expected): string => {
  const value = tracked?.plan.attributes.find(({ key }) => key.toLowerCase() === "agent")?.value;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
};

/** expectedColumns are the columns of the ships that are expected. */
export function expectedColumns(app: App, berths: readonly Berth[]): Column<Expected>[] {
  return [
    words("name", "minmax(112px, 2fr)", ({ ship }) => title(ship)),
    moment(app, "eta", ({ eta }) => eta),
    moment(app, "crew", ({ crew }) => crew),
    moment(app, "requested", ({ tracked }) => tracked?.requested[0]?.time),
    moment(app, "erp", ({ tracked }) => tracked?.plan.eta),
    words("berth", "minmax(78px, 1fr)", ({ tracked }) => tracked && plannedBerth(tracked.plan.quay, berths)),
    figure("away", "68px", ({ metres: way }) => way, miles),
    words("type", "minmax(78px, 1fr)", ({ group }) => typeOf(group)),
    figure("draught", "62px", ({ ship }) => ship.draught || undefined, draught),
    words("agent", "minmax(72px, 1fr)", agentOf),
    words("status", "minmax(76px, 1fr)", ({ tracked }) => tracked && statusText(tracked)),
    figure("length", "56px", ({ ship }) => ship.length || undefined, metres),
    moment(app, "low", ({ tracked }) => tracked?.low),
    moment(app, "high", ({ tracked }) => tracked?.high),
    moment(app, "etd", ({ tracked }) => tracked?.plan.etd),
    words("late", "minmax(96px, 1.4fr)", lateText),
    words("mmsi", "78px", ({ ship }) => mmsiText(ship.mmsi)),
  ];
}
