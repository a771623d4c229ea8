// The columns that answer the question of each kind.
import type { App } from "../app";
import { portText } from "../portname";
import { title } from "../ship";
import { brief } from "../text/clock";
import { draught, exactMiles, knots, measured } from "../text/figures";
import { known, number, t } from "../text/text";
import { parseTime } from "../time";
import type { ColumnOf } from "../ui/table";
import { lastingText, secondsOf, speedsOf, type RecordOf, type Row } from "./row";

/** Column is a column of a result; file is what it is in a file, where that is not its text. */
export interface Column extends ColumnOf<Row> {
  file?: (row: Row) => string | number | undefined;
  /** unit is that of the number in a file, where the heading does not tell it: s or m. */
  unit?: string;
  /** ship is which of the ships of a row is told; a file has its number in front. */
  ship?: number;
}

type Figure = (of: RecordOf) => number | undefined;

const wide = "minmax(84px, 1.4fr)";
const iso = (time: number): string => new Date(time).toISOString();
const heading = (key: string): string => t("statcol." + key);

// text is a column of words.
const text = (key: string, of: (row: Row) => string | undefined, more: Partial<Column> = {}): Column => ({
  key,
  heading: heading(key),
  text: of,
  width: wide,
  ...more,
});

// figure is a column of numbers: it sorts by the number, and shows it in words.
const figure = (key: string, of: Figure, say: (value: number) => string, more: Partial<Column> = {}): Column => ({
  key,
  heading: heading(key),
  text: (row) => of(row.of),
  cell: (row) => {
    const value = of(row.of);
    return value === undefined ? "" : say(value);
  },
  width: "minmax(52px, 0.8fr)",
  right: true,
  ...more,
});

// span is a column of durations in seconds.
const span = (key: string, of: Figure, more: Partial<Column> = {}): Column =>
  figure(key, of, lastingText, { width: "minmax(80px, 0.8fr)", unit: "s", ...more });

// way is a column of distances in metres.
const way = (key: string, of: Figure, say: (value: number) => string, more: Partial<Column> = {}): Column =>
  figure(key, of, say, { unit: "m", ...more });

const ship = (key: string, n: number): Column => text(key, (row) => row.ships[n] && title(row.ships[n]), { ship: n });
const type = (): Column => text("type", (row) => row.ships[0]?.type, { from: 520, width: "minmax(60px, 1fr)" });
const speed = (): Column => figure("sog", (of) => (Array.isArray(of.ship) ? undefined : of.ship?.sog), knots);

const meeting = (): Column =>
  text("meeting", ({ of }) => of.meeting && (known("statmeeting." + of.meeting) || of.meeting), {
    from: 560,
    width: "minmax(84px, 0.9fr)",
  });

// domainOf names the ship whose domain it is, and says where its length is not known.
function domainOf({ of, ships }: Row): string | undefined {
  const own = of.domain_of === undefined ? undefined : ships[of.domain_of];
  return own && title(own) + (of.length_assumed ? ` (${t("stat.lengthAssumed")})` : "");
}

type Table = (app: App) => Column[];

// moment is a column of times.
const moment = (
  app: App,
  key: string,
  of: (record: RecordOf, row: Row) => string | number | undefined | false,
  more: Partial<Column> = {},
): Column => {
  const time = (row: Row): number | undefined => {
    const value = of(row.of, row);
    return typeof value === "string" ? parseTime(value) : value || undefined;
  };
  return {
    key,
    heading: heading(key),
    text: time,
    cell: (row) => {
      const value = time(row);
      return value === undefined ? "" : <span title={iso(value)}>{brief(value, app.picture.now())}</span>;
    },
    file: (row) => {
      const value = time(row);
      return value === undefined ? undefined : iso(value);
    },
    width: "minmax(88px, 1fr)",
    ...more,
  };
};

