// The picture of a result as a file: the land, the overlay, what was asked and when, and the legend.
import type { App } from "../app";
import { palettes } from "../palette";
import { frameOf, legendOf, pictureOf } from "./picture";

const edge = 12; // pixels
const lineHeight = 20;
const font = (bold: boolean): string => `${bold ? "bold 15px" : "13px"} system-ui, sans-serif`;

/** laidOut returns where the parts of the file stand: the head above the map, the legend below it. */
export function laidOut(map: { width: number; height: number }, lines: number, legend?: { width: number; height: number }) {
  const top = 2 * edge + lines * lineHeight,
    below = legend ? legend.height + 2 * edge : 0;
  return {
    width: Math.max(map.width, legend ? legend.width + 2 * edge : 0),
    height: top + map.height + below,
    top,
    legend: top + map.height + edge,
  };
}

// backdrop draws the land and the grid as the map shows them now.
function backdrop(sea: string, width: number, height: number): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement("canvas"), { width, height }),
    c = canvas.getContext("2d")!,
    map = document.getElementById("map")!;
  c.fillStyle = sea;
  c.fillRect(0, 0, width, height);
  const at = map.getBoundingClientRect();
  for (const layer of map.querySelectorAll<HTMLCanvasElement>(".ol-layer canvas, canvas.grid")) {
    const r = layer.getBoundingClientRect();
    if (layer.width > 0 && layer.height > 0) c.drawImage(layer, r.left - at.left, r.top - at.top, r.width, r.height);
  }
  return canvas;
}

/** pngOf draws the picture of a result where the map is now, below lines of text, the first of which is its name. */
export async function pngOf(app: App, job: number, lines: string[]): Promise<Blob> {
  const screen = app.chart!.screen!,
    style = app.settings.palette,
    frame = frameOf(screen),
    land = backdrop(palettes[style].sea, frame.width, frame.height),
    abort = new AbortController();
  const [picture, legend] = await Promise.all([pictureOf(job, style, frame, abort.signal), legendOf(job, style, abort.signal)]).catch(
    (problem: unknown) => {
      abort.abort();
      throw problem;
    },
  );
  const place = laidOut(frame, lines.length, legend),
    canvas = Object.assign(document.createElement("canvas"), { width: place.width, height: place.height }),
    c = canvas.getContext("2d")!,
    colours = getComputedStyle(document.documentElement),
    colour = (name: string): string => colours.getPropertyValue("--" + name).trim();
  c.fillStyle = colour("panel");
  c.fillRect(0, 0, place.width, place.height);
  lines.forEach((line, i) => {
    c.font = font(i === 0);
    c.fillStyle = colour(i === 0 ? "text" : "quiet");
    c.fillText(line, edge, edge + (i + 0.75) * lineHeight, place.width - 2 * edge);
  });
  c.drawImage(land, 0, place.top);
  c.drawImage(picture.image, 0, place.top, frame.width, frame.height);
  credit(c, frame.width, place.top + frame.height, colour);
  if (legend) c.drawImage(legend, edge, place.legend);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the picture is too large"))), "image/png"),
  );
}

// credit names whose map it is, as the map itself does.
function credit(c: CanvasRenderingContext2D, right: number, bottom: number, colour: (name: string) => string): void {
  const text = [...document.querySelectorAll("#map .ol-attribution li")].map((li) => li.textContent.trim()).join(" · ");
  if (text === "") return;
  c.font = "11px system-ui, sans-serif";
  const { width } = c.measureText(text);
  c.fillStyle = colour("panel");
  c.fillRect(right - width - 10, bottom - 18, width + 10, 18);
  c.fillStyle = colour("quiet");
  c.fillText(text, right - width - 5, bottom - 5);
}
