// The chart of a result. What draws it is loaded with the first chart.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import type uPlot from "uplot";
import type { App } from "../app";
import { stamp, wall } from "../text/clock";
import { measured } from "../text/figures";
import { number, t } from "../text/text";
import { CellChart } from "./cellchart";
import type { Cells } from "./cells";
import { LaneChart } from "./lanechart";
import type { Lanes } from "./lanes";
import type { Row } from "./row";
import { day, type Met, type Series } from "./series";

const height = 150; // pixels

/** metText says what of a chart was clicked on. */
function metText({ from, to }: Met, says: Series["says"], now: number): string {
  const say = (x: number): string =>
    says === "along" ? measured(x) : says === "hours" ? `${String(x).padStart(2, "0")}:00` : stamp(x * 1000, now, false);
  return `${say(from)} – ${say(to)}`;
}

// ofHours tells that the bars of a chart are hours, else they are whole numbers.
const ofHours = ({ says }: Series): boolean => says === "speeds" || says === "stays";

interface Props {
  app: App;
  job: number;
  all: readonly (Series | Cells | Lanes)[];
  onPick: (rows: Row[], says: string) => void;
}

/** Chart draws one of the charts of a result, in the colours and the times of the user. */
export function Chart({ app, job, all, onPick }: Props) {
  const [at, setAt] = useState(0),
    one = all[at] ?? all[0];
  return (
    <figure class="statchart">
      <figcaption class="quiet">
        {all.length === 1 ? (
          t("statchart." + one.says)
        ) : (
          <select aria-label={t("stat.charted")} value={String(at)} onChange={(e) => setAt(Number(e.currentTarget.value))}>
            {all.map(({ says }, i) => (
              <option key={says} value={String(i)}>
                {t("statchart." + says)}
              </option>
            ))}
          </select>
        )}
      </figcaption>
      {one.style === "lanes" ? (
        <LaneChart job={job} />
      ) : one.style === "cells" ? (
        <CellChart key={one.says} of={one} onPick={onPick} />
      ) : (
        <Plotted app={app} series={one} onPick={(met) => onPick(met.rows, metText(met, one.says, app.picture.now()))} />
      )}
    </figure>
  );
}

// Plotted is a chart with axes.
function Plotted({ app, series, onPick }: { app: App; series: Series; onPick: (met: Met) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const { palette, local, language } = app.settings;
  const pick = useRef(onPick);
  pick.current = onPick;
  useEffect(() => {
    const target = box.current!;
    let plot: uPlot | undefined,
      gone = false;
    const observer = new ResizeObserver(() => plot?.setSize({ width: target.clientWidth, height }));
    void import("uplot").then(
      ({ default: Plot }) => {
        if (gone) return;
        plot = new Plot(optionsOf(Plot, series, target, local), [series.x, series.y], target);
        observer.observe(target);
        if (series.rowsAt) plot.over.addEventListener("click", (e) => pick.current(series.rowsAt!(plot!.posToVal(e.offsetX, "x"))));
      },
      () => undefined, // the table says the same
    );
    return () => {
      gone = true;
      observer.disconnect();
      plot?.destroy();
    };
  }, [series, palette, local, language]);
  const most = series.y.reduce((a, b) => Math.max(a, b), 0),
    decimals = ofHours(series) ? 1 : 0,
    says = t("stat.chart", { what: t("statchart." + series.says), most: number(most, decimals) });
  if (!series.rowsAt) return <div ref={box} role="img" aria-label={says} />;
  return <Stepped series={series} box={box} says={says} now={app.picture.now()} onPick={(met) => pick.current(met)} />;
}

interface SteppedProps {
  series: Series;
  box: RefObject<HTMLDivElement | null>;
  says: string;
  now: number;
  onPick: (met: Met) => void;
}

// Stepped is a chart through which keys lead from one number to the next; Enter shows its rows, as a click does.
function Stepped({ series, box, says, now, onPick }: SteppedProps) {
  const [at, setAt] = useState(0),
    [led, setLed] = useState(false),
    last = series.x.length - 1,
    here = Math.min(at, last);
  const met = (): Met => series.rowsAt!(series.x[here]),
    text =
      here < 0 ? "" : t("stat.cell", { what: metText(met(), series.says, now), n: number(series.y[here], 0, ofHours(series) ? 1 : 0) });
  const onKeyDown = (e: KeyboardEvent): void => {
    const to: Record<string, number> = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last };
    if (e.key === "Enter" && here >= 0) onPick(met());
    else if (to[e.key] !== undefined) setAt(Math.max(0, Math.min(last, to[e.key])));
    else return;
    setLed(true);
    e.preventDefault();
  };
  return (
    <>
      <div
        ref={box}
        class="picks"
        title={t("stat.chartHint")}
        role="slider"
        tabIndex={0}
        aria-label={says}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, here)}
        aria-valuetext={text}
        onKeyDown={onKeyDown}
        onBlur={() => setLed(false)}
      />
      {led && <p class="quiet statled">{text}</p>}
    </>
  );
}

// label writes a time below the axis: the time of day, and at midnight the date.
function label(seconds: number): string {
  const text = wall(seconds * 1000);
  return text.endsWith("T00:00:00") ? text.slice(5, 10) : text.slice(11, 16);
}

// dates are the steps of an axis that shows no times of day.
const dates = [1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * day);

function optionsOf(Plot: typeof uPlot, series: Series, target: HTMLElement, local: boolean): uPlot.Options {
  const style = getComputedStyle(document.documentElement),
    colour = (name: string): string => style.getPropertyValue("--" + name).trim();
  const [ink, quiet, line] = ["accent", "quiet", "line"].map(colour),
    timed = !["speeds", "along", "hours"].includes(series.says),
    daily = (series.step ?? 0) >= day;
  const axis = { stroke: quiet, font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const paths =
    series.style === "bars"
      ? Plot.paths.bars!({ size: daily ? [0.9] : [0.8, 40] })
      : series.style === "steps"
        ? Plot.paths.stepped!({ align: 1 })
        : () => null;
  return {
    width: target.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    tzDate: (seconds) => (local ? new Date(seconds * 1000) : Plot.tzDate(new Date(seconds * 1000), "Etc/UTC")),
    scales: { x: { time: timed, range: series.ends }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 26,
        incrs: daily ? dates : undefined,
        values: (_, all) =>
          all.map((x) =>
            daily ? wall(x * 1000).slice(5, 10) : timed ? label(x) : series.says === "along" ? measured(x) : number(x, 0, 1),
          ),
      },
      { ...axis, size: 48, values: (_, all) => all.map((y) => (Number.isInteger(y) || ofHours(series) ? number(y, 0, 1) : "")) },
    ],
    series: [
      {},
      {
        stroke: ink,
        width: 1.5,
        fill: series.style === "points" ? undefined : ink + "55",
        paths,
        points: { show: series.style === "points", size: 6, fill: ink },
      },
    ],
  };
}
