import { useMemo } from "preact/hooks";
import type { App } from "../app";
import { spoken, t } from "../text/text";
import { wall } from "../text/clock";
import { barOf, type Axis } from "./axis";
import { rowsOf, sinceOf, type Row } from "./board";
import { choose, Scale, ShipName, stripe } from "./lanes";
import { draughtOf, type Berth, type Visit } from "./model";
import { freeText, lyingText, rowName } from "./words";

const hour = 3600e3;
const shown = 24 * hour; // of the past

/** aheadOf is how far the clock on the wall is ahead of UTC. */
export const aheadOf = (time: number): number => Date.parse(wall(time) + "Z") - Math.floor(time / 1000) * 1000;

/** Board shows which ships lie where, on a line of the last 24 hours. It is drawn anew when something of it changes, and once a minute. */
export function Board({ app, visits, berths }: { app: App; visits: Visit[]; berths: Berth[] }) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3);
  const rows = useMemo(() => rowsOf(visits, berths), [visits, berths]);
  return useMemo(() => {
    const axis = { from: minute * 60e3 - shown, to: minute * 60e3 };
    return (
      <div class="board">
        <Scale axis={axis} hours={6} ahead={aheadOf(now)} label="" />
        <ul>
          {rows.map((row) => (
            <Line key={row.key} app={app} row={row} axis={axis} />
          ))}
        </ul>
      </div>
    );
  }, [rows, minute, app.selection.mmsi, spoken(), app.settings.palette, app.settings.local]);
}

function Line({ app, row, axis }: { app: App; row: Row; axis: Axis }) {
  const free = freeText(row);
  return (
    <li class={`lanes berthrow ${row.kind}${row.over ? " over" : ""}`}>
      <div class="place">
        <b>{rowName(row)}</b>
        {free && (
          <span class={row.over ? "problem" : "quiet"}>
            {row.over && "⚠ "}
            {free}
          </span>
        )}
      </div>
      <ul class="ships">
        {row.ships.map((visit) => (
          <Lane key={visit.key} app={app} visit={visit} axis={axis} over={row.over} />
        ))}
      </ul>
    </li>
  );
}

function Lane({ app, visit, axis, over }: { app: App; visit: Visit; axis: Axis; over: boolean }) {
  const { ship, call, group } = visit,
    may = app.session.may("view_ata_atd");
  const until = call.left ? (call.atd ?? call.stays[call.stays.length - 1]?.to ?? axis.to) : axis.to;
  const { left, width, early } = barOf(axis, sinceOf(visit), until);
  const facts = lyingText(visit, draughtOf(visit, app.picture.ships.get(ship.mmsi)), axis.to, may);
  const edge = left + width;
  return (
    <li>
      <button
        class={over ? "lane over" : "lane"}
        aria-current={app.selection.mmsi === ship.mmsi ? "true" : undefined}
        style={stripe(app, group) as never}
        title={t("group." + group)}
        onClick={() => choose(app, ship)}>
        <span class="axis">
          <span class={early ? "bar early" : "bar"} style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
          <span class="text" style={edge > 0.5 ? { right: `${(1 - edge) * 100}%` } : { left: `${left * 100}%` }}>
            <ShipName ship={ship} />
          </span>
        </span>
        {facts && <span class="facts">{facts}</span>}
      </button>
    </li>
  );
}
