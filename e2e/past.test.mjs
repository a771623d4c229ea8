// Ships that left, and tracks, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, looks, open, shot, signIn, state, until } from "./support.mjs";

const gone = {
  mmsi: 235099001,
  name: "ALBATROSS ROVER",
  callsign: "MGON1",
  type: 70,
  lon: 10.305,
  lat: 56.11,
  cog: 45,
  heading: 45,
  sog: 11.5,
};

// sailed is the past of a ship that sailed in a spiral for some minutes, with a fix each so many: as lines of a CSV. It is fast and
// slow at the same hours of each day, so that no test meets another track at another hour: the store leaves out fixes of a slow ship.
function sailed(mmsi, name, minutes, each, lon, lat) {
  const end = Math.floor(Date.now() / 60e3) * 60e3;
  return Array.from({ length: Math.floor(minutes / each) }, (_, i) => {
    const part = (i * each) / minutes,
      a = part * 6 * Math.PI,
      r = 0.02 + 0.1 * part;
    const time = end - (minutes - i * each) * 60e3;
    const sog = (11 + 11 * Math.cos((2 * Math.PI * time) / (8 * 3600e3))).toFixed(1);
    return `${mmsi},${new Date(time).toISOString()},${(lon + r * 1.8 * Math.sin(a)).toFixed(5)},${(lat + r * Math.cos(a)).toFixed(5)},${sog},90.0,${name},70`;
  });
}
const past = [
  "mmsi,time,longitude,latitude,sog,cog,name,type_code",
  ...sailed(235077001, "VAGABOND", 3 * 1440, 1, 10.5, 56.1),
  ...sailed(235077002, "WANDERER", 1800, 1, 10.6, 56.2),
  ...sailed(235077003, "LONG HAUL", 29 * 1440, 5, 10.7, 56),
].join("\n");

const stage = staged({
  ships: 24,
  past,
  more: '[traffic]\nlost_under_way = "6s"\nremoved_under_way = "12s"\n',
  // The ship sails before the eyes of one page, until it has a track, and falls silent.
  async prepare({ browser, feeder, program }) {
    const page = await open(browser, program.url);
    await signIn(page, 20);
    await until("the ship has sailed", async () => {
      gone.lon += 0.0004;
      gone.lat += 0.00022;
      feeder.say(voyage(gone));
      feeder.say(position(gone));
      await page.waitForTimeout(900);
      return gone.lat > 56.1117;
    });
    await page.waitForFunction((mmsi) => globalThis.quaywatch.picture.ships.has(mmsi), gone.mmsi);
    await page.waitForFunction((mmsi) => !globalThis.quaywatch.picture.ships.has(mmsi), gone.mmsi);
    await page.context().close();
  },
});

