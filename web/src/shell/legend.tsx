import type { App } from "../app";
import { palettes } from "../palette";
import { spanText } from "../span";
import { number, t } from "../text/text";
import { bands } from "../track";
import type { Shown } from "../tracks";

// knots is where a colour ends.
const knots = (band: number): string => number(bands[band], 0, 1);

/** Legend names the tracks on the map, and the speeds of their colours. */
export function Legend({ app }: { app: App }) {
  const { all } = app.tracks;
  if (all.length === 0) return null;
  const colours = palettes[app.settings.palette].speed;
  return (
    <section class="legend" aria-label={t("track.heading")}>
      <ul>
        {all.map((one) => (
          <Row key={one.mmsi} app={app} one={one} />
        ))}
      </ul>
      <p class="speeds" role="img" aria-label={t("track.colours", { knots: bands.map((_, i) => knots(i)).join(", ") })}>
        {colours.map((colour, i) => (
          <span key={colour} aria-hidden="true">
            <i style={{ background: colour }} />
            {i === 0 ? `<${knots(0)}` : knots(i - 1) + (i === bands.length ? "+" : "")}
          </span>
        ))}
        <span aria-hidden="true">kn</span>
      </p>
      {all.length > 1 && <button onClick={() => app.tracks.clear()}>{t("track.hideAll")}</button>}
    </section>
  );
}

function Row({ app, one }: { app: App; one: Shown }) {
  const state = one.state === "shown" ? spanText(one.span, app.picture.now()) : t("track." + one.state);
  return (
    <li class={one.mmsi === app.selection.mmsi ? "strong" : ""}>
      <button
        class="trackname"
        title={t("track.go", { name: one.name })}
        onClick={() => {
          app.selection.select(one.mmsi, "stay");
          if (one.track) app.chart?.fitTrack(one.track);
        }}>
        <b>{one.name}</b> <span class="quiet">{state}</span>
      </button>
      <button class="square" aria-label={t("track.hide", { name: one.name })} onClick={() => app.tracks.hide(one.mmsi)}>
        ×
      </button>
    </li>
  );
}
