import { useMemo, useState } from "preact/hooks";
import type { App } from "../app";
import { spoken, t } from "../text/text";
import { wall } from "../text/clock";
import { barOf, ticks, type Axis } from "./axis";
import { boardOf, sinceOf, type Row } from "./board";
import { choose, Scale, ShipName, stripe } from "./lanes";
import { draughtOf, type Berth, type Visit } from "./model";
import { berthText, freeText, lyingText, one, rowName } from "./words";

const hour = 3600e3;
const shown = 24 * hour; // of the past

/** aheadOf is how far the clock on the wall is ahead of UTC. */
export const aheadOf = (time: number): number => Date.parse(wall(time) + "Z") - Math.floor(time / 1000) * 1000;

interface Props {
  app: App;
  visits: Visit[];
  berths: Berth[];
  /** kind is the group of ships that is looked for, or "all". */
  kind: string;
}

/** Board shows which ships lie where, on a line of the last 24 hours, and below them the berths that are free. It is drawn anew when something of it
 * changes, and once a minute. */
export function Board({ app, visits, berths, kind }: Props) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3);
  const { taken, free } = useMemo(() => boardOf(visits, berths, kind), [visits, berths, kind]);
  return useMemo(() => {
    const axis = { from: minute * 60e3 - shown, to: minute * 60e3 };
    return (
      <div class="board">
        {taken.length > 0 && <Scale axis={axis} times={ticks(axis, 6, aheadOf(now))} label="" />}
        <ul>
          {taken.map((row) => (
            <Line key={row.key} app={app} row={row} axis={axis} />
          ))}
        </ul>
        {kind === "all" && free.length > 0 && <Free names={free.map((row) => row.name)} berths={berths} />}
      </div>
    );
  }, [taken, free, minute, app.selection.mmsi, spoken(), app.settings.palette, app.settings.local]);
}

// Free are the berths at which no ship lies: how many, and after a press which.
function Free({ names, berths }: { names: string[]; berths: Berth[] }) {
  const [open, setOpen] = useState(false);
  return (
    <section class="freeberths">
      <button aria-expanded={open} onClick={() => setOpen(!open)}>
        {one("port.freeBerths", names.length)}
      </button>
      {open && (
        <ul>
          {names.map((name) => {
            const berth = berths.find((each) => each.name === name);
            return (
              <li key={name}>
                <b>{name}</b> <span class="quiet">{berth && berthText(berth)}</span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function Line({ app, row, axis }: { app: App; row: Row; axis: Axis }) {
  const free = freeText(row, axis.to);
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
