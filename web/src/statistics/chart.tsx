// The chart of a result. What draws it is loaded with the first chart.
import { useEffect, useRef } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import type uPlot from "uplot";
import type { App } from "../app";
import { wall } from "../text/clock";
import { number, t } from "../text/text";
import type { Series } from "./series";

const height = 150; // pixels

/** Chart draws a series, in the colours and the times of the user. */
export function Chart({ app, series }: { app: App; series: Series }) {
  const box = useRef<HTMLDivElement>(null);
  const { palette, local, language } = app.settings;
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
    decimals = series.says === "speeds" ? 1 : 0;
  return (
    <figure class="statchart">
      <figcaption class="quiet">{t("statchart." + series.says)}</figcaption>
      <div ref={box} role="img" aria-label={t("stat.chart", { what: t("statchart." + series.says), most: number(most, decimals) })} />
    </figure>
  );
}

// label writes a time below the axis: the time of day, and at midnight the date.
function label(seconds: number): string {
  const text = wall(seconds * 1000);
  return text.endsWith("T00:00:00") ? text.slice(5, 10) : text.slice(11, 16);
}

function optionsOf(Plot: typeof uPlot, series: Series, target: HTMLElement, local: boolean): uPlot.Options {
  const style = getComputedStyle(document.documentElement),
    colour = (name: string): string => style.getPropertyValue("--" + name).trim();
  const [ink, quiet, line] = ["accent", "quiet", "line"].map(colour),
    timed = series.says !== "speeds";
  const axis = { stroke: quiet, font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const paths =
    series.style === "bars"
      ? Plot.paths.bars!({ size: [0.8, 40] })
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
      { ...axis, size: 26, values: (_, all) => all.map((x) => (timed ? label(x) : number(x, 0, 1))) },
      { ...axis, size: 48, values: (_, all) => all.map((y) => (Number.isInteger(y) || series.says === "speeds" ? number(y, 0, 1) : "")) },
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
