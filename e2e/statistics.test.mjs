// Statistics, in a real browser against the real program: from a card to a drawn place, to a result, to a ship on the map.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { minute } from "./harbour.mjs";
import { pen } from "./map.mjs";
import { staged } from "./stage.mjs";
import { atRest, drawn, field, fits, noticed, open, password, Program, shot, shots, signIn, state, until, violations } from "./support.mjs";

const end = Math.floor(Date.now() / minute) * minute - 10 * minute;

// sails is the past of a ship that sailed east for an hour at 12 knots, as lines of a CSV.
const sails = (mmsi, name, lat, ago) =>
  Array.from({ length: 60 }, (_, i) => {
    const time = new Date(end - (ago + 60 - i) * minute).toISOString();
    return `${mmsi},${time},${(10.2 + 0.0059 * i).toFixed(5)},${lat},12.0,90.0,${name},70`;
  });

// piloted is the past of a ship and of its pilot boat, which is alongside twice.
const piloted = (ship, boat, lat) =>
  Array.from({ length: 60 }, (_, i) => {
    const alongside = (i >= 10 && i < 14) || (i >= 40 && i < 44),
      of = (mmsi, name, type, north) =>
        `${mmsi},${new Date(end - (60 - i) * minute).toISOString()},${(10.2 + 0.0059 * i).toFixed(5)},${north.toFixed(4)},12.0,90.0,${name},${type}`;
    return [of(ship, "PILOTED", 70, lat), of(boat, "PILOT ONE", 50, lat + (alongside ? 0.0001 : 0.02))];
  }).flat();
const past = [
  "mmsi,time,longitude,latitude,sog,cog,name,type_code",
  ...sails(235066001, "EASTERN LINER", 55.9, 0),
  ...sails(235066002, "BALTIC CARRIER", 55.902, 120),
  ...sails(235066003, "NORTHERLY", 55.97, 60),
  ...sails(235066004, "CLOSE CALL", 55.971, 60),
  ...piloted(235066005, 235066006, 55.8),
].join("\n");
const corners = ["55.89 10.3", "55.89 10.4", "55.91 10.4", "55.91 10.3"].join("\n");
const ring = [
  [10.3, 55.89],
  [10.4, 55.89],
  [10.4, 55.91],
  [10.3, 55.91],
  [10.3, 55.89],
];

// around writes the corners of a box as they are typed.
const around = (south, north, west, east) =>
  [
    [south, west],
    [south, east],
    [north, east],
    [north, west],
  ]
    .map((place) => place.join(" "))
    .join("\n");
const period = { begin: new Date(end - 6 * 60 * minute).toISOString(), end: new Date(end).toISOString() };

let desk;

const stage = staged({
  ships: 10,
  past,
  prepare: ({ call }) =>
    call("POST", "config/user", { name: "deckhand", password, groups: ["viewer"], access_rights: { web_report_access: "deny" } }),
});
const { call } = stage;

const row = (page, text) => page.locator(".tablebox .all .row", { hasText: text });
const item = (page, text) => page.locator(".stats .stat", { hasText: text });

// fresh signs in and opens the statistics by the menu.
async function fresh() {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 5);
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Statistics", exact: true }).click();
  await page.locator(".panel h2", { hasText: "Statistics" }).waitFor();
  return page;
}

// opened shows the list of statistics, on one page for all tests that leave it as it was. The panel is opened anew: it reads the shapes then. What a
// test that failed had not saved is dropped: nobody answers the question about it.
async function opened() {
  desk ??= await fresh();
  await desk.evaluate(() => {
    globalThis.quaywatch.settings.setPalette("day");
    globalThis.quaywatch.navigation.goInstead("map");
  });
  await desk.locator(".panel").waitFor({ state: "detached" });
  await desk.evaluate(() => globalThis.quaywatch.navigation.go("statistics"));
  await desk.locator(".stats").waitFor({ state: "attached" });
  return desk;
}

// downloaded gives the text of the file that a button makes.
async function downloaded(page, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  return readFileSync(await file.path(), "utf8");
}

// shows holds that a result is a picture on the map, a chart and a file, and that its row leads to its ship.
async function shows(page, { ship, mmsi, rows, csv, chart = true, picture = true }) {
  await row(page, ship).first().waitFor();
  const count = await page.locator(".tablebox .all .row").count();
  if (rows !== undefined) assert.equal(count, rows);
  if (picture) await until("it is pictured", () => state(page, "q.chart.overlay?.drawn !== undefined"));
  if (chart) await page.locator(".statchart canvas, .statchart svg").first().waitFor();
  const lines = (await downloaded(page, "Save as CSV")).trim().split("\r\n");
  if (rows !== undefined) assert.equal(lines.length, rows + 1);
  assert.match(lines[0], csv);
  assert.ok(
    lines.slice(1).some((line) => line.includes(ship) && line.includes(String(mmsi))),
    lines.join("\n"),
  );
  await row(page, ship).first().click();
  await until("the row leads to its ship", () => state(page, `q.selection.mmsi === ${mmsi}`));
}

