import type { App } from "../app";
import { t } from "../text/text";
import { looks, signs } from "./alert";

/** Badge is in the header while alerts wait for somebody: how many, and how grave. It opens the board. */
export function Badge({ app }: { app: App }) {
  const open = app.alerts.waiting;
  const gravest = (["emergency", "alarm", "warning"] as const).find((p) => open.some((a) => a.priority === p)) ?? "warning";
  return (
    <>
      <div class="unseen" role="status" aria-live="polite">
        {app.alerts.said}
      </div>
      {open.length > 0 && (
        <button
          class={"badge " + looks[gravest]}
          aria-label={t("alert.badge", { n: open.length })}
          onClick={() => void app.navigation.go("events")}>
          <span aria-hidden="true">
            {signs[gravest]} {open.length}
          </span>
        </button>
      )}
    </>
  );
}