test("the box finds a ship that left, says when and where, and opens its card and track", async () => {
  for (const look of looks()) {
    const page = await open(stage.browser, stage.program.url, look);
    const { width, palette } = look;
    await signIn(page, 20);
    await page.locator("#search").fill("albatross");
    const row = page.locator("#found li", { hasText: gone.name });
    await row.waitFor();
    assert.match(await row.innerText(), /left \d\d:\d\d UTC, last seen at 56°06\.\d{3}'N 010°1\d\.\d{3}'E/);
    await shot(page, `left-box-${width}-${palette}`);
    await page.keyboard.press("Enter");
    const card = page.locator(".card");
    await card.getByRole("heading", { name: gone.name }).waitFor();
    const text = await card.innerText();
    for (const part of ["left ", "last seen at", "11.5 kn", "045°", "MGON1", "United Kingdom", String(gone.mmsi), "Cargo"])
      assert.ok(text.includes(part), `the card lacks ${part}: ${text}`);
    await card.getByRole("button", { name: "Track of the last 6 hours" }).click();
    await page.waitForFunction(() => globalThis.quaywatch.tracks.all[0]?.state === "shown");
    await atRest(page);
    await shot(page, `left-card-${width}-${palette}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("an address with a ship that left opens its card, and one of a ship that nobody knows says so", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: `&s=${gone.mmsi}` });
  await signIn(page, 1);
  await page.locator(".card").getByRole("heading", { name: gone.name }).waitFor();
  await page.waitForFunction(({ lon, lat }) => {
    const at = globalThis.quaywatch.centre;
    return Math.abs(at.lat - lat) < 0.02 && Math.abs(at.lon - lon) < 0.05;
  }, gone);
  await page.goto(`${stage.program.url}#s=235099999`);
  await page.getByText("No ship with this number is known.").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a ship that leaves while its card is open keeps its card, and gets it back when it is heard again", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  const other = { ...gone, mmsi: 235099002, name: "ALBATROSS RETURN", lat: 56.12 };
  const hear = () => stage.feeder.say(voyage(other) + position(other));
  hear();
  await page.waitForFunction((mmsi) => globalThis.quaywatch.picture.ships.get(mmsi)?.name, other.mmsi);
  await state(page, `q.selection.select(${other.mmsi})`);
  await page.locator(".card .fresh", { hasText: "live" }).waitFor();
  await page.locator(".card .fresh", { hasText: "last seen at" }).waitFor();
  await page.locator(".card").getByRole("heading", { name: other.name }).waitFor();
  hear();
  await page.locator(".card .fresh", { hasText: "live" }).waitFor();
  await page.context().close();
});

// choose opens the card of a ship by the box.
async function choose(page, name) {
  await page.locator("#search").fill(name);
  await page.locator("#found li", { hasText: name }).waitFor();
  assert.equal(await page.locator(".found .chips .odd").count(), 0, "a ship that left has the name");
  await page.keyboard.press("Enter");
  await page.locator(".card").getByRole("heading", { name }).waitFor();
}

const shown = (page, mmsi) =>
  page.waitForFunction((m) => globalThis.quaywatch.tracks.of(m)?.state === "shown", mmsi).then(() => atRest(page));

test("a track is fitted into view beside the card, has the colours of its speeds, arrows and dates", async () => {
  for (const look of looks()) {
    const page = await open(stage.browser, stage.program.url, look);
    const { width, palette } = look;
    await signIn(page, 20);
    await choose(page, "VAGABOND");
    const card = page.locator(".card");
    await card.getByRole("button", { name: "Other times of the track" }).click();
    await shot(page, `times-${width}-${palette}`);
    await card.getByRole("button", { name: "Track of the last 3 days" }).click();
    await shown(page, 235077001);
    const seen = await page.evaluate(() => {
      const q = globalThis.quaywatch,
        t = q.tracks.all[0].track,
        card = document.querySelector(".card").getBoundingClientRect(),
        map = document.getElementById("map").getBoundingClientRect();
      const pixels = [...Array(t.count).keys()].map((i) => q.chart.map.getPixelFromCoordinate([t.x[i], t.y[i]]));
      const hidden = pixels.filter(
        ([x, y]) =>
          x < 0 ||
          y < 0 ||
          x > map.width ||
          y > map.height ||
          (x + map.left > card.left && y + map.top > card.top && y + map.top < card.bottom),
      );
      const across = Math.max(...pixels.map((p) => p[0])) - Math.min(...pixels.map((p) => p[0])),
        down = Math.max(...pixels.map((p) => p[1])) - Math.min(...pixels.map((p) => p[1]));
      return {
        count: t.count,
        hidden: hidden.length,
        fills: Math.max(across / (card.top > map.top + 20 ? map.width : card.left - map.left), down / map.height),
      };
    });
    assert.ok(seen.count > 4000, `${seen.count} fixes`);
    assert.equal(seen.hidden, 0, "fixes beyond the view or under the card");
    assert.ok(seen.fills > 0.6, `the track takes ${seen.fills} of the map`);
    await card.getByRole("button", { name: "Other times of the track" }).click();
    await shot(page, `track-${width}-${palette}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("the line has all colours of speeds, and arrows that point to where the ship sailed", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  await choose(page, "VAGABOND");
  await page.evaluate(() => {
    // every triangle that is filled and every word that is written on the canvas, as the painter asks for them
    const c = globalThis.quaywatch.chart.painter.context;
    globalThis.drawn = { strokes: new Set(), words: [], arrows: 0 };
    const { stroke, fillText, closePath } = CanvasRenderingContext2D.prototype;
    c.stroke = function () {
      globalThis.drawn.strokes.add(this.strokeStyle);
      stroke.call(this);
    };
    c.fillText = function (text, ...at) {
      globalThis.drawn.words.push(text);
      fillText.call(this, text, ...at);
    };
    c.closePath = function () {
      globalThis.drawn.arrows++;
      closePath.call(this);
    };
  });
  await page.locator(".card").getByRole("button", { name: "Other times of the track" }).click();
  await page.locator(".card").getByRole("button", { name: "Track of the last 3 days" }).click();
  await shown(page, 235077001);
  const drawn = await page.evaluate(() => ({ ...globalThis.drawn, strokes: [...globalThis.drawn.strokes] }));
  for (const colour of ["#59646b", "#1a56b0", "#00717a", "#1f7a3a", "#96530a", "#b3123f"])
    assert.ok(drawn.strokes.includes(colour), `no line in ${colour}: ${drawn.strokes}`);
  assert.ok(drawn.arrows > 10, `${drawn.arrows} arrows`);
  const dates = drawn.words.filter((word) => /^\d\d-\d\d( \d\d:\d\d)?$/.test(word));
  assert.ok(new Set(dates.map((word) => word.slice(0, 5))).size >= 3, `dates: ${dates}`);
  await page.context().close();
});

test("a day, an own time, and what is too long or turned about; the address brings the same track to another browser", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  await choose(page, "VAGABOND");
  const card = page.locator(".card");
  await card.getByRole("button", { name: "Other times of the track" }).click();
  const yesterday = new Date(Date.now() - 86400e3).toISOString().slice(0, 10);
  await card.getByRole("button", { name: `Track of ${yesterday}` }).click();
  await shown(page, 235077001);
  const times = () => state(page, "[q.tracks.all[0].track.time[0], q.tracks.all[0].track.time[q.tracks.all[0].track.count - 1]]");
  assert.deepEqual(
    (await times()).map((time) => new Date(time).toISOString().slice(0, 16)),
    [`${yesterday}T00:00`, `${yesterday}T23:59`],
  );
  await card.getByLabel("From, UTC").fill(`${yesterday}T10:00`);
  await card.getByLabel("To, UTC").fill(`${yesterday}T09:00`);
  await card.getByText("The end has to be later than the beginning.").waitFor();
  assert.equal(await card.getByRole("button", { name: "Show this time" }).isDisabled(), true);
  await card.getByLabel("From, UTC").fill("2025-01-01T10:00");
  await card.getByText("A track has at most 30 days.").waitFor();
  await card.getByLabel("From, UTC").fill(`${yesterday}T06:30`);
  await card.getByRole("button", { name: "Show this time" }).click();
  await until("the own time", async () => (await times()).join() === [`${yesterday}T06:30Z`, `${yesterday}T08:59Z`].map(Date.parse).join());
  const day = yesterday.replaceAll("-", "");
  await until("the address", () => page.url().includes(`t=${day}T0630-${day}T0900`));
  const other = await open(stage.browser, stage.program.url);
  await signIn(other, 20);
  await other.evaluate((hash) => {
    location.hash = hash;
  }, new URL(page.url()).hash);
  await shown(other, 235077001);
  const track = (on) => state(on, "[q.tracks.all[0].track.time[0], q.tracks.all[0].track.count]");
  const [began, count] = await track(page);
  assert.equal(began, Date.parse(`${yesterday}T06:30Z`));
  assert.ok(count > 50 && count <= 150, `${count} of 150 fixes, of which the store may leave some out`);
  assert.deepEqual(await track(other), [began, count]);
  await page.context().close();
  await other.context().close();
});

test("thirty days, several ships at once, and the cursor of the chart on the map", async () => {
  for (const [width, height, palette] of [
    [1440, 900, "day"],
    [1440, 900, "night"],
    [390, 844, "day"],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height, palette, touch: width < 900 });
    await signIn(page, 20);
    const card = page.locator(".card");
    await choose(page, "LONG HAUL");
    await card.getByRole("button", { name: "Other times of the track" }).click();
    await card.getByRole("button", { name: "Track of the last 30 days" }).click();
    await shown(page, 235077003);
    assert.ok((await state(page, "q.tracks.all[0].track.count")) > 8000);
    await choose(page, "WANDERER");
    await card.getByRole("button", { name: "Track of the last 24 hours" }).click();
    await shown(page, 235077002);
    const legend = page.getByRole("region", { name: "Tracks on the map" });
    await legend.getByText("LONG HAUL").waitFor();
    await legend.getByText("WANDERER").waitFor();
    await until("the address has both", () => /t=235077003\*720,24(&|$)/.test(page.url()));
    const chart = page.getByRole("slider", { name: "Speed, knots" });
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + 22 + (box.width - 24) / 2, box.y + 30);
    const cursor = await state(page, "q.chart.painter.cursor");
    const middle = await state(
      page,
      "(() => { const t = q.tracks.of(235077002).track, i = t.nearest((t.time[0] + t.time[t.count - 1]) / 2); return [t.x[i], t.y[i]]; })()",
    );
    assert.ok(Math.hypot(cursor.x - middle[0], cursor.y - middle[1]) < 3000, `the cursor is at ${cursor.x}, ${cursor.y}`);
    assert.match(cursor.text, /\d\d:\d\d:\d\d UTC · [\d.]+ kn/);
    await shot(page, `tracks-${width}-${palette}`);
    await chart.focus();
    await page.keyboard.press("Home");
    await until("the first fix", () => state(page, "q.chart.painter.cursor?.x === q.tracks.of(235077002).track.x[0]"));
    await legend.getByRole("button", { name: "Hide the track of LONG HAUL" }).click();
    await until("one is left", () => state(page, "q.tracks.all.length === 1 && q.chart.painter.tracks.length === 1"));
    await page.keyboard.press("Escape");
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});