const tables: Record<string, Table> = {
  area: (app) => [
    ship("ship", 0),
    moment(app, "in", (r) => r.time_in),
    moment(app, "out", (r) => r.time_out),
    span("stay", (r) => (r.time_in && r.time_out ? (parseTime(r.time_out) - parseTime(r.time_in)) / 1000 : undefined)),
    type(),
    text(
      "notes",
      (row) => [row.of.entered_before && t("stat.wasInside"), row.of.left_by_silence && t("stat.fellSilent")].filter(Boolean).join(", "),
      { from: 440 },
    ),
    text("destination", (row) => row.ships[0]?.destination, { from: 640 }),
  ],
  grouped: () => [
    ship("ship", 0),
    text("period", (row) => row.of.period, { width: "minmax(70px, 0.8fr)" }),
    figure("visits", (r) => r.times_in?.length, number),
    span("inside", (r) => (r.time_inside === undefined ? undefined : secondsOf(r.time_inside))),
    way("way", (r) => r.distance, exactMiles),
    type(),
  ],
  passageline: (app) => [
    ship("ship", 0),
    moment(app, "time", (r) => r.timestamp),
    text("direction", (row) => directionText(row.of.direction), { width: "minmax(60px, 0.8fr)" }),
    way("along", (r) => r.distance, measured, { width: "minmax(88px, 1fr)" }),
    speed(),
    type(),
  ],
  multipassageline: (app) => [
    ship("ship", 0),
    moment(app, "first", (r) => r.time_first),
    moment(app, "last", (r) => r.time_last),
    span("took", (r) => (r.duration === undefined ? undefined : secondsOf(r.duration))),
    text("direction", (row) => directionText(row.of.direction), { width: "minmax(60px, 0.8fr)" }),
    text("back", (row) => (row.of.direction_index === 1 ? t("stat.back") : ""), { from: 440, width: "minmax(50px, 0.7fr)" }),
    type(),
  ],
  density: () => [
    ship("ship", 0),
    text("day", (row) => row.of.day, { width: "minmax(76px, 0.8fr)" }),
    span("inside", (r) => r.seconds),
    type(),
  ],
  sogdist: () => [
    ship("ship", 0),
    text("day", (row) => row.of.day, { width: "minmax(76px, 0.8fr)" }),
    span("moving", (r) => r.sogs && speedsOf(r.sogs).moving),
    span("resting", (r) => r.sogs && speedsOf(r.sogs).resting),
    figure("mean", (r) => r.sogs && speedsOf(r.sogs).mean, knots),
    figure("top", (r) => r.sogs && speedsOf(r.sogs).top, knots),
    span("gap", (r) => r.gap_seconds, { from: 440 }),
  ],
  nmss: (app) => [
    ship("ship", 0),
    ship("other", 1),
    way("distance", (r) => r.distance, measured, { width: "minmax(76px, 0.8fr)" }),
    moment(app, "time", (r) => r.timestamp),
    meeting(),
    text("speeds", (row) => row.ships.map(({ sog }) => (sog === undefined ? "–" : knots(sog))).join(" / "), {
      from: 440,
      width: "minmax(70px, 0.8fr)",
    }),
  ],
  domains: (app) => [
    ship("ship", 0),
    ship("other", 1),
    figure(
      "domain",
      (r) => r.domain,
      (value) => number(value, 2),
      { width: "minmax(64px, 0.7fr)" },
    ),
    text("domainOf", (row) => domainOf(row), { from: 640 }),
    way("distance", (r) => r.distance, measured, { width: "minmax(76px, 0.8fr)" }),
    meeting(),
    moment(app, "time", (r) => r.timestamp),
  ],
  nmsp: (app) => [
    ship("ship", 0),
    way("distance", (r) => r.distance, measured, { width: "minmax(76px, 0.8fr)" }),
    moment(app, "time", (r) => r.timestamp),
    speed(),
  ],
  multiship: (app) => [
    ship("ship", 0),
    moment(app, "time", (r) => r.timestamp),
    text("change", (row) => (row.of.change === undefined ? undefined : t("statchange." + row.of.change))),
    text("news", (row) => newsText(row.of), { width: "minmax(80px, 2fr)" }),
    figure("sog", (r) => r.sog, knots, { from: 440 }),
  ],
  historicaltrack: (app) => [
    ship("ship", 0),
    moment(app, "from", (_, row) => row.from),
    moment(app, "to", (_, row) => row.to),
    { ...figure("fixes", () => undefined, number), text: (row) => row.fixes, cell: (row) => number(row.fixes ?? 0) },
    type(),
  ],
  portcalls: (app) => [
    ship("ship", 0),
    text("port", (row) => portText(row.of.port)),
    moment(app, "ata", (r) => r.ata),
    moment(app, "atd", (r) => r.atd),
    text("berth", (row) => row.of.berth?.name, { from: 440, width: "minmax(50px, 0.8fr)" }),
    span("waited", (r) => (r.waiting === undefined ? undefined : secondsOf(r.waiting)), { from: 560 }),
    way("draughtIn", (r) => r.draught_a ?? undefined, draught, { from: 760, width: "minmax(84px, 0.9fr)" }),
    way("draughtOut", (r) => r.draught_d ?? undefined, draught, { from: 760, width: "minmax(84px, 0.9fr)" }),
    type(),
  ],
  trip: (app) => [
    ship("ship", 0),
    text("from", (row) => portText(row.of.from?.port)),
    text("to", (row) => portText(row.of.to?.port)),
    moment(app, "atd", (r) => r.from?.atd),
    moment(app, "ata", (r) => r.to?.ata),
    way("way", (r) => r.distance, exactMiles, { from: 560, width: "minmax(72px, 0.9fr)" }),
    span("took", (r) => (r.duration === undefined ? undefined : secondsOf(r.duration)), { from: 440 }),
    figure("mean", (r) => r.avg_sog, knots, { from: 720, width: "minmax(72px, 0.8fr)" }),
  ],
  transitpilot: (app) => [
    ship("ship", 0),
    moment(app, "first", (r) => r.pilot?.[0]?.timestamp),
    moment(app, "last", (r) => r.pilot?.[1]?.timestamp),
    text("from", (row) => pilotText(row.of, 0), { from: 440 }),
    text("to", (row) => pilotText(row.of, 1), { from: 440 }),
    type(),
  ],
  pilotboat: (app) => [
    ship("boat", 0),
    text("port", (row) => portText(row.of.port)),
    moment(app, "atd", (r) => r.atd),
    moment(app, "ata", (r) => r.ata),
    figure("served", (r) => r.operations?.length, number),
    text(
      "ships",
      (row) =>
        row.of.operations
          ?.map((o) => o.ship && title(o.ship))
          .filter(Boolean)
          .join(", "),
      { from: 520, width: "minmax(80px, 2fr)" },
    ),
  ],
};

