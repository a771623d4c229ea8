import type { ComponentChildren } from "preact";
import type { App } from "../app";
import { t } from "../text/text";
import { Icon } from "./icon";

/** Heading is the first line of a panel or page: where one is, the way back, and what can be done here. */
export function Heading({ app, title, back, children }: { app: App; title: string; back?: string[]; children?: ComponentChildren }) {
  return (
    <div class="heading">
      {back && (
        <button class="square" aria-label={t("place.up")} title={t("place.up")} onClick={() => void app.navigation.go(...back)}>
          <Icon d="M10 3 5 8l5 5" />
        </button>
      )}
      <h2>{title}</h2>
      <div class="acts">{children}</div>
      {app.navigation.open.kind === "panel" && (
        <button class="square" aria-label={t("place.close")} onClick={() => void app.navigation.go("map")}>
          ×
        </button>
      )}
    </div>
  );
}
