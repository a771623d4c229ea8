// Watchdogs and their events, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freighter } from "./ais.mjs";
import { pen } from "./map.mjs";
import { staged } from "./stage.mjs";
import { field, fits, nameWatchdog, newWatchdog, noticed, open, password, shot, signIn, sizes, small, state, until } from "./support.mjs";

const hostile = "<IMG SRC=X ONERR=1>";

const stage = staged({
  ships: 20,
  prepare: ({ call }) =>
    call("POST", "config/user", { name: "watcher", password, groups: ["viewer"], access_rights: { view_watchdog: "allow" } }),
});
const { call } = stage;

// comes lets a ship sail east into the roads at 12 knots; it is in after some seconds.
function comes(mmsi, name) {
  const ship = { ...freighter, mmsi, name, lon: 10.2994, lat: 55.9, sog: 12, cog: 90, heading: 90 };
  stage.feeder.joins(ship);
}
const roads = ["10.3 55.89", "10.4 55.89", "10.4 55.91", "10.3 55.91"].map((p) => p.split(" ").map(Number));
const polygon = { type: "Polygon", coordinates: [[...roads, roads[0]]] };

async function go(page, name) {
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name, exact: true }).click();
}

const row = (page, text) => page.locator(".events .event", { hasText: text });
// definitions are the watchdogs beside the one that is built in.
const definitions = async () => (await call("GET", "watchdog/definition")).records.filter((w) => w.type !== "distress");

test("a watchdog is drawn and saved, rings when a ship comes, and what one user acknowledges is quiet on all screens", async () => {
  const page = await open(stage.browser, stage.program.url, small);
  await signIn(page, 10);
  await go(page, "Watchdogs");
  await page.getByText("Distress", { exact: true }).waitFor(); // it is built in
  await page.getByRole("button", { name: "New watchdog" }).click();
  await shot(page, "watchdogs-new");
  await page.getByRole("button", { name: /^When a ship is in an area/ }).click();
  await pen(page);
  await nameWatchdog(page, "Roads");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("An area needs three places at least.").waitFor();
  await field(page, "Places").fill("55.89 10.3\n55.89 10.4\n55.91 10.4\n55.91 10.3");
  await field(page, "Severity").selectOption("warning");
  await field(page, "Which ship").selectOption("filter");
  await field(page, "Only ships that match").fill("type = ");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field.invalid", { hasText: "Only ships that match" }).waitFor();
  await field(page, "Only ships that match").fill("sog > 1");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Roads watches.");
  const [made] = await definitions();
  assert.deepEqual([made.name, made.type, made.severity, made.filter, made.enabled], ["Roads", "polygon", "warning", "sog > 1", true]);
  assert.deepEqual(made.polygon.coordinates[0].slice(0, 2), [
    [10.3, 55.89],
    [10.4, 55.89],
  ]);
  await until("the map shows it", () => state(page, `q.shapes.more.some((s) => s.label === "Roads")`));

  const other = await open(stage.browser, stage.program.url, { ...small, hash: "&w=events" });
  await signIn(other, 10);
  await other.getByText("No watchdog has raised an alert yet.").waitFor();
  await go(page, "Map");
  comes(219900001, hostile);
  await page.locator("header .badge").waitFor();
  assert.equal(await page.locator("header .badge").innerText(), "▲ 1");
  await until("it rang", async () => (await state(page, "q.alerts.chime.rung")) === 1);
  await page.getByText(`${hostile} entered Roads`).first().waitFor();
  await page.locator("header .badge").click();
  await row(page, `${hostile} entered Roads`).getByText("not acknowledged").waitFor();
  await row(other, `${hostile} entered Roads`).waitFor();
  await shot(page, "events");
  await row(page, hostile).getByRole("button", { name: "Show on the map" }).click();
  await page.locator(".card h2", { hasText: hostile }).waitFor();
  await until("the place", () => state(page, "Math.abs(q.centre.lat - 55.9) < 0.01 && Math.abs(q.centre.lon - 10.3) < 0.2"));
  await row(other, hostile).getByRole("button", { name: "Acknowledge" }).click();
  await row(page, hostile).getByText("acknowledged by admin at").waitFor({ timeout: 60e3 });
  await page.locator("header .badge").waitFor({ state: "detached" });
  await other.locator("header .badge").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Not acknowledged" }).click();
  await page.getByText("Nothing waits to be acknowledged.").waitFor();
  assert.deepEqual([...page.clean(), ...other.clean()], []);
  await page.context().close();
  await other.context().close();
});