// finished asks for a statistic by the API, and waits for its end.
async function finished(kind, asked) {
  const { id } = await call("POST", `jobserver/stat/${kind}`, { ...period, ...asked });
  await until("it has run", async () => (await call("GET", `jobserver/stat/statistic/${id}`)).status === "completed");
  return id;
}

test("ships in an area: from the card to the drawn area, to the rows, to the ship on the map", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "New statistic" }).click();
  await page.getByRole("button", { name: /^Ships in an area/ }).click();
  await pen(page);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("An area needs three places at least.").waitFor();
  await field(page, "Places").fill(corners);
  await page.getByText(/^It reads about \d+ positions of 2 ships\.$/).waitFor();
  await field(page, "Only ships that match").fill("type = ");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".field.invalid", { hasText: "Only ships that match" }).waitFor(); // the server said so
  await field(page, "Only ships that match").fill("cargo");
  await field(page, "Name (may stay empty)").fill("Roads");
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "EASTERN LINER").waitFor();
  await row(page, "BALTIC CARRIER").waitFor();
  assert.equal(await page.locator(".tablebox .all .row").count(), 2);
  await until("the map shows the area", () => state(page, `q.shapes.asked.some((s) => s.label === "Roads")`));

  await shows(page, { ship: "EASTERN LINER", mmsi: 235066001, rows: 2, csv: /MMSI,Ship,In,Out,"Stay, s"/ });
  assert.match(await page.locator(".tablebox .all .row").first().innerText(), /BALTIC CARRIER/); // it came first
  await page.getByRole("button", { name: "Sort by Ship" }).click();
  await page.waitForFunction(() => /w=statistics\/\d+\/ship\/\d+(&|$)/.test(location.hash));
  await page.getByRole("button", { name: "Sort by Ship" }).click();
  await page.waitForFunction(() => /w=statistics\/\d+\/ship-down/.test(location.hash));
  await until("the rows turn", async () => /EASTERN LINER/.test(await page.locator(".tablebox .all .row").first().innerText()));
  await row(page, "BALTIC CARRIER").click();
  await page.waitForFunction(() => globalThis.quaywatch.tracks.of(235066002)?.state === "shown");
  assert.equal(await state(page, "q.selection.mmsi"), 235066002);
  await page.waitForFunction(() => {
    const { lon, lat } = globalThis.quaywatch.centre;
    return Math.abs(lon - 10.3) < 0.1 && Math.abs(lat - 55.9) < 0.05;
  });
  await page.waitForFunction(() => globalThis.quaywatch.chart.painter.cursor !== undefined);
  await shot(page, "statistics-row");

  const address = await page.evaluate(() => location.href);
  const other = await open(stage.browser, address);
  await signIn(other, 0);
  await row(other, "BALTIC CARRIER").and(other.locator('[aria-selected="true"]')).waitFor();
  await until("the rows are sorted", async () => /EASTERN LINER/.test(await other.locator(".tablebox .all .row").first().innerText()));
  assert.deepEqual([...page.clean(), ...other.clean()], []);
  await other.context().close();
});

test("ships across a line: a saved line is asked, and the table is a file too", async () => {
  const line = {
    type: "LineString",
    coordinates: [
      [10.35, 55.88],
      [10.35, 55.99],
    ],
  };
  await call("POST", "config/shape", { name: "Narrows", line });
  const page = await opened();
  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics", "new", "passageline"));
  await pen(page);
  await page.locator(".statwhere option", { hasText: "Narrows" }).waitFor({ state: "attached" });
  await field(page, "Line").selectOption({ label: "Narrows" });
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "NORTHERLY").waitFor();
  assert.equal(await page.locator(".tablebox .all .row").count(), 4);
  assert.match(await row(page, "NORTHERLY").innerText(), /east/);
  await shows(page, { ship: "NORTHERLY", mmsi: 235066003, rows: 4, csv: /MMSI,Ship,Time,To the/ });
  const { features } = JSON.parse(await downloaded(page, "Save as GeoJSON"));
  assert.equal(features.length, 4);
  assert.ok(features.every(({ geometry }) => geometry.type === "Point" && Math.abs(geometry.coordinates[0] - 10.35) < 0.001));
  await row(page, "NORTHERLY").click();
  await page.waitForFunction(() => globalThis.quaywatch.tracks.of(235066003)?.state === "shown");
  assert.deepEqual(page.clean(), []);
});

// pixelOf gives where a place is on the screen.
const pixelOf = (page, lon, lat) =>
  state(
    page,
    `(() => {
      const y = Math.log(Math.tan(Math.PI / 4 + (${lat} * Math.PI) / 360)), box = document.getElementById("map").getBoundingClientRect();
      const [px, py] = q.chart.map.getPixelFromCoordinate([(${lon} * Math.PI * 6378137) / 180, y * 6378137]);
      return [box.x + px, box.y + py];
    })()`,
  );

