// Ships that left, and tracks, in a real browser against the real program.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { atRest, Feeder, launch, open, Program, shot, signIn, until } from "./support.mjs";

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

let program, feeder, browser;

before(async () => {
  program = await Program.serve({ more: '[traffic]\nlost_under_way = "6s"\nremoved_under_way = "12s"\n' });
  feeder = new Feeder(program.feed, 40);
  browser = await launch();
  const page = await open(browser, program.url); // the ship sails before the eyes of one page, until it has a track, and falls silent
  await signIn(page, 30);
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
});
after(async () => {
  feeder?.close();
  await browser?.close();
  await program?.remove();
});

// state looks at the client from inside.
const state = (page, expression) => page.evaluate(`(() => { const q = quaywatch; return (${expression}); })()`);
const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
];

test("the box finds a ship that left, says when and where, and opens its card and track", async () => {
  for (const [width, height] of sizes) {
    for (const palette of ["day", "night"]) {
      const page = await open(browser, program.url, { width, height, palette, touch: width < 900 });
      await signIn(page, 20);
      await page.locator("#search").fill("albatross");
      const row = page.locator(".found li", { hasText: gone.name });
      await row.waitFor();
      assert.match(await row.innerText(), /left \d\d:\d\d, last seen at 56°06\.\d{3}'N 010°1\d\.\d{3}'E/);
      await shot(page, `left-box-${width}-${palette}`);
      await page.keyboard.press("Enter");
      const card = page.locator(".card");
      await card.getByRole("heading", { name: gone.name }).waitFor();
      const text = await card.innerText();
      for (const part of ["left ", "last seen at", "11.5 kn", "045°", "MGON1", "United Kingdom", String(gone.mmsi), "Cargo"])
        assert.ok(text.includes(part), `the card lacks ${part}: ${text}`);
      await card.getByRole("button", { name: "Track of the last 6 hours" }).click();
      await page.waitForFunction(() => globalThis.quaywatch.selection.trackState === "shown");
      await atRest(page);
      await shot(page, `left-card-${width}-${palette}`);
      assert.deepEqual(page.clean(), []);
      await page.context().close();
    }
  }
});

test("an address with a ship that left opens its card, and one of a ship that nobody knows says so", async () => {
  const page = await open(browser, program.url, { hash: `&s=${gone.mmsi}` });
  await signIn(page, 1);
  await page.locator(".card").getByRole("heading", { name: gone.name }).waitFor();
  await atRest(page);
  const [lon, lat] = await state(page, "[q.centre.lon, q.centre.lat]");
  assert.ok(Math.abs(lat - gone.lat) < 0.02 && Math.abs(lon - gone.lon) < 0.05, `the map is at ${lat}, ${lon}`);
  await page.goto(`${program.url}#s=235099999`);
  await page.getByText("No ship with this number is known.").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a ship that leaves while its card is open keeps its card, and gets it back when it is heard again", async () => {
  const page = await open(browser, program.url);
  await signIn(page, 30);
  const other = { ...gone, mmsi: 235099002, name: "ALBATROSS RETURN", lat: 56.12 };
  const hear = () => feeder.say(voyage(other) + position(other));
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
