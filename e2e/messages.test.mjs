// Texts of ships and stations, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressed, aid, safety, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, findings, open, password, shot, signIn, violations } from "./support.mjs";

const shore = 2190047,
  trader = 219018004,
  bold = "<B>GALE</B> WARNING";

const stage = staged({
  ships: 24,
  prepare: ({ call }) => call("POST", "config/user", { name: "watcher", password, groups: [{ name: "viewer" }] }),
});
const { call } = stage;

const ticker = (page) => page.locator("section.ticker");
const openList = (page) => ticker(page).locator(".line button").click();

test("texts come by the live stream, as plain text, and open to a list that leads to the ship", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  assert.equal(await ticker(page).count(), 0);
  await page.waitForFunction(() => [...globalThis.quaywatch.picture.ships.values()].some((s) => s.mmsi === 2190047));
  stage.feeder.say(safety({ mmsi: shore, text: bold }));
  await ticker(page).locator(".line").getByText(bold).waitFor();
  assert.equal(await page.locator(".ticker b b, .ticker script").count(), 0);
  assert.equal((await ticker(page).boundingBox()).height < 34, true);
  stage.feeder.say(addressed({ mmsi: shore, to: trader, text: "CALL VTS ON VHF 12" }));
  stage.feeder.say(aid({ mmsi: 992190001, lon: 10.33, lat: 56.09, name: "AARHUS BUGT", off: 1 }));
  await page.waitForFunction(() => globalThis.quaywatch.messages.all.length >= 3);
  await openList(page);
  const list = ticker(page).locator("ul");
  await list.getByText(/to .+: CALL VTS ON VHF 12/).waitFor();
  await list.getByText("is off its position").first().waitFor();
  await shot(page, "messages-open");
  await list.locator("li", { hasText: "CALL VTS" }).getByRole("button").click();
  await page
    .locator(".card .texts")
    .getByText(/CALL VTS ON VHF 12/)
    .waitFor();
  await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi, "go"), trader);
  const texts = page.locator(".card .texts");
  await texts.getByText(/CALL VTS ON VHF 12/).waitFor();
  assert.match(await texts.innerText(), /\b002190047:/);
  await shot(page, "messages-card");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a change of a destination is told in either language", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  const ship = stage.feeder.ships[4];
  await page.waitForFunction((mmsi) => globalThis.quaywatch.picture.ships.get(mmsi)?.destination, trader);
  stage.feeder.say(voyage(Object.assign(ship, { destination: "NOOSL" })));
  await page.waitForFunction(() => globalThis.quaywatch.messages.all.some((m) => m.kind === "destination"));
  await openList(page);
  await ticker(page)
    .getByText(/destination .+ → NOOSL/)
    .waitFor();
  await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
  await ticker(page)
    .getByText(/Ziel .+ → NOOSL/)
    .waitFor();
  await ticker(page).getByText("ist nicht auf seiner Position").first().waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the line can be switched off for good, and a user without the right has none", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  await ticker(page).waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Show messages below the map").uncheck();
  await ticker(page).waitFor({ state: "detached" });
  await page.reload();
  await page.waitForFunction(() => globalThis.quaywatch?.messages.all.length > 0);
  assert.equal(await ticker(page).count(), 0);
  await page.context().close();

  const other = await open(stage.browser, stage.program.url);
  await other.getByLabel("User name").fill("watcher");
  await other.getByLabel("Password").fill(password);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.waitForFunction(() => globalThis.quaywatch?.picture.ships.size > 20);
  stage.feeder.say(safety({ mmsi: shore, text: "AGAIN" }));
  await other.getByRole("button", { name: "Settings" }).click();
  await other.getByText("Language").waitFor();
  assert.equal(await other.getByLabel("Show messages below the map").count(), 0);
  assert.equal(await ticker(other).count(), 0);
  await other.context().close();
});

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
])
  for (const palette of ["day", "night"])
    test(`the line covers no control at ${width} x ${height}, ${palette}`, async () => {
      const page = await open(stage.browser, stage.program.url, { width, height, palette, touch: width < 500 });
      await signIn(page, 20);
      await ticker(page).waitFor();
      await atRest(page);
      await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi, "stay"), trader); // its card has a text
      await page.locator(".card .texts").waitFor();
      assert.deepEqual(await violations(page), []);
      await page.evaluate(() => globalThis.quaywatch.selection.close());
      for (const state of ["closed", "open"]) {
        if (state === "open") await openList(page);
        const { top, controls } = await page.evaluate(() => ({
          top: document.querySelector("section.ticker").getBoundingClientRect().top,
          controls: [...document.querySelectorAll(".mapbox button")].map((b) => b.getBoundingClientRect()).filter((r) => r.height > 0),
        }));
        assert.ok(controls.length >= 3);
        for (const { bottom } of controls) assert.ok(bottom <= top, `a control ends at ${bottom}, the line begins at ${top}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        assert.deepEqual(await findings(page, { part: "section.ticker" }), []);
        await shot(page, `messages-${state}-${width}-${palette}`);
      }
      assert.deepEqual(page.clean(), []);
      await page.context().close();
    });
