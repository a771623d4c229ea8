// The picture of a result, as the map overlay of the server draws it, and its legend.
import { address } from "../api";
import type { Screen } from "../map/view";
import type { PaletteName } from "../palette";
import { t } from "../text/text";

const largest = 4096; // pixels of a picture
const legendSize = [420, 480] as const;
const nowhere = [0, -2.2e7, 1, -2.2e7 + 1]; // metres beyond all maps: a picture of it has the legend alone

/** Asked is a picture by its frame in metres of the projection and its size in pixels. */
export interface Asked {
  west: number;
  south: number;
  east: number;
  north: number;
  width: number;
  height: number;
}

/** frameOf returns the picture that fills a screen, in the pixels of the page: so its marks have their size on each screen. */
export function frameOf(s: Screen): Asked {
  const width = Math.min(largest, Math.max(1, Math.round(s.width / s.ratio))),
    height = Math.min(largest, Math.max(1, Math.round(s.height / s.ratio))),
    [x, y] = [(width / 2) * s.resolution, (height / 2) * s.resolution];
  return { west: s.x - x, south: s.y - y, east: s.x + x, north: s.y + y, width, height };
}

const asking = (job: number, style: PaletteName, box: readonly number[], width: number, height: number): Record<string, string> => ({
  service: "WMS",
  version: "1.3.0",
  request: "GetMap",
  layers: "statistics",
  styles: style,
  crs: "EPSG:3857",
  transparent: "TRUE",
  format: "image/png",
  lang: document.documentElement.lang,
  job: String(job),
  bbox: box.join(","),
  width: String(width),
  height: String(height),
});

/** sentenceOf reads what an answer of the overlay says of a failure. */
export const sentenceOf = (text: string): string => /<ServiceException(?:\s[^>]*)?>\s*([^<]*?)\s*</.exec(text)?.[1] ?? "";

/** Drawn is a picture, and where its labels stand: left, top, width and height of each, in its pixels. */
export interface Drawn {
  image: ImageBitmap;
  labels: readonly (readonly number[])[];
}

/** labelsOf reads where the labels of a picture stand. */
export const labelsOf = (text: string | null): number[][] =>
  (text ?? "")
    .split(",")
    .map((box) => box.trim().split(" ").map(Number))
    .filter((box) => box.length === 4 && box.every(Number.isFinite));

// picture asks for one; it throws an error that says why there is none.
async function picture(params: Record<string, string>, signal: AbortSignal): Promise<Drawn> {
  const response = await fetch(address("wms") + "?" + new URLSearchParams(params).toString(), { credentials: "same-origin", signal });
  if (response.ok) return { image: await createImageBitmap(await response.blob()), labels: labelsOf(response.headers.get("X-Labels")) };
  throw new Error(sentenceOf(await response.text()) || t("stat.pictureNone"));
}

/** pictureOf asks for the picture of a result. */
export const pictureOf = (job: number, style: PaletteName, of: Asked, signal: AbortSignal): Promise<Drawn> =>
  picture(asking(job, style, [of.west, of.south, of.east, of.north], of.width, of.height), signal);

/** legendOf returns the legend of a result, without what is empty around it. */
export async function legendOf(job: number, style: PaletteName, signal: AbortSignal): Promise<HTMLCanvasElement | undefined> {
  const [width, height] = legendSize,
    { image: whole } = await picture({ ...asking(job, style, nowhere, width, height), legendx: "0", legendy: "0" }, signal);
  const canvas = document.createElement("canvas"),
    context = canvas.getContext("2d", { willReadFrequently: true })!;
  Object.assign(canvas, { width, height });
  context.drawImage(whole, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let right = 0,
    bottom = 0;
  for (let i = 3; i < data.length; i += 4) {
    if (data[i] === 0) continue;
    const at = (i - 3) / 4;
    right = Math.max(right, (at % width) + 1);
    bottom = Math.max(bottom, Math.floor(at / width) + 1);
  }
  if (right === 0) return undefined;
  Object.assign(canvas, { width: right, height: bottom }); // which empties it
  context.drawImage(whole, 0, 0);
  return canvas;
}
