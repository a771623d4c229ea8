// Alerts on the board, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freighter } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { fits, open, password, shot, signIn, state, until } from "./support.mjs";

const stage = staged({
  ships: 20,
  async prepare({ call }) {
    await call("POST", "config/user", {
      name: "watcher",
      password,
      groups: ["viewer"],
      access_rights: { view_watchdog: "allow", configure_watchdog_definitions: "allow" },
      receive_filter: { expression: "mmsi >= 219910000" },
    });
    await call("POST", "config/user", { name: "relief", password, groups: ["viewer"], access_rights: { view_watchdog: "allow" } });
  },
});
const { call } = stage;

const area = (west, east) => ({
  type: "Polygon",
  coordinates: [
    [
      [west, 55.8],
      [east, 55.8],
      [east, 55.95],
      [west, 55.95],
      [west, 55.8],
    ],
  ],
});

// lies lets a ship lie in the area of a watchdog; it is in from its third report on.
function lies(mmsi, name, lon, lat = 55.9) {
  const ship = { ...freighter, mmsi, name, lon, lat, sog: 0, cog: 90, heading: 90 };
  stage.feeder.joins(ship);
}

const row = (page, text) => page.locator(".events > .event", { hasText: text });
const tone = (page) => state(page, "q.alerts.siren.tone");

async function watches(name, severity, west, more = {}) {
  return call("POST", "watchdog/definition", { name, type: "polygon", severity, polygon: area(west, west + 0.05), ...more });
}

async function board(user = "admin", prepare = async () => undefined) {
  const page = await open(stage.browser, stage.program.url, { hash: "&w=events" });
  await prepare(page.context());
  if (user === "admin") await signIn(page, 1);
  else {
    await page.getByLabel("User name").fill(user);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  await until("the board", () => state(page, "q.alerts.there"));
  return page;
}

test("an alarm sounds until it is silenced, sounds again, and is quiet on all screens when one acknowledges it", async () => {
  lies(219900001, "FIRST", 10.2);
  const one = await board(),
    two = await board();
  await watches("Roads", "alert", 10.3);
  lies(219900002, "<IMG SRC=X ONERR=1>", 10.32);
  await row(one, "is in Roads").getByText("not acknowledged").waitFor();
  for (const page of [one, two]) await until("it sounds", async () => (await tone(page)) === "watch");
  assert.equal(await one.locator("header .badge").innerText(), "◆ 1");
  await shot(one, "alerts-alarm");
  await row(one, "is in Roads").getByRole("button", { name: "Silence for 30 s" }).click();
  for (const page of [one, two]) {
    await until("it rests", async () => (await tone(page)) === "none");
    await row(page, "is in Roads")
      .getByText(/silent for \d+ s/)
      .waitFor();
  }
  // Half a minute later it sounds again, by the clock of the page.
  await two.evaluate(() => {
    const { picture } = globalThis.quaywatch,
      now = picture.now.bind(picture);
    picture.now = () => now() + 31e3;
  });
  await until("it sounds again", async () => (await tone(two)) === "watch");
  await row(two, "is in Roads").getByRole("button", { name: "Acknowledge" }).click();
  await until("it is quiet on the other screen", async () => (await tone(one)) === "none");
  await row(one, "is in Roads").getByText("acknowledged, goes on").waitFor();
  await one.locator("header .badge").waitFor({ state: "detached" });
  assert.deepEqual([...one.clean(), ...two.clean()], []);
  await one.context().close();
  await two.context().close();
});

test("what one screen acknowledges is quiet on the other within a second, as the stream says it", async () => {
  const one = await board(),
    two = await board(),
    tries = ["Quiet 1", "Quiet 2", "Quiet 3"];
  for (const name of tries) await watches(name, "alert", 10.7);
  lies(219900007, "LOUD", 10.72);
  for (const name of tries) for (const page of [one, two]) await row(page, `LOUD is in ${name}`).getByText("not acknowledged").waitFor();
  let asked = 0;
  one.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/watchdog/alert") asked++;
  });
  await one.evaluate(() => {
    const { alerts } = globalThis.quaywatch,
      load = alerts.load.bind(alerts);
    alerts.load = () => (globalThis.held ? Promise.resolve() : load()); // the page does not ask by itself: the stream has to tell
    globalThis.held = true;
    globalThis.quietAt = {};
    const hear = alerts.hear.bind(alerts);
    alerts.hear = (news) => {
      hear(news);
      for (const a of alerts.all) if (a.told === "acknowledged") globalThis.quietAt[a.watchdog] ??= Date.now();
    };
  });
  const took = [];
  for (const name of tries) {
    const clicked = await two.evaluate((of) => {
      const at = Date.now();
      [...document.querySelectorAll(".events > .event")]
        .find((each) => each.textContent.includes(`LOUD is in ${of}`))
        .querySelector("button.primary")
        .click();
      return at;
    }, name);
    const quiet = await until("it is acknowledged on the other screen", () => one.evaluate((of) => globalThis.quietAt[of], name));
    took.push(quiet - clicked);
  }
  await until("the other screen is quiet", async () => (await tone(one)) === "none");
  assert.equal(asked, 0, "the other screen asked, and was not told");
  // The best of three holds the bar: a machine with other work to do makes single ones slow.
  assert.ok(Math.min(...took) < 1000, `${took} ms`);
  assert.deepEqual([...one.clean(), ...two.clean()], []);
  await one.context().close();
  await two.context().close();
});

