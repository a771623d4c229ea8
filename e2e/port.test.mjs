// The page of a port, in a real browser against the real program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { aarhus, cameToday, crowd, fleet, harbour, lastMinute, minute, quays } from "./harbour.mjs";
import { staged } from "./stage.mjs";
import { atRest, noticed, open, password, Program, shot, signIn, state, until, violations } from "./support.mjs";

const end = lastMinute();

const stage = staged({
  ships: 20,
  async start(stage) {
    stage.program = await Program.serve();
    await stage.call("PUT", `config/shape/port/${aarhus.id}`, quays);
    await stage.program.remembers(harbour([...fleet, ...crowd], end));
  },
  async prepare({ feeder, program }) {
    const eta = new Date(end + 6 * 60 * minute);
    feeder.joins({
      ...feeder.ships[0],
      ...{ mmsi: 235088109, imo: 0, name: "ON THE WAY", type: 80, lon: 10.9, lat: 56.15, sog: 10, cog: 270, destination: "DK AAR" },
      eta: [eta.getUTCMonth() + 1, eta.getUTCDate(), eta.getUTCHours(), eta.getUTCMinutes()],
    });
    let found;
    await until("the past is searched for calls", async () => {
      found = [(await calls("open=true")).length, (await calls("", crowd[0].port.id)).length];
      return found[0] === 7 && found[1] === crowd.length;
    }).catch(({ message }) => {
      throw new Error(`${message}: ${found} calls\n${program.output}`);
    });
  },
});
const { call } = stage;

const calls = async (query, port = aarhus.id) => (await call("GET", `portserver/port/calls/${port}?${query}`)).records;
// rows are the rows of a table, by the headings of its columns.
const rows = (page) =>
  page.evaluate(() => {
    const heads = [...document.querySelectorAll(".porttable .headings > span")].map((one) => one.innerText.replace(/[▾▴]/, "").trim());
    return [...document.querySelectorAll(".porttable .all .row")].map((row) =>
      Object.fromEntries([...row.children].map((cell, i) => [heads[i], cell.innerText.trim()])),
    );
  });
const row = (page, name) => page.locator(".berthrow", { has: page.getByText(name, { exact: true }) });

// visited opens a list of the port by its address.
async function visited(page, part = "") {
  await page.evaluate((to) => (location.hash = `w=port/${to}`), aarhus.id + (part && "/" + part));
  await page.locator('[data-place="port"] .porttabs').waitFor();
  await page.locator(".board, .porttable, p.empty:not(.late)").first().waitFor();
}

