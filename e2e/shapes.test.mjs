// Shapes, ship lists, the register and selections, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pen, pixelOf, view } from "./map.mjs";
import { staged } from "./stage.mjs";
import { atRest, noticed, open, shot, signIn, state, until } from "./support.mjs";

const script = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const looker = { name: "looker", password: "only-looks-at-it" };

const stage = staged({ ships: 40, prepare: ({ call }) => call("POST", "config/user", { ...looker, groups: ["viewer"] }) });
const { call } = stage;

const shapeNamed = async (name) => (await call("GET", "config/shape")).records.find((s) => s.name === name);

async function enter(options = {}, who) {
  const page = await open(stage.browser, stage.program.url, options);
  if (who) {
    await page.getByLabel("User name").fill(who.name);
    await page.getByLabel("Password").fill(who.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 10);
  } else await signIn(page, 10);
  return page;
}

// ink tells whether the canvas of the shapes is painted around a pixel of the map.
const ink = (page, x, y) =>
  page.evaluate(
    ([px, py]) => {
      const { canvas } = globalThis.quaywatch.chart.shapes,
        ratio = canvas.width / document.getElementById("map").clientWidth;
      return canvas
        .getContext("2d")
        .getImageData(Math.round(px * ratio) - 3, Math.round(py * ratio) - 3, 7, 7)
        .data.some((v, i) => i % 4 === 3 && v > 0);
    },
    [x, y],
  );

async function clicks(page, places) {
  for (const [x, y] of places) await page.locator("#map").click({ position: { x, y } });
}