test("ships along a route: two lines are drawn with the pen, and a copy has them", async () => {
  const page = await opened();
  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics", "new", "multipassageline"));
  await pen(page);
  await state(page, "q.chart.showBox([10.2, 55.85, 10.6, 56])");
  await atRest(page);
  const draw = async (lon) => {
    for (const lat of [55.88, 55.99]) await page.mouse.click(...(await pixelOf(page, lon, lat)));
    await page.getByRole("button", { name: "Finish" }).click();
  };
  await draw(10.3);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("2 are needed at least.").waitFor();
  await page.getByRole("button", { name: "Add a line" }).click();
  await page.getByRole("button", { name: "2 · still to draw", exact: true }).waitFor();
  await draw(10.45);
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "NORTHERLY").waitFor();
  assert.match(await row(page, "NORTHERLY").innerText(), /2[56] min\s+east/);
  await shows(page, { ship: "NORTHERLY", mmsi: 235066003, csv: /MMSI,Ship,First,/ });
  await page.getByRole("button", { name: "Copy and change" }).click();
  await page.getByRole("button", { name: "2 · drawn", exact: true }).waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "NORTHERLY").waitFor();
  assert.deepEqual(page.clean(), []);
});

test("the list tells how each does; one is copied and changed, run again, and deleted with a question", async () => {
  await finished("passageline", {
    name: "Nobody came",
    filter: "tanker",
    passageline: {
      type: "LineString",
      coordinates: [
        [10.35, 55.88],
        [10.35, 55.99],
      ],
    },
  });
  const held = await call("POST", "jobserver/stat/area", {
    ...period,
    name: "Later",
    execute: false,
    shape: { type: "Polygon", coordinates: [ring] },
  });
  const page = await opened();
  await item(page, "Later").getByText("Waits until it is started").waitFor();
  await item(page, "Nobody came").getByText("Done: 0 rows").waitFor();
  await page.getByRole("button", { name: "Nobody came", exact: true }).click();
  await page.getByText("The result has no rows.").waitFor();
  await page.locator(".stathead .warned", { hasText: "filter" }).waitFor(); // and why

  await page.getByRole("button", { name: "Copy and change" }).click();
  await page.waitForFunction(() => document.querySelector(".sheet textarea[id]")); // the form is there
  assert.equal(await field(page, "Name (may stay empty)").inputValue(), "Nobody came");
  assert.equal(await field(page, "Only ships that match").inputValue(), "tanker");
  await field(page, "Only ships that match").fill("");
  await field(page, "Name (may stay empty)").fill("Somebody came");
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "EASTERN LINER").waitFor();

  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics"));
  await item(page, "Later").getByRole("button", { name: "Start", exact: true }).click();
  await item(page, "Later").getByText("Done: 2 rows").waitFor(); // the list follows by itself
  await item(page, "Later").getByRole("button", { name: "Run again" }).click();
  await until("there are two", async () => (await item(page, "Later").count()) === 2);
  await item(page, "Nobody came").getByRole("button", { name: "Delete Nobody came" }).click();
  await page.locator("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await noticed(page, "Nobody came is deleted.");
  await item(page, "Nobody came").waitFor({ state: "detached" });
  assert.ok((await call("GET", "jobserver/stat/statistic")).records.some(({ id }) => id === held.id));
  assert.deepEqual(page.clean(), []);
});

test("near misses and ships near a place are asked with their figures", async () => {
  const page = await opened();
  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics", "new", "nmsp"));
  await page.locator(".statwhere input").fill("55.9 10.35");
  await field(page, "Distance at most").fill("");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".field.invalid", { hasText: "Distance at most" }).waitFor();
  await field(page, "Distance at most").fill("500");
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "EASTERN LINER").waitFor();
  assert.match(await row(page, "BALTIC CARRIER").innerText(), /22\d m/);
  await shows(page, { ship: "BALTIC CARRIER", mmsi: 235066002, rows: 2, csv: /MMSI,Ship,"Distance, m",Time/ });

  await ofKind(page, "nmss");
  await pen(page);
  await field(page, "Places").fill(around(55.95, 55.98, 10.25, 10.5));
  await field(page, "Distance at most").fill("150");
  await field(page, "Speed at least").fill("20");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("The result has no rows.").waitFor(); // both sail at 12 knots
  await page.getByRole("button", { name: "Copy and change" }).click();
  await field(page, "Speed at least").fill("5");
  await page.getByRole("button", { name: "Start" }).click();
  await shows(page, { ship: "NORTHERLY", mmsi: 235066003, rows: 1, csv: /MMSI,Ship,"MMSI, Other ship",Other ship,"Distance, m",Time/ });
  assert.match(await row(page, "CLOSE CALL").innerText(), /11\d m/); // the row has both
  await until("both tracks are shown", () => state(page, `[235066003, 235066004].every((m) => q.tracks.of(m)?.state === "shown")`));
  assert.deepEqual(page.clean(), []);
});

