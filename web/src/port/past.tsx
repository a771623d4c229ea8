import { useMemo } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { spoken, t } from "../text/text";
import { Lane, ShipName, typeOf } from "./lanes";
import { cameAt, wentAt, type Visit } from "./model";
import { pastText } from "./words";

/** Past lists the calls at which a ship came, or left, the latest first. */
export function Past({ app, visits, left }: { app: App; visits: Visit[]; left: boolean }) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3);
  return useMemo(
    () => (
      <ul class="past">
        {visits.map((visit) => {
          const time = left ? wentAt(visit) : cameAt(visit);
          return (
            <li key={visit.key}>
              <Lane app={app} ship={visit.ship} group={visit.group}>
                <span class="lanes">
                  <span class="place">{time === undefined ? t("port.unseen") : when(time, now, false)}</span>
                  <span>
                    <ShipName ship={visit.ship} /> <span class="quiet">{typeOf(visit.group)}</span>
                  </span>
                </span>
                <span class="facts">{pastText(visit, left, minute * 60e3)}</span>
              </Lane>
            </li>
          );
        })}
      </ul>
    ),
    [visits, left, minute, app.selection.mmsi, spoken(), app.settings.palette, app.settings.local],
  );
}
