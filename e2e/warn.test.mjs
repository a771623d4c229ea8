// "Warn me", the list of watchdogs, and what one would have told, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freighter } from "./ais.mjs";
import { pen } from "./map.mjs";
import { staged } from "./stage.mjs";
import { atRest, field, nameWatchdog, newWatchdog, noticed, open, shot, signIn, state, until } from "./support.mjs";

// passing is the past of a ship that sails to and fro along a parallel, one way an hour for three hours: as lines of a CSV.
function passing(mmsi, name, lat) {
  const begin = Math.floor(Date.now() / 60e3) * 60e3 - 3.5 * 3600e3;
  return Array.from({ length: 541 }, (_, i) => {
    const turn = (i / 180) * Math.PI,
      time = new Date(begin + i * 20e3).toISOString();
    const lon = (10.3 - 0.05 * Math.cos(turn)).toFixed(5),
      sog = (10.5 * Math.abs(Math.sin(turn))).toFixed(1);
    return `${mmsi},${time},${lon},${lat},${sog},${Math.sin(turn) >= 0 ? "90.0" : "270.0"},${name},70`;
  });
}
const past = [
  "mmsi,time,longitude,latitude,sog,cog,name,type_code",
  ...passing(235077009, "SHUTTLE", 55.92),
  ...passing(235077010, "BYSTANDER", 55.95),
].join("\n");

const stage = staged({ ships: 10, past });
const { call } = stage;

// lies lets a ship lie still, so many metres west of the middle of the map.
function lies(mmsi, name, metres) {
  const ship = { ...freighter, mmsi, name, lon: 10.3 - metres / 62400, lat: 55.9, sog: 0, cog: 90, heading: 90 };
  stage.feeder.joins(ship);
  return ship;
}

const middle = "&v=10.3,55.9,13";

// clickAt clicks on the map, so many pixels from its middle.
async function clickAt(page, dx, dy, tap = false) {
  const box = await page.locator("#map").boundingBox();
  const at = [box.x + box.width / 2 + dx, box.y + box.height / 2 + dy];
  await (tap ? page.touchscreen.tap(...at) : page.mouse.click(...at));
}