const directionText = (direction: string | undefined): string | undefined => direction && (known("statto." + direction) || direction);

const pilotText = (of: RecordOf, n: number): string | undefined => {
  const pilot = of.pilot?.[n];
  return pilot && (pilot.label || t("stat.areaNumber", { n: (pilot.index ?? n) + 1 }));
};

// newsText says what of a ship is known at last, or differs.
const newsText = (of: RecordOf): string =>
  [
    of.name,
    of.callsign,
    of.imo && `IMO ${of.imo}`,
    of.destination && `→ ${of.destination}`,
    of.eta && `ETA ${of.eta}`,
    of.draught && draught(of.draught),
  ]
    .filter(Boolean)
    .join(" · ");

/** columnsOf returns the columns of a kind; grouped tells that an area was asked by ship and period, domains that near misses were asked by ship domain. */
export const columnsOf = (app: App, kind: string, grouped: boolean, domains = false): Column[] =>
  (tables[kind === "area" && grouped ? "grouped" : kind === "nmss" && domains ? "domains" : kind] ?? tables.passageline)(app);

const first = ["domain", "distance", "in", "time", "first", "ata", "atd", "day", "period", "from"];

/** usualOrder is the column by which a result is sorted at first: the deepest in a domain, the nearest, else the earliest. */
export const usualOrder = (columns: readonly Column[]): string =>
  first.find((key) => columns.some((column) => column.key === key)) ?? columns[0].key;
