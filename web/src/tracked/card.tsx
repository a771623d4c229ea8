import "./style.css";
import { useEffect } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { Loading, usePart } from "../ui/later";

const load = () => import("./section").then((m) => m.Section);

/** Tracked is what the card has of a ship as a tracked one. Its code is loaded for the first ship that is tracked, or is to be. */
export function Tracked({ app, ship }: { app: App; ship: Ship }) {
  const { tracked } = app;
  useEffect(() => tracked.tick(), [ship.mmsi]);
  const wanted = app.session.may("pcs_access") && tracked.mmsi === ship.mmsi && (tracked.starting || tracked.chosen !== 0),
    { Part, failed } = usePart(app, load, wanted);
  if (!wanted) return null;
  return Part ? <Part app={app} ship={ship} /> : <Loading failed={failed} />;
}

/** TrackTo begins to track a ship. */
export const TrackTo = ({ app }: { app: App }) => (
  <button aria-expanded={app.tracked.starting} onClick={() => app.tracked.begin(!app.tracked.starting)}>
    {t("card.trackTo")}
  </button>
);
