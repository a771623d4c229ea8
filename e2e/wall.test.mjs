// The wall display, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { drawn, open, shot, signIn, state, until, violations } from "./support.mjs";

const stage = staged({ ships: 12 });
const { call } = stage;

const first = 219018000; // the number of the first ship of the fleet
const made = []; // the events of a test

// happens makes an event of a ship by hand.
async function happens(message, ship, severity = "warning") {
  const { id } = await call("POST", "watchdog/event/manual", { message, severity, ...(ship === undefined ? {} : { mmsi: first + ship }) });
  made.push(id);
}

// forgets deletes the events of a test.
async function forgets() {
  for (const id of made.splice(0)) await call("DELETE", `watchdog/event/${id}`);
}

const what = (page) => page.locator(".plate .what").innerText();
const shows = (page, text) => page.locator(".plate .what", { hasText: text }).waitFor();
const middle = (page, ship) =>
  state(
    page,
    `(() => { const s = q.picture.ships.get(${first + ship}), size = q.chart.screen, at = q.chart.pixel(s); ` +
      `return at !== undefined && Math.hypot(at[0] - size.width / size.ratio / 2, at[1] - size.height / size.ratio / 2) < 40; })()`,
  );
const skip = (page) => page.keyboard.press("ArrowRight");

test("#wall shows map and plate alone, walks from one event to the next, and a new event goes first", async () => {
  await happens("Boiler trouble", 4);
  await happens("Pilot aboard", 8, "note");
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600", motion: true });
  await signIn(page, 1);
  await shows(page, "Pilot aboard");
  await until("the ship is in the middle", () => middle(page, 8));
  assert.equal(await state(page, "q.chart.painter.look.selected"), first + 8);
  for (const gone of ["header", ".maptools", ".list", ".card", ".panel", ".ticker"])
    assert.equal(await page.locator(gone).count(), 0, gone);
  assert.deepEqual(await page.locator("button:visible:not(.leave)").allInnerTexts(), []);
  assert.match(await page.locator(".plate .since").innerText(), /^● Note \d+ s ago \d\d:\d\d UTC$/);
  assert.match(await page.locator(".plate .clock").innerText(), /\d\d:\d\d:\d\d/);
  await page.evaluate(() => {
    location.hash = "wall&every=1";
  });
  await shows(page, "Boiler trouble");
  await until("the other ship is in the middle", () => middle(page, 4));
  await until("ships alone stand between", async () => (await page.locator(".plate.ship").count()) === 1);
  await shows(page, "Pilot aboard");
  await page.evaluate(() => {
    location.hash = "wall&every=600";
  });
  await drawn(page);
  const before = await what(page);
  await happens("Fire at berth 4", undefined, "alert");
  await shows(page, "Fire at berth 4");
  assert.notEqual(before, "Fire at berth 4");
  await page.locator(".plate.alert .since", { hasText: "◆ Alert" }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
  await forgets();
});

test("a ship that left is skipped, one that leaves gives way, and a filter says so", async () => {
  await happens("Goes first", 8);
  await happens("At anchor", 3);
  await happens("Leaves soon", 4);
  stage.feeder.ships[4].sog = 8;
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600&q=sog > 1" });
  await signIn(page, 1);
  await shows(page, "Leaves soon");
  await page.locator(".plate .filter", { hasText: "match" }).waitFor();
  stage.feeder.ships[4].sog = 0; // the server tells that it matches no more
  await shows(page, "Goes first");
  await skip(page);
  await page.locator(".plate.ship").waitFor(); // the one at anchor was skipped
  stage.feeder.ships[4].sog = 8;
  assert.deepEqual(page.clean(), []);
  await page.context().close();
  await forgets();
});

test("the events of a watchdog that was deleted leave it", async () => {
  const ring = "9,55.5 12,55.5 12,57 9,57 9,55.5".split(" ").map((corner) => corner.split(",").map(Number));
  const polygon = { type: "Polygon", coordinates: [ring] };
  const watchdog = await call("POST", "watchdog/definition", { name: "Doomed roads", type: "polygon", polygon });
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600" });
  await signIn(page, 1);
  await shows(page, "Doomed roads");
  await call("DELETE", `watchdog/definition/${watchdog.uid}`);
  await page.evaluate(() => globalThis.quaywatch.watchdogs.load()); // which the page does each minute
  await page.locator(".plate .what", { hasText: "Doomed roads" }).waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
  const later = await open(stage.browser, stage.program.url, { hash: "&wall&every=600" });
  await signIn(later, 1);
  await until("events and watchdogs are read", () => state(later, "q.events.all.length > 0 && q.watchdogs.state === 'there'"));
  await later.locator(".plate.ship").waitFor({ timeout: 30e3 }); // it reads the watchdogs again after a minute
  await later.context().close();
});

test("with no ship and no event it says so", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&q=sog > 90" });
  await signIn(page, 0);
  await shows(page, /No ship (is heard|to show)/);
  await page.locator(".plate .facts", { hasText: "no event" }).waitFor();
  await page.locator(".plate .filter").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("Escape, a press and the menu lead back and forth", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 4);
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("navigation").getByRole("button", { name: "Wall display" }).click();
  await page.locator(".plate").waitFor();
  assert.equal(await page.locator("header").count(), 0);
  await page.keyboard.press("Escape");
  await page.locator("header").waitFor();
  assert.equal(await page.locator(".plate").count(), 0);
  assert.equal(await state(page, "q.chart.painter.look.selected"), 0);
  await page.goBack();
  await page.locator(".plate").waitFor();
  const leave = page.getByRole("button", { name: "Leave the wall display" });
  await page.mouse.click(300, 300);
  await page.locator(".leave:not(.asleep)").waitFor();
  await shot(page, "wall-leave");
  await page.locator(".leave.asleep").waitFor(); // it goes again by itself
  await page.keyboard.press("Tab");
  await until("the way back has the focus", () => leave.evaluate((e) => e === document.activeElement));
  await page.keyboard.press("Enter");
  await page.locator("header").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a lost server is told, and the walk goes on afterwards", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600" });
  await signIn(page, 4);
  await page.locator(".plate.ship").waitFor();
  await stage.program.stop("SIGKILL");
  await page.locator(".banner.bad").waitFor();
  await shot(page, "wall-lost");
  await stage.program.start();
  await page.locator(".banner").waitFor({ state: "detached" });
  await until("the fleet is heard again", () => state(page, "q.picture.ships.size > 10"));
  await happens("After the fall", 8);
  await shows(page, "After the fall");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
  await forgets();
});

