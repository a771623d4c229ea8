// What a dry run found: ticks on a line of time, marks on the map, and a list. Each moment leads to its place and the way of its ship.
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { at as partOf, ticks } from "../port/axis";
import { stamp, wall, when } from "../text/clock";
import { t } from "../text/text";
import type { Played } from "./dryjob";
import { marks, type Severity, type WatchEvent } from "./event";
import { Marks } from "./marks";

interface Props {
  app: App;
  played: Played;
  severity: Severity;
}

const page = 20; // moments in the list at first, and more at each press
const day = 24; // hours

/** Moments shows the events of a dry run. */
export function Moments({ app, played, severity }: Props) {
  const { events } = played;
  const [chosen, setChosen] = useState(-1),
    [shown, setShown] = useState(page);
  const overlay = useRef<Marks>(undefined);
  useEffect(() => {
    const mine = (overlay.current = new Marks(events, severity, () => app.settings.palette, choose));
    app.chart?.lay(mine);
    return () => app.chart?.lay(undefined);
  }, [played, severity]);
  const choose = (i: number): void => {
    if (!events[i]) return;
    setChosen(i);
    setShown((was) => Math.max(was, i + 1));
    if (overlay.current) overlay.current.chosen = i;
    app.chart?.redraw();
    void app.events.show(events[i]);
  };
  const now = app.picture.now();
  return (
    <>
      <Line played={played} severity={severity} chosen={chosen} choose={choose} now={now} />
      <ol class="moments">
        {events.slice(0, shown).map((e, i) => (
          <li key={i}>
            <button type="button" aria-pressed={i === chosen} onClick={() => choose(i)}>
              <span class={"severity " + severity} aria-hidden="true">
                {e.begins ? marks[severity] : "○"}
              </span>
              <span class="quiet">{stamp(e.time, now, false)}</span> <span class="words">{e.text()}</span>
            </button>
          </li>
        ))}
      </ol>
      {events.length > shown && (
        <button type="button" onClick={() => setShown(shown + page)}>
          {t("event.more", { n: events.length - shown })}
        </button>
      )}
    </>
  );
}

interface LineProps {
  played: Played;
  severity: Severity;
  chosen: number;
  choose: (i: number) => void;
  now: number;
}

// Line is the line of time. A click or tap goes to the nearest tick, and the arrow keys from one to the next.
function Line({ played, severity, chosen, choose, now }: LineProps) {
  const { events, from, to } = played;
  const box = useRef<HTMLDivElement>(null);
  const point = (e: PointerEvent): void => {
    const { left, width } = box.current!.getBoundingClientRect();
    choose(nearest(events, from + ((e.clientX - left) / width) * (to - from)));
  };
  const key = (e: KeyboardEvent): void => {
    const last = events.length - 1;
    const next = { ArrowRight: chosen + 1, ArrowUp: chosen + 1, ArrowLeft: chosen - 1, ArrowDown: chosen - 1, Home: 0, End: last }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    choose(Math.max(0, Math.min(last, next)));
  };
  const hours = (to - from) / 3600e3,
    ahead = Date.parse(wall(from) + "Z") - Math.floor(from / 1000) * 1000;
  const e = events[chosen];
  return (
    <div class="dryline">
      <div
        class={"line " + severity}
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={t("dry.line")}
        aria-valuemin={1}
        aria-valuemax={events.length}
        aria-valuenow={Math.max(0, chosen) + 1}
        aria-valuetext={e ? `${when(e.time, now)} ${e.text()}` : t("dry.pick")}
        onPointerDown={point}
        onKeyDown={key}>
        {events.map((event, i) => (
          <i
            key={i}
            class={(event.begins ? "" : "end") + (i === chosen ? " chosen" : "")}
            style={{ left: `${100 * partOf(played, event.time)}%` }}
          />
        ))}
      </div>
      <div class="hours" aria-hidden="true">
        {ticks(played, hours > 2 * day ? day : 6, ahead).map((time) => (
          <span key={time} style={{ left: `${100 * partOf(played, time)}%` }}>
            {hours > 2 * day ? wall(time).slice(8, 10) + "." : wall(time).slice(11, 16)}
          </span>
        ))}
      </div>
      <p class="quiet">{e ? `${when(e.time, now)} · ${e.text()}` : t("dry.pick")}</p>
    </div>
  );
}

function nearest(events: readonly WatchEvent[], time: number): number {
  let best = 0;
  for (let i = 1; i < events.length; i++) if (Math.abs(events[i].time - time) < Math.abs(events[best].time - time)) best = i;
  return best;
}