test("an address that names a port shows it, whether the port or the ships come first", async () => {
  const gothenburg = (await call("GET", "portserver/port/list")).records.find((port) => port.locode === "SEGOT").id;
  for (const late of ["port/info", "live"]) {
    const page = await open(stage.browser, stage.program.url, { hash: `&w=port/${gothenburg}` });
    let free;
    const held = new Promise((done) => (free = done));
    await page.context().addInitScript("delete globalThis.SharedWorker"); // what a worker asks for cannot be held back
    await page.reload();
    await page.route(new RegExp(`/api/(portserver/)?${late}`), (route) => held.then(() => route.continue()));
    await signIn(page, 0);
    if (late === "live") await until("the map has moved to the port", () => state(page, "q.centre.zoom > 5"));
    else await until("the first picture", () => state(page, "q.settled"));
    free();
    await page.locator('[data-place="port"] .porttabs').waitFor();
    await until("the first picture", () => state(page, "q.settled"));
    await atRest(page);
    const at = await state(page, "q.centre");
    assert.ok(Math.abs(at.lat - 57.7) < 0.3 && Math.abs(at.lon - 11.9) < 0.3, `${late} was late: ${JSON.stringify(at)}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("a port is found by its name, and its board tells which ship lies where", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await page.locator("#search").fill("aarhus");
  await page.locator("#found li", { hasText: "DKAAR" }).waitFor();
  await page.locator("#found li", { hasText: "DKAAR" }).click();
  await page.getByRole("heading", { name: "Aarhus · DKAAR" }).waitFor();
  await page.locator(".berthrow").first().waitFor();
  assert.match(page.url(), new RegExp(`w=port/${aarhus.id}`));
  assert.equal(await page.locator("#search").inputValue(), "");
  assert.match(await row(page, "Quay 1").innerText(), /66 m of 200 m free\s+LONG STAY 134 m\s+since [-\d]+ \d\d:\d\d UTC · draught 8\.4 m/);
  assert.match(await row(page, "Quay 2").innerText(), /120 m of 300 m free\s+OIL QUEEN 180 m\s+since .* · waited 2 h/);
  const twins = row(page, "Quay 10");
  assert.match(await twins.innerText(), /⚠ 30 m more than the 250 m of the berth\s+TWIN ONE 160 m[\s\S]*TWIN TWO 120 m/);
  assert.equal(await row(page, "<b>Quay</b> 20").count(), 0, "the board begins with ships");
  await page.getByRole("button", { name: "1 free berth" }).click();
  assert.equal(await page.locator(".freeberths li").innerText(), "<b>Quay</b> 20 180 m");
  assert.match(await row(page, "Alongside, berth not known").innerText(), /235088105 90 m[\s\S]*<img src=x onerror=alert\(1\)> 30 m/);
  assert.match(await row(page, "At anchor").innerText(), /SWINGER 100 m/);
  const [one, two] = await Promise.all(
    ["TWIN ONE", "TWIN TWO"].map((name) => page.locator(".lane", { hasText: name }).locator(".bar").boundingBox()),
  );
  assert.ok(one.x < two.x && Math.abs(one.x + one.width - two.x - two.width) < 1, "the ship that came first has the longer bar");
  await until("the map is there, with the borders", () =>
    page.evaluate(() => globalThis.quaywatch.chart.shapes.drawn.has("port:22781475") && globalThis.quaywatch.centre.zoom > 10),
  );
  await page.getByRole("button", { name: /OIL QUEEN/ }).click();
  assert.equal(await state(page, "q.selection.mmsi"), 235088102);
  assert.equal(
    await page
      .locator(".lane[aria-current]")
      .innerText()
      .then((text) => text.includes("OIL QUEEN")),
    true,
  );
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("which tankers arrived is asked in two steps, and the address says it", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await visited(page);
  await page.getByRole("button", { name: "Arrived" }).click();
  await page.getByLabel("Type of ship").selectOption("tanker");
  const tankers = fleet.filter((one) => one.type >= 80 && one.type < 90);
  await until("the tankers of today", async () => cameToday((await rows(page)).length, tankers, end));
  assert.ok(page.url().includes(`w=port/${aarhus.id}/arrived/tanker`), page.url());
  await page.getByRole("button", { name: "Last 24 hours" }).click();
  await until("the tankers of the last day", async () => {
    const all = await rows(page);
    const queen = all.find((one) => one.Ship === "OIL QUEEN");
    return all.length === 2 && all.some((one) => one.Ship === "235088105") && queen?.Berth === "Quay 2" && queen.Waited === "2 h";
  });
  const again = await open(stage.browser, page.url());
  await signIn(again, 0);
  await until("the address shows the same", async () => (await rows(again)).length === 2);
  assert.equal(await again.getByLabel("Type of ship").inputValue(), "tanker");
  await again.context().close();
  await page.getByLabel("Day", { exact: true }).fill("2020-01-01");
  await page.getByLabel("Day", { exact: true }).press("Enter");
  await page.getByText("No ship arrived in this time.").waitFor();
  await page.getByRole("button", { name: "Left", exact: true }).click();
  await page.getByText("None of them is of this type: 1 ship is of another.").waitFor();
  await page.getByLabel("Type of ship").selectOption("all");
  await until("the ship that left", async () => (await rows(page))[0]?.Ship === "GONE AGAIN");
  const [gone] = await rows(page);
  assert.equal(gone.Berth, "<b>Quay</b> 20");
  assert.equal(gone.Lay, "3 h 20 min");
  assert.ok(gone["Let go"] !== "" && gone.Left >= gone["Let go"], JSON.stringify(gone));
  await page.context().close();
});

test("a list is a table: 28 rows, sorted by any column, with columns that were chosen, as a file and on paper", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 1440, height: 900 });
  await signIn(page, 10);
  await page.evaluate((id) => (location.hash = `w=port/${id}/in`), crowd[0].port.id);
  await page.getByRole("button", { name: "Table", exact: true }).click();
  await until("the table", async () => (await rows(page)).length > 28);
  // A banner takes the room of a row for a moment where the machine is so busy that the server seems silent.
  await until("28 rows in sight", () =>
    page.locator(".porttable .rows").evaluate((box) => Math.floor(box.clientHeight / box.querySelector(".row").offsetHeight) >= 28),
  );
  await shot(page, "port-table-crowd");
  await page.evaluate((id) => (location.hash = `w=port/${id}/expected`), aarhus.id);
  await until("the ships that are expected", async () =>
    (await rows(page)).some((one) => one.Ship === "ON THE WAY" && one["Our ETA"] !== ""),
  );
  await shot(page, "port-table-expected");
  await page.evaluate((id) => (location.hash = `w=port/${id}/arrived/all/24h`), aarhus.id);
  await until("the ships of the day", async () => (await rows(page)).some((one) => one.Ship === "TWIN ONE"));
  const names = async () => (await rows(page)).map((one) => one.Ship);
  await page.getByRole("button", { name: "Sort by Ship" }).click();
  const up = await names();
  assert.deepEqual(up, [...up].sort(new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare));
  await page.getByRole("button", { name: "Sort by Ship" }).click();
  assert.deepEqual(await names(), [...up].reverse());
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Those that fit").uncheck();
  for (const one of ["Border", "Type", "Alongside"]) assert.equal(await page.getByLabel(one, { exact: true }).isChecked(), true);
  await page.getByLabel("Type", { exact: true }).uncheck();
  await page.keyboard.press("Escape");
  assert.ok(!("Type" in (await rows(page))[0]) && "Alongside" in (await rows(page))[0]);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  assert.match(download.suggestedFilename(), /^DKAAR-arrived-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  assert.equal(lines.length, up.length + 1);
  assert.match(lines[0], /^\ufeffMMSI,Ship,.*Alongside/);
  assert.match(
    lines.find((line) => line.includes("TWIN ONE")),
    /^235088103,TWIN ONE,.*\d\d:\d\d:\d\dZ/,
  );
  await page.evaluate(() => (globalThis.print = () => {}));
  await page.getByRole("button", { name: "Print" }).click();
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("#app").isVisible(), false, "neither map nor strip");
  const paper = page.locator(".printed");
  assert.match(await paper.innerText(), /^Arrived · Aarhus \(DKAAR\)\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC – .* UTC\s+Times: UTC · As of /);
  assert.equal(await paper.locator("tbody tr").count(), up.length);
  await shot(page, "port-paper");
  await page.emulateMedia({ media: "screen" });
  assert.equal(await paper.isVisible(), false);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the list of expected ships has our ETA beside that of the crew", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await visited(page, "expected/tanker");
  const lane = page.locator(".expected .lane", { hasText: "ON THE WAY" });
  await lane.filter({ hasText: /our ETA .*UTC · the crew says .*UTC · \d+\.\d NM to go/ }).waitFor();
  assert.equal(await lane.locator("i.ours").count(), 1);
  const { x, width } = await lane.locator(".axis").boundingBox(),
    mark = await lane.locator("i.crew").boundingBox();
  assert.ok(mark.x > x + width / 20 && mark.x < x + width / 2, "the crew says six hours from now, of 48");
  await page.context().close();
});

test("a list renews itself, and stays where it was scrolled to", async () => {
  const page = await open(stage.browser, stage.program.url, { height: 500 });
  await signIn(page, 10);
  await visited(page);
  const [twin] = (await calls("open=true")).filter((one) => one.ship.name === "TWIN ONE");
  const ata = new Date(Date.parse(twin.ata) - 30 * minute).toISOString();
  const panel = page.locator(".panel");
  await panel.evaluate((it) => (it.scrollTop = 120));
  await atRest(page); // rows that come into sight get their height then, and the panel may move with them
  const scrolled = await panel.evaluate((it) => it.scrollTop);
  assert.ok(scrolled > 60);
  const lane = page.locator(".board .lane", { hasText: "TWIN ONE" }),
    element = await lane.elementHandle();
  await call("PUT", `portserver/ship/historical/port/${twin.id}`, { ata });
  await lane.getByText(new RegExp(`since ([-\\d]+ )?${ata.slice(11, 16)} UTC`)).waitFor();
  assert.equal(await panel.evaluate((it) => it.scrollTop), scrolled);
  assert.ok(await element.evaluate((e) => e.isConnected && e.textContent.includes("TWIN ONE")), "its row is the same as before");
  await page.context().close();
});

test("500 ships in a port are shown, and the list stays fluid", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await page.evaluate((id) => (location.hash = `w=port/${id}`), crowd[0].port.id);
  await until("all ships", async () => (await page.locator(".board .lane").count()) === crowd.length);
  await page.locator(".panel").evaluate((panel) => (panel.scrollTop = 5000));
  await atRest(page); // what comes into sight is measured then
  const drawn = await page.evaluate(async () => {
    // Between two rows there is a gap of 2 px: the row at the point, or the next one below.
    const row = (y) => document.elementFromPoint(500, y).closest(".lane");
    const seen = () => (row(500) ?? row(504)).textContent;
    const times = [],
      before = seen();
    for (let i = 0; i < 20; i++) {
      const from = performance.now();
      globalThis.quaywatch.changed();
      await new Promise((done) => setTimeout(done, 0));
      await new Promise((done) => setTimeout(done, 0));
      times.push(performance.now() - from);
    }
    return { times, before, after: seen() };
  });
  assert.match(drawn.before, /CROWD/);
  assert.equal(drawn.after, drawn.before);
  console.log(`the page is drawn in ${drawn.times.sort((a, b) => a - b)[10].toFixed(1)} ms at the median`);
  await shot(page, "port-crowd");
  await page.context().close();
});

test("borders and berths are drawn with the pen, and saved", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await visited(page, "in");
  await page.getByRole("button", { name: "Edit borders and berths" }).click();
  await page.getByRole("button", { name: /^Quay 1 200 m/ }).click();
  await page.getByLabel("Length", { exact: true }).fill("240");
  await page.getByRole("button", { name: "Add a berth" }).click();
  await page.getByLabel("Name", { exact: true }).fill("New pier");
  await page.getByRole("button", { name: "Pick on the map" }).click();
  await atRest(page);
  await page.locator("#map").click({ position: { x: 300, y: 300 } });
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Inner shapes (1)" }).click();
  await page.getByRole("button", { name: "Add an inner shape" }).click();
  for (const [x, y] of [
    [250, 250],
    [330, 250],
    [330, 330],
  ])
    await page.locator("#map").click({ position: { x, y } });
  await page.getByRole("button", { name: "Finish" }).click();
  await shot(page, "port-edit");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("dialog.question").waitFor(); // what is drawn would be lost
  await page.locator("dialog .acts button").first().click();
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "The borders and berths of Aarhus are saved.");
  const { berths, inner, outer } = await call("GET", `portserver/port/info/${aarhus.id}`);
  assert.equal(inner.length, 2);
  assert.equal(outer.coordinates[0].length, 5);
  assert.deepEqual(
    berths.map((one) => [one.name, one.length, one.position !== undefined]),
    [
      ["Quay 1", 240, true],
      ["Quay 2", 300, true],
      ["Quay 10", 250, true],
      ["<b>Quay</b> 20", 180, true],
      ["New pier", undefined, true],
    ],
  );
  await page.getByRole("button", { name: "2 free berths" }).click();
  await page.locator(".freeberths li", { hasText: "New pier" }).waitFor();
  assert.match(await row(page, "Quay 1").innerText(), /106 m of 240 m free/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a mark on the map opens its port", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: `&v=${aarhus.lon},${aarhus.lat},11` });
  await signIn(page, 10);
  await page.waitForFunction(() => globalThis.quaywatch.chart.shapes.harbours.drawn.some((one) => one.key === "port:22781475"));
  await atRest(page);
  const at = await page.evaluate(() => globalThis.quaywatch.chart.shapes.harbours.drawn.find((one) => one.key === "port:22781475"));
  await page.locator("#map").click({ position: { x: at.x, y: at.y } });
  await page.getByRole("heading", { name: "Aarhus · DKAAR" }).waitFor();
  await page.context().close();
});

test("rights decide which lists there are, and whether times are told", async () => {
  await call("POST", "config/user", { name: "clerk", password, groups: ["operator"] });
  await call("PUT", "config/user/clerk", { access_rights: { view_ata_atd: "deny", pcs_access: "deny", admin_port: "deny" } });
  const page = await open(stage.browser, stage.program.url);
  await page.getByLabel("User name").fill("clerk");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 10);
  await visited(page);
  await page.getByRole("button", { name: "free berth" }).click(); // calls are told to this user as they were at the last quarter of an hour
  const told = await page.locator(".board li").allInnerTexts(); // without the times of the axis
  assert.ok(told.length > 3, String(told));
  assert.doesNotMatch(told.join("\n"), /\d\d:\d\d|first heard|waited/);
  assert.equal(await page.getByRole("button", { name: "Edit borders and berths" }).count(), 0);
  assert.deepEqual(await page.locator(".porttabs button").allInnerTexts(), ["Ships", "In port"], "lists that the user lacks the right for");
  for (const [list, right] of [
    ["expected", "pcs_access"],
    ["left", "view_ata_atd"],
  ]) {
    await page.evaluate(([id, list]) => (location.hash = `w=port/${id}/${list}`), [aarhus.id, list]);
    await page.getByText(`Your user lacks the right ${right} for this list.`).waitFor();
  }
  await page.context().close();
});

// readableAxis holds that times on the axis are seen whole or not at all, and some of them are seen.
async function readableAxis(page) {
  const seen = await page.locator(".scale .axis").evaluate((axis) => {
    const box = axis.getBoundingClientRect();
    return [...axis.querySelectorAll("i")].map((tick) => {
      const range = document.createRange();
      range.selectNodeContents(tick);
      const text = range.getBoundingClientRect(),
        is = text.width === 0 || text.top >= box.bottom - 1 ? "hidden" : text.right <= box.right + 1 ? "whole" : "cut";
      return { is, left: text.left, right: text.right };
    });
  });
  const whole = seen.filter(({ is }) => is === "whole");
  assert.ok(whole.length >= 2 && !seen.some(({ is }) => is === "cut"), JSON.stringify(seen));
  whole.slice(1).forEach(({ left }, i) => assert.ok(left - whole[i].right >= 3, `two times touch: ${JSON.stringify(whole)}`));
}

test("at every size, by day and by night, in both languages, the page is readable", async () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height, touch: width < 900 });
    await signIn(page, 10);
    for (const [palette, language] of [
      ["day", "en"],
      ["night", "de"],
    ]) {
      await page.evaluate(
        ([name, code]) => {
          globalThis.quaywatch.setLanguage(code);
          globalThis.quaywatch.settings.setPalette(name);
        },
        [palette, language],
      );
      const audited = (width === 1440 && palette === "day") || (width === 390 && palette === "night");
      const lists = width === 1024 ? ["in"] : ["in", "expected", "arrived/all/24h"];
      for (const part of [...lists.map((list) => `22781475/${list}`), "edit/22781475"]) {
        const list = part.split("/")[part.startsWith("edit") ? 0 : 1];
        await page.evaluate((to) => (location.hash = `w=port/${to}`), part);
        await page
          .locator(list === "edit" ? ".portedit" : list === "in" ? ".berthrow" : list === "expected" ? ".lane" : ".porttable .all .row")
          .first()
          .waitFor();
        await atRest(page);
        await shot(page, `port-${width}-${palette}-${list}`);
        if (list === "in" || list === "expected") await readableAxis(page);
        if (!audited) continue;
        assert.deepEqual(await violations(page), []);
      }
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("the ship list has columns for port and berth, which are asked for while they show, and sorts by them", async () => {
  const lying = (mmsi, name, lon, status) => {
    const ship = { ...stage.feeder.ships[0], mmsi, imo: 0, name, lon, lat: aarhus.lat, sog: 0, status };
    stage.feeder.joins(ship);
  };
  ["LONG STAY", "OIL QUEEN", "TWIN ONE"].forEach((name, i) => lying(235088101 + i, name, quays.berths[i].position.coordinates[0], 5));
  lying(235088106, "SWINGER", aarhus.lon + 0.0395, 1);
  const page = await open(stage.browser, stage.program.url);
  const asked = [];
  page.on("request", (one) => one.url().endsWith("/portserver/port/ships") && asked.push(one.url()));
  await signIn(page, 10);
  const list = page.locator(".list");
  await list.locator(".rows .row").first().waitFor();
  assert.deepEqual(asked, [], "nobody looks");
  const begun = performance.now();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Those that fit").uncheck();
  for (const column of ["Type", "Status", "Destination", "COG", "Flag", "SOG", "Length"])
    await page.getByLabel(column, { exact: true }).uncheck();
  for (const column of ["Port", "Berth"]) await page.getByLabel(column, { exact: true }).check();
  await page.keyboard.press("Escape");
  const heading = (name) => page.getByRole("button", { name: `Sort by ${name}`, exact: true });
  await heading("Port, in which the ship is").click(); // it has this name once the server has answered
  const shown = () =>
    list
      .locator(".rows .row")
      .evaluateAll((all) =>
        all.map((row) => ["name", "port", "berth"].map((column) => row.querySelector(`.${column}`)?.innerText.trim() ?? "")),
      );
  await until("the ships of Aarhus stand first", async () => (await shown()).filter(([, port]) => port === "Aarhus").length === 4);
  assert.deepEqual((await shown()).slice(0, 5).map(String), [
    "SWINGER,Aarhus,",
    "LONG STAY,Aarhus,Quay 1",
    "OIL QUEEN,Aarhus,Quay 2",
    "TWIN ONE,Aarhus,Quay 10",
    "<SCRIPT SRC=//A.CO>,,",
  ]);
  await shot(page, "list-port-berth");
  await heading("Port, in which the ship is").click();
  await until("the other way round", async () => String((await shown())[0]) === "TWIN ONE,Aarhus,Quay 10");
  await heading("Berth, at which the ship lies").click();
  await until("by berth", async () => String((await shown())[0]) === "LONG STAY,Aarhus,Quay 1");
  await page.locator("#search").fill("on the way");
  await until("a ship at sea is in no port", async () => String(await shown()) === "ON THE WAY,,");
  assert.ok(asked.length >= 1 && asked.length <= 1 + (performance.now() - begun) / 30e3, `${asked.length} questions`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
