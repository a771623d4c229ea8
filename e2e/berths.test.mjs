// Berths that the calls suggest, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { minute } from "./harbour.mjs";
import { staged } from "./stage.mjs";
import { atRest, noticed, open, Program, shot, signIn, state, until, violations } from "./support.mjs";

const aarhus = 22781475;
const quay = { lon: 10.2201, lat: 56.1471 };
const metre = 1 / (111195 * Math.cos((56.15 * Math.PI) / 180)); // in degrees of longitude

const header =
  "MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n";

// visits is five calls of some ships at one place of the quay: each comes from the east, lies for 70 minutes and leaves.
function visits(begin, first, ships, lat) {
  const rows = [];
  for (let n = 0; n < 5; n++) {
    let at = begin + n * 5 * 60 * minute;
    const say = (off, sog, cog, status) => {
      const time = new Date(at).toISOString().slice(0, 19);
      rows.push(
        `${first + (n % ships)},${time},${lat},${(quay.lon + off * metre).toFixed(5)},${sog},${cog},90,GUEST ${n % ships},,,70,${status},140,20,,,A`,
      );
      at += minute;
    };
    for (let off = 8000; off > 0; off -= 308.67) say(off, 10, 270, 0);
    for (let i = 0; i < 70; i++) say(0, 0, 270, 5);
    for (let off = 300; off < 8400; off += 308.67) say(off, 10, 90, 0);
  }
  return rows.join("\n") + "\n";
}

const stage = staged({
  ships: 20,
  async start(stage) {
    stage.program = await Program.serve();
    const begin = Math.floor(Date.now() / minute) * minute - 40 * 60 * minute;
    await stage.program.remembers(header + visits(begin, 219000301, 3, quay.lat) + visits(begin, 219000311, 1, quay.lat + 0.004));
  },
  prepare: ({ call }) =>
    until("the calls suggest two berths", async () => (await call("GET", `portserver/port/berths/${aarhus}`)).records.length === 2),
});
const { call } = stage;

test("a suggested berth is added by a click, named and saved, and suggested no more", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: `&w=port/edit/${aarhus}` });
  await signIn(page, 0);
  const add = page.getByRole("button", { name: "Add: Berth for 140 m, 5 stays of 3 ships" });
  await add.waitFor();
  const few = page.getByText("5 stays, used by one ship");
  assert.match(await few.locator("..").textContent(), /only for users that may see every ship that lay here/);
  await page.getByTitle("Show on the map").first().click();
  await shot(page, "berths-suggested");
  await add.click();
  await until("it is in the list", async () => (await add.count()) === 0);
  assert.equal(await page.getByLabel("Length", { exact: true }).inputValue(), "140");
  await page.getByLabel("Name", { exact: true }).fill("Quay 9");
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "berths-phone");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "The borders and berths of Aarhus are saved.");
  const { berths } = await call("GET", `portserver/port/info/${aarhus}`);
  assert.deepEqual(
    berths.map(({ name, length }) => [name, length]),
    [["Quay 9", 140]],
  );
  const left = (await call("GET", `portserver/port/berths/${aarhus}`)).records;
  assert.deepEqual(
    left.map(({ ships, few }) => [ships, few]),
    [[1, true]],
    "the berth is suggested no more",
  );
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

const place = (i) => [10.215 + (i % 20) * 0.0012, 56.147 + Math.floor(i / 20) * 0.0008];

// build gives the port so many berths in rows, and an inner shape around each of the first few.
function build(berths, inner) {
  const square = ([x, y]) => [
    [x - 0.0004, y - 0.0002],
    [x + 0.0004, y - 0.0002],
    [x + 0.0004, y + 0.0002],
    [x - 0.0004, y + 0.0002],
    [x - 0.0004, y - 0.0002],
  ];
  const each = (n, make) => Array.from({ length: n }, (_, i) => make(i));
  return call("PUT", `config/shape/port/${aarhus}`, {
    inner: each(inner, (i) => ({ type: "Polygon", coordinates: [square(place(i))] })),
    berths: each(berths, (i) => ({
      name: `${["Quay", "Østkaj"][i % 2]} ${i + 1}`,
      length: 100 + i,
      max_draught: 9.5,
      position: { type: "Point", coordinates: place(i) },
    })),
  });
}

