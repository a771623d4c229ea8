import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { Folded } from "../ui/folded";

const load = () => import("./list").then((m) => m.ChangeList);

/** ChangesOf is what changed of a ship, on its card. */
export const ChangesOf = ({ app, ship }: { app: App; ship: Ship }) => (
  <Folded app={app} ship={ship} name="changes" title={t("card.changes")} load={load} />
);
