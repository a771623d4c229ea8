// A man overboard, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, safety } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, launch, looks, open, password, shot, signIn, state, until } from "./support.mjs";

const mob = { mmsi: 972123456, lon: 10.31, lat: 56.12, sog: 0, status: 14 };
let timer;

const stage = staged({
  ships: 24,
  prepare: ({ call }) => call("POST", "config/user", { name: "watcher", password, groups: [{ name: "viewer" }] }),
  close: () => clearInterval(timer),
});
const { call } = stage;

const strip = (page) => page.locator("section.distress");

test("a test of a device looks otherwise, and is no alarm", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 20);
  assert.equal(await strip(page).count(), 0);
  stage.feeder.say(safety({ mmsi: 970123456, text: "SART TEST" }));
  stage.feeder.say(position({ mmsi: 970123456, lon: 10.27, lat: 56.15, status: 15 }));
  await strip(page).locator(".what", { hasText: "Test, no distress: AIS-SART" }).waitFor();
  assert.match(await strip(page).getAttribute("class"), /test/);
  assert.equal(await state(page, "q.distress.siren.tone"), "test");
  assert.match(await page.title(), /^⚠ Test, no distress: AIS-SART: 970123456 · /);
  await until("its symbol, which is not the red cross", () =>
    state(page, "(q.picture.flags[q.picture.ships.get(970123456)?.slot] & 32) !== 0"),
  );
  await shot(page, "distress-test");
  await strip(page).getByRole("button", { name: "Acknowledge" }).click();
  await strip(page).getByText("acknowledged by admin").waitFor();
  await strip(page).getByRole("button", { name: "Hide" }).click();
  await strip(page).waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("an alarm comes on every page, wherever the map looks, and leaves map, list and keyboard free", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=100,10,9&q=tanker" });
  await signIn(page, 0);
  await page.waitForFunction(() => globalThis.quaywatch.picture.ships.size > 0);
  await page.evaluate(() => globalThis.quaywatch.navigation.go("users"));
  stage.feeder.say(position(mob));
  timer = setInterval(() => stage.feeder.say(position(mob)), 2000);
  await strip(page).locator(".which", { hasText: "972123456" }).waitFor();
  const text = await strip(page).innerText();
  for (const part of ["MAN OVERBOARD", "56°07.200'N 010°18.600'E", "heard", "since"]) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.equal(await state(page, "q.distress.siren.tone"), "alarm");
  assert.match(await page.title(), /^⚠ Man overboard: 972123456 · /);
  assert.equal(await page.locator("dialog, [role=dialog]").count(), 0);
  const box = await strip(page).boundingBox();
  assert.equal(box.width, 1440);
  await shot(page, "distress-users");
  await strip(page).getByRole("button", { name: "Go there" }).click();
  await page.waitForFunction(
    () => Math.abs(globalThis.quaywatch.centre.lat - 56.12) < 0.05 && globalThis.quaywatch.navigation.open.name === "map",
  );
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a device in distress has its number on the map once", async () => {
  const page = await open(stage.browser, stage.program.url);
  await page.addInitScript(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      globalThis.written.push(text);
      return fillText.call(this, text, ...rest);
    };
  });
  await page.reload();
  await signIn(page, 20);
  await page.waitForFunction(() => globalThis.quaywatch.chart.painter.alarms.length > 0);
  await page.evaluate(() => globalThis.quaywatch.chart.go({ lon: 10.31, lat: 56.12 }, true));
  await atRest(page);
  const inOneFrame = () =>
    page.evaluate(() => {
      globalThis.written = [];
      globalThis.quaywatch.chart.painter.repaint();
      return globalThis.written.filter((text) => text === "972123456").length;
    });
  await until("the device is drawn", async () => (await inOneFrame()) > 0);
  assert.equal(await inOneFrame(), 1);
  await page.evaluate(() => globalThis.quaywatch.selection.select(972123456));
  await page.locator(".card h2").waitFor();
  assert.equal(await inOneFrame(), 1, "selected");
  await page.context().close();
});

