import "./style.css";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";

type Part = ComponentType<{ app: App; ship: Ship }>;

let part: Part | undefined; // the section, once it is loaded

/** Tracked is what the card has of a ship as a tracked one. Its code is loaded for the first ship that is tracked, or is to be. */
export function Tracked({ app, ship }: { app: App; ship: Ship }) {
  const { tracked } = app,
    [failed, setFailed] = useState(false);
  useEffect(() => tracked.tick(), [ship.mmsi]);
  const wanted = app.session.may("pcs_access") && tracked.mmsi === ship.mmsi && (tracked.starting || tracked.chosen !== 0);
  useEffect(() => {
    if (!wanted || part) return;
    import("./section").then(
      (m) => {
        part = m.Section;
        app.changed();
      },
      () => setFailed(true),
    );
  }, [wanted]);
  if (!wanted) return null;
  const Section = part;
  if (Section) return <Section app={app} ship={ship} />;
  return <p class={failed ? "note problem" : "note late"}>{t(failed ? "place.failed" : "place.loading")}</p>;
}

/** TrackTo begins to track a ship. */
export const TrackTo = ({ app }: { app: App }) => (
  <button aria-expanded={app.tracked.starting} onClick={() => app.tracked.begin(!app.tracked.starting)}>
    {t("card.trackTo")}
  </button>
);
