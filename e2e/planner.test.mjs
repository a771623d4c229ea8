// The route planner, in a real browser against the real program.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pixelOf, view } from "./map.mjs";
import { staged } from "./stage.mjs";
import { atRest, open, password, Program, shot, signIn, small, standing, state, until, violations } from "./support.mjs";

const ship = 219018004;

const stage = staged({ ships: 20 });
const { call } = stage;

// enter signs in, and waits for as many ships on the map: none where the address leads it to other seas before they come.
async function enter(options = {}, ships = 10) {
  const page = await open(stage.browser, stage.program.url, { ...small, ...options });
  await signIn(page, ships);
  return page;
}

// stop is the field of an end or waypoint.
const stop = (page, name) => page.getByRole("combobox", { name, exact: true });
const idle = (page) => until("the way is found", () => state(page, "!q.planner.busy"));
const shown = async (page) => Number((await page.locator(".planner .miles b").innerText()).replaceAll(",", "").replace(" NM", ""));
// miles is the distance that the page tells, once it is that of the plan.
const miles = async (page) => {
  await page.locator(".planner .miles").waitFor();
  return until("the distance of the plan", async () => {
    await idle(page);
    const told = await shown(page),
      found = await state(page, "q.planner.busy ? 0 : (q.planner.answer?.metres ?? 0) / 1852");
    return Math.abs(told - found) < 0.51 ? told : 0;
  });
};
const says = (page, name, text) => until(`${name} says ${text}`, async () => (await stop(page, name).inputValue()) === text);

// type fills a field and takes what it means.
async function type(page, name, text) {
  await stop(page, name).fill(text);
  await stop(page, name).press("Enter");
}

// at is where a place lies on the page.
async function at(page, lon, lat) {
  const [x, y] = await pixelOf(page, lon, lat);
  const map = await page.locator("#map").boundingBox();
  return [map.x + x, map.y + y];
}

// drag takes hold of a place, and moves and drops it; a slow hand rests on the way, longer than a view that is one to come back to.
async function drag(page, from, to, slow = false) {
  await page.mouse.move(...(await at(page, ...from)));
  await page.mouse.down();
  const end = await at(page, ...to);
  await page.mouse.move(end[0] - 20, end[1] - 10, { steps: 4 });
  if (slow) await until("a long rest", () => state(page, "performance.now() - q.navigation.writtenAt > 3000"));
  await page.mouse.move(...end, { steps: 4 });
  await page.mouse.up();
}

