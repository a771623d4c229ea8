// Everybody can use it: axe-core finds nothing on any page, and the smallest phones lose no control.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, safety } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, drawn, findings, open, shot, signIn, until, whole } from "./support.mjs";

const places = [
  "map",
  "events",
  "watchdogs",
  "watchdogs/new",
  "watchdogs/new/polygon",
  "watchdogs/new/port",
  "watchdogs/warn/ship/219018004",
  "lists",
  "lists/new",
  "shapes",
  "shapes/new/polygon",
  "filters",
  "filters/new",
  "register",
  "register/219018004",
  "users",
  "users/new",
  "users/admin",
  "users/admin/rights",
  "users/admin/settings",
  "users/admin/receive",
  "users/admin/transmit",
  "groups",
  "groups/viewer",
  "audit",
  "system",
  "links",
  "profile",
];

const stage = staged({
  ships: 24,
  more: `[mail]\nhost = "127.0.0.1"\ntls = "off"\nfrom = "box@port.example"\n`,
  async prepare({ call, feeder }) {
    feeder.say(safety({ mmsi: 2190047, text: "GALE WARNING" })); // so that its line is below every map
    const list = await call("POST", "config/shiplist", { name: "tugs", ships: [{ mmsi: 219018004 }] });
    const filter = await call("POST", "config/filter", { name: "fast", filter: "sog > 8" });
    const circle = { center: { type: "Point", coordinates: [10.3, 56.1] }, radius: 1852 };
    const shape = await call("POST", "config/shape", { name: "bight", circle });
    const area = {
      type: "Polygon",
      coordinates: [
        [
          [9, 55],
          [11, 55],
          [11, 57],
          [9, 57],
          [9, 55],
        ],
      ],
    }; // prettier-ignore
    const dog = await call("POST", "watchdog/definition", { name: "bay", type: "polygon", polygon: area });
    places.push(
      `watchdogs/${dog.uid}`,
      `watchdogs/${dog.uid}/inside`,
      `watchdogs/warn/shape/${shape.uid}`,
      `lists/${list.uid}`,
      `filters/${filter.uid}`,
      `shapes/${shape.uid}`,
    );
  },
});

// goTo opens a place by its address and waits until all of it is there.
async function goTo(page, place) {
  await page.evaluate((to) => {
    location.hash = "w=" + to;
  }, place);
  await page.waitForFunction((to) => globalThis.quaywatch.navigation.path.join("/") === to, place);
  await drawn(page);
  await until(`${place} is there`, () => page.evaluate(() => !document.querySelector(".late") && document.querySelector("h2") !== null));
  assert.equal(await page.getByText(/^There is no such|^So etwas gibt es nicht/).count(), 0, place);
}

const paint = (page, palette) =>
  page.evaluate((name) => {
    globalThis.quaywatch.settings.setPalette(name);
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, palette);

test("axe-core finds nothing on any page, and no contrast too weak in any palette", async () => {
  const page = await open(stage.browser, stage.program.url);
  const found = {};
  // The structure is the same in all palettes. Dusk and night come in turn, unless the tests are whole.
  let turn = 0;
  const look = async (name) => {
    const dark = ["dusk", "night"].filter((_, at) => whole || at === turn % 2);
    turn++;
    for (const [palette, rule] of [["day"], ...dark.map((dim) => [dim, "color-contrast"])]) {
      await paint(page, palette);
      const all = await findings(page, { rule });
      if (all.length > 0) found[`${name}, ${palette}`] = all;
    }
    await paint(page, "day");
  };
  await page.getByLabel("User name").waitFor();
  await look("sign-in");
  await signIn(page, 20);
  for (const place of places) {
    await goTo(page, place);
    await look(place);
  }
  await goTo(page, "map");
  await page.evaluate("quaywatch.selection.select(219018004)");
  await page.locator(".card").getByRole("button", { name: "Other times of the track" }).click();
  await page.locator(".card").getByRole("button", { name: "Track of the last 6 hours" }).click();
  await page.locator(".legend").waitFor();
  await page.locator(".speedchart").waitFor();
  await look("card and track");
  for (const button of ["Settings", "Columns", /^Menu:/, /^State of the feeds/]) {
    await page.getByRole("button", { name: button }).first().click();
    await look(String(button));
    await page.keyboard.press("Escape");
  }
  await page.locator("#search").fill("nordic");
  await page.locator("#found li").first().waitFor();
  await look("search");
  await page.keyboard.press("Escape");
  stage.feeder.say(position({ mmsi: 972123456, lon: 10.31, lat: 56.12, sog: 0, status: 14 }));
  stage.feeder.say(position({ mmsi: 970123456, lon: 10.27, lat: 56.15, status: 15 }));
  await page.locator("section.distress").getByRole("button", { name: "1 more" }).click();
  await look("alarms of distress");
  await page.locator("section.distress").getByRole("button", { name: "Acknowledge" }).first().click();
  await page.locator("section.distress .seen").waitFor();
  await look("an acknowledged alarm");
  stage.feeder.silent = true;
  await page.locator(".banners .strip, .banners .banner").first().waitFor();
  await look("notices of a silent feed");
  stage.feeder.silent = false;
  assert.deepEqual(found, {});
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

// lost gives the controls that no finger reaches: cut by the edge, with text cut, or with something else upon them.
const lost = (page) =>
  page.evaluate(() => {
    const seen = [];
    for (const e of document.querySelectorAll("button, input, select, textarea, summary, a[href]:not(.skip)")) {
      if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: false }) || e.closest(".unseen")) continue;
      e.scrollIntoView({ block: "center", inline: "center" });
      const r = e.getBoundingClientRect();
      const name = `${e.getAttribute("aria-label") || e.textContent || e.id || e.tagName} (${Math.round(r.left)},${Math.round(r.top)},${Math.round(r.right)},${Math.round(r.bottom)})`;
      const edge = Math.min(innerWidth, e.closest(".table")?.getBoundingClientRect().right ?? innerWidth);
      if (r.left < -0.5 || r.right > edge + 0.5 || r.top < -0.5 || r.bottom > innerHeight + 0.5) seen.push(`${name} is cut`);
      else if (e.tagName === "BUTTON" && e.scrollWidth > e.clientWidth + 1) seen.push(`${name} has its text cut`);
      else {
        const top = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
        if (!top || !(e.contains(top) || top.contains(e) || e.labels?.[0]?.contains(top)))
          seen.push(`${name} is under ${top?.outerHTML.slice(0, 80)}`);
      }
    }
    return seen;
  });