const lanes = (page) => page.locator(".pieces .lane");
const openRow = (page) => page.locator('.pieces .lane[aria-expanded="true"]');
const focused = (page) => page.evaluate(() => document.activeElement.closest("li")?.querySelector("b")?.textContent);

// clickAt clicks on a place of the map, once it is at rest.
async function clickAt(page, [lon, lat]) {
  await atRest(page);
  const [x, y] = await page.evaluate(
    ([lon, lat]) => {
      const { chart } = globalThis.quaywatch,
        { left, top } = document.getElementById("map").getBoundingClientRect();
      const turn = (lat * Math.PI) / 180,
        metres = [6378137 * ((lon * Math.PI) / 180), 6378137 * Math.asinh(Math.tan(turn))];
      const [x, y] = chart.map.getPixelFromCoordinate(metres);
      return [x + left, y + top];
    },
    [lon, lat],
  );
  await page.mouse.click(x, y);
}

const inView = (page, locator) =>
  until("it is in view between heading and buttons", async () => {
    const [box, panel, save] = await Promise.all(
      [locator, page.locator("section.panel .heading"), page.locator(".save")].map((one) => one.boundingBox()),
    );
    return box && box.y >= panel.y + panel.height - 1 && box.y + box.height <= save.y + 1;
  });

