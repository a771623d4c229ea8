import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app";
import { groups, type Group } from "../palette";
import { from, Origin, originText } from "../origin";
import { isHollow, title, type Ship } from "../ship";
import { ofPort, sorted, value, type Column, type From, type Order } from "../sort";
import { when } from "../text/clock";
import { course, knots, miles } from "../text/figures";
import { ageText, flag, number, statusText, t, typeText } from "../text/text";
import { etaText } from "../text/eta";
import { Columns, offered } from "./columns";
import { Kind } from "../map/kind";
import { HomeTabs } from "../port/porttabs";
import { useRowsInSight } from "../ui/table";

// Each column has its width in a grid, the least pixels of it, and how wide a list has to be to show it unasked.
const columns: { column: Column; width: string; least: number; from: number; right?: boolean }[] = [
  { column: "name", width: "minmax(96px, 2.2fr)", least: 130, from: 0 },
  { column: "type", width: "minmax(70px, 1fr)", least: 76, from: 0 },
  { column: "flag", width: "28px", least: 28, from: 420 },
  { column: "length", width: "46px", least: 46, from: 600, right: true },
  { column: "draught", width: "56px", least: 56, from: 760, right: true },
  { column: "sog", width: "40px", least: 40, from: 0, right: true },
  { column: "cog", width: "38px", least: 38, from: 560, right: true },
  { column: "destination", width: "minmax(84px, 1.2fr)", least: 84, from: 490 },
  { column: "eta", width: "114px", least: 114, from: 860 },
  { column: "port", width: "minmax(80px, 1fr)", least: 80, from: Infinity },
  { column: "berth", width: "minmax(80px, 1fr)", least: 80, from: Infinity },
  { column: "status", width: "minmax(90px, 1fr)", least: 90, from: 700 },
  { column: "heard", width: "56px", least: 56, from: 0, right: true },
  { column: "distance", width: "44px", least: 44, from: 368, right: true },
  { column: "bearing", width: "38px", least: 38, from: 800, right: true },
  { column: "callsign", width: "64px", least: 64, from: 940 },
  { column: "imo", width: "60px", least: 60, from: 1020, right: true },
];
const measured: ReadonlySet<Column> = new Set(["distance", "bearing"]); // from where Origin says
const explained: ReadonlySet<Column> = new Set(["distance", "bearing", "heard", "sog", "cog", "length", "draught", "eta", "port", "berth"]);
const downwards: ReadonlySet<Column> = new Set(["sog", "length", "draught", "heard"]); // the largest first
const between = 6; // pixels between two columns
const beside = 22 + 14 + 2 * between; // and of the symbol and the edges

// columnsIn returns the columns that a list of a width shows: those that were chosen, as many as fit, or those that say something.
function columnsIn(app: App, width: number, filled: Set<Column>): typeof columns {
  const chosen = app.settings.columns;
  if (!chosen) return columns.filter((c) => width >= c.from && filled.has(c.column));
  let room = width - beside;
  return columns.filter((c) => isChosen(app, c.column) && (room -= c.least + between) >= -between);
}

// isChosen tells whether the user chose a column and may have it.
const isChosen = (app: App, column: Column): boolean =>
  column === "name" || (app.settings.columns?.includes(column) === true && offered(app, column));

// widthOf is the room that the chosen columns need.
const widthOf = (app: App): number => columns.reduce((sum, c) => sum + (isChosen(app, c.column) ? c.least + between : 0), beside + 24);

// useInPort has the server asked where the ships lie while a column shows it, and gives whether one does.
function useInPort(app: App, width: number): boolean {
  const shows = columnsIn(app, width, new Set()).some((c) => ofPort.has(c.column));
  useEffect(() => {
    if (shows && !document.hidden) void app.lookInPort(); // the list is drawn each second
  });
  return shows;
}

