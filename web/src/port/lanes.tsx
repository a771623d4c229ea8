import type { ComponentChildren } from "preact";
import type { App } from "../app";
import { palettes, type Group } from "../palette";
import { title } from "../ship";
import { wall } from "../text/clock";
import { metres } from "../text/figures";
import { t } from "../text/text";
import { at, type Axis } from "./axis";
import type { Vessel } from "./model";

/** Scale is the line of time above the lanes, with the times that stand on it. */
export function Scale({ axis, times, label }: { axis: Axis; times: number[]; label: ComponentChildren }) {
  return (
    <div class="lanes scale" aria-hidden="true">
      <span class="place">{label}</span>
      <span class="axis">
        {times.map((time) => {
          const clock = wall(time).slice(11, 16),
            far = axis.bend !== undefined && time >= axis.bend;
          return (
            <i key={time} class={far ? (clock === "00:00" ? "far" : "far noon") : undefined} style={{ left: `${at(axis, time) * 100}%` }}>
              {clock === "00:00" && axis.bend !== undefined ? wall(time).slice(5, 10) : clock}
            </i>
          );
        })}
      </span>
    </div>
  );
}

/** stripe is the colour of a kind of ship. */
export const stripe = (app: App, group: Group): { "--ink": string } => ({ "--ink": palettes[app.settings.palette].group[group] });

/** choose selects a ship; the map goes there. */
export const choose = (app: App, { mmsi }: Vessel): void => app.selection.select(mmsi, "go");

/** ShipName is the name of a ship, else its number, and its length. */
export const ShipName = ({ ship }: { ship: Vessel }) => (
  <>
    <b>{title(ship)}</b> {ship.length ? <span class="length">{metres(ship.length)}</span> : ""}
  </>
);

/** Lane is the row of a ship: a click selects it. */
export const Lane = ({ app, ship, group, children }: { app: App; ship: Vessel; group: Group; children: ComponentChildren }) => (
  <button
    class="lane"
    aria-current={app.selection.mmsi === ship.mmsi ? "true" : undefined}
    style={stripe(app, group) as never}
    title={typeOf(group)}
    onClick={() => choose(app, ship)}>
    {children}
  </button>
);

/** typeOf names the kind of a ship. */
export const typeOf = (group: Group): string => t("group." + group);