test("an area is drawn with the mouse, a corner taken back, one moved, saved, and there after a reload", async () => {
  const page = await enter();
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Shapes", exact: true }).click();
  await page.getByRole("button", { name: "New area" }).click();
  await view(page, 10.4, 56.1, 12);
  await pen(page);
  await clicks(page, [
    [400, 200],
    [600, 200],
    [600, 400],
    [700, 500],
  ]);
  await page.keyboard.press("Backspace");
  assert.equal(await state(page, "q.chart.pen.form.chains[0].length"), 3);
  await clicks(page, [[400, 400]]);
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(
    await state(page, "q.chart.pen.form.chains[0].length + ' ' + q.chart.pen.drawing"),
    "3 true",
    "Enter on a button is the button's",
  );
  await clicks(page, [
    [400, 400],
    [400, 200],
  ]);
  assert.equal(await state(page, "q.chart.pen.drawing"), false);
  assert.equal(await state(page, "q.chart.pen.form.chains[0].length"), 4);
  const box = await page.locator("#map").boundingBox();
  await page.mouse.move(box.x + 600, box.y + 400);
  await page.mouse.down();
  await page.mouse.move(box.x + 640, box.y + 450, { steps: 4 });
  await page.mouse.up();
  const [x, y] = await state(page, "q.chart.pen.pixel(q.chart.screen, q.chart.pen.form.chains[0][2])");
  assert.ok(Math.hypot(x - 640, y - 450) < 2, `${x} ${y}`);
  await shot(page, "shape-draw");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be given").waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Anchorage");
  await page.getByRole("radio", { name: "red" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Anchorage is saved.");
  const saved = await shapeNamed("Anchorage");
  assert.equal(saved.polygon.coordinates[0].length, 5);
  assert.equal(saved.color, "#b3261e");
  await until("what the pen drew is gone", () =>
    page.evaluate(() => {
      const pen = [...document.querySelectorAll("#map canvas.shapes")].at(-1);
      return pen.hidden && getComputedStyle(pen).display === "none";
    }),
  );
  await page.reload();
  await page.locator(".tablebox", { hasText: "Anchorage" }).waitFor();
  await until("it is on the map", () => state(page, `q.chart.shapes.drawn.has(${JSON.stringify(saved.uid)})`));
  await until("its area is tinted", () => ink(page, 500, 300));
  assert.equal(await ink(page, 100, 700), false);
  await page.getByRole("switch", { name: "Shapes on the map" }).click();
  await until("it is hidden", async () => !(await ink(page, 500, 300)));
  await page.getByRole("switch", { name: "Shapes on the map" }).click();
  await until("it is shown", () => ink(page, 500, 300));
  const free = await state(
    page,
    "[...Array(60).keys()].map((i) => [430 + (i % 10) * 15, 220 + Math.floor(i / 10) * 15]).find(([x, y]) => !q.chart.painter.at(x, y, 20))",
  );
  await clicks(page, [free]);
  await page.getByRole("heading", { name: "Anchorage" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("This cannot be undone.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await noticed(page, "Anchorage is deleted.");
  assert.equal(await shapeNamed("Anchorage"), undefined);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a circle takes its radius from the keyboard, in nautical miles as in metres, and a line its places", async () => {
  const page = await enter({ hash: "&w=shapes/new/circle" });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Pilot station");
  await view(page, 10.4, 56.1, 11);
  await pen(page);
  await clicks(page, [[500, 400]]);
  await page.getByLabel("Radius").nth(1).fill("1.5");
  assert.equal(await page.getByLabel("Radius").nth(0).inputValue(), "2778");
  assert.equal(await state(page, "q.chart.pen.drawing"), false);
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Pilot station is saved.");
  const circle = await shapeNamed("Pilot station");
  assert.equal(circle.circle.radius, 2778);
  assert.ok(Math.abs(circle.circle.center.coordinates[0] - 10.4) < 0.1);
  await page.getByText("radius").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "New line" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Fairway");
  await page.getByLabel("Places").fill("56°04.5'N 010°20.0'E\nnowhere");
  await page.getByText("line 2 is no latitude and longitude").waitFor();
  await page.getByLabel("Places").fill("56°04.5'N 010°20.0'E\n56.1 10.4\n56,12 10,45");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Fairway is saved.");
  const near = (await shapeNamed("Fairway")).line.coordinates.map((p) => p.map((v) => Number(v.toFixed(5))));
  assert.deepEqual(near, [
    [10.33333, 56.075],
    [10.4, 56.1],
    [10.45, 56.12],
  ]);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("what the API says of a shape stands at its field, and leaving what is not saved is asked about", async () => {
  const page = await enter({ hash: "&w=shapes/new/circle" });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("PILOT  station");
  await page.getByLabel("Centre").fill("56.1 10.4");
  await page.getByLabel("Radius").nth(0).fill("500");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is used by another shape").waitFor();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard the changes" }).click();
  await page.getByRole("button", { name: "New circle" }).waitFor();
  assert.equal(await state(page, "q.chart.pen === undefined"), true);
  await page.context().close();
});

test("a shape across 180 degrees is drawn, saved and shown as the small one that it is", async () => {
  const page = await enter({ hash: "&w=shapes/new/polygon" });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Dateline");
  await view(page, 180, -17, 8);
  await pen(page);
  await clicks(page, [
    [300, 200],
    [700, 200],
    [700, 500],
    [300, 500],
  ]);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Dateline is saved.");
  const saved = await shapeNamed("Dateline"),
    lons = saved.polygon.coordinates[0].map((p) => p[0]);
  assert.ok(lons.some((l) => l > 178) && lons.some((l) => l < -178) && lons.every((l) => Math.abs(l) > 177), String(lons));
  await page.reload();
  await until("it is drawn", () => state(page, `q.chart?.shapes.drawn.has(${JSON.stringify(saved.uid)})`));
  await atRest(page);
  for (const [lon, inside] of [
    [179.5, true],
    [-179.5, true],
    [180, true],
    [176.5, false],
    [-176.5, false],
  ]) {
    const [x, y] = await pixelOf(page, lon, -17);
    assert.equal(await ink(page, x, y), inside, `longitude ${lon}`);
  }
  await view(page, 0, 0, 2.5);
  const [x, y] = await pixelOf(page, 0, -17);
  assert.equal(await ink(page, x, y), false, "it does not go the long way round");
  await page.context().close();
});

test("on the phone: an area is tapped, finished by a button and saved; what can be touched is large enough", async () => {
  const page = await enter({ width: 390, height: 844, touch: true, hash: "&w=shapes" });
  await page.getByRole("button", { name: "New area" }).tap();
  await view(page, 10.6, 56.3, 12);
  for (const [x, y] of [
    [120, 160],
    [280, 150],
    [260, 320],
  ]) {
    await page.touchscreen.tap(x, y);
    await page.waitForTimeout(350); // not a double tap
  }
  await shot(page, "shape-phone");
  await page.getByRole("button", { name: "Finish" }).tap();
  const [before] = await state(page, "q.chart.pen.form.chains[0]"),
    centre = await state(page, "q.centre.lon");
  const { x, y } = await page.locator("#map").boundingBox(),
    touch = await page.context().newCDPSession(page);
  const finger = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const [vx, vy] = await state(page, "q.chart.pen.pixel(q.chart.screen, q.chart.pen.form.chains[0][0])");
  await finger("touchStart", [{ x: x + vx + 12, y: y + vy + 8 }]);
  for (const d of [10, 20, 30]) await finger("touchMove", [{ x: x + vx + 12 + d, y: y + vy + 8 + d }]);
  await finger("touchEnd", []);
  const [moved] = await state(page, "q.chart.pen.form.chains[0]");
  assert.ok(moved[0] > before[0] && moved[1] < before[1], "a finger moved the corner");
  assert.equal(await state(page, "q.centre.lon"), centre, "and not the map");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("By hand");
  const faults = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, textarea, select")].flatMap((e) => {
      const r = e.getBoundingClientRect();
      if (r.width === 0 || r.bottom < 0 || r.top > innerHeight) return [];
      return r.width < 43.5 || r.height < 43.5
        ? [`${e.getAttribute("aria-label") || e.textContent || e.name}: ${r.width} × ${r.height}`]
        : [];
    }),
  );
  assert.deepEqual(faults, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.getByRole("button", { name: "Save" }).tap();
  await noticed(page, "By hand is saved.");
  assert.equal((await shapeNamed("By hand")).polygon.coordinates[0].length, 4);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a ship list is made by search and by pasting, filters the map, takes a ship from its card, and is deleted", async () => {
  const page = await enter({ hash: "&w=lists" });
  await page.getByText("No ship lists yet").waitFor();
  await page.getByRole("button", { name: "New list" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill('Tugs "north"');
  const name = await state(page, "q.picture.ships.get(219018004).name");
  await page.getByLabel("Add a ship").fill(name.toLowerCase());
  await page.locator(".options button").first().click();
  await page.getByText(`${name} is added.`).waitFor();
  assert.equal(await page.getByLabel("Add a ship").evaluate((e) => e === document.activeElement), true, "the next can be typed at once");
  await page.keyboard.type("no such ship at all");
  await page.keyboard.press("Enter"); // adds, and does not save the list
  await page.getByRole("button", { name: "Remove no such ship at all" }).click();
  await page.getByRole("button", { name: "Paste many numbers" }).click();
  await page.getByLabel("MMSIs and IMO numbers").fill("219018005;219018006\n219018004, 12345 and 211999999");
  await page.getByRole("button", { name: "Add 4 ships" }).click();
  await page.getByText("3 ships are added. 1 were there already. Not read: 12345").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is saved: 4 ships.").waitFor();
  await page.getByRole("button", { name: "Filter map: Tugs" }).click();
  await until("three of the four are heard", () => state(page, "q.picture.ships.size === 3"));
  await until("the box says so", async () => (await page.locator("#search").inputValue()) === 'shiplist = "Tugs \\"north\\""');
  await state(page, "q.search.setText('')");
  await until("all are back", () => state(page, "q.picture.ships.size > 30"));
  await state(page, "q.navigation.go('map')");
  await state(page, "q.selection.select(219018010)");
  await page.locator(".card").getByRole("button", { name: "Add to a list" }).click();
  await page.locator(".choices").getByRole("button", { name: /Tugs/ }).click();
  await page.getByText('is on the list Tugs "north".').waitFor();
  const [list] = (await call("GET", "config/shiplist")).records;
  assert.deepEqual(list.ships.map((s) => s.mmsi).sort(), [211999999, 219018004, 219018005, 219018006, 219018010]);
  await call("POST", "config/filter", { name: "Only tugs", filter: 'shiplist = "Tugs \\"north\\""' });
  await state(page, `q.navigation.go('lists', ${JSON.stringify(list.uid)})`);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Its 5 entries are deleted.").waitFor();
  await dialog.getByText("Only tugs").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await noticed(page, "is deleted.");
  assert.deepEqual((await call("GET", "config/shiplist")).records, []);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the filter of the map is saved, shared, used again and deleted; a wrong one is told at its field", async () => {
  const page = await enter();
  await page.locator("#search").fill("sog > 5");
  await page.keyboard.press("Enter");
  await until("the server's filter", () => state(page, "q.live.filter === 'sog > 5'"));
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("button", { name: "New filter" }).click();
  const name = page.getByRole("textbox", { name: "Name", exact: true }),
    filter = page.getByRole("textbox", { name: "Filter", exact: true });
  assert.equal(await filter.inputValue(), "sog > 5");
  await name.fill("Under way");
  await filter.fill("spede > 5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field.invalid", { hasText: "unknown field 'spede'; type speed" }).waitFor();
  await filter.fill("sog > 6");
  await page.getByRole("combobox", { name: "Shared with" }).fill("viewer");
  await page.getByRole("combobox", { name: "Shared with" }).press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Under way is saved.");
  const saved = (await call("GET", "config/filter", undefined, looker)).records.find((f) => f.name === "Under way");
  assert.equal(saved.filter, "sog > 6");
  await page.getByRole("button", { name: "Filter map: Under way" }).click();
  await until("the map shows it", () => state(page, "q.live.filter === 'sog > 6'"));
  await state(page, `q.navigation.go('filters', ${JSON.stringify(saved.uid)})`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("viewer can no longer use it.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await noticed(page, "Under way is deleted.");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a list of a thousand ships opens at once, and only the rows in sight exist", async () => {
  const { uid } = await call("POST", "config/shiplist", {
    name: "Expected",
    max: 1000,
    ships: Array.from({ length: 1000 }, (_, i) => ({ mmsi: 211000000 + i, name: "SHIP " + i })),
  });
  const page = await enter({ hash: "&w=lists/" + uid });
  await page.locator(".listships .row", { hasText: "SHIP 12" }).first().waitFor();
  assert.ok((await page.locator(".listships .all .row").count()) < 60);
  await page.getByRole("button", { name: "Remove SHIP 0", exact: true }).waitFor();
  await page.getByLabel("Search in Ships").fill("ship 999");
  await page.locator(".listships .row", { hasText: "SHIP 999" }).waitFor();
  await page.getByLabel("Add a ship").fill("219018004");
  await page.locator(".options button").first().click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is less than the 1,001 ships of the list").waitFor();
  await call("DELETE", "config/shiplist/" + uid);
  await page.context().close();
});

test("a ship without a transponder is entered with a place from the map, stands there, and goes with its entry", async () => {
  const page = await enter({ hash: "&w=register" });
  await page.getByText("Nothing is registered yet").waitFor();
  await page.getByRole("button", { name: "New entry" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("BARGE " + script.slice(0, 20));
  await page.getByRole("spinbutton", { name: "Length" }).fill("40");
  await page.getByLabel("Note").fill(script);
  await page.getByLabel("IMO number").fill("9321484");
  await view(page, 10.5, 56.15, 13);
  await page.getByRole("button", { name: "Pick on the map" }).click();
  await pen(page);
  await clicks(page, [[420, 300]]);
  await until("the place", async () => /56°\d\d\.\d+'N 010°\d\d/.test(await page.getByLabel("Position").inputValue()));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is no IMO number").waitFor();
  await page.getByLabel("IMO number").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "is registered.");
  await until("it is on the map", () => state(page, "q.picture.ships.get(9900000001)?.source === 'register'"));
  await until("it is drawn where the click was", () =>
    state(
      page,
      "(() => { const p = q.chart.pixel(q.picture.ships.get(9900000001)); return p && Math.hypot(p[0] - 420, p[1] - 300) < 3; })()",
    ),
  );
  const ring = await page.evaluate(() => {
    const { canvas } = globalThis.quaywatch.chart.painter,
      ratio = canvas.width / document.getElementById("map").clientWidth,
      c = canvas.getContext("2d");
    return Array.from(
      { length: 24 },
      (_, i) =>
        c.getImageData(
          Math.round((420 + 11 * Math.cos((i * Math.PI) / 12)) * ratio),
          Math.round((300 + 11 * Math.sin((i * Math.PI) / 12)) * ratio),
          1,
          1,
        ).data[3] > 60,
    ).filter(Boolean).length;
  });
  assert.ok(ring >= 6 && ring < 24, `${ring} of 24 places on the ring are inked: it is dashed`);
  await state(page, "q.selection.select(9900000001)");
  await page.locator(".card").getByText("not heard, entered by hand").waitFor();
  assert.equal(await page.locator("img:not(.kind)").count(), 0, "names and notes stay text");
  await shot(page, "register-entry");
  await page.locator(".card").getByRole("button", { name: "Register" }).click();
  await page.getByLabel("Gross tonnage").fill("420");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "New entry" }).waitFor();
  const [entry] = (await call("GET", "portserver/ship/register")).records;
  assert.deepEqual([entry.gt, entry.length, entry.note], [420, 40, script]);
  await state(page, "q.navigation.go('register', '9900000001')");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await until("it is gone from the map", () => state(page, "!q.picture.ships.has(9900000001)"));
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("another program selects ships: the open client goes there, names the program, and goes back", async () => {
  const page = await enter();
  await view(page, 12, 55, 9);
  const from = await state(page, "[q.centre.lon, q.centre.lat, q.centre.zoom]");
  const began = Date.now();
  await call("POST", "portserver/ship/select", { owner: "erp1 " + script, ships: [{ mmsi: 219018004 }], zoom: 14 });
  await page.waitForFunction(() => Math.abs(globalThis.quaywatch.chart.screen.resolution - 9.55) < 0.1);
  console.log(`selection: the map had arrived after ${Date.now() - began} ms`);
  await atRest(page);
  await page.locator(".selection", { hasText: "erp1 <img" }).waitFor();
  await page.locator(".card h2").waitFor();
  const [x, y] = await state(page, "q.chart.pixel(q.picture.ships.get(219018004))"),
    map = await page.locator("#map").boundingBox();
  assert.ok(
    Math.hypot(x - (map.width - 350) / 2, y - map.height / 2) < 60,
    `it is at ${x}, ${y}, in the middle of what the card leaves free`,
  );
  await page.getByRole("button", { name: "Back to where I was" }).click();
  await until("the view of before", async () => {
    const now = await state(page, "[q.centre.lon, q.centre.lat, q.centre.zoom]");
    return now.every((v, i) => Math.abs(v - from[i]) < 0.01);
  });
  await call("POST", "portserver/ship/select", {
    owner: "erp1",
    ships: [{ mmsi: 219018004 }, { mmsi: 219018005 }, { mmsi: 219018006 }, { mmsi: 219018007 }],
  });
  await page.locator(".selection", { hasText: "and 1 more" }).waitFor();
  await until("all four are in view and framed", () =>
    state(
      page,
      "q.chart.painter.look.marked.size === 4 && [...q.chart.painter.look.marked].every((m) => q.chart.pixel(q.picture.ships.get(m)))",
    ),
  );
  await shot(page, "selection");
  await call("POST", "portserver/ship/select", { owner: "erp1", ships: [] });
  await page.locator(".selection").waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a user at drawing is not carried off: a selection asks first", async () => {
  const page = await enter({ hash: "&w=shapes/new/line" });
  await view(page, 12, 55, 9);
  await pen(page);
  await clicks(page, [
    [300, 300],
    [400, 350],
  ]);
  await call("POST", "portserver/ship/select", { owner: "erp2", ships: [{ mmsi: 219018004 }] });
  await page.locator(".selection").waitFor();
  assert.ok(Math.abs((await state(page, "q.centre.lon")) - 12) < 0.01, "the map stayed");
  await page.locator(".selection").getByRole("button", { name: "Show" }).click();
  await until("now it goes", async () => Math.abs((await state(page, "q.centre.lon")) - 12) > 1);
  assert.equal(await state(page, "q.chart.pen.form.chains[0].length"), 2, "and the drawing is still there");
  await call("POST", "portserver/ship/select", { owner: "erp2", ships: [] });
  await page.context().close();
});

test("a region is shared with a group; an unknown name is told at the field, and what a filter needs is not deleted", async () => {
  const page = await enter({ hash: "&w=shapes/new/circle" });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Roads");
  await page.getByLabel("Centre").fill("56°03.0'N 010°24.0'E");
  await page.getByLabel("Radius").nth(0).fill("700");
  await page.getByLabel("Region number").fill("7");
  const shared = page.getByRole("combobox", { name: "Shared with" });
  for (const name of ["viewer", "nobody-here"]) {
    await shared.fill(name);
    await shared.press("Enter");
  }
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must name a group or user").waitFor();
  await page.getByRole("button", { name: "Remove nobody-here" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "Roads is saved.");
  const roads = await shapeNamed("Roads");
  assert.deepEqual([roads.region, roads.acl.map((r) => r.name)], [7, ["viewer"]]);
  assert.ok((await call("GET", "config/shape", undefined, looker)).records.some((s) => s.name === "Roads"));
  await call("POST", "config/user", {
    name: "fenced",
    password: "sees-the-roads-only",
    groups: ["viewer"],
    receive_filter: { areas: ["Roads"] },
  });
  await page.getByText("7 · Roads").click();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("viewer can no longer use it.").waitFor();
  await dialog.getByText("Region 7 is no longer there.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Roads was not deleted. Still needed by the user fenced.").waitFor();
  assert.equal((await shapeNamed("Roads")).uid, roads.uid);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a user without the rights sees what is shared, and nothing to change it with", async () => {
  await call("POST", "config/shape", {
    name: "Shared " + script,
    acl: ["viewer"],
    type: "circle",
    circle: { center: { type: "Point", coordinates: [10.3, 56.1] }, radius: 900 },
  });
  await call("POST", "config/shiplist", { name: "Shared list", acl: ["viewer"], ships: [{ mmsi: 219018004 }] });
  await call("POST", "portserver/ship/register", { name: "HULK", position: { type: "Point", coordinates: [10.31, 56.11] } });
  const page = await enter({ hash: "&w=shapes" }, looker);
  await page.getByText("Shared <img").click();
  await page.getByText("This is admin's. You can use it, not change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Save|Delete/ }).count(), 0);
  assert.equal(await state(page, "q.chart.pen === undefined"), true, "and no pen");
  await state(page, "q.navigation.go('lists')");
  await page.getByText("Shared list").click();
  await page.getByText("This is admin's.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Save|Delete|New|Remove/ }).count(), 0);
  await state(page, "q.navigation.go('register')");
  await page.getByText("HULK").click();
  await page.getByText("You may look at this entry, not change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Delete|Pick/ }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
  assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).isDisabled(), true);
  await state(page, "q.navigation.go('map')");
  await state(page, "q.selection.select(219018004)");
  await page.locator(".card h2").waitFor();
  assert.equal(
    await page
      .locator(".card")
      .getByRole("button", { name: /list|Register/ })
      .count(),
    0,
  );
  assert.equal(await page.locator("img:not(.kind)").count(), 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