test("near misses are asked by an own ship domain and by kinds of meeting", async () => {
  const page = await opened();
  await ofKind(page, "nmss");
  await pen(page);
  await field(page, "Places").fill(around(55.95, 55.98, 10.25, 10.5));
  await field(page, "Ship domain").selectOption("Own ellipse");
  await field(page, "Ellipse ahead and astern").fill("51");
  await field(page, "Ellipse to each side").fill("30");
  const kind = (word) => page.getByRole("group", { name: "Kinds of meeting" }).getByRole("checkbox", { name: word });
  await kind("crossing").check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".field.invalid", { hasText: "Ellipse ahead and astern" }).waitFor();
  await field(page, "Ellipse ahead and astern").fill("30");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("The result has no rows.").waitFor(); // both sail in company
  await page.getByRole("button", { name: "Copy and change" }).click();
  assert.equal(await kind("crossing").isChecked(), true);
  await kind("crossing").uncheck();
  await page.getByRole("button", { name: "Start" }).click();
  await row(page, "CLOSE CALL").waitFor();
  await page.getByRole("columnheader", { name: "Domain" }).first().waitFor();
  assert.match(await row(page, "CLOSE CALL").innerText(), /0\.\d\d/);
  await page.getByRole("button", { name: "Copy and change" }).click();
  await until("the copy has the ellipse", async () => (await field(page, "Ellipse ahead and astern").inputValue()) === "30");
  assert.equal(await kind("crossing").isChecked(), false);
  assert.deepEqual(page.clean(), []);
});

test("a ship that took its pilot in one area and landed it in another is asked with two areas", async () => {
  const page = await opened();
  await ofKind(page, "transitpilot");
  await pen(page);
  await field(page, "Places").fill(around(55.78, 55.83, 10.2, 10.35));
  await page.getByRole("button", { name: "Add an area" }).click();
  await page.getByRole("button", { name: "2 · still to draw", exact: true }).waitFor();
  await pen(page);
  await field(page, "Places").fill(around(55.78, 55.83, 10.36, 10.6));
  await field(page, "Pilot boats").fill("235066006");
  await page.getByRole("button", { name: "Start" }).click();
  await shows(page, { ship: "PILOTED", mmsi: 235066005, rows: 1, csv: /MMSI,Ship,First,Last,From,To/ });
  assert.match(await row(page, "PILOTED").innerText(), /Area 1\s+Area 2/);
  assert.deepEqual(page.clean(), []);
});

// clickAt clicks on the map where a place is.
const clickAt = async (page, lon, lat) => {
  await atRest(page);
  await page.mouse.click(...(await pixelOf(page, lon, lat)));
};

test("a result without rows says why", async () => {
  const shape = { type: "Polygon", coordinates: [ring] };
  const old = { begin: "2020-01-01", end: "2020-01-02" };
  const page = await opened();
  for (const [kind, asked, why] of [
    ["area", { shape, ...old }, "Nothing is recorded that this asks for"],
    ["area", { shape, filter: "tanker" }, "The filter lets none of what is recorded pass"],
    ["trip", { shape }, "No port lies in the shape"],
    ["nmss", { shape, distance: { max: 1 } }, "There was traffic, but nothing that this asks for"],
  ]) {
    const id = await finished(kind, asked);
    await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id);
    await page.getByText("The result has no rows.").waitFor();
    await page.locator(".stathead .warned", { hasText: why }).waitFor();
  }
  assert.deepEqual(page.clean(), []);
});

test("ports are offered while one types, and numbers that are none are told", async () => {
  const page = await opened();
  await ofKind(page, "portcalls");
  await field(page, "Which ships").selectOption("ports");
  const ports = page.getByLabel("Ports", { exact: true });
  await ports.fill("Copenh");
  await page.locator('.picker option[value="København (DKCPH)"]').waitFor({ state: "attached" });
  await ports.fill("København (DKCPH)");
  await page.locator(".picker .chosen", { hasText: "København (DKCPH)" }).waitFor();
  await ports.fill("Aarhus, DKFRC");
  await ports.press("Enter");
  await page.locator(".picker .chosen", { hasText: "DKFRC" }).waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator(".stathead").waitFor();
  const { records } = await call("GET", "jobserver/stat/statistic"),
    newest = records.filter(({ type }) => type === "portcalls").at(-1);
  assert.deepEqual((await call("GET", `jobserver/stat/portcalls/${newest.id}`)).ports, [
    { locode: "DKCPH" },
    { name: "Aarhus" },
    { locode: "DKFRC" },
  ]);
  await ofKind(page, "multiship");
  await field(page, "Numbers of the ships").fill("235066001 21901876");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Not a number of a ship that can be taken here: 21901876").waitFor();
  assert.deepEqual(page.clean(), []);
});