/** List is the ship list: only the rows in sight exist, so that twenty thousand cost no more than forty. */
export function List({ app }: { app: App }) {
  const rowHeight = innerWidth < 900 ? 44 : 24;
  const { box, width, bar, first, last, reveal, onScroll } = useRowsInSight(rowHeight);
  const ports = useInPort(app, width);
  const order: Order = ofPort.has(app.settings.order.column) && !ports ? { column: "distance", down: false } : app.settings.order;
  const { rows, filled, origin, at, measures } = useRows(app, order);
  const shown = columnsIn(app, width, filled);
  const wide = app.settings.columns ? `${widthOf(app)}px` : "0px";
  const visible = rows.slice(first, last);
  const template = "22px " + shown.map((c) => c.width).join(" ");
  const focused = rows.findIndex((s) => s.mmsi === app.selection.mmsi);
  const chosen = useRef({ ship: 0, at: 0 }); // a map that goes to a ship reorders the list; the list then goes to the ship too
  if (chosen.current.ship !== app.selection.mmsi) chosen.current = { ship: app.selection.mmsi, at: performance.now() };
  useEffect(() => {
    if (focused >= 0 && performance.now() - chosen.current.at < 3000) reveal(focused);
  }, [app.selection.mmsi, focused]);
  const select = (mmsi: number, move?: "go"): void => {
    if (measured.has(order.column)) origin.pass(mmsi);
    app.selection.select(mmsi, move);
  };
  const key = (e: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -rows.length, End: rows.length }[e.key];
    if (by !== undefined && rows.length > 0) {
      e.preventDefault();
      select(rows[Math.max(0, Math.min(rows.length - 1, focused + by))].mmsi);
    } else if (e.key === "Enter" && app.selection.mmsi) select(app.selection.mmsi, "go");
  };
  return (
    <section
      class="list"
      aria-labelledby="list-heading"
      style={{ "--columns": template, "--row": `${rowHeight}px`, "--wide": wide } as never}>
      <HomeTabs app={app} />
      <div class="bar">
        <h2 id="list-heading">{t("list.heading")}</h2>
        <span class="quiet">{t("list.rows", { shown: number(rows.length), all: number(app.search.all()) })}</span>
        <Columns app={app} />
        <button class="square phone" aria-label={t("list.close")} onClick={() => app.settings.setList(false)}>
          ×
        </button>
      </div>
      <Kinds app={app} />
      <div class="table" role="grid" aria-labelledby="list-heading" aria-rowcount={rows.length + 1}>
        <div class="row headings" role="row" aria-rowindex={1} style={{ paddingRight: `${8 + bar}px` }}>
          <span role="columnheader">
            <span class="unseen">{t("col.kind")}</span>
          </span>
          {shown.map((c) => (
            <Heading key={c.column} app={app} column={c.column} right={c.right} origin={origin} at={at} />
          ))}
        </div>
        <div class="rows" ref={box} tabIndex={0} role="rowgroup" aria-label={t("list.heading")} onKeyDown={key} onScroll={onScroll}>
          <div class="all" style={{ height: `${rows.length * rowHeight}px` }}>
            {visible.map((ship, i) => (
              <Row
                key={ship.mmsi}
                app={app}
                ship={ship}
                index={first + i}
                top={(first + i) * rowHeight}
                shown={shown}
                measures={measures}
                select={select}
              />
            ))}
          </div>
          {rows.length === 0 && (
            <p class="empty" role="row">
              <span role="gridcell">{app.search.query.kind === "none" ? t("list.empty") : app.search.result()}</span>
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

// useRows keeps the order for two seconds at a time, so that rows can be read and clicked, unless the user asks for another.
function useRows(app: App, order: Order) {
  const origin = useRef(new Origin()).current;
  const kept = useRef({ rows: [] as Ship[], filled: new Set<Column>(), key: "", at: 0, version: -1 });
  const k = kept.current;
  const at = origin.at({ desk: app, measured: app.measuring ? app.ruler?.points[0] : undefined, selected: app.selection.mmsi });
  const place = measured.has(order.column) ? at.place.map((degrees) => degrees.toFixed(4)) : "";
  const lying = ofPort.has(order.column) ? app.inPort?.version : "";
  const key = [order.column, order.down, app.search.text, app.search.shown, place, lying, app.settings.language].join("|");
  const now = performance.now();
  const measures: From = { ...from(at.place), lying: app.inPort?.of };
  if (key === k.key && (app.picture.version === k.version || now - k.at < 2000)) return { ...k, origin, at, measures };
  const ships: Ship[] = [];
  for (const ship of app.picture.ships.values()) if (app.search.isShown(ship)) ships.push(ship);
  k.rows = sorted(ships, order, measures);
  k.filled = new Set(columns.map((c) => c.column).filter((c) => c === "name" || ships.some((s) => value(s, c, measures) !== undefined)));
  k.key = key;
  k.at = now;
  k.version = app.picture.version;
  return { ...k, origin, at, measures };
}

interface HeadingProps {
  app: App;
  column: Column;
  right?: boolean;
  origin: Origin;
  at: ReturnType<Origin["at"]>;
}

function Heading({ app, column, right, origin, at }: HeadingProps) {
  const on = app.settings.order.column === column;
  const sort = (): void => {
    const { order } = app.settings; // of now: a second click may come before the first was drawn
    const down = order.column === column ? !order.down : downwards.has(column);
    if (measured.has(column)) origin.pass(undefined); // from the ship that is selected now
    app.settings.setOrder({ column, down });
    app.say(t("say.sorted", { column: t("col." + column) }));
  };
  const unknown = ofPort.has(column) && !app.inPort?.known;
  const notes = [
    explained.has(column) && t("col.long." + column),
    measured.has(column) && originText(at),
    unknown && t("list.portsUnknown"),
  ];
  const long = [t("col." + column), ...notes].filter(Boolean).join(", ");
  return (
    <span
      role="columnheader"
      aria-sort={on ? (app.settings.order.down ? "descending" : "ascending") : "none"}
      class={(right ? "right " : "") + column}>
      <button aria-label={t("list.sort", { column: long })} title={long} onClick={sort}>
        {t("col." + column)}
        {on && <i aria-hidden="true">{app.settings.order.down ? "▾" : "▴"}</i>}
      </button>
    </span>
  );
}

interface RowProps {
  app: App;
  ship: Ship;
  index: number;
  top: number;
  shown: typeof columns;
  measures: From;
  select: (mmsi: number, move?: "go") => void;
}

function Row({ app, ship, index, top, shown, measures, select }: RowProps) {
  const heading = ship.heading ?? ship.cog;
  return (
    <div
      class={"row" + (ship.signal === "lost" || ship.signal === "removed" ? " lost" : "")}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={ship.mmsi === app.selection.mmsi}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => select(ship.mmsi)}
      onDblClick={() => select(ship.mmsi, "go")}>
      <span role="gridcell">
        <Kind
          group={ship.group}
          palette={app.settings.palette}
          degrees={heading === undefined ? undefined : Math.round(heading / 15) * 15}
          size={18}
          empty={isHollow(ship)}
        />
      </span>
      {shown.map(({ column, right }) => (
        <span key={column} role="gridcell" class={(right ? "right " : "") + column} title={cellTitle(app, ship, column)}>
          {column === "name" && ship.conflict && (
            <i class="conflict" role="img" aria-label={t("list.conflict")} title={t("list.conflict")}>
              ⚠
            </i>
          )}
          {cellText(app, ship, column, measures)}
        </span>
      ))}
    </div>
  );
}

// cellTitle is what a cell has no room for.
function cellTitle(app: App, ship: Ship, column: Column): string | undefined {
  if (column === "type") return typeText(ship);
  if (column === "heard") return heardText(app, ship);
  const text = measured.has(column) ? undefined : cellText(app, ship, column);
  return text !== undefined && text.length > 8 ? text : undefined;
}

// heardText is the time of a ship's last report.
const heardText = (app: App, ship: Ship): string | undefined =>
  ship.time && ship.source !== "register" ? when(ship.time, app.picture.now()) : undefined;

function cellText(app: App, ship: Ship, column: Column, measures?: From): string | undefined {
  const known = (value: number | undefined, say: (value: number) => string): string | undefined =>
    value === undefined ? undefined : say(value);
  switch (column) {
    case "name":
      return title(ship);
    case "type":
      return typeText(ship, true);
    case "flag":
      return ship.country_code ?? flag(ship);
    case "length":
      return known(ship.length || undefined, number);
    case "draught":
      return known(ship.draught || undefined, (metres) => number(metres, 1));
    case "sog":
      return known(ship.sog, knots);
    case "cog":
      return known(ship.cog, course);
    case "eta":
      return etaText(ship);
    case "port":
      return app.inPort?.of(ship)?.port;
    case "berth":
      return app.inPort?.of(ship)?.berth;
    case "callsign":
      return ship.callsign;
    case "imo":
      return known(ship.imo || undefined, String);
    case "destination":
      return ship.destination;
    case "status":
      return statusText(ship);
    case "heard":
      return ship.time && ship.source !== "register" ? ageText(app.picture.now() - ship.time) : undefined;
    case "distance":
      return known(measures?.distance(ship), miles);
    case "bearing":
      return known(measures?.bearing(ship), course);
  }
}

// filterOf is the query for a group: its word, and for the symbol of fast ships the two types that have it.
const filterOf = (group: Group): string => (group === "hsc" ? "hsc or wig" : group);

// Kinds is legend and switch in one: each symbol with how many there are; a click filters by it.
function Kinds({ app }: { app: App }) {
  const counts = useRef({ at: -1e9, of: new Map<Group, number>() });
  const now = performance.now();
  if (now - counts.current.at > 1500 || counts.current.of.size === 0) {
    counts.current.at = now;
    counts.current.of.clear();
    for (const ship of app.picture.ships.values()) counts.current.of.set(ship.group, (counts.current.of.get(ship.group) ?? 0) + 1);
  }
  const present = groups.filter((g) => (counts.current.of.get(g) ?? 0) > 0);
  if (present.length === 0) return null;
  return (
    <ul class="kinds" aria-label={t("kinds.heading")}>
      {present.map((g) => (
        <li key={g}>
          <button
            aria-pressed={app.search.text === filterOf(g)}
            title={t("group." + g)}
            aria-label={`${t("group." + g)}: ${counts.current.of.get(g)}`}
            onClick={() => app.search.setText(app.search.text === filterOf(g) ? "" : filterOf(g))}>
            <Kind group={g} palette={app.settings.palette} degrees={0} size={18} />
            {number(counts.current.of.get(g) ?? 0)}
          </button>
        </li>
      ))}
    </ul>
  );
}