test("axe-core finds nothing, and all of the plate is seen, by day and by night, on a wall and on a phone", async () => {
  await happens("Anchor drags towards the cable, the harbour master is told and a tug is on its way", 8, "alert");
  for (const [width, height] of [
    [1440, 900],
    [1920, 1080],
    [390, 844],
  ])
    for (const palette of ["day", "night"]) {
      const page = await open(stage.browser, stage.program.url, { width, height, palette, touch: width < 900, hash: "&wall&every=600" });
      await signIn(page, 1);
      await shows(page, "Anchor drags");
      await until("the ship is in the middle", () => middle(page, 8));
      assert.deepEqual(await violations(page), [], `${width} ${palette}`);
      const cut = await page.evaluate(() => {
        const plate = document.querySelector(".plate").getBoundingClientRect();
        return [...document.querySelectorAll(".plate *")]
          .map((e) => e.getBoundingClientRect())
          .filter((r) => r.bottom > plate.bottom + 1 || r.right > plate.right + 1).length; // prettier-ignore
      });
      assert.equal(cut, 0, `${width} ${palette}: something of the plate is cut`);
      const { scrollWidth, map } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        map: document.querySelector("#map").clientHeight / innerHeight,
      }));
      assert.ok(scrollWidth <= width && map > 0.55, `${width}: ${scrollWidth} px wide, the map has ${map}`);
      await shot(page, `wall-${width}-${palette}`);
      await page.setViewportSize({ width, height });
      await skip(page);
      await page.locator(".plate.ship").waitFor();
      await shot(page, `wall-ship-${width}-${palette}`);
      await page.context().close();
    }
  await forgets();
});

test("after hundreds of steps and events the tab has not grown", async () => {
  for (const ship of [0, 4, 8]) await happens(`Event ${ship}`, ship);
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600" });
  await signIn(page, 4);
  await shows(page, "Event 8");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const size = async () => {
    for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  // steps goes on, and waits each time for what the step draws.
  const steps = async (count) => {
    const seen = new Set();
    for (let i = 0; i < count; i++) {
      await skip(page);
      await drawn(page);
      seen.add(await what(page));
    }
    return seen;
  };
  assert.ok((await steps(60)).size >= 10); // the land and the words around each ship are there
  const begin = await size();
  for (let i = 0; i < 10; i++) {
    await happens(`Later ${i}`, 8);
    await shows(page, `Later ${i}`);
    await steps(30);
  }
  const end = await size();
  for (const name of ["Nodes", "JSEventListeners", "JSHeapUsedSize"])
    assert.ok(begin[name] > 0 && end[name] <= 1.2 * begin[name], `${name} grew from ${begin[name]} to ${end[name]}`);
  console.log(["Nodes", "JSEventListeners", "JSHeapUsedSize"].map((name) => `${name} ${begin[name]} → ${end[name]}`).join(", "));
  await page.context().close();
  await forgets();
});

test("an alarm of distress stands above it, and leads to the map", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&wall&every=600" });
  await signIn(page, 4);
  await page.locator(".plate").waitFor();
  stage.feeder.say(position({ mmsi: 972123456, lon: 10.31, lat: 56.12, sog: 0, status: 14 }));
  const strip = page.locator("section.distress.alarm");
  await strip.waitFor();
  assert.equal(await page.locator("header").count(), 0);
  const [above, plate] = [await strip.boundingBox(), await page.locator(".plate").boundingBox()];
  assert.ok(above.y === 0 && above.y + above.height < plate.y, `the strip lies at ${above.y}`);
  await shot(page, "wall-distress");
  await strip.getByRole("button", { name: "Go there" }).click();
  await page.locator("header").waitFor();
  await page.locator(".card").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