test("on a phone of 320 px no control is cut, search takes the whole row, and headings are 44 px", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 320, height: 640, touch: true });
  const found = {};
  const look = async (name) => {
    let all = await lost(page);
    for (let i = 0; i < 20 && all.length > 0; i++) {
      await page.waitForTimeout(100); // what was just drawn may still find its place
      all = await lost(page);
    }
    if (all.length > 0) found[name] = all;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > 320) found[name] = [...all, `it is ${wide} px wide`];
  };
  // A table has the width of its place before it is painted for the first time.
  await page.evaluate(() => {
    globalThis.narrow = new Set();
    const judge = () => {
      for (const b of document.querySelectorAll(".tablebox .headings button"))
        if (b.checkVisibility() && b.clientWidth === 0) globalThis.narrow.add(`${location.hash} ${b.textContent}`);
    };
    new MutationObserver(() => requestAnimationFrame(judge)).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByLabel("User name").waitFor();
  await look("sign-in");
  await signIn(page, 10);
  for (const language of ["en", "de"]) {
    await page.evaluate((code) => globalThis.quaywatch.setLanguage(code), language);
    if (language === "de") {
      stage.feeder.say(position({ mmsi: 974123456, lon: 10.29, lat: 56.1, status: 14 })); // an alarm takes a third of the screen
      await page.locator("section.distress.alarm").waitFor();
    }
    for (const place of places) {
      await goTo(page, place);
      await look(`${place}, ${language}`);
    }
  }
  assert.deepEqual(await page.evaluate(() => [...globalThis.narrow]), []);
  await goTo(page, "map");
  await page
    .locator(".ol-scale-line")
    .getByText(/^\d+(,\d+)? sm$/)
    .waitFor();
  await page.evaluate(() => globalThis.quaywatch.setLanguage("en"));
  await page
    .locator(".ol-scale-line")
    .getByText(/^\d+(\.\d+)? NM$/)
    .waitFor();
  await page.locator("#search").focus();
  const row = await page.locator("#search").boundingBox();
  assert.ok(row.width >= 300, `the box has ${row.width} px`);
  await page.locator("#search").fill("nordic");
  await page.locator("#found li").first().waitFor();
  await shot(page, "small-search");
  await page.keyboard.press("Enter");
  await page.locator(".card h2").waitFor();
  await page.locator(".card").getByRole("button", { name: "Other times of the track" }).click();
  await atRest(page);
  await look("card");
  await shot(page, "small-card");
  await page.locator(".card").getByRole("button", { name: "Close the card" }).click();
  await page.getByRole("button", { name: "Show the ship list" }).click();
  const headings = page.locator(".list .headings button");
  await headings.first().waitFor();
  const sizes = await headings.evaluateAll((all) => all.map((b) => b.getBoundingClientRect()).map((r) => [r.width, r.height]));
  for (const [width, height] of sizes) assert.ok(width >= 44 && height >= 44, `a heading has ${width} × ${height}`);
  await look("list");
  await page.locator(".ticker .line button").click();
  await page.locator(".ticker ul").waitFor();
  await look("messages");
  await shot(page, "small-list");
  assert.deepEqual(found, {});
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
