import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { palettes } from "../palette";
import { number, t } from "../text/text";
import { bandOf, type Track } from "../track";
import type { Shown } from "../tracks";

const left = 22; // pixels for the numbers
const right = 2;

/** SpeedChart draws the speed along the track. Its cursor, by pointer or arrow keys, moves on the map too. */
export function SpeedChart({ app, shown, count }: { app: App; shown: Shown; count: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<number>(); // the number of the fix under the cursor
  const track = shown.track!;
  const put = (i: number | undefined): void => {
    setAt(i);
    app.tracks.point(shown, i === undefined ? undefined : track.time[i]);
  };
  useEffect(() => () => app.tracks.point(shown, undefined), [shown]);
  useEffect(() => draw(canvas.current!, app, track, at), [track, count, at, app.settings.palette]);
  const follow = (e: PointerEvent): void => {
    const box = canvas.current!.getBoundingClientRect(),
      part = Math.max(0, Math.min(1, (e.clientX - box.left - left) / (box.width - left - right)));
    put(track.nearest(track.time[0] + part * (track.time[track.count - 1] - track.time[0])));
  };
  const key = (e: KeyboardEvent): void => {
    const step = Math.max(1, Math.round(track.count / 100)),
      from = at ?? track.count - 1;
    const to = { ArrowRight: from + step, ArrowLeft: from - step, Home: 0, End: track.count - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    put(Math.max(0, Math.min(track.count - 1, to)));
  };
  const fix = Math.min(at ?? track.count - 1, track.count - 1);
  return (
    <>
      <canvas
        class="speedchart"
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={t("card.speedChart")}
        aria-valuemin={0}
        aria-valuemax={track.count - 1}
        aria-valuenow={fix}
        aria-valuetext={app.tracks.fixText(track, fix)}
        onPointerDown={follow}
        onPointerMove={follow}
        onPointerLeave={() => put(undefined)}
        onBlur={() => put(undefined)}
        onKeyDown={key}
      />
      <p class="quiet fix">{at === undefined ? t("track.point") : app.tracks.fixText(track, fix)}</p>
    </>
  );
}

// draw draws the chart; the line has the colours of the track on the map.
function draw(c: HTMLCanvasElement, app: App, track: Track, at: number | undefined): void {
  const ratio = window.devicePixelRatio || 1,
    p = palettes[app.settings.palette],
    w = (c.width = c.clientWidth * ratio),
    h = (c.height = c.clientHeight * ratio),
    g = c.getContext("2d")!;
  let top = 5;
  for (let i = 0; i < track.count; i++) if (track.sog[i] > top) top = track.sog[i];
  top = Math.ceil(top / 5) * 5;
  const begin = track.time[0],
    span = Math.max(1, track.time[track.count - 1] - begin);
  const x = (i: number): number => left * ratio + ((track.time[i] - begin) / span) * (w - (left + right) * ratio),
    y = (knots: number): number => h - 4 * ratio - (knots / top) * (h - 14 * ratio);
  g.strokeStyle = p.grid;
  g.fillStyle = getComputedStyle(c).color;
  g.font = `${10 * ratio}px system-ui, sans-serif`;
  for (const knots of [0, top / 2, top]) {
    g.beginPath();
    g.moveTo(left * ratio, y(knots));
    g.lineTo(w, y(knots));
    g.stroke();
    g.fillText(number(knots, 0, 1), 0, y(knots) + 3 * ratio);
  }
  g.lineWidth = 1.75 * ratio;
  p.speed.forEach((colour, band) => {
    g.strokeStyle = colour;
    g.beginPath();
    for (let i = 1; i < track.count; i++) {
      if (Number.isNaN(track.sog[i]) || Number.isNaN(track.sog[i - 1]) || bandOf(track.sog[i]) !== band) continue;
      g.moveTo(x(i - 1), y(track.sog[i - 1]));
      g.lineTo(x(i), y(track.sog[i]));
    }
    g.stroke();
  });
  if (at === undefined || at >= track.count) return;
  g.strokeStyle = p.selected;
  g.lineWidth = 1.5 * ratio;
  g.beginPath();
  g.moveTo(x(at), 0);
  g.lineTo(x(at), h);
  g.stroke();
}
