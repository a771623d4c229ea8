import "./style.css";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { Folded } from "../ui/folded";

const load = () => import("./timeline").then((m) => m.Timeline);

/** Calls are the calls of a ship at ports on its card. */
export const Calls = ({ app, ship }: { app: App; ship: Ship }) => (
  <Folded app={app} ship={ship} name="calls" title={t("card.calls")} load={load} />
);