test("a statistic is kept to be started later, and others do not see it", async () => {
  const page = await opened();
  await ofKind(page, "multiship");
  await field(page, "Numbers of the ships").fill("235066001");
  await field(page, "Name (may stay empty)").fill("For tomorrow");
  await field(page, "Who else sees it").selectOption({ label: "Certain groups and users" });
  await page.getByLabel("Shared with", { exact: true }).fill("deckhand");
  await page.getByLabel("Shared with", { exact: true }).press("Enter");
  await field(page, "Run").selectOption({ label: "Only when I say" });
  await page.getByRole("button", { name: "Save without starting" }).click();
  await page.locator(".stathead").getByText("Waits until it is started").waitFor();
  const { records } = await call("GET", "jobserver/stat/statistic"),
    { id } = records.find(({ name }) => name === "For tomorrow");
  const aclOf = async () => (await call("GET", `jobserver/stat/multiship/${id}`)).acl.map(({ name }) => name);
  assert.deepEqual(await aclOf(), ["deckhand"]);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await row(page, "EASTERN LINER").first().waitFor();
  await page.getByRole("button", { name: "Copy and change" }).click();
  await page.locator(".picker .chosen", { hasText: "deckhand" }).waitFor();
  assert.deepEqual(page.clean(), []);
});

test("a statistic waits until a time and repeats, and its owner stops that", async () => {
  const page = await opened();
  await ofKind(page, "multiship");
  await field(page, "Numbers of the ships").fill("235066001");
  await field(page, "Name (may stay empty)").fill("Each week");
  await field(page, "Run").selectOption({ label: "Later, at a time" });
  await field(page, "Repeat").selectOption({ label: "Weekly" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("must be given").first().waitFor();
  await page.getByLabel(/^Run at/).fill("2030-01-02 06:30");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".stathead").getByText("Waits until 2030-01-02 06:30").waitFor();
  await page.locator(".stathead").getByText("Repeats weekly, next ").waitFor();
  const { records } = await call("GET", "jobserver/stat/statistic"),
    { id, repeat, start } = records.find(({ name }) => name === "Each week");
  assert.equal(repeat, "weekly");
  assert.ok(Date.parse(start) > Date.parse("2030-01-01"));
  await opened();
  await item(page, "Each week").getByText("Repeats weekly, next ").waitFor();
  await item(page, "Each week").getByRole("button", { name: "Stop the repeat" }).click();
  await item(page, "Each week").getByText("Repeats weekly, next ").waitFor({ state: "detached" });
  assert.equal((await call("GET", `jobserver/stat/statistic/${id}`)).repeat, undefined);
  assert.deepEqual(page.clean(), []);
});

test("a result is a picture on the map: a click on it chooses the row, and a click on the chart the rows of that time", async () => {
  const visits = await finished("area", { name: "Pictured", shape: { type: "Polygon", coordinates: [ring] } });
  const passages = await finished("passageline", {
    name: "Crossed",
    passageline: {
      type: "LineString",
      coordinates: [
        [10.35, 55.88],
        [10.35, 55.99],
      ],
    },
  });
  const page = await opened();
  const come = (id, style) =>
    page.waitForResponse((r) => r.ok() && ["/api/wms", `job=${id}`, `styles=${style}`].every((part) => r.url().includes(part)));
  for (const [id, name] of [
    [visits, "area"],
    [passages, "passageline"],
  ]) {
    await Promise.all([come(id, "day"), page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id)]);
    await until("it is drawn", () => state(page, "q.chart.overlay?.drawn !== undefined"));
    await page.locator(".statlegend canvas").waitFor();
    await state(page, "q.chart.showBox([10.25, 55.87, 10.45, 56])");
    await atRest(page);
    await until("it is drawn where the map is", () =>
      state(page, "Math.abs((q.chart.overlay.drawn.west + q.chart.overlay.drawn.east) / 2 - q.chart.screen.x) < 1"),
    );
    await drawn(page);
    const texts = await state(page, "q.chart.overlay.texts.length");
    assert.equal(texts > 0, name === "passageline", `${name}: ${texts} texts`);
    assert.ok(
      await state(page, "q.chart.overlay.texts.every((box) => q.chart.painter.reserved.includes(box))"),
      "ships leave room for them",
    );
    await shot(page, `statistics-picture-${name}`);
  }
  await Promise.all([come(passages, "night"), page.evaluate(() => globalThis.quaywatch.settings.setPalette("night"))]);
  await clickAt(page, 10.35, 55.9);
  await until("a row is chosen", () => page.locator('.tablebox .row[aria-selected="true"]', { hasText: "EASTERN LINER" }).count());
  assert.equal(await state(page, "q.selection.mmsi"), 235066001);
  await shot(page, "statistics-picture-night");

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the picture as PNG", exact: true }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "Crossed.png");
  const png = readFileSync(await file.path()),
    size = await state(page, "[q.chart.screen.width / q.chart.screen.ratio, q.chart.screen.height / q.chart.screen.ratio]");
  writeFileSync(join(shots, "statistics-png-night.png"), png);
  assert.equal(png.readUInt32BE(16), size[0]);
  assert.ok(png.readUInt32BE(20) > size[1] + 60); // the head, the map and the legend

  await page.getByRole("button", { name: "On the map" }).click();
  await until("the picture is gone", () => state(page, "q.chart.overlay?.drawn === undefined"));
  const box = await page.locator(".statchart .u-over").boundingBox();
  const hours = (time) => time / 3600e3,
    from = Math.floor(hours(Date.parse(period.begin))),
    to = Math.ceil(hours(end)),
    bar = Math.floor(hours(end - 154.5 * minute)) + 0.5; // BALTIC CARRIER crossed in it alone
  await page.locator(".statchart .u-over").click({ position: { x: (box.width * (bar - from)) / (to - from), y: box.height / 2 } });
  await until("the row of that hour", () => page.locator('.tablebox .row[aria-selected="true"]', { hasText: "BALTIC CARRIER" }).count());
  assert.deepEqual(page.clean(), []);
});

