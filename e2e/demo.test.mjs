// The demo harbour as a newcomer meets it: one command, one page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atRest, launch, open, Program, shot, signIn, until } from "./support.mjs";

let program, browser;

before(async () => {
  program = await Program.demo();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await program?.remove();
});

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
]) {
  test(`the harbour at ${width} × ${height}, by day and by night`, async () => {
    for (const palette of ["day", "night"]) {
      const page = await open(browser, program.url, { width, height, palette, touch: width < 900 });
      await signIn(page, 20);
      await until("the fleet", () => page.evaluate(() => globalThis.quaywatch.picture.ships.size >= 100));
      await page.evaluate(() => globalThis.quaywatch.chart.fit(false));
      await shot(page, `demo-${width}-${palette}`);
      if (width === 1440) {
        await page.evaluate(() => {
          const q = globalThis.quaywatch;
          q.selection.select([...q.picture.ships.values()].find((s) => s.name && s.length > 80).mmsi, "go");
        });
        await atRest(page);
        await shot(page, `demo-near-${palette}`);
      }
      assert.deepEqual(page.clean(), []);
      await page.context().close();
    }
  });
}