test("a page that nobody looks at shows a notification, and what a ship sends is text in it", async () => {
  const page = await board("admin", (context) =>
    context.grantPermissions(["notifications"], { origin: new URL(stage.program.url).origin }),
  );
  await page.evaluate(() => {
    globalThis.shown = [];
    const Shown = globalThis.Notification;
    globalThis.Notification = class extends Shown {
      constructor(title, options) {
        super(title, options);
        globalThis.shown.push({ title, ...options });
      }
    };
  });
  await page.getByLabel("Notifications of this browser").check();
  await until("the leave", () => state(page, "q.alerts.popups"));
  await page.evaluate(() => Object.defineProperty(document, "hidden", { get: () => true }));
  await watches("Hidden roads", "warning", 10.8);
  lies(219900008, "<SCRIPT>ALERT(1)", 10.82);
  const [shown] = await until("a notification", () =>
    page.evaluate(() => globalThis.shown.filter((one) => one.body.includes("Hidden")) ?? []).then((all) => all.length > 0 && all),
  );
  assert.equal(shown.title, "Warning: Hidden roads");
  assert.equal(shown.body, "<SCRIPT>ALERT(1) is in Hidden roads");
  assert.match(shown.tag, /^quaywatch-\d+$/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a warning rings once and a caution does not; what was not useful is marked, and the load counts it", async () => {
  const page = await board();
  const rung = () => state(page, "q.alerts.chime.rung");
  await watches("Gate", "warning", 10.4);
  lies(219900003, "WARNS", 10.42);
  await row(page, "WARNS is in Gate").getByText("not acknowledged").waitFor();
  await until("it rang", async () => (await rung()) === 1);
  assert.equal(await tone(page), "none");
  await watches("Note", "note", 10.5);
  lies(219900004, "NOTES", 10.52);
  await row(page, "NOTES is in Note").getByText("goes on").waitFor();
  assert.equal(await rung(), 1);
  assert.equal(await row(page, "NOTES").getByRole("button", { name: "Acknowledge" }).count(), 0);
  await row(page, "WARNS").getByRole("button", { name: "Not useful" }).click();
  await until("the mark", async () => (await call("GET", "watchdog/load?hours=1")).not_useful === 1);
  await page.getByRole("button", { name: "Test the sound" }).click();
  assert.equal(await rung(), 2);
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await page.getByText("One operator can answer that.").waitFor();
  await page.locator(".loadtable").getByText("Gate").waitFor();
  await shot(page, "alerts-load");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a hundred ships within a minute are one row, and a user that may see some of them sees those", async () => {
  const page = await board();
  await watches("Crowd", "alert", 10.6, { acl: ["watcher", "relief"] });
  for (let i = 0; i < 100; i++) lies(219910000 - 90 + i, `CROWD ${i}`, 10.602 + 0.0004 * i);
  await row(page, "100 events: Crowd").getByText("100 go on, 100 not acknowledged").waitFor({ timeout: 60e3 });
  assert.equal(await row(page, "Crowd").count(), 1);
  await row(page, "Crowd").getByRole("button", { name: "Show all 100" }).click();
  await row(page, "Crowd").locator(".parts > li", { hasText: "CROWD 57 is in Crowd" }).waitFor();
  await shot(page, "alerts-hundred");
  const other = await board("watcher");
  await row(other, "10 events: Crowd").getByText("10 go on, 10 not acknowledged").waitFor();
  await row(other, "Crowd").getByRole("button", { name: "Acknowledge" }).click();
  await row(other, "Crowd").getByText("acknowledged, goes on").waitFor();
  await row(page, "Crowd").getByText("100 go on, 90 not acknowledged").waitFor();
  await row(page, "Crowd").getByRole("button", { name: "Give to…" }).click();
  await row(page, "Crowd").getByLabel("A user, a group or a sector").fill("nobodyx");
  await row(page, "Crowd").getByRole("button", { name: "Give", exact: true }).click();
  await row(page, "Crowd").locator(".hand .problem", { hasText: "Refused: must name" }).waitFor();
  await row(page, "Crowd").getByLabel("A user, a group or a sector").fill("watcher");
  await row(page, "Crowd").getByRole("button", { name: "Give", exact: true }).click();
  await row(page, "Crowd").locator("form.hand").waitFor({ state: "detached" });
  assert.notEqual(await tone(page), "none", "what the watcher does not see still sounds here");
  await row(page, "Crowd").getByRole("button", { name: "Give to…" }).click();
  await row(page, "Crowd").getByLabel("A user, a group or a sector").fill("relief");
  await row(page, "Crowd").getByRole("button", { name: "Give", exact: true }).click();
  await row(page, "Crowd").getByText("given to others").waitFor();
  assert.equal(await tone(page), "none");
  assert.deepEqual([...page.clean(), ...other.clean()], []);
  await page.context().close();
  await other.context().close();
});

test("board and load fit every size, by day and by night, in both languages", async () => {
  await fits(stage.browser, stage.program.url, {
    places: ["events", "events/load"],
    ready: (page) => row(page, "Crowd").waitFor(),
    name: "alerts",
  });
});
