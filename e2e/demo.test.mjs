// The demo harbour as a newcomer meets it: one command, one page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { atRest, looks, open, Program, shot, signIn, sizes, until } from "./support.mjs";

const stage = staged({
  async start(stage) {
    stage.program = await Program.demo();
  },
});

for (const [width, height] of sizes) {
  test(`the harbour at ${width} × ${height}, by day and by night`, async () => {
    for (const look of looks().filter((one) => one.width === width)) {
      const page = await open(stage.browser, stage.program.url, look);
      const { palette } = look;
      await signIn(page, 20);
      assert.equal(await page.locator(".clock .past").count(), 0, "the harbour at the speed of the clock is live");
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

test("a harbour at sixty times the speed has a feed that speaks, and one feed hears nothing first by others", async () => {
  const fast = await Program.demo({ speed: 60 });
  try {
    const page = await open(stage.browser, fast.url);
    await signIn(page, 20);
    const told = await page.evaluate(() => {
      // every status from now on: how old the feed was said to be, and whether the page called it silent
      const q = globalThis.quaywatch,
        told = (globalThis.told = []);
      const tell = q.feeds.tell.bind(q.feeds);
      q.feeds.tell = (status) => {
        tell(status);
        for (const feed of status.feeds) told.push({ age: q.feeds.age(feed, performance.now()), duplicates: feed.duplicates });
      };
      return told.length;
    });
    assert.equal(told, 0);
    await until("half an hour of the harbour", () => page.evaluate(() => globalThis.quaywatch.picture.time > Date.now() + 1800e3));
    await until("a status after it", () => page.evaluate(() => globalThis.told.length >= 3));
    const all = await page.evaluate(() => globalThis.told);
    for (const each of all) {
      assert.ok(each.age < 300e3, `the feed was said to be silent for ${each.age / 60e3} minutes`);
      assert.equal(each.duplicates, 0, "heard first by others");
    }
    await page
      .locator(".clock .past")
      .getByText(/^Not live ×[56]\d$/)
      .waitFor();
    await page.getByRole("button", { name: /^State of the feeds/ }).click();
    await page.locator(".feeds .panel").waitFor();
    assert.doesNotMatch(await page.locator(".feeds .panel").innerText(), /heard first by others/);
    await page.context().close();
  } finally {
    await fast.remove();
  }
});
