import type { App } from "../app";
import type { Ruler } from "../map/ruler";
import { title } from "../ship";
import { course, lasting, measured, speed } from "../text/figures";
import { t } from "../text/text";

/** RulerNote says what is measured, and ends it. */
export function RulerNote({ app }: { app: App }) {
  const { ruler } = app;
  if (!ruler || !app.measuring) return null;
  const legs = ruler.legs(),
    total = legs.reduce((sum, leg) => sum + leg.metres, 0),
    last = legs.at(-1),
    knots = ruler.knots(),
    near = ruler.approach();
  const parts = last
    ? [
        `${measured(last.metres)} ${course(last.bearing)}`,
        legs.length > 1 && t("ruler.total", { way: measured(total) }),
        knots && t("ruler.time", { span: lasting((total / 1852 / knots) * 3600e3), speed: speed(knots) }),
        near &&
          t(near.seconds < 0 ? "ruler.cpaWas" : "ruler.cpa", { way: measured(near.metres), span: lasting(Math.abs(near.seconds) * 1000) }),
      ]
    : [start(ruler)];
  return (
    <p class="following ruler">
      <span role="status">{parts.filter(Boolean).join(" · ")}</span>
      {ruler.points.length > 0 && <button onClick={() => ruler.undo()}>{t("ruler.undo")}</button>}
      <button class="square" aria-label={t("ruler.end")} title={t("ruler.end")} onClick={() => void app.measure(false)}>
        ×
      </button>
    </p>
  );
}

const start = (ruler: Ruler): string => {
  const ship = ruler.ship(ruler.points[0]);
  return ship ? t("ruler.from", { name: title(ship) }) : t(ruler.points.length > 0 ? "ruler.next" : "ruler.start");
};