test("passages are counted by weekday and hour and by course, and keys lead through the charts", async () => {
  const id = await finished("passageline", {
    name: "Narrows by the clock",
    passageline: {
      type: "LineString",
      coordinates: [
        [10.35, 55.88],
        [10.35, 55.99],
      ],
    },
  });
  const page = await opened();
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id);
  await page.locator(".statchart canvas").waitFor();
  const box = page.locator(".statchart [role=slider]");
  await box.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.locator(".statled").waitFor();
  const told = await page.locator(".statled").innerText();
  assert.equal(await box.getAttribute("aria-valuetext"), told);

  const charts = field(page, "Chart").and(page.locator("select"));
  await charts.selectOption({ label: "Number by weekday and hour" });
  const some = page.locator(".statcells g.some");
  assert.equal(await page.locator(".statcells g[role=button]").count(), 7 * 24);
  const labels = await some.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.equal(
    labels.reduce((sum, label) => sum + Number(/: (\d+)$/.exec(label)[1]), 0),
    4,
  );
  const weekday = new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" });
  assert.ok(labels.every((label) => [0, 6].some((hours) => label.startsWith(weekday.format(end - hours * 3600e3)))));
  await page.locator(".statcells g[tabindex='0']").focus();
  await page.keyboard.press("Home");
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Mon 00:00/);
  await shot(page, "statistics-week-day");
  await charts.selectOption({ label: "Number by course" });
  await page.locator(".statcells g[tabindex='0']").focus(); // the part with the most: all four sailed east
  await page.keyboard.press("Enter");
  await page.locator(".statmet", { hasText: "Only 079° – 101°" }).waitFor();
  assert.equal(await page.locator(".tablebox .all .row").count(), 4);
  await shot(page, "statistics-compass-day");
  await page.evaluate(() => globalThis.quaywatch.settings.setPalette("night"));
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn(page);
  await shot(page, "statistics-compass-night-390");
  await charts.selectOption({ label: "Number by weekday and hour" });
  await drawn(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await shot(page, "statistics-week-night-390");
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(page.clean(), []);
});