test("the browser keeps the sound off until a press of a key or the mouse, and the strip says so in plain words", async (t) => {
  const strict = await launch({ args: ["--autoplay-policy=document-user-activation-required"] });
  t.after(() => strict.close()); // also of a test that fails: a browser left open would hold the whole run
  const first = await open(strict, stage.program.url);
  await signIn(first, 20);
  for (const press of [(page) => page.keyboard.press("Shift"), (page) => page.mouse.click(720, 500)]) {
    const page = await first.context().newPage(); // nobody has pressed anything in it
    await page.addInitScript(() => {
      globalThis.AudioContext = class extends AudioContext {
        constructor() {
          super();
          setTimeout(() => console.info(`sound is ${this.state}`), 300);
        }
      };
    });
    const sound = page.waitForEvent("console", { predicate: (message) => message.text().startsWith("sound is"), timeout: 60e3 });
    await page.goto(stage.program.url);
    assert.equal((await sound).text(), "sound is suspended"); // before the page is looked at: for the browser that is a press
    const word = strip(page).getByRole("button", { name: "This browser keeps the sound off. Press here." });
    await word.waitFor();
    await shot(page, "distress-muted");
    await press(page);
    await word.waitFor({ state: "detached" });
    assert.equal(await state(page, "q.distress.siren.speaker.context.state"), "running");
    assert.equal(await state(page, "q.distress.siren.tone"), "alarm");
    await page.close();
  }
  assert.deepEqual(first.clean(), []);
});

