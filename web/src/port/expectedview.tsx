import { useMemo } from "preact/hooks";
import type { App } from "../app";
import type { PortInfo } from "../contract";
import { spoken, t } from "../text/text";
import { ahead, at, barOf, marks, type Axis } from "./axis";
import { aheadOf } from "./boardview";
import { Lane, Scale, ShipName } from "./lanes";
import { Attributes } from "./attributes";
import type { Expected } from "./model";
import { Requests } from "./requests";
import { expectedText, followedText } from "./words";

/** ExpectedList shows the ships that are expected, with their ETAs on a line of the next 48 hours, of which the first six take half. */
export function ExpectedList({ app, port, ships, again }: { app: App; port: PortInfo; ships: Expected[]; again: () => Promise<void> }) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3),
    sent = app.messages.all.find((one) => one.kind === "sent"); // the latest, whose state stands below its request
  return useMemo(() => {
    const axis = ahead(minute * 60e3);
    return (
      <div class="board expected">
        <Scale axis={axis} times={marks(axis, aheadOf(now))} label="" />
        <p class="key quiet">
          <span>
            <i class="ours" /> {t("port.legendOurs")}
          </span>
          <span>
            <i class="crew" /> {t("port.legendCrew")}
          </span>
          {ships.some(({ tracked }) => tracked?.plan.eta !== undefined) && (
            <span>
              <i class="erp" /> {t("port.legendErp")}
            </span>
          )}
          {ships.some(({ tracked }) => tracked?.requested.length) && (
            <span>
              <i class="wanted" /> {t("port.legendRequested")}
            </span>
          )}
        </p>
        <ul>
          {ships.map((ship) => (
            <li key={ship.key}>
              <Lane app={app} ship={ship.ship} group={ship.group}>
                <span class="lanes">
                  <span class="place">
                    {ship.tracked?.plan.colour && <i class="colour" style={{ background: ship.tracked.plan.colour }} />}
                    <ShipName ship={ship.ship} />
                  </span>
                  <span class="axis">
                    <Range axis={axis} ship={ship} />
                    <Mark axis={axis} time={ship.tracked?.plan.eta} kind="erp" />
                    {ship.tracked?.requested.map((one) => (
                      <Mark key={one.place} axis={axis} time={one.time} kind="wanted" />
                    ))}
                    <Mark axis={axis} time={ship.eta} kind="ours" />
                    <Mark axis={axis} time={ship.crew} kind="crew" />
                  </span>
                </span>
                <span class="facts">{expectedText(ship, minute * 60e3)}</span>
                {ship.tracked && <span class="facts">{followedText(ship, port.berths ?? [], minute * 60e3)}</span>}
              </Lane>
              {ship.tracked && ship.tracked.plan.attributes.length > 0 && <Attributes app={app} tracked={ship.tracked} again={again} />}
              {ship.tracked && <Requests app={app} ship={ship} ships={ships} port={port} again={again} />}
            </li>
          ))}
        </ul>
      </div>
    );
  }, [ships, minute, app.selection.mmsi, spoken(), app.settings.palette, app.settings.local, sent]);
}

// Mark is an ETA on the axis; one beyond it stands at the end, with an arrow.
function Mark({ axis, time, kind }: { axis: Axis; time: number | undefined; kind: "ours" | "crew" | "erp" | "wanted" }) {
  if (time === undefined) return null;
  const beyond = time > axis.to ? " later" : time < axis.from ? " gone" : "";
  return (
    <i
      class={kind + beyond}
      style={{ left: `${at(axis, time) * 100}%` }}
      title={beyond ? t(time > axis.to ? "port.beyond" : "port.before") : undefined}
    />
  );
}

// Range is the range of our ETA on the axis.
function Range({ axis, ship: { tracked, eta } }: { axis: Axis; ship: Expected }) {
  if (eta === undefined || tracked?.low === undefined || tracked.high === undefined) return null;
  const { left, width } = barOf(axis, tracked.low, tracked.high);
  return <i class="range" style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />;
}