test("from zoom 12 on the map shows the berths of a port that is not open, and no click is theirs", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 0);
  const berths = (length) =>
    page.waitForFunction((n) => {
      const labels = globalThis.quaywatch.chart.shapes.quays.map(({ shape }) => shape.label);
      return n === 0 ? labels.length === 0 : labels.includes("Quay 9");
    }, length);
  await page.evaluate(({ lon, lat }) => globalThis.quaywatch.chart.show(lon, lat, 14), quay);
  await berths(1);
  await atRest(page);
  await shot(page, "berths-map");
  const { x, y, width, height } = await page.locator("#map").boundingBox();
  await page.mouse.click(x + width / 2 + 3, y + height / 2);
  await page.evaluate(({ lon, lat }) => globalThis.quaywatch.chart.show(lon, lat, 11), quay);
  await berths(0);
  assert.ok(!page.url().includes("w=port"), page.url());
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("of 158 berths a row and its shape select each other, and the keyboard finds and names them", async () => {
  await build(158, 3);
  const page = await open(stage.browser, stage.program.url, { hash: `&w=port/edit/${aarhus}` });
  await signIn(page, 0);
  await until("each berth has a row", async () => (await lanes(page).count()) === 158);
  assert.equal(await page.locator(".pieces li button:not(.lane)").count(), 0, "only the row that is open has buttons");
  assert.equal(await page.locator('.pieces .lane[tabindex="0"]').count(), 1, "the list is one stop of the Tab key");

  await page.getByLabel("Find a berth").fill("ostkaj 15");
  await page.getByText("5 of 158").waitFor();
  for (const name of ["Østkaj 150", "Østkaj 152"]) {
    await page.keyboard.press("ArrowDown");
    await until(`${name} is open and has the focus`, async () => (await focused(page)) === name);
  }
  const standsOut = (key) =>
    until(`${key || "nothing"} stands out on the map`, async () => (await state(page, "q.chart.shapes.chosen")) === key);
  await standsOut(`port:${aarhus}/berths/151`);
  await until("the map has it in its middle, near enough to tell it from the others", async () => {
    const { lon, lat, zoom } = await state(page, "q.centre");
    return Math.abs(lon - place(151)[0]) < 1e-4 && Math.abs(lat - place(151)[1]) < 1e-4 && zoom >= 14;
  });
  await until("the map names it and others", async () => (await state(page, "q.chart.shapes.names.length")) > 5);
  await shot(page, "berths-filter");
  await page.keyboard.press("Enter");
  await until("Enter goes to the name", () => page.evaluate(() => document.activeElement.value === "Østkaj 152"));
  await page.keyboard.type("Ferry pier");
  await page.keyboard.press("Enter");
  await until("and back to the row", async () => (await focused(page)) === "Ferry pier");

  const quay = openRow(page).filter({ hasText: "Quay 151" });
  await clickAt(page, place(150)); // it does not match what is typed
  await quay.waitFor();
  await inView(page, quay);
  await standsOut(`port:${aarhus}/berths/150`);
  await page.getByLabel("Find a berth").fill("");
  await clickAt(page, place(149));
  await inView(page, openRow(page).filter({ hasText: "Østkaj 150" }));
  await shot(page, "berths-picked");

  await page.getByLabel("Find a berth").fill("nowhere");
  await page.getByText("Nothing matches “nowhere”.").waitFor();
  await page.getByRole("button", { name: "Show all", exact: true }).click();
  await until("all are there again", async () => (await lanes(page).count()) === 158);

  await page.getByRole("button", { name: "Inner shapes (3)" }).click();
  await lanes(page).filter({ hasText: "Inner shape 2 Østkaj 2" }).click();
  await atRest(page);
  await standsOut(`port:${aarhus}/inners/1`);
  await page.getByRole("button", { name: "Inner shape 2: Change" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "The borders and berths of Aarhus are saved.");
  const { berths, inner } = await call("GET", `portserver/port/info/${aarhus}`);
  assert.deepEqual([berths.length, berths[151].name, berths[150].name, inner.length], [158, "Ferry pier", "Quay 151", 3]);
  await standsOut("");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the list of berths works for none, one and 500, also on a phone, at night and in German", async () => {
  await build(0, 0);
  const page = await open(stage.browser, stage.program.url, {
    width: 390,
    height: 844,
    touch: true,
    palette: "night",
    hash: `&w=port/edit/${aarhus}`,
  });
  await signIn(page, 0);
  await page.getByText("No berth yet.").waitFor();
  await page.getByRole("button", { name: "Add a berth" }).click();
  await until("the new one can be named at once", () => page.evaluate(() => document.activeElement.value === "Berth 1"));
  assert.equal(await page.getByLabel("Find a berth").count(), 0, "one berth needs no filter");
  await page.getByRole("button", { name: "Remove Berth 1" }).click();
  await page.getByText("No berth yet.").waitFor();

  await build(500, 0);
  await page.evaluate(() => {
    globalThis.quaywatch.unsaved = false;
    return globalThis.quaywatch.setLanguage("de");
  });
  await page.evaluate(() => globalThis.quaywatch.navigation.go("port", "find"));
  await page.evaluate((id) => globalThis.quaywatch.navigation.go("port", "edit", id), String(aarhus));
  await until("each berth has a row", async () => (await lanes(page).count()) === 500);
  await page.getByLabel("Liegeplatz suchen").fill("kaj 500");
  await lanes(page).click();
  await page.getByLabel("Liegeplatz suchen").fill("");
  const row = openRow(page).filter({ hasText: "Østkaj 500" });
  await row.focus();
  await page.keyboard.press("ArrowUp");
  await inView(page, openRow(page).filter({ hasText: "Quay 499" }));
  await clickAt(page, place(498 - 20));
  await inView(page, openRow(page).filter({ hasText: "Quay 479" }));
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.ok(await page.evaluate(() => document.querySelector(".portedit").scrollWidth <= document.querySelector(".portedit").clientWidth));
  await shot(page, "berths-phone-night");
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
