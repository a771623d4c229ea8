// What a watch officer says next about somebody in distress: which ships are near, and where it is.
import type { App } from "../app";
import { Copy } from "../copy/button";
import { title } from "../ship";
import { course, exactMiles, place } from "../text/figures";
import { dateTime } from "../text/clock";
import { t } from "../text/text";
import { whatOf, whoOf, type Alarm } from "./alarm";
import { helpFor, type Help } from "./near";

const anew = 5000; // milliseconds that an answer stands

// The answers that stand for a while: the strip is drawn anew each second, and to ask takes a look at every ship.
const known = new WeakMap<Alarm, { at: number; help: Help[] }>();

function helpOf(app: App, alarm: Alarm): Help[] {
  const at = performance.now(),
    last = known.get(alarm);
  if (last && at - last.at < anew) return last.help;
  const help = helpFor(app.picture, [alarm.lon!, alarm.lat!], alarm.mmsi);
  known.set(alarm, { at, help });
  return help;
}

/** Near names the nearest ships with range and bearing from the alarm, and copies its position. */
export function Near({ app, alarm }: { app: App; alarm: Alarm }) {
  const help = helpOf(app, alarm);
  return (
    <span class="near">
      {help.length === 0 ? t("distress.alone") : t("distress.near")}{" "}
      {help.map(({ ship, far, toward }) => (
        <button key={ship.mmsi} onClick={() => app.selection.select(ship.mmsi, "stay")}>
          {title(ship)} {exactMiles(far)} {course(toward)}
        </button>
      ))}
      <Copy text={textOf(alarm)} label={t("distress.copy")} />
    </span>
  );
}

// textOf is the position for a mail or a chat: what, who, where, and when it was heard there.
const textOf = (alarm: Alarm): string => `${whatOf(alarm)} ${whoOf(alarm)}, ${place(alarm.lon!, alarm.lat!)}, ${dateTime(alarm.heard)}`;
