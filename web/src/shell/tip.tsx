import type { App } from "../app";
import { title } from "../ship";
import { course, speed } from "../text/figures";
import { ageText, flag, statusText, t, typeText } from "../text/text";
import { etaText } from "../text/eta";

/** Tip is the short card of the ship under the pointer: what matters, without a click. */
export function Tip({ app }: { app: App }) {
  const over = app.hover;
  if (!over || over.ship.mmsi === app.selection.mmsi) return null;
  const { ship, x, y } = over;
  const width = document.getElementById("map")?.clientWidth ?? 800,
    height = document.getElementById("map")?.clientHeight ?? 600;
  const motion = [ship.sog !== undefined && speed(ship.sog), ship.cog !== undefined && course(ship.cog), statusText(ship)];
  const bound = [ship.destination && `→ ${ship.destination}`, etaText(ship) && `${t("card.eta")} ${etaText(ship)}`];
  const lines = [[typeText(ship), flag(ship)], motion, bound];
  return (
    <div
      class="tip"
      aria-hidden="true"
      style={{
        left: x < width - 260 ? `${x + 16}px` : "auto",
        right: x < width - 260 ? "auto" : `${width - x + 16}px`,
        top: y < height - 130 ? `${y + 12}px` : "auto",
        bottom: y < height - 130 ? "auto" : `${height - y + 12}px`,
      }}>
      <b>{title(ship)}</b>
      {lines.map((parts, i) => {
        const text = parts.filter(Boolean).join(" · ");
        return text && <div key={i}>{text}</div>;
      })}
      {ship.source === "register" ? (
        <div class="quiet">{t("card.entered")}</div>
      ) : (
        <div class={ship.signal === "lost" ? "lost" : "quiet"}>
          {ship.signal === "lost" && `${t("card.lost")} · `}
          {ageText(app.picture.now() - ship.time)}
        </div>
      )}
    </div>
  );
}