test("the lanes of a passage line are drawn each way of its own, and a group of ships alone", async () => {
  const id = await finished("passageline", {
    name: "Lanes of the narrows",
    passageline: {
      type: "LineString",
      coordinates: [
        [10.35, 55.88],
        [10.35, 55.99],
      ],
    },
  });
  const page = await opened();
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id);
  await page.locator(".statchart canvas").waitFor();
  await field(page, "Chart").and(page.locator("select")).selectOption({ label: "Lanes across the line" });
  const drawing = page.getByRole("img", { name: "Left to right: 4 passages" });
  await drawing.waitFor();
  assert.equal(await drawing.locator(".toright .bars").count(), 1);
  assert.equal(await drawing.locator(".toleft").count(), 0); // nobody sailed west
  await page.locator(".lanesways li", { hasText: "4 passages, on average at" }).waitFor();
  await shot(page, "statistics-lanes-day");

  await field(page, "Tell ships apart by").selectOption({ label: "By hour (UTC)" });
  const group = field(page, "Ships of the group"),
    hour = `${new Date(end - 154.5 * minute).toISOString().slice(11, 13)}:00 UTC (1)`; // BALTIC CARRIER crossed in it alone
  await group.selectOption({ label: hour });
  await page.getByRole("img", { name: "Left to right: 1 passages" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.evaluate(() => globalThis.quaywatch.settings.setPalette("night"));
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await shot(page, "statistics-lanes-night-390");
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(page.clean(), []);
});

test("without its right the picture is not asked for, and a failure of it is told", async () => {
  const id = await finished("area", { name: "Unpictured", shape: { type: "Polygon", coordinates: [ring] } });
  const page = await fresh();
  await page.route("**/api/wms?**", (route) =>
    route.fulfill({
      status: 503,
      contentType: "text/xml",
      body: "<ServiceExceptionReport><ServiceException>too slow</ServiceException></ServiceExceptionReport>",
    }),
  );
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id);
  await page.getByText("The map shows no picture of the result: too slow").waitFor();
  let asked = 0;
  await page.unroute("**/api/wms?**");
  await until("it is asked for again, and drawn", () => state(page, "q.chart.overlay?.drawn !== undefined"));
  await page.getByText("The map shows no picture of the result").waitFor({ state: "detached" });
  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics"));
  await page.route("**/api/session", async (route) => {
    const response = await route.fetch(),
      account = await response.json();
    await route.fulfill({ response, json: { ...account, rights: account.rights?.filter((right) => right !== "view_wmslayers") } });
  });
  await page.evaluate(() => globalThis.quaywatch.session.refresh());
  page.on("request", (request) => {
    if (request.url().includes("/api/wms")) asked++;
  });
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", String(to)), id);
  await row(page, "EASTERN LINER").waitFor();
  assert.equal(await page.getByRole("button", { name: "On the map" }).count(), 0);
  await atRest(page);
  assert.equal(asked, 0);
  await page.context().close();
});

// ofKind opens the form of a kind.
async function ofKind(page, kind) {
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("statistics", "new", to), kind);
  await page.getByRole("button", { name: "Start" }).waitFor();
}

test("ships that are named by their numbers are asked for tracks, speeds and changes", async () => {
  const page = await opened();
  for (const [kind, csv] of [
    ["historicaltrack", /MMSI,Ship,From,To,Positions/],
    ["sogdist", /MMSI,Ship,Day/],
    ["multiship", /MMSI,Ship,Time,Change/],
  ]) {
    await ofKind(page, kind);
    await field(page, "Numbers of the ships").fill("235066001");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".sheet").waitFor({ state: "detached" });
    await shows(page, { ship: "EASTERN LINER", mmsi: 235066001, csv, chart: kind !== "historicaltrack" });
  }
  assert.deepEqual(page.clean(), []);
});

test("where ships spend their time is a map of cells, a table of days and a raster for a GIS", async () => {
  const page = await opened();
  await ofKind(page, "density");
  await pen(page);
  await field(page, "Places").fill(corners);
  await field(page, "Side of a cell").fill("500");
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".sheet").waitFor({ state: "detached" });
  await page.locator(".tablebox .all .row", { hasText: "EASTERN LINER" }).first().waitFor();
  await until("it is pictured", () => state(page, "q.chart.overlay?.drawn !== undefined"));
  await drawn(page);
  await shot(page, "statistics-density-day");
  const saved = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name, exact: true }).click()]);
    return readFileSync(await file.path());
  };
  assert.equal((await saved("GeoTIFF")).subarray(0, 4).toString("latin1"), "II*\0");
  const [head, ...cells] = (await saved("Cells as CSV")).toString().trim().split("\n");
  assert.equal(head, "x,y,longitude,latitude,hours,hours_per_km2_month,trips,crossings,ships");
  assert.ok(cells.length > 5 && cells.every((cell) => Number(cell.split(",")[4]) > 0));
  await page.evaluate(() => globalThis.quaywatch.settings.setPalette("night"));
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await shot(page, "statistics-density-night-390");
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(page.clean(), []);
});

test("tracks of all ships in an area are asked for, and come as a file for IWRAP", async () => {
  const page = await opened();
  await ofKind(page, "historicaltrack");
  assert.equal(await field(page, "Only the positions in the area").count(), 0); // no place is asked for yet
  await page.getByLabel("Which ships", { exact: true }).selectOption({ label: "All ships in the area" });
  await pen(page);
  await field(page, "Places").fill(corners);
  await field(page, "Only the positions in the area").check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".sheet").waitFor({ state: "detached" });
  await page.locator(".tablebox .all .row", { hasText: "EASTERN LINER" }).first().waitFor();
  assert.equal(await page.locator(".tablebox .all .row", { hasText: "NORTHERLY" }).count(), 0); // it sailed farther north
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save for IWRAP" }).click()]),
    lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
  assert.equal(lines[0], "MMSI,IMO,TIME,NAME,DESTINATION,TYPE_OF_SHIP_AND_CARGO,DRAUGHT,SIZE_A,SIZE_B,SIZE_C,SIZE_D,LAT,LON,COG,SOG");
  const inside = lines.slice(1).map((line) => line.split(","));
  assert.deepEqual(new Set(inside.map(([mmsi]) => mmsi)), new Set(["235066001", "235066002"]));
  assert.ok(
    inside.every((cells) => 10.3 <= Number(cells[12]) && Number(cells[12]) <= 10.4 && /^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d$/.test(cells[2])),
  );
  await shot(page, "statistics-tracks-area");
  assert.deepEqual(page.clean(), []);
});

