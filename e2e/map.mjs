// What tests do with the map of a page.
import { atRest, state, until } from "./support.mjs";

/** view puts the map over a place, far from the ships if need be, and waits until it is drawn there. */
export async function view(page, lon, lat, zoom) {
  await state(page, `q.chart.show(${lon}, ${lat}, ${zoom})`);
  await page.waitForFunction(
    ([x, z]) => Math.abs(globalThis.quaywatch.centre.lon - x) < 0.01 && Math.abs(globalThis.quaywatch.centre.zoom - z) < 0.01,
    [lon, zoom],
  );
  await atRest(page);
}

/** pixelOf returns where a place lies on the map, in pixels from its upper left corner, in the world that is nearest to its middle. */
export const pixelOf = (page, lon, lat) =>
  state(
    page,
    `(() => { const s = q.chart.screen, world = 2 * Math.PI * 6378137; let x = ${lon} * 6378137 * Math.PI / 180; x += Math.round((s.x - x) / world) * world;
  const y = 6378137 * Math.log(Math.tan(Math.PI / 4 + ${lat} * Math.PI / 360)); return [(x - s.x) / s.resolution + s.width / s.ratio / 2, (s.y - y) / s.resolution + s.height / s.ratio / 2]; })()`,
  );

/** pen waits until the map takes clicks as places. */
export const pen = (page) => until("the pen", () => state(page, "q.chart.pen !== undefined"));
