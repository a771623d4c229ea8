// Further times of the track of the selected ship. Few open them, so they are loaded then.
import { useState } from "preact/hooks";
import type { App } from "../app";
import { Moment } from "../moment/field";
import type { Ship } from "../ship";
import { dayOf, longest, type Span } from "../span";
import { timeOf, wall, zone } from "../text/clock";
import { t } from "../text/text";
import { hoursName, hoursText, SpanButton } from "./track";

const others: Span[] = [{ hours: 1 }, { hours: 72 }, { hours: 168 }, { hours: longest }];

// A time as the fields have it.
const toInput = (time: number): string => wall(time).slice(0, 16);

/** TrackTimes offers further times: hours and days back, each of the last days, and any from and to. */
export function TrackTimes({ app, ship }: { app: App; ship: Ship }) {
  const end = app.picture.ships.has(ship.mmsi) ? app.picture.now() : ship.time || app.picture.now();
  const [from, setFrom] = useState(() => toInput(end - 12 * 3600e3));
  const [to, setTo] = useState(() => toInput(end));
  const own = { from: timeOf(from), to: timeOf(to) };
  const wrong = !(own.from < own.to) ? t("track.order") : own.to - own.from > longest * 3600e3 ? t("track.long") : "";
  return (
    <div class="times">
      <div class="buttons" role="group" aria-label={t("track.back")}>
        {others.map((span) => {
          const { hours } = span as { hours: number };
          return <SpanButton key={hours} app={app} ship={ship} span={span} text={hoursText(hours)} name={hoursName(hours)} />;
        })}
      </div>
      <div class="buttons days" role="group" aria-label={t("track.day", { zone: zone(end) })}>
        {[0, 1, 2, 3, 4, 5, 6].map((before) => {
          const span = dayOf(end, before),
            date = wall(span.from).slice(0, 10);
          return <SpanButton key={date} app={app} ship={ship} span={span} text={date.slice(5)} name={t("track.ofDay", { date })} />;
        })}
      </div>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (wrong === "") void app.tracks.show(ship.mmsi, own, app.following.mmsi === 0);
        }}>
        <div class="of">
          <span aria-hidden="true">{t("track.from", { zone: zone(end) })}</span>
          <Moment
            label={t("track.from", { zone: zone(end) })}
            now={() => end}
            value={from}
            last={toInput(end).slice(0, 10)}
            onChange={setFrom}
          />
        </div>
        <div class="of">
          <span aria-hidden="true">{t("track.to", { zone: zone(end) })}</span>
          <Moment end label={t("track.to", { zone: zone(end) })} now={() => end} value={to} onChange={setTo} />
        </div>
        <button disabled={wrong !== ""}>{t("track.show")}</button>
      </form>
      {wrong !== "" && <p class="problem">{wrong}</p>}
    </div>
  );
}
