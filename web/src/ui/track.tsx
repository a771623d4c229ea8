// The track of the selected ship on its card: its time, its speed and its files.
import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { dayOf, longest, sameSpan, type Span } from "../span";
import { stamp, timeOf, wall, when, zone } from "../text/clock";
import { number, t } from "../text/text";
import { trackFile } from "../track";
import { SpeedChart } from "./speed";

const usual: Span[] = [{ hours: 6 }, { hours: 24 }];
const others: Span[] = [{ hours: 1 }, { hours: 72 }, { hours: 168 }, { hours: longest }];

// SpanButton shows the track of a span, or takes it away again. Its name begins with its text, as people who speak to their device read it out.
function SpanButton({ app, ship, span, text, name }: { app: App; ship: Ship; span: Span; text: string; name: string }) {
  const shown = app.tracks.of(ship.mmsi);
  const on = shown !== undefined && sameSpan(shown.span, span);
  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={`${text}: ${name}`}
      onClick={() => (on ? app.tracks.hide(ship.mmsi) : void app.tracks.show(ship.mmsi, span, app.following.mmsi === 0))}>
      {text}
    </button>
  );
}

const hoursText = (hours: number): string => (hours > 24 ? t("track.days", { n: hours / 24 }) : t("track.hours", { n: hours }));
const hoursName = (hours: number): string =>
  hours === 1 ? t("card.trackHour") : hours > 24 ? t("card.trackDays", { n: hours / 24 }) : t("card.track", { n: hours });

/** TrackButtons choose the time of the track; the last opens TrackTimes. */
export function TrackButtons({ app, ship }: { app: App; ship: Ship }) {
  const more = app.settings.times;
  return (
    <>
      <span class="quiet" aria-hidden="true">
        {t("card.track.short")}
      </span>
      {usual.map((span) => {
        const { hours } = span as { hours: number };
        return <SpanButton key={hours} app={app} ship={ship} span={span} text={hoursText(hours)} name={hoursName(hours)} />;
      })}
      <button aria-expanded={more} aria-label={t("track.more")} title={t("track.more")} onClick={() => app.settings.setTimes(!more)}>
        …
      </button>
    </>
  );
}

// A time as inputs of the browser have it.
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
        <label>
          {t("track.from", { zone: zone(end) })}
          <input type="datetime-local" value={from} max={toInput(end)} onInput={(e) => setFrom(e.currentTarget.value)} />
        </label>
        <label>
          {t("track.to", { zone: zone(end) })}
          <input type="datetime-local" value={to} onInput={(e) => setTo(e.currentTarget.value)} />
        </label>
        <button disabled={wrong !== ""}>{t("track.show")}</button>
      </form>
      {wrong !== "" && <p class="problem">{wrong}</p>}
    </div>
  );
}

/** TrackNote says how far the track is, and shows its speed and its files. */
export function TrackNote({ app, ship }: { app: App; ship: Ship }) {
  const shown = app.tracks.of(ship.mmsi);
  if (!shown) return null;
  if (shown.state === "loading") return <p class="note">{t("card.tracking")}</p>;
  if (shown.state === "empty") return <p class="note">{t("card.noTrack")}</p>;
  if (shown.state === "failed") return <p class="note problem">{t("card.trackFailed", { why: shown.problem })}</p>;
  const track = shown.track!,
    now = app.picture.now();
  return (
    <figure class="speed">
      <figcaption>
        {t("card.speedChart")}{" "}
        <span class="quiet">
          {t("card.fixes", {
            n: number(track.count),
            from: stamp(track.time[0], now, false),
            to: when(track.time[track.count - 1], now, false),
          })}
          {track.resolution > 0 && " " + t("track.thinned", { n: number(track.resolution) })}
        </span>
      </figcaption>
      <SpeedChart app={app} shown={shown} count={track.count} />
      {app.session.may("download_historical_tracks") && (
        <p class="files">
          <span class="quiet">{t("card.files")}</span>
          {["gpx", "kml", "csv", "geojson"].map((format) => (
            <a key={format} href={trackFile(track, format)} download={`${ship.mmsi}.${format}`}>
              {format.toUpperCase()}
            </a>
          ))}
        </p>
      )}
    </figure>
  );
}
