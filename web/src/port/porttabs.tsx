import type { App } from "../app";
import { ownHome } from "../home";
import { tabs, type Tab } from "./day";
import { t } from "../text/text";

const rights: Record<Tab, string[]> = {
  in: ["view_history"],
  expected: ["pcs_access"],
  arrived: ["view_history", "view_ata_atd"],
  left: ["view_history", "view_ata_atd"],
};

/** lacks names the right that a list of a port takes and the user has not; "" for none. */
export const lacks = (app: App, tab: Tab): string => rights[tab].find((right) => !app.session.may(right)) ?? "";

interface Props {
  app: App;
  at: Tab | "ships";
  lists: readonly Tab[];
  pathOf: (tab: Tab) => string[];
}

/** PortTabs lead from the ships of the map to the lists of a port, and back. */
export const PortTabs = ({ app, at, lists, pathOf }: Props) => (
  <nav class="porttabs" aria-label={t("port.tabs")}>
    {(["ships", ...lists] as const).map((each) => (
      <button
        key={each}
        data-list={each}
        aria-current={each === at ? "page" : undefined}
        onClick={() => void app.navigation.go(...(each === "ships" ? ["map"] : pathOf(each)))}>
        {t(each === "ships" ? "list.heading" : "port." + each)}
      </button>
    ))}
  </nav>
);

/** HomeTabs stand above the ship list: they lead to the lists of the user's port that the user may see. */
export function HomeTabs({ app }: { app: App }) {
  const lists = tabs.filter((tab) => lacks(app, tab) === "");
  if (lists.length === 0 || !app.session.may("view_port") || ownHome() === "none") return null;
  return <PortTabs app={app} at="ships" lists={lists} pathOf={(tab) => ["port", tab]} />;
}