test("two ports are typed, the distance and the arrival are told, and the address says it all", async () => {
  const page = await enter();
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Route planner", exact: true }).click();
  await stop(page, "From").fill("aarh");
  await page.getByRole("option", { name: /Aarhus DKAAR/ }).waitFor();
  await stop(page, "From").press("Enter");
  await says(page, "From", "Aarhus (DKAAR)");
  await until("the other end has the focus", () => stop(page, "To").evaluate((field) => field === document.activeElement));
  await type(page, "To", "segot");
  const told = await miles(page);
  assert.ok(told > 110 && told < 150, `${told} NM`);
  assert.equal(await page.locator(".planner dl").count(), 0, "no arrival without a speed");
  await page.getByLabel("Speed").fill("12");
  const departs = new Date(Date.now() + 86400e3).toISOString().slice(0, 10) + "T06:00";
  await page.getByLabel("Departure, UTC").fill(departs);
  const arrives = new Date(Date.parse(departs + "Z") + (told / 12) * 3600e3).toISOString();
  await until("the arrival", async () => (await page.locator(".planner dl").innerText()).includes(arrives.slice(0, 10)));
  const [, arrival] = /Arrival\s+(\d{4}-\d\d-\d\d \d\d:\d\d) UTC/.exec(await page.locator(".planner dl").innerText());
  assert.ok(Math.abs(Date.parse(arrival.replace(" ", "T") + "Z") - Date.parse(arrives)) < 90e3, `${arrival}, not ${arrives}`);
  await until("the address", () => state(page, "location.hash.includes('r=DKAAR/SEGOT') && location.hash.includes('rk=12')"));
  const box = await state(page, "[q.chart.screen.resolution, q.planner.answer.line.length]");
  assert.ok(box[0] < 600 && box[1] > 2, `the map shows the way: ${box}`);
  await page.getByRole("button", { name: "Swap ends" }).click();
  await says(page, "From", "Göteborg (SEGOT)");
  assert.equal(await miles(page), told);
  await until("the address", () => state(page, "location.hash.includes('r=SEGOT/DKAAR')"));

  await page.reload();
  await page.locator(".planner .miles").waitFor();
  assert.equal(await miles(page), told);
  await says(page, "From", "Göteborg (SEGOT)");
  assert.equal(await page.getByLabel("Speed").inputValue(), "12");
  assert.equal(await page.getByLabel("Departure, UTC").inputValue(), departs.replace("T", " "));
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await says(page, "From", "");
  await page.getByText("Click both ends on the map").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a time is typed as people write it, counted by keys, or picked from a calendar that reads itself out", async () => {
  const page = await enter();
  await page.evaluate(() => (location.hash = "w=route"));
  const field = page.getByLabel("Departure, UTC");
  const departure = () => state(page, "q.planner.plan.departure ?? 0");
  const departs = (text) => until(`departure at ${text}`, async () => (await departure()) === Date.parse(text));
  await field.fill("24.12.2026 8:05");
  await departs("2026-12-24T08:05Z");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "2026-12-24 08:05");
  await field.fill("1430");
  await field.press("Enter");
  await departs("2026-12-24T14:30Z");
  await field.evaluate((input) => input.setSelectionRange(9, 9));
  await field.press("ArrowUp");
  await departs("2026-12-25T14:30Z");
  await field.press("ArrowUp");
  await departs("2026-12-26T14:30Z");
  await field.evaluate((input) => input.setSelectionRange(12, 12));
  await field.press("ArrowDown");
  await departs("2026-12-26T13:30Z");

  await field.fill("2026-02-30 12:00");
  await field.blur();
  await page.getByText("Write it as 2026-11-26 12:27.").waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await departure(), Date.parse("2026-12-26T13:30Z"), "what is no time changes nothing");
  await field.fill("2026-12-31 12:00");
  await departs("2026-12-31T12:00Z");

  await page.getByRole("button", { name: "Calendar" }).click();
  const calendar = page.getByRole("dialog", { name: "Calendar" });
  await calendar.getByRole("button", { name: "Thursday, 31 December 2026" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowRight");
  await calendar.getByText("January 2027").waitFor();
  await page.keyboard.press("PageDown");
  await calendar.getByRole("button", { name: "Monday, 1 February 2027" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await departs("2027-02-01T12:00Z");
  await calendar.waitFor({ state: "detached" });
  assert.equal(
    await field.evaluate((input) => [document.activeElement === input, input.selectionStart, input.selectionEnd].join()),
    "true,11,13",
  );

  for (const [palette, width] of [
    ["day", 1440],
    ["night", 390],
  ]) {
    await page.setViewportSize({ width, height: 844 });
    await state(page, `q.settings.setPalette(${JSON.stringify(palette)})`);
    await field.press("Alt+ArrowDown");
    await calendar.waitFor();
    const box = await calendar.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
    assert.deepEqual(await violations(page, palette === "day"), []);
    await shot(page, `calendar-${palette}-${width}`);
    await page.keyboard.press("Escape");
    await calendar.waitFor({ state: "detached" });
  }
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a passage is closed with one click, the way round is longer, and it is opened again", async () => {
  const page = await enter({ hash: "&w=route&r=DEHAM/PLGDN&rk=10" });
  await page.locator(".planner .miles").waitFor();
  await until("all of a way is shown whose address has no view", () =>
    state(page, "Math.abs(q.centre.lon - 14.3) < 1 && q.chart.screen.resolution > 400"),
  );
  const open = await miles(page);
  await page.locator(".passages li", { hasText: "Kiel Canal" }).getByText("draught up to 9.5 m").waitFor();
  await page.getByRole("button", { name: "Close Kiel Canal and show the way round" }).click();
  await page.getByText("Closed by you").waitFor();
  const round = await miles(page);
  assert.ok(round > open + 200, `${open} NM, and ${round} NM round Skagen`);
  const [, more] = /way round is ([\d.]+) NM longer/.exec(await page.locator(".planner .round").innerText());
  assert.ok(Math.abs(Number(more) - (round - open)) < 1, `${more} NM more`);
  await until("the address", () => state(page, "location.hash.includes('ra=Kiel')"));
  await until("all of it is on the map", () => state(page, "q.centre.lat > 55 && q.chart.screen.resolution > 800"));
  await page.getByRole("button", { name: "Open Kiel Canal again" }).click();
  await until("the canal again", async () => (await miles(page)) === open);
  await page.getByLabel("Draught").focus();
  await page.keyboard.type("0.5");
  assert.equal(await page.getByLabel("Draught").inputValue(), "0.5");
  await page.getByLabel("Draught").fill("");
  await page.keyboard.type("12.0");
  await page.getByText("a shorter way leads through Kiel Canal, which takes 9.5 m of draught").waitFor();
  assert.ok((await miles(page)) > open + 200);
  await page.getByLabel("Draught").fill("101");
  await page.getByText("must be metres from 0 to 100").first().waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("ends are clicked and dragged on the map, the line is bent into a waypoint, and back leads back", async () => {
  const page = await enter({ hash: "&w=route&v=11.3,57,8" });
  await view(page, 11.3, 57, 8);
  await until("the map takes ends", () => state(page, "q.chart.overlay !== undefined"));
  await page.mouse.click(...(await at(page, 11.2, 56.4)));
  await until("the first end", () => state(page, "q.planner.plan.from !== undefined"));
  await page.mouse.click(...(await at(page, 11.3, 57.6)));
  const clicked = await miles(page);
  assert.ok(clicked > 68 && clicked < 80, `${clicked} NM`);
  assert.match(await stop(page, "From").inputValue(), /^56°2\d\.\d+'N 011°1\d/);
  await standing(page);
  await drag(page, [11.3, 57.6], [11.5, 56.9], true);
  const dragged = await miles(page);
  assert.ok(dragged < clicked - 30, `${dragged} NM to the nearer end`);
  await until("the address", () => state(page, "/r=[-\\d.,]+\\/11.5\\d*,56.[89]/.test(location.hash)"));
  await page.goBack();
  await until("the end of before", async () => (await miles(page)) === clicked);
  const [lon, lat] = await state(page, "q.planner.answer.line.length < 3 ? [11.25, 57] : q.planner.answer.line[1]");
  await drag(page, [lon, lat], [11.9, 57]);
  await stop(page, "Waypoint 1").waitFor();
  const bent = await miles(page);
  assert.ok(bent > clicked + 5, `${bent} NM over the waypoint`);
  await shot(page, "planner-bent");
  await page.getByRole("button", { name: "Remove Waypoint 1" }).click();
  await until("the straight way", async () => (await miles(page)) === clicked);
  await page.getByRole("button", { name: "Add waypoint" }).click();
  await until("its field has the focus", () => page.evaluate(() => document.activeElement?.getAttribute("role") === "combobox"));
  await page.keyboard.type("57°00.0'N 011°50.0'E");
  await page.keyboard.press("Enter");
  await until("the waypoint", () => state(page, "q.planner.plan.via.length === 1"));
  assert.ok((await miles(page)) > clicked + 3);
  await view(page, 11.3, 57, 8);
  const [x, y] = await at(page, 11.833, 57);
  await page.mouse.click(x, y);
  await until("the field of what was clicked", () => page.evaluate(() => document.activeElement?.value?.includes("57°00")));
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("on a phone a finger drags an end, and the page fits", async () => {
  const page = await enter({ width: 390, height: 844, touch: true, hash: "&w=route&r=11.2,56.4/11.3,57.4&v=11.3,57,7" });
  await view(page, 11.3, 57, 7);
  const before = await miles(page);
  const touch = await page.context().newCDPSession(page);
  const finger = (kind, points) => touch.send("Input.dispatchTouchEvent", { type: kind, touchPoints: points });
  const [x, y] = await at(page, 11.3, 57.4),
    [to, down] = await at(page, 11.5, 56.9);
  await finger("touchStart", [{ x, y }]);
  for (let k = 1; k <= 5; k++) await finger("touchMove", [{ x: x + ((to - x) * k) / 5, y: y + ((down - y) * k) / 5 }]);
  await finger("touchEnd", []);
  await until("the nearer end", async () => (await miles(page)) < before - 20);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".planner *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wide, []);
  await shot(page, "planner-phone");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a place on land, an unknown name and a name of several are told in both languages", async () => {
  const page = await enter({ hash: "&w=route&r=-3.7,40.4/DKAAR" });
  await page.getByText("The beginning lies on land, more than 50 km from water").waitFor();
  assert.equal(await page.locator(".planner .miles").count(), 0, "and no distance of another way");
  await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
  await page.getByText("Der Anfang liegt an Land, mehr als 50 km von Wasser").waitFor();
  await shot(page, "planner-land");
  await page.evaluate(() => globalThis.quaywatch.setLanguage("en"));
  await type(page, "From", "atlantis");
  await page.getByText("No port, ship or position “atlantis” is known.").waitFor();
  await type(page, "From", "portland");
  await page.getByText("Several have this name: choose one.").waitFor();
  assert.equal(await page.locator('[role="option"][aria-selected="true"]').count(), 1, "Enter takes the first only the second time");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".planner .miles").waitFor();
  await page.evaluate(() => {
    location.hash = "w=route&r=n*Portland/DKAAR";
  });
  await page
    .getByRole("button", { name: /^Portland · [A-Z]{5}$/ })
    .first()
    .click();
  await page.locator(".planner .miles").waitFor();
  await page.evaluate(() => {
    location.hash = "w=route&r=DKAAR/SEGOT&ra=Styx";
  });
  await page.getByText("Styx is no passage").waitFor();
  await page.getByRole("button", { name: "Open Styx again" }).click();
  await page.locator(".planner .miles").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("from the card of a ship the way begins at the ship, with its likely speed", async () => {
  const page = await enter();
  await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi, "go"), ship);
  await page.locator(".card").getByRole("button", { name: "Route to …" }).click();
  await until("the field of the end has the focus", () => page.evaluate(() => document.activeElement?.getAttribute("role") === "combobox"));
  await page.keyboard.type("PLGDN");
  await page.keyboard.press("Enter");
  await page.getByText("Empty: the likely speed of the ship").waitFor();
  assert.match(await page.locator(".planner dl").innerText(), /Arrival\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  await page.getByText(/Empty: 4\.4 m, that of the ship/).waitFor();
  await until("the address", () => state(page, `location.hash.includes("r=m${ship}/PLGDN")`));
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("from the page of a port the way begins at the port", async () => {
  const page = await enter({ hash: "&w=port/22781475" }, 0); // Aarhus
  await page.getByRole("button", { name: "Plan a route from here" }).click();
  await says(page, "From", "Aarhus (DKAAR)");
  await type(page, "To", "SEGOT");
  await miles(page);
  await until("the address", () => state(page, "location.hash.includes('r=DKAAR/SEGOT')"));
  await page.getByRole("button", { name: "Empty From" }).click();
  await view(page, 12.6, 56.04, 11);
  const mark = "q.chart.shapes.harbours.drawn.find((one) => one.port.locode === 'DKHLS')";
  await until("the mark of Helsingør", () => state(page, `${mark} !== undefined`));
  const { x, y } = await state(page, `(({ x, y }) => ({ x, y }))(${mark})`);
  await page.locator("#map").click({ position: { x, y } });
  await until("the port of the mark", async () => (await stop(page, "From").inputValue()).endsWith(" (DKHLS)"));
  await until("the address", () => state(page, "location.hash.includes('r=DKHLS/SEGOT')"));
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("without the right there is no planner", async () => {
  await call("POST", "config/user", { name: "clerk", password, groups: ["operator"], access_rights: { view_predicted_position: "deny" } });
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=route&r=DKAAR/SEGOT" });
  const asked = [];
  page.on("request", (request) => request.url().includes("ship/route") && asked.push(request.url()));
  await page.getByLabel("User name").fill("clerk");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 10);
  await page.getByText("view_predicted_position").waitFor();
  await page.getByRole("button", { name: /^Menu/ }).click();
  assert.equal(await page.getByRole("button", { name: "Route planner", exact: true }).count(), 0);
  await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi, "go"), ship);
  await page.locator(".card dl").waitFor();
  assert.equal(await page.locator(".card").getByRole("button", { name: "Route to …" }).count(), 0);
  assert.deepEqual(asked, []);
  await page.context().close();
  await call("PUT", "config/user/clerk", { access_rights: { view_port: "deny", view_predicted_position: "allow" } });
  const bare = await open(stage.browser, stage.program.url, { ...small, hash: "&w=route" });
  await bare.getByLabel("User name").fill("clerk");
  await bare.getByLabel("Password").fill(password);
  await bare.getByRole("button", { name: "Sign in" }).click();
  await type(bare, "From", "dkaar"); // no list of ports for this user: the server reads the name
  await type(bare, "To", "goteborg");
  await miles(bare);
  await says(bare, "To", "Göteborg (SEGOT)");
  assert.deepEqual(bare.clean(), []);
  await bare.context().close();
});

test("the planner is readable at every size, by day and by night", async () => {
  const page = await enter({ hash: "&w=route&r=JPYOK/USLAX&rk=15" }, 0);
  await page.locator(".planner .miles").waitFor();
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height });
    for (const palette of ["day", "dusk", "night"]) {
      await page.evaluate((name) => globalThis.quaywatch.settings.setPalette(name), palette);
      await page.getByRole("button", { name: "Show all", exact: true }).click();
      await atRest(page);
      await shot(page, `planner-${width}-${palette}`);
      assert.deepEqual(await violations(page, palette === "day"), []);
    }
  }
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a box that hears no ship plans as well, and a reload keeps the plan", async () => {
  const silent = await Program.serve({ feeds: 0 });
  try {
    const page = await open(stage.browser, silent.url, { ...small, hash: "&w=route" });
    await signIn(page, 0);
    await type(page, "From", "DKAAR");
    await type(page, "To", "SEGOT");
    const told = await miles(page);
    await until("the address", () => state(page, "location.hash.includes('r=DKAAR/SEGOT') && location.hash.includes('v=')"));
    await page.reload();
    assert.equal(await miles(page), told);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  } finally {
    await silent.remove();
  }
});

test("a way keeps to the fairways of the port, and says so", async () => {
  const directory = mkdtempSync(join(tmpdir(), "quaywatch-fairways-"));
  const file = join(directory, "fairways.geojson");
  const coordinates = [
    [0.0, 49.44],
    [0.22, 49.43],
    [0.37, 49.46],
    [0.53, 49.49],
    [0.72, 49.53],
    [0.82, 49.4],
    [1.02, 49.41],
    [1.1, 49.32],
    [1.3, 49.2],
    [1.48, 49.09],
  ];
  const feature = { type: "Feature", properties: { name: "<b>Seine", speed: 6 }, geometry: { type: "LineString", coordinates } };
  writeFileSync(file, JSON.stringify({ type: "FeatureCollection", features: [feature] }));
  const port = await Program.serve({ feeds: 0, more: `[route]\nfairways = ${JSON.stringify(file)}\n` });
  try {
    const page = await open(stage.browser, port.url, { ...small, hash: "&w=route&r=-0.2,49.5/1.482,49.092&rk=12" });
    await signIn(page, 0);
    const told = await miles(page);
    assert.ok(told > 75 && told < 90, `${told} miles`);
    const notes = page.locator(".planner .notes");
    await notes.getByText("It keeps to the fairways <b>Seine.").waitFor();
    await notes.getByText("Fairways on it limit the speed: 6.0 kn.").waitFor();
    await page.locator(".planner .miles").getByText("12 h").waitFor(); // 17 miles at 12 knots, 64 at 6
    await shot(page, "planner-fairways");
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  } finally {
    await port.remove();
    rmSync(directory, { recursive: true, force: true });
  }
});