test("a ship is muted, a watchdog turned off, changed and deleted", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=events" });
  await signIn(page, 10);
  await page.getByLabel("Sound for warnings and alerts").uncheck();
  comes(219900002, "SECOND"); // within a minute of the first one it is the same alert, and later another
  const part = (text) => page.locator(".events li", { hasText: text }).last();
  await until("its event", () => state(page, `q.alerts.all.some((a) => a.events.some((e) => e.text().startsWith("SECOND entered")))`));
  const several = page.getByRole("button", { name: /^Show all/ }).first();
  if (await several.isVisible()) await several.click();
  await part("SECOND entered Roads").getByRole("button", { name: "Mute for 1 h" }).click();
  await part("SECOND entered Roads").getByText("mute until").waitFor();
  await part("SECOND entered Roads").getByRole("button", { name: "No longer mute" }).click();
  await part("SECOND entered Roads").getByText("mute until").waitFor({ state: "detached" });
  assert.equal(await state(page, "q.alerts.chime.rung"), 0);
  await page.getByRole("button", { name: "Watchdogs", exact: true }).click();
  await page.getByRole("button", { name: "Roads watches" }).click();
  await until("it is off", async () => (await definitions())[0].enabled === false);
  await until("the map shows it no more", () => state(page, "q.shapes.more.length === 0"));
  await page.locator(".all .row", { hasText: "Roads" }).click();
  await nameWatchdog(page, "North roads");
  await field(page, "Severity").selectOption("alert");
  await page.getByLabel("On", { exact: true }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "North roads watches.");
  const [now] = await definitions();
  assert.deepEqual([now.name, now.severity, now.enabled, now.filter], ["North roads", "alert", true, "sog > 1"]);
  await page.locator(".all .row", { hasText: "North roads" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator("dialog").getByText("It watches no more.").waitFor();
  await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
  await noticed(page, "North roads is deleted.");
  assert.equal((await definitions()).length, 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("an event that no stream told comes all the same, and rings once", async () => {
  const { uid } = await call("POST", "watchdog/definition", { name: "Gap", type: "polygon", polygon, severity: "warning" });
  const inside = async () => (await call("GET", "watchdog/event?latest=100")).records.filter((e) => e.watchdog === "Gap").length;
  await until("the two ships that are there already", async () => (await inside()) === 2);
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=events" });
  await page.addInitScript(() => {
    const parse = JSON.parse;
    JSON.parse = (text, ...rest) => {
      const told = parse(text, ...rest); // the stream's events alone have records and neither until nor time
      return told?.records?.[0]?.definition_id && !told.until && !told.time ? { records: [] } : told;
    };
  });
  await page.reload();
  await signIn(page, 10);
  await until("the list", () => state(page, "q.alerts.there"));
  const before = await state(page, "q.alerts.chime.rung");
  comes(219900004, "UNTOLD");
  await until("its event", () => state(page, `q.alerts.all.some((a) => a.events.some((e) => e.text() === "UNTOLD entered Gap"))`));
  assert.equal(await state(page, "q.alerts.chime.rung"), before + 1);
  await call("DELETE", `watchdog/definition/${uid}`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the list says how many ships are inside now, and leads to them", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 10);
  const { id, uid } = await call("POST", "watchdog/definition", { name: "Counted", type: "polygon", polygon });
  const { active_ships: n } = await until("ships are inside", async () => {
    const one = await call("GET", `watchdog/definition/${id}`);
    return one.active_ships > 1 && one.last_event && one;
  });
  await page.evaluate(() => globalThis.quaywatch.watchdogs.load());
  await page.getByRole("button", { name: `Inside Counted: ${n}` }).click();
  await page
    .locator("ul.choices li")
    .nth(n - 1)
    .waitFor();
  await page.locator("ul.choices li").getByText("UNTOLD").waitFor();
  await shot(page, "watchdogs-inside");
  await call("DELETE", `watchdog/definition/${uid}`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("each type is made as the server takes it", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs/new/port" });
  await signIn(page, 10);
  const make = async (type, name, fill) => {
    await newWatchdog(page, type);
    await nameWatchdog(page, name);
    await fill();
    await page.getByRole("button", { name: "Save" }).click();
    await noticed(page, `${name} watches.`);
    return (await call("GET", "watchdog/definition")).records.find((w) => w.name === name);
  };
  const places = (text) => field(page, "Places").fill(text);
  const port = await make("port", "Aarhus", () => field(page, "Port").fill("DKAAR"));
  assert.equal(port.port.locode, "DKAAR");
  const line = await make("line", "Gate", () => places("55.9 10.5\n55.95 10.5"));
  assert.equal(line.line.coordinates.length, 2);
  const cable = await make("cable", "Cable", async () => {
    await places("55.9 10.6\n55.95 10.6");
    await page.getByLabel("On each side of the cable").fill("500");
  });
  assert.deepEqual([cable.cable.geometry.type, cable.cable.buffer], ["LineString", 500]);
  const fishing = await make("fishing", "Closed area", () => places("55.9 10.7\n55.95 10.7\n55.95 10.8"));
  assert.equal(fishing.fishing.type, "Polygon");
  // The buffer alone is changed, and the cable stays as it lies.
  await page.locator(".all .row", { hasText: "Cable" }).first().click();
  await page.getByLabel("On each side of the cable").fill("750");
  await page.getByRole("button", { name: "Save" }).click();
  await until("the buffer", async () => (await call("GET", `watchdog/definition/${cable.id}`)).cable.buffer === 750);
  await until("the page knows that it is saved", () => state(page, "!q.unsaved"));
  assert.deepEqual((await call("GET", `watchdog/definition/${cable.id}`)).cable.geometry, cable.cable.geometry);
  // A sheet in which nobody wrote is left without a question.
  for (const type of ["box", "feed"]) {
    await newWatchdog(page, type);
    assert.notEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "", "a name is proposed");
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "New watchdog" }).waitFor();
  }
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a number is typed digit by digit: with a point, and in German with a comma; the arrow keys keep it whole", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs/new/speed" });
  await signIn(page, 10);
  await newWatchdog(page, "speed");
  const limit = page.locator("input[inputmode=decimal]").first();
  const typed = async (text) => {
    await limit.fill("");
    await limit.focus();
    for (const key of text) await page.keyboard.press(key);
    return limit.inputValue();
  };
  assert.equal(await typed("7.05"), "7.05");
  await typed("10");
  await page.keyboard.press("ArrowUp");
  assert.equal(await limit.inputValue(), "11");
  await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
  await until("the page is German", async () => (await page.locator("html").getAttribute("lang")) === "de");
  assert.equal(await typed("7,5"), "7.5");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a user that may only look has no buttons that the server would refuse", async () => {
  await call("POST", "watchdog/definition", { name: "Shared roads", type: "polygon", polygon, severity: "alert", acl: ["viewer"] });
  comes(219900003, "THIRD");
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=events" });
  await page.getByLabel("User name").fill("watcher");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await row(page, "Shared roads").first().waitFor();
  assert.equal(
    await row(page, "Shared roads")
      .getByRole("button", { name: /Acknowledge|Mute/ })
      .count(),
    0,
  );
  assert.equal(await row(page, " entered Roads").count(), 0, "what was deleted is its owner's");
  await page.getByRole("button", { name: "Watchdogs", exact: true }).click();
  await page.locator(".all .row", { hasText: "Shared roads" }).click();
  await page.getByText("This is admin's. You can use it, not change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "New watchdog" }).count(), 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("board and watchdogs fit every size, by day and by night, in both languages", async () => {
  await fits(stage.browser, stage.program.url, {
    places: ["events", "watchdogs", "watchdogs/new", "watchdogs/new/cable"],
    sizes: [...sizes, [320, 640]],
    ready: (page) => page.locator("header .badge").waitFor(),
    name: "watchdogs",
  });
});
