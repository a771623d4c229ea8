// Two transmitters with one number, far apart: the card and the list say so, with both places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, looks, open, shot, signIn, sizes, until, Voice } from "./support.mjs";

const ship = { mmsi: 219018765, name: "NORDIC HAV", callsign: "OXAA", sog: 0, cog: 90 };
const places = [
  { lon: 10.3, lat: 56.14 },
  { lon: -5.4, lat: 36.1 },
];
let voice, timer;

const stage = staged({
  prepare({ program }) {
    voice = new Voice(program.feed);
    let turn = 0;
    voice.say(voyage(ship));
    timer = setInterval(() => voice.say(position({ ...ship, ...places[turn++ % 2] })), 1000);
  },
  close() {
    clearInterval(timer);
    voice?.close();
  },
});
const { call } = stage;

for (const [width, height] of sizes) {
  test(`a number of two transmitters at ${width} × ${height}, by day and by night`, async () => {
    await until(
      "the ship's record says it",
      async () => (await call("GET", `portserver/ship/info/${ship.mmsi}`).catch(() => ({}))).conflict?.length === 2,
    );
    for (const look of looks().filter((one) => one.width === width)) {
      const page = await open(stage.browser, stage.program.url, look);
      const { palette } = look;
      await signIn(page);
      await page.waitForFunction((mmsi) => globalThis.quaywatch.picture.ships.get(mmsi)?.conflict, ship.mmsi);
      if (width >= 900) await page.getByRole("img", { name: "Two transmitters use this number" }).first().waitFor();
      await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi, "go"), ship.mmsi);
      const card = page.locator(".card");
      await card.getByRole("heading", { name: ship.name }).waitFor();
      const told = card.locator(".problem", { hasText: "Two transmitters use this number at places that no ship joins" });
      await told.waitFor();
      const text = await told.innerText();
      for (const part of [/56°.*010°/, /36°.*005°.*W/, /roof/]) assert.match(text, part);
      await told.scrollIntoViewIfNeeded();
      await atRest(page);
      await shot(page, `conflict-${width}-${palette}`);
      assert.deepEqual(page.clean(), []);
      await page.context().close();
    }
  });
}
