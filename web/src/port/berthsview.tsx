import { useMemo } from "preact/hooks";
import type { App } from "../app";
import { title } from "../ship";
import { when } from "../text/clock";
import { draught, metres } from "../text/figures";
import { spoken, t } from "../text/text";
import { ahead, barOf, marks, type Axis } from "./axis";
import { berthPlan, type BerthRow, type Conflict, type Planned } from "./berthplan";
import { aheadOf } from "./boardview";
import { choose, Scale, ShipName, stripe } from "./lanes";
import type { Berth, Expected, Visit } from "./model";
import { berthText, one as counted } from "./words";

interface Props {
  app: App;
  berths: readonly Berth[];
  expected: readonly Expected[];
  lying: readonly Visit[];
}

/** Berths shows the plan of the berths: a row for each at which ships lie or are planned, on a line of the next 48 hours, and marks what does not fit. */
export function Berths({ app, berths, expected, lying }: Props) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3);
  const rows = useMemo(() => berthPlan(expected, lying, berths), [expected, lying, berths]);
  return useMemo(() => {
    const axis = ahead(minute * 60e3),
      troubles = rows.flatMap((row) => row.ships).filter((one) => one.conflicts.length > 0).length;
    return (
      <div class="board berthplan">
        <Scale axis={axis} times={marks(axis, aheadOf(now))} label="" />
        {troubles > 0 && <p class="problem">⚠ {counted("port.conflicts", troubles)}</p>}
        <ul>
          {rows.map((row) => (
            <Line key={row.name} app={app} row={row} axis={axis} />
          ))}
        </ul>
      </div>
    );
  }, [rows, minute, app.selection.mmsi, spoken(), app.settings.palette, app.settings.local]);
}

function Line({ app, row, axis }: { app: App; row: BerthRow; axis: Axis }) {
  return (
    <li class="lanes berthrow">
      <div class="place">
        <b>{row.name || t("port.noBerth")}</b>
        {row.berth && <span class="quiet">{berthText(row.berth)}</span>}
      </div>
      <ul class="ships">
        {row.ships.map((one) => (
          <Ship key={one.key} app={app} one={one} axis={axis} />
        ))}
      </ul>
    </li>
  );
}

function Ship({ app, one, axis }: { app: App; one: Planned; axis: Axis }) {
  const begin = one.here ? axis.from : one.from,
    { left, width } = barOf(axis, begin ?? axis.to, one.to ?? begin ?? axis.to),
    edge = left + width;
  return (
    <li>
      <button
        class={one.conflicts.length > 0 ? "lane over" : "lane"}
        aria-current={app.selection.mmsi === one.ship.mmsi ? "true" : undefined}
        style={stripe(app, one.group) as never}
        title={t("group." + one.group)}
        onClick={() => choose(app, one.ship)}>
        <span class="axis">
          {begin !== undefined && (
            <span class={one.to === undefined ? "bar open" : "bar"} style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
          )}
          <span class="text" style={edge > 0.5 ? { right: `${(1 - left) * 100}%` } : { left: `${edge * 100}%` }}>
            <ShipName ship={one.ship} />
          </span>
        </span>
        <span class="facts">{factsOf(one, axis.from)}</span>
        {one.conflicts.map((conflict) => (
          <span key={conflict.kind} class="facts problem">
            ⚠ {conflictText(conflict)}
          </span>
        ))}
      </button>
    </li>
  );
}

function factsOf({ here, from, by, to }: Planned, now: number): string {
  return [
    here ? t("port.lies") : from === undefined ? t("port.noEta") : t("port." + by, { time: when(from, now, false) }),
    to !== undefined && t("port.etd", { time: when(to, now, false) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** conflictText says what does not fit. */
export function conflictText(conflict: Conflict): string {
  if (conflict.kind === "long") return t("port.tooLong", { metres: metres(conflict.metres) });
  if (conflict.kind === "deep") return t("port.tooDeep", { metres: draught(conflict.metres) });
  return t("port.noRoom", { name: title(conflict.with) });
}
