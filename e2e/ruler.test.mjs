// The ruler on the map: range, bearing, time and CPA by one key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, looks, open, shot, signIn, small, Voice } from "./support.mjs";

const ships = [
  { mmsi: 219018765, name: "NORDIC HAV", callsign: "OXAA", lon: 10.3, lat: 56.1, sog: 12, cog: 0 },
  {
    mmsi: 219018004,
    name: "ESVAGT",
    callsign: "OXAB",
    lon: 10.3,
    lat: 56.2,
    sog: 12,
    cog: 180,
    imo: 9321483,
    draught: 7.4,
    eta: [12, 24, 18, 30],
  },
];
let voice, timer;

const stage = staged({
  prepare({ program }) {
    voice = new Voice(program.feed);
    for (const ship of ships) voice.say(voyage(ship));
    timer = setInterval(() => ships.forEach((ship) => voice.say(position(ship))), 500);
  },
  close() {
    clearInterval(timer);
    voice?.close();
  },
});

const pixel = async (page, mmsi) => {
  const at = await page.waitForFunction((n) => {
    const ship = globalThis.quaywatch.picture.ships.get(n),
      place = ship && globalThis.quaywatch.chart.pixel(ship),
      r = document.getElementById("map").getBoundingClientRect();
    return place && [r.left + place[0], r.top + place[1]];
  }, mmsi);
  return at.jsonValue();
};

const note = (page) => page.locator(".ruler [role=status]");

test("one key measures from a ship to another: range, bearing, time and CPA", async () => {
  const page = await open(stage.browser, stage.program.url, small);
  await signIn(page, 2);
  await page.evaluate(() => globalThis.quaywatch.chart.show(10.3, 56.15, 11));
  await atRest(page);
  await page.locator("#map").focus();
  await page.keyboard.press("m");
  await note(page).getByText("Click a place or a ship to measure from.").waitFor();
  await page.mouse.click(...(await pixel(page, ships[0].mmsi)));
  await page.mouse.click(...(await pixel(page, ships[1].mmsi)));
  await note(page).getByText("CPA 0 m in 15 min").waitFor();
  const text = await note(page).innerText();
  assert.match(text, /6\.0\d NM/);
  assert.match(text, /(000|360)°/);
  assert.equal(await page.locator(".card").count(), 0, "a click that measures selects no ship");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await note(page).getByText("From NORDIC HAV").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".ruler").waitFor({ state: "detached" });
  await page.mouse.click(...(await pixel(page, ships[0].mmsi)));
  await page.locator(".card").getByRole("heading", { name: "NORDIC HAV" }).waitFor();
  await page.locator("#map").focus();
  await page.keyboard.press("m");
  await note(page).getByText("From NORDIC HAV").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the ship list measures from the selected ship or from the ruler, and has the columns of a voyage", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 2);
  await page.evaluate(() => globalThis.quaywatch.chart.show(10.3, 56.15, 11));
  await atRest(page);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Those that fit").uncheck();
  for (const column of ["Type", "Status", "Destination", "COG", "Flag", "SOG", "Length"])
    await page.getByLabel(column, { exact: true }).uncheck();
  for (const column of ["Draught", "ETA", "Brg.", "Call sign", "IMO"]) await page.getByLabel(column, { exact: true }).check();
  await page.keyboard.press("Escape");
  const row = page.locator(".list .row", { hasText: "ESVAGT" });
  await row.getByText("9321483").waitFor();
  assert.equal(await row.locator(".draught").innerText(), "7.4");
  assert.match(await row.locator(".eta").innerText(), /^12-24 18:30/);
  assert.equal(await row.locator(".callsign").innerText(), "OXAB");
  const from = (what) => page.getByRole("button", { name: `Sort by Dist., distance in NM, from ${what}` });
  await from("the middle of the map").click();
  await page.mouse.click(...(await pixel(page, ships[0].mmsi)));
  await from("NORDIC HAV").waitFor();
  await row.locator(".distance").getByText("6.0").waitFor();
  assert.match(await row.locator(".bearing").innerText(), /(000|360)°/);
  await row.click();
  await page.locator(".card").getByRole("heading", { name: "ESVAGT" }).waitFor();
  await from("NORDIC HAV").click(); // a step through the list keeps its order, the heading measures from the ship at hand
  await from("ESVAGT").waitFor();
  await page.locator("#map").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await note(page).getByText("Click a place or a ship to measure from.").waitFor();
  const [x, y] = await pixel(page, ships[1].mmsi);
  await page.mouse.click(x + 90, y);
  await from("where the ruler begins").waitFor();
  await shot(page, "list-voyage-1440");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("it is read on each screen, and a finger measures", async () => {
  for (const look of looks()) {
    const page = await open(stage.browser, stage.program.url, look);
    await signIn(page, 2);
    await page.evaluate(() => globalThis.quaywatch.chart.show(10.3, 56.15, 10));
    await atRest(page);
    await page.getByRole("button", { name: /Measure range and bearing/ }).click();
    await page.locator(".ruler").waitFor();
    const [x, y] = await pixel(page, ships[0].mmsi);
    const touch = (tx, ty) => (look.touch ? page.touchscreen.tap(tx, ty) : page.mouse.click(tx, ty));
    await touch(x, y);
    await touch(x + 60, y);
    await page.mouse.move(5, 5);
    await note(page)
      .getByText(/NM 09\d° .*at 12\.0 kn/)
      .waitFor();
    await atRest(page);
    await shot(page, `ruler-${look.width}-${look.palette}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});
