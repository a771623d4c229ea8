// The track of the selected ship on its card: its time, its speed and its files.
import type { App } from "../app";
import type { Ship } from "../ship";
import { sameSpan, type Span } from "../span";
import { stamp, when } from "../text/clock";
import { number, t } from "../text/text";
import { trackFile } from "../track";
import { Later } from "../ui/later";

const usual: Span[] = [{ hours: 6 }, { hours: 24 }];

/** SpanButton shows the track of a span, or takes it away again. Its name begins with its text, as people who speak to their device read it out. */
export function SpanButton({ app, ship, span, text, name }: { app: App; ship: Ship; span: Span; text: string; name: string }) {
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

/** hoursText writes how far back a track goes, and hoursName says it. */
export const hoursText = (hours: number): string => (hours > 24 ? t("track.days", { n: hours / 24 }) : t("track.hours", { n: hours }));
export const hoursName = (hours: number): string =>
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
      <Later load={() => import("./speed").then((m) => m.SpeedChart)} props={{ app, shown, count: track.count }} />
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