test("calls, trips and the work of pilot boats are asked of a harbour", async () => {
  const harbour = await Program.demo();
  try {
    const page = await open(stage.browser, harbour.url);
    await signIn(page, 5);
    for (const [kind, csv] of [
      ["portcalls", /MMSI,Ship,Port,Arrived,Left/],
      ["trip", /MMSI,Ship,From,To,Left,Arrived/],
      ["pilotboat", /MMSI,Pilot boat,Port,Left,Arrived,Served/],
    ]) {
      await ofKind(page, kind);
      if (kind === "portcalls") await page.getByLabel("Which ships", { exact: true }).selectOption("area");
      await pen(page);
      await field(page, "Places").fill(around(55.3, 56.5, 9.9, 13.2));
      await page.getByRole("button", { name: "Start" }).click();
      await page.locator(".tablebox .all .row").first().waitFor();
      await until("it is pictured", () => state(page, "q.chart.overlay?.drawn !== undefined"));
      await drawn(page);
      await shot(page, `statistics-harbour-${kind}`);
      const shown = await page.locator(".tablebox .all .row").first().innerText(),
        lines = (await downloaded(page, "Save as CSV")).split("\r\n").slice(1, -1);
      const [, mmsi, ship] = lines.map((line) => /^(\d+),([^,]+),/.exec(line)).find(([, , name]) => shown.startsWith(name));
      await shows(page, { ship, mmsi, csv });
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  } finally {
    await harbour.remove();
  }
});

test("a user without the right does not see the page", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&w=statistics" });
  await page.getByLabel("User name").fill("deckhand");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("web_report_access").waitFor();
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page
    .getByRole("button", { name: "Events", exact: true })
    .or(page.getByRole("button", { name: "Shapes", exact: true }))
    .first()
    .waitFor();
  assert.equal(await page.getByRole("button", { name: "Statistics", exact: true }).count(), 0);
  await page.context().close();
});

test("the pages fit in each size, by day and by night, in both languages", async () => {
  const shape = { type: "Polygon", coordinates: [ring] };
  const visits = await finished("area", { name: "Roads of the eastern anchorage", shape });
  const wide = ring.map(([lon, lat]) => [lon, lat > 55.9 ? 56 : lat]);
  const near = await finished("nmss", { name: "Too near", shape: { type: "Polygon", coordinates: [wide] }, distance: { max: 2000 } });
  const slow = await finished("sogdist", { mmsi: [235066001] });
  await fits(stage.browser, stage.program.url, {
    places: [
      "statistics",
      "statistics/new",
      "statistics/new/nmss",
      "statistics/new/multipassageline",
      `statistics/${visits}`,
      `statistics/${near}`,
      `statistics/${slow}`,
    ],
    ready: (page) => page.locator(".stats .stat").first().waitFor(),
    name: "statistics",
  });
});

test("the pages are readable by day and by night, and for those that do not see them", async () => {
  const id = await finished("passageline", {
    name: "Narrows, all of them",
    passageline: {
      type: "LineString",
      coordinates: [
        [10.35, 55.88],
        [10.35, 55.99],
      ],
    },
  });
  const page = await opened();
  for (const place of [
    "statistics",
    "statistics/new",
    "statistics/new/nmss",
    "statistics/new/transitpilot",
    "statistics/new/portcalls",
    `statistics/${id}`,
  ])
    for (const palette of ["day", "dusk", "night"]) {
      await page.evaluate((name) => globalThis.quaywatch.settings.setPalette(name), palette);
      await page.evaluate((to) => globalThis.quaywatch.navigation.go(...to.split("/")), place);
      await page.locator(place.endsWith(String(id)) ? ".statchart canvas" : ".panel h2").waitFor();
      await drawn(page);
      assert.deepEqual(await violations(page, palette === "day"), [], `${place} ${palette}`);
    }
  for (const chart of ["Number by weekday and hour", "Number by course"])
    for (const palette of ["day", "dusk", "night"]) {
      await page.evaluate((name) => globalThis.quaywatch.settings.setPalette(name), palette);
      await page.locator(".statchart select").selectOption({ label: chart });
      await page.locator(".statcells").waitFor();
      await drawn(page);
      assert.deepEqual(await violations(page, palette === "day"), [], `${chart} ${palette}`);
    }
  await row(page, "NORTHERLY").waitFor();
  await page.locator(".tablebox .rows").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter"); // a row is opened without a pointer too
  await page.waitForFunction(() => globalThis.quaywatch.selection.mmsi !== 0);
  assert.deepEqual(page.clean(), []);
});