test("from a ship's card to its event in five steps: warn me, middle, rim, save, and the ship comes", async () => {
  const ship = lies(219900011, "NORDIC HAV", 500);
  const page = await open(stage.browser, stage.program.url, { hash: middle });
  await signIn(page, 1);
  await until("the ship is heard", () => state(page, "q.picture.ships.get(219900011)?.name"));
  await page.evaluate("quaywatch.selection.select(219900011, 'stay')"); // step 1
  await page.locator(".card").getByRole("button", { name: "Warn me …" }).click(); // 2
  await until("the pen", () => state(page, "q.chart.pen?.drawing"));
  assert.equal(await field(page, "Which ship").locator("option:checked").innerText(), "NORDIC HAV alone");
  await atRest(page);
  await clickAt(page, 0, 0); // 3
  await clickAt(page, 40, 0); // 4
  await until("a name is suggested", async () => (await field(page, "Name").inputValue()).startsWith("Area at 55°54."));
  await page.getByRole("button", { name: "Save" }).click(); // 5
  await page.getByText(/^Area at .* watches\.$/).waitFor();
  const made = (await call("GET", "watchdog/definition")).records.find((w) => w.type !== "distress");
  assert.deepEqual([made.type, made.severity, made.filter], ["polygon", "warning", "mmsi = 219900011"]);
  assert.equal(made.polygon.coordinates[0].length, 41);
  ship.sog = 14;
  await page.locator("header .badge").waitFor();
  const told = (await call("GET", "watchdog/event?latest=10")).records;
  assert.deepEqual(
    told.map((e) => [e.ship.name, e.event]),
    [["NORDIC HAV", "enter"]],
  );
  // The list says who is inside, and when it told last.
  const row = page.locator(".all .row", { hasText: "Area at" });
  await row.getByRole("button", { name: /^Inside Area at .*: 1$/ }).click();
  await page.evaluate("quaywatch.selection.close()");
  await page
    .locator(".choices")
    .getByRole("button", { name: /^NORDIC HAV since/ })
    .click(); // prettier-ignore
  await page.locator(".card h2", { hasText: "NORDIC HAV" }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a shape becomes a watchdog that keeps a copy, and what is asked exactly is kept", async () => {
  const circle = { center: { type: "Point", coordinates: [10.3, 55.9] }, radius: 1000 };
  const shape = await call("POST", "config/shape", { name: "North roads", circle });
  const page = await open(stage.browser, stage.program.url, { hash: `${middle}&w=shapes/${shape.uid}` });
  await signIn(page, 1);
  await page.locator(".panel").getByRole("button", { name: "Warn me …" }).click();
  await until("the shape's name", async () => (await field(page, "Name").inputValue()) === "North roads");
  await page.getByRole("button", { name: "Exactly" }).click();
  await field(page, "Only on a course").check();
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal(await page.locator(".field.invalid").count(), 2);
  await field(page, "From").fill("315");
  await field(page, "Clockwise to").fill("45");
  await field(page, "Draught at least").fill("7.5");
  await field(page, "Reports in a row").fill("3");
  await field(page, "Reports until over").fill("2");
  await field(page, "Reports between").fill("4");
  await field(page, "Time between").fill("60");
  await field(page, "Over after a silence of").fill("02:00:00");
  await field(page, "Severity").selectOption("note");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "North roads watches.");
  const made = (await call("GET", "watchdog/definition")).records.find((w) => w.name === "North roads");
  const { check_direction, min_cog, max_cog, draught, samples_to_activate, samples_to_deactivate } = made;
  assert.deepEqual(
    { check_direction, min_cog, max_cog, draught, samples_to_activate, samples_to_deactivate },
    { check_direction: true, min_cog: 315, max_cog: 45, draught: 7.5, samples_to_activate: 3, samples_to_deactivate: 2 },
  );
  assert.deepEqual([made.samples_between_trigger, made.time_between_triggers, made.inactivity_timeout], [4, 60, "02:00:00"]);
  const ring = made.polygon.coordinates[0];
  for (const [lon, lat] of ring) {
    const far = Math.hypot((lon - 10.3) * 111320 * Math.cos((55.9 * Math.PI) / 180), (lat - 55.9) * 111320);
    assert.ok(far > 985 && far < 1015, `a corner lies ${far} m from the middle`);
  }
  // The sheet says what is set, and keeps what nobody touches.
  await page.locator(".all .row", { hasText: "North roads" }).click();
  await page.getByText("course 315° to 045° · draught from 7.5 m").waitFor();
  await field(page, "Severity").selectOption("alert");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "North roads watches.");
  await until("the severity alone is changed", async () => {
    const now = (await call("GET", `watchdog/definition/${made.id}`)) ?? {};
    return now.severity === "alert" && JSON.stringify(now.polygon) === JSON.stringify(made.polygon) && now.min_cog === 315;
  });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the map's button warns of any ship, by a tap on a phone too", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 390, height: 844, touch: true, hash: middle });
  await signIn(page, 1);
  await page.locator(".maptools").getByRole("button", { name: "Warn me …" }).tap();
  await until("the pen", () => state(page, "q.chart.pen?.drawing"));
  await field(page, "Warn me when").selectOption("line");
  await until("a pen for a line", () => state(page, `q.chart.pen?.form.kind === "line"`));
  await atRest(page);
  await clickAt(page, -60, 30, true);
  await clickAt(page, 60, 30, true);
  await page.getByRole("button", { name: "Finish" }).tap();
  await page.getByRole("button", { name: "Save" }).tap();
  await page.getByText(/^Line at .* watches\.$/).waitFor();
  const made = (await call("GET", "watchdog/definition")).records.find((w) => w.type === "line");
  assert.equal(made.line.coordinates.length, 2);
  assert.equal(made.filter ?? "", "");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("before it is saved it says what would have rung, leads to each moment, and says why a ship did not ring", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.3,56,9&w=watchdogs/new/polygon" });
  await signIn(page, 1);
  await pen(page);
  await page.locator(".dryrun").getByRole("button", { name: "Last 24 hours" }).click();
  await page.getByText("An area needs three places at least.").waitFor();
  await field(page, "Places").fill("55.91 10.29\n55.91 10.31\n55.93 10.31\n55.93 10.29");
  await field(page, "Severity").selectOption("warning");
  await page.locator(".dryrun").getByRole("button", { name: "Last 24 hours" }).click();
  await page.getByText("It would have rung 3 times in the last 24 hours.").waitFor();
  const line = page.getByRole("slider", { name: "Events of the dry run on the line of time" });
  assert.equal(await line.locator("i").count(), 6);
  assert.equal(await line.locator("i.end").count(), 3);
  await line.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await line.getAttribute("aria-valuenow"), "5");
  assert.match(await line.getAttribute("aria-valuetext"), /SHUTTLE entered /);
  await until("the track of that time", () => state(page, "q.tracks.of(235077009)?.state === 'shown'"));
  const [first, last] = await state(page, "(({ time, count }) => [time[0], time[count - 1]])(q.tracks.of(235077009).track)");
  assert.ok(last - first <= 20 * 60e3 && last - first > 10 * 60e3, `${last - first} ms of track`);
  await page.locator(".card h2", { hasText: "SHUTTLE" }).waitFor();
  await shot(page, "dryrun");
  await page
    .locator(".moments")
    .getByRole("button", { name: /SHUTTLE left/ })
    .first()
    .click(); // prettier-ignore
  assert.equal(await line.getAttribute("aria-valuenow"), "2");
  await page.evaluate("quaywatch.selection.select(235077010, 'stay')");
  await page.getByLabel("Ask about BYSTANDER alone: why did it not ring?").check();
  await page.locator(".dryrun").getByRole("button", { name: "Last 24 hours" }).click();
  await page.getByText("It would not have rung in the last 24 hours.").waitFor();
  assert.ok((await page.locator(".why li").count()) > 0);
  await shot(page, "dryrun-why");
  assert.equal((await call("GET", "watchdog/definition")).records.filter((w) => w.name.startsWith("Area at 55°55")).length, 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("each further type is made in words, with hours, and keeps what nobody touches", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.3,56,9&w=watchdogs" });
  await signIn(page, 1);
  const make = async (type, name, fill) => {
    await newWatchdog(page, type);
    await fill();
    await nameWatchdog(page, name);
    await page.getByRole("button", { name: "Save" }).click();
    await noticed(page, `${name} watches.`);
    return (await call("GET", "watchdog/definition")).records.find((w) => w.name === name);
  };
  const area = () => field(page, "Places").fill("55.91 10.29\n55.91 10.31\n55.93 10.31");
  const pairs = await make("cpa", "Close quarters", async () => {
    await area();
    await field(page, "Nearer than").fill("300");
    await field(page, "Hours").selectOption("night");
  });
  assert.deepEqual([pairs.cpa.cpa_m, pairs.cpa.tcpa_s, pairs.time_between_triggers], [300, 720, 1800]);
  assert.deepEqual(pairs.calendar.rules, [{ days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "20:00", to: "06:00" }]);
  const fast = await make("speed", "Eight knots", async () => {
    await area();
    await field(page, "Faster than").fill("8");
    await field(page, "For at least").fill("2");
    await field(page, "Hours").selectOption("own");
    await page.getByRole("button", { name: "Wed" }).click();
  });
  assert.deepEqual([fast.speed.limit, fast.speed.least], [8, "00:02:00"]);
  assert.deepEqual(fast.calendar.rules, [{ days: ["mon", "tue", "thu", "fri"], from: "08:00", to: "16:00" }]);
  const way = await make("route", "Fairway", () => field(page, "Places").fill("55.9 10.2\n55.9 10.4"));
  assert.deepEqual([way.route.line.coordinates.length, way.route.corridor], [2, 500]);
  const anchorage = await make("anchor", "Anchorage", async () => {
    await field(page, "Centre").fill("55.9 10.3");
    await page.getByLabel("Radius", { exact: true }).first().fill("400");
  });
  assert.deepEqual([anchorage.anchor.center.coordinates, anchorage.anchor.radius, anchorage.anchor.mmsi], [[10.3, 55.9], 400, undefined]);
  await page.evaluate("quaywatch.selection.select(219900011, 'stay')");
  const lost = await make("lost", "Silence", () => field(page, "Which ship").selectOption("219900011"));
  assert.deepEqual(lost.lost, { mmsi: 219900011 });
  const nameless = await make("silent", "Nameless", () => field(page, "Heard without a name for").fill("30"));
  assert.deepEqual(nameless.silent, { after: "00:30:00" });
  const buoys = await make("aton", "Buoys", () => field(page, "Farther from its place than").fill("80"));
  assert.deepEqual(buoys.aton, { radius: 80 });
  const receiver = await make("feed", "Roof", () => field(page, "Receiver").selectOption("roof"));
  assert.equal(receiver.feed, "roof");
  assert.deepEqual((await make("box", "The machine", () => undefined)).box, {});
  // One number is changed, and all else stays.
  await page.locator(".all .row", { hasText: "Eight knots" }).first().click();
  await field(page, "Faster than").fill("9");
  await field(page, "For at least").fill("-3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field.invalid", { hasText: "For at least" }).getByText("must be from 0 to 1,440 min").waitFor();
  assert.deepEqual(await page.locator(".problem", { hasText: "duration" }).allTextContents(), [], "no words of the API");
  await field(page, "For at least").fill("2");
  await page.getByRole("button", { name: "Save" }).click();
  await until("the limit", async () => (await call("GET", `watchdog/definition/${fast.id}`)).speed.limit === 9);
  const now = await call("GET", `watchdog/definition/${fast.id}`);
  assert.deepEqual([now.speed.polygon, now.speed.least, now.calendar], [fast.speed.polygon, "00:02:00", fast.calendar]);
  await page.locator(".all .row", { hasText: "Silence" }).first().click();
  assert.match(await field(page, "Which ship").locator("option:checked").innerText(), /NORDIC HAV alone|219900011 alone/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a name that is typed at once is kept, however late a busy machine draws", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.3,56,9&w=watchdogs" });
  await page.context().addInitScript(() => {
    const [soon, drawn] = [setTimeout, requestAnimationFrame];
    globalThis.requestAnimationFrame = (draw) => soon(() => drawn(draw), 400);
    globalThis.setTimeout = (work, wait, ...more) => soon(work, wait > 20 && wait < 400 ? 400 : wait, ...more);
  });
  await page.reload();
  await signIn(page, 1);
  await newWatchdog(page, "feed");
  await field(page, "Receiver").selectOption("roof");
  await field(page, "Name").fill("The mast");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "The mast watches.");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