test("several alarms are one strip with a count, in both languages, on all screens, by day and by night", async () => {
  stage.feeder.say(position({ mmsi: 974123456, lon: 10.29, lat: 56.1, status: 14 }));
  stage.feeder.say(position({ ...stage.feeder.ships[5], status: 14 }));
  // By day it is in German, whose words are longer: on the phone.
  for (const look of looks(["night", "dusk", "day"])) {
    const page = await open(stage.browser, stage.program.url, look);
    const { width, height, palette } = look;
    await signIn(page, 20);
    await strip(page).getByRole("button", { name: "3 more" }).waitFor();
    assert.match(await page.title(), /^⚠ 3 in distress · /);
    await page.evaluate(() => globalThis.quaywatch.chart.fit(false));
    await shot(page, `distress-${width}-${palette}`);
    const box = await strip(page).boundingBox();
    assert.ok(box.height < height * 0.4, `the strip takes ${box.height} of ${height} pixels`);
    await strip(page).getByRole("button", { name: "3 more" }).click();
    if (palette === "day") await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
    await strip(page).locator(".which", { hasText: "974123456" }).waitFor();
    assert.equal(await strip(page).locator("li").count(), 4);
    const wide = await page.evaluate(
      () => [...document.querySelectorAll(".distress *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length,
    );
    assert.equal(wide, 0, "something is cut");
    await shot(page, `distress-all-${width}-${palette}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("the strip leaves the map its place: on a phone with a card open, and with all alarms open on a desk", async () => {
  for (const [width, height, share] of [
    [390, 844, 0.55],
    [1024, 768, 0.7],
    [1440, 900, 0.7],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height });
    await signIn(page, 20);
    await strip(page).getByRole("button", { name: "3 more" }).waitFor();
    await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi), stage.feeder.ships[2].mmsi);
    await page.locator(".card h2").waitFor();
    const left = async () => (await page.locator(".mapbox").boundingBox()).height / height;
    await until(`the map has ${share} of ${height} pixels`, async () => (await left()) >= share);
    if (width === 390) await shot(page, "distress-card-390");
    await strip(page).getByRole("button", { name: "3 more" }).click();
    await strip(page).locator("li").nth(3).waitFor();
    await until(`the map has ${share} of ${height} pixels with all alarms open`, async () => (await left()) >= share);
    await page.locator(".card h2").waitFor({ state: width === 390 ? "hidden" : "visible" });
    await strip(page).getByRole("button", { name: "less" }).click();
    await page.locator(".card h2").waitFor();
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("no menu covers a button of the strip", async () => {
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height });
    await signIn(page, 20);
    await strip(page).getByRole("button", { name: "3 more" }).click();
    const covered = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("section.distress > .acts button")]
          .filter((button) => {
            const { x, y, width, height } = button.getBoundingClientRect();
            return !button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
          })
          .map((button) => button.textContent),
      );
    await strip(page).locator("> .acts button").nth(3).waitFor();
    for (const opener of [".menubutton", ".feedbutton", ".settings > button"]) {
      const button = page.locator(opener);
      if (!(await button.isVisible())) continue;
      await button.click();
      await page.locator("header .panel").waitFor();
      assert.deepEqual(await covered(), [], `${width}: ${opener}`);
      await button.click();
      await page.locator("header .panel").waitFor({ state: "detached" });
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("the strip says who is near and for how long it is silent, copies the position, and can be folded until the next alarm", async () => {
  const page = await open(stage.browser, stage.program.url);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, 20);
  const near = strip(page).locator(".near");
  const first = near.getByRole("button").first();
  await until("a ship is near", async () => /\d\.\d\d NM \d{3}°$/.test(await first.innerText()));
  await until("three ships and the copying", async () => (await near.getByRole("button").count()) === 4);
  await first.click();
  await page.locator(".card h2").waitFor();
  await near.getByRole("button", { name: "Copy position" }).click();
  await near.getByRole("button", { name: "Copied" }).waitFor();
  const [who] = await strip(page).locator(".which").allInnerTexts();
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    new RegExp(`^(Man overboard|EPIRB|Distress signal) ${who}, 56°.*UTC$`),
  );
  await page.waitForFunction(() => {
    const { distress, picture } = globalThis.quaywatch;
    distress.shown[0].heard = picture.now() - 21 * 60e3;
    globalThis.quaywatch.changed();
    return document.querySelector(".distress .age")?.textContent.includes("silent 21 min");
  });
  await shot(page, "distress-near");
  await strip(page).getByRole("button", { name: "Fold the alarm" }).click();
  const mark = strip(page).getByRole("button", { name: "3 in distress" });
  await mark.waitFor();
  await until("the strip is its mark", async () => /alarm mark/.test(await strip(page).getAttribute("class")));
  await until("it is low", async () => (await strip(page).boundingBox()).height <= 40);
  await strip(page).locator("li").waitFor({ state: "detached" });
  await shot(page, "distress-folded");
  await mark.click();
  await strip(page).locator("li").waitFor();
  await strip(page).getByRole("button", { name: "Fold the alarm" }).click();
  await mark.waitFor();
  stage.feeder.say(position({ mmsi: 972654321, lon: 10.33, lat: 56.11, status: 14 }));
  await strip(page).locator("li").waitFor();
  await strip(page).getByRole("button", { name: "4 more" }).waitFor();
  await page.context().clearPermissions();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("whoever may not acknowledge is told so; one acknowledgement makes all screens quiet, also after a restart", async () => {
  const watcher = await open(stage.browser, stage.program.url),
    page = await open(stage.browser, stage.program.url);
  await watcher.getByLabel("User name").fill("watcher");
  await watcher.getByLabel("Password").fill(password);
  await watcher.getByRole("button", { name: "Sign in" }).click();
  await shot(watcher, "distress-watcher");
  await strip(watcher).getByText("An operator can acknowledge it.").waitFor();
  await strip(watcher).getByRole("button", { name: "Fold the alarm" }).click();
  await strip(watcher).getByRole("button", { name: "4 in distress" }).click();
  assert.equal(await strip(watcher).getByRole("button", { name: "Acknowledge" }).count(), 0);
  await signIn(page, 20);
  await strip(page).getByRole("button", { name: "4 more" }).click();
  await strip(page).getByRole("button", { name: "Acknowledge all (4)" }).click();
  await strip(page).getByRole("button", { name: "Really all 4?" }).click();
  for (const one of [page, watcher]) await one.waitForFunction(() => globalThis.quaywatch.distress.siren.tone === "none");
  await until("it is seen", async () => /seen/.test(await strip(watcher).getAttribute("class")));
  await until("the title is quiet", async () => !(await page.title()).includes("⚠"));
  await shot(page, "distress-seen");
  clearInterval(timer);
  await stage.program.stop();
  await stage.program.start();
  await until("the list after a restart", async () => {
    const { records, total } = await call("GET", "distress");
    return total === 0 && records.length === 5 && records.every((r) => r.acknowledged.by === "admin");
  });
  assert.deepEqual(page.clean(), []);
});
