// The port of the box, and the way to its lists, in a real browser against the real program. Presses are counted.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { aarhus, cameToday, crowd, fleet, harbour, lastMinute, quays } from "./harbour.mjs";
import { staged } from "./stage.mjs";
import { findings, open, password, pressing, Program, shot, signIn, state, until } from "./support.mjs";

const end = lastMinute();

const stage = staged({
  ships: 20,
  async start(stage) {
    stage.program = await Program.serve();
    await stage.call("PUT", `config/shape/port/${aarhus.id}`, quays);
    await stage.program.remembers(harbour([...fleet, ...crowd.slice(0, 3)], end));
  },
  async prepare({ call, program }) {
    let found;
    await until("the past is searched for calls", async () => {
      found = (await call("GET", `portserver/port/calls/${aarhus.id}?open=true`)).records;
      return found.length === 7;
    }).catch(({ message }) => {
      throw new Error(`${message}: ${JSON.stringify(found)}\n${program.output}`);
    });
  },
});
const { call } = stage;

const heading = (page) => page.getByRole("heading", { name: "Aarhus · DKAAR" });
const arrivedToday = (page) =>
  until(
    "the ships of today",
    async () => cameToday(await page.locator(".porttable .all .row").count(), fleet, end) && page.url().includes("/arrived"),
  );
const keep = (page, values) =>
  page.evaluate((values) => {
    for (const [key, value] of Object.entries(values)) localStorage.setItem("quaywatch." + key, value);
  }, values);
// named starts the program anew with a port in its configuration.
async function named(home) {
  const { config } = stage.program;
  await stage.program.stop();
  const text = readFileSync(config, "utf8").replace(/\n\[port\][\s\S]*$/, "");
  writeFileSync(config, text + (home ? `\n[port]\nhome = ${JSON.stringify(home)}\n` : ""));
  await stage.program.start();
}

test("nobody has named the port: it is offered once, and arrived today takes two presses even then", async () => {
  const page = await open(stage.browser, stage.program.url),
    counted = pressing();
  await signIn(page, 10);
  await counted.press(page.getByRole("navigation", { name: "Ships of the port" }).getByRole("button", { name: "Arrived" }));
  await page.getByRole("heading", { name: "Is this your port?" }).waitFor();
  assert.match(await page.locator(".offered").innerText(), /Aarhus DKAAR · Denmark\s+\d+ ships are within 10 km/);
  assert.deepEqual(await findings(page, { part: ".offered" }), []);
  await shot(page, "home-offer");
  await counted.press(page.getByRole("button", { name: "Yes", exact: true }));
  await heading(page).waitFor();
  await arrivedToday(page);
  assert.equal(counted.presses, 2);
  await page.getByRole("button", { name: "Ships", exact: true }).click();
  await page.locator(".list").waitFor();
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("navigation", { name: "Menu" }).getByRole("button", { name: "Port", exact: true }).click();
  await heading(page).waitFor(); // it is not asked again
  assert.equal(await page.getByRole("heading", { name: "Is this your port?" }).count(), 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("another port is the user's, and no is an answer that is kept", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await page.evaluate(() => (location.hash = "port"));
  await page.getByRole("button", { name: "Another" }).click();
  await page.getByRole("heading", { name: "Which is your port?" }).waitFor();
  const field = page.getByRole("combobox", { name: "Port, or LOCODE" });
  await field.pressSequentially("*borg");
  await page.getByRole("option").nth(1).waitFor();
  const second = await page.getByRole("option").nth(1).locator("b").innerText();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.getByRole("option", { selected: true }).locator("b").innerText(), second);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: new RegExp(`^${second} · `) }).waitFor();
  await page.getByRole("button", { name: "This is your port" }).waitFor();
  await page.evaluate(() => (location.hash = "port/left"));
  await page.getByRole("heading", { name: new RegExp(`^${second} · `) }).waitFor();
  await until("the list of the address", () => page.url().includes("/left"));
  await page.getByRole("button", { name: "This is your port" }).click(); // it is no longer
  await page.getByRole("button", { name: "Make this your port" }).waitFor();
  await page.evaluate(() => (location.hash = "port"));
  await page.getByRole("button", { name: "No", exact: true }).click();
  await page.getByRole("heading", { name: "Port", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("option", { name: second }).waitFor(); // the last port is offered, and the question is not asked again
  assert.equal(await page.getByRole("heading", { name: "Is this your port?" }).count(), 0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: new RegExp(`^${second} · `) }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a watchdog's port is taken from what is offered by the arrow keys and Enter, the last port first", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await keep(page, { "port.last": JSON.stringify([{ id: aarhus.id, name: "Aarhus", locode: "DKAAR" }]) });
  await page.evaluate(() => (location.hash = "w=watchdogs/new/port"));
  const field = page.getByRole("combobox", { name: "Port", exact: true });
  await field.focus();
  await page.getByRole("option", { name: "Aarhus DKAAR" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("the last port is taken", async () => (await field.inputValue()) === "DKAAR");
  await field.fill("gothenb");
  await page.getByRole("option", { name: /SEGOT/ }).waitFor();
  await page.keyboard.press("Enter"); // the first, and the form stays
  await until("the first is taken", async () => (await field.inputValue()) === "SEGOT");
  assert.equal(await page.locator(".porting [role=option]").count(), 0);
  await field.fill("");
  await page.getByRole("option", { name: "Aarhus DKAAR" }).waitFor();
  await shot(page, "home-watchdog");
  await page.keyboard.press("Tab");
  await page.locator(".porting [role=option]").waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the planner offers the last ports by the arrow key", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  const position = { coordinates: [aarhus.lon, aarhus.lat] };
  await keep(page, { "port.last": JSON.stringify([{ id: aarhus.id, name: "Aarhus", locode: "DKAAR", position }]) });
  await page.evaluate(() => (location.hash = "w=route"));
  const from = page.locator(".planner .stop input").first();
  await from.focus();
  assert.equal(await page.locator(".planner [role=option]").count(), 0, "what covers the next field is asked for first");
  await page.keyboard.press("ArrowDown");
  await page.locator(".planner [role=option][aria-selected=true]", { hasText: "Aarhus" }).waitFor();
  await page.keyboard.press("Enter");
  await until("the last port is the end", async () => /^Aarhus/.test(await from.inputValue()));
  assert.equal(await page.locator(".planner [role=option]").count(), 0);
  const to = page.locator(".planner .stop input").nth(1);
  await to.focus();
  await to.pressSequentially("SEGOT");
  await page.locator(".planner [role=option]", { hasText: "SEGOT" }).waitFor();
  await page.keyboard.press("Enter");
  await until("the port that was taken is the latest", () =>
    page.evaluate(
      () =>
        JSON.parse(localStorage.getItem("quaywatch.port.last"))
          .map((one) => one.locode)
          .join() === "SEGOT,DKAAR",
    ),
  );
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a port that was deleted is nobody's port any more", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  const { id } = await call("POST", "config/shape/port", { name: "Old Harbour", position: { type: "Point", coordinates: [10.5, 56.3] } });
  await keep(page, { "port.home": String(id), "port.last": JSON.stringify([{ id, name: "Old Harbour" }, 7, { id: "x" }]) });
  await page.evaluate(() => (location.hash = "port"));
  await page.getByRole("heading", { name: "Old Harbour" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await call("DELETE", `config/shape/port/${id}`);
  await page.evaluate(() => (location.hash = "port"));
  await page.getByText("there is no such port").waitFor();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.getByRole("combobox", { name: "Port, or LOCODE" }).waitFor();
  assert.equal(await page.getByRole("option", { name: "Old Harbour" }).count(), 0);
  await page.evaluate(() => (location.hash = "port"));
  await page.getByRole("heading", { name: "Is this your port?" }).waitFor();
  await page.context().close();
});

test("the port of the configuration is opened by menu, tab and address, and whoever may not see ports is told of none", async () => {
  await named("dkaar");
  const counted = pressing();
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await counted.press(page.getByRole("navigation", { name: "Ships of the port" }).getByRole("button", { name: "Arrived" }));
  await heading(page).waitFor();
  await arrivedToday(page);
  assert.equal(counted.presses, 1); // on a phone the list is opened first
  await page.getByRole("button", { name: "This is the port of the box" }).waitFor();
  assert.ok(await page.locator("#map canvas").first().isVisible(), "the map stands beside it");
  await page.context().close();

  const byAddress = await open(stage.browser, stage.program.url, { hash: "&port" });
  await signIn(byAddress, 0);
  await heading(byAddress).waitFor();
  assert.match(byAddress.url(), new RegExp(`w=port/${aarhus.id}`));
  await byAddress.context().close();

  const phone = await open(stage.browser, stage.program.url, { width: 390, height: 844, touch: true }),
    pressed = pressing();
  await signIn(phone, 0);
  await pressed.press(phone.getByRole("button", { name: "Show the ship list" }));
  await pressed.press(phone.getByRole("navigation", { name: "Ships of the port" }).getByRole("button", { name: "Arrived" }));
  await heading(phone).waitFor();
  await arrivedToday(phone);
  assert.equal(pressed.presses, 2);
  await phone.context().close();

  await call("POST", "config/user", { name: "landsman", password, groups: ["operator"] });
  await call("PUT", "config/user/landsman", { access_rights: { view_port: "deny" } });
  const other = await open(stage.browser, stage.program.url, { hash: "&port" });
  await other.getByLabel("User name").fill("landsman");
  await other.getByLabel("Password").fill(password);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByText(/landsman may not open this page/).waitFor();
  await other.getByRole("button", { name: "Back to the map" }).click();
  await other.locator(".list").waitFor();
  assert.equal(await other.locator(".porttabs").count(), 0);
  await other.context().close();
});

test("from the map each task of a watch takes no more presses than it may", async () => {
  await named("DKAAR");
  const waits = {
    mmsi: 219777001,
    name: "OIL ROADS",
    lon: 10.4,
    lat: 56.1,
    sog: 0,
    cog: 0,
    heading: 90,
    type: 80,
    dim: [90, 90, 15, 15],
    draught: 8,
  };
  const small = { ...waits, mmsi: 219777002, name: "OIL BARGE", lon: 10.42, dim: [30, 30, 6, 6] };
  const says = setInterval(() => {
    for (const one of [waits, small]) stage.feeder.say(position({ ...one, status: 1 }) + voyage({ ...one, destination: "DKAAR" }));
  }, 1000);
  const tasks = {
    "where is a ship": [
      2,
      async (page, { type, press }) => {
        await type(page.locator("#search"), "OIL ROADS");
        await press(page.getByRole("option", { name: /OIL ROADS/ }));
        await page.locator(".card h2", { hasText: "OIL ROADS" }).waitFor();
        await until("the map shows it", () => state(page, "Math.abs(q.centre.lon - 10.4) < 0.3"));
      },
    ],
    "all tankers": [
      1,
      async (page, { type }) => {
        await type(page.locator("#search"), "tanker");
        await until("tankers alone, on the map and in the list", async () => {
          const tankers = await state(page, "[...q.picture.ships.values()].filter((s) => s.type_code >= 80 && s.type_code < 90).length");
          const rows = await page.locator(".list .all .row").allInnerTexts();
          return tankers >= 2 && rows.length === tankers && (await state(page, "q.search.shown")) === tankers;
        });
      },
    ],
    "tankers over 150 m at anchor": [
      1,
      async (page, { type }) => {
        await type(page.locator("#search"), "tankers over 150 m at anchor");
        await until("the one", async () => {
          const rows = await page.locator(".list .all .row").allInnerTexts();
          return rows.length === 1 && rows[0].includes("OIL ROADS");
        });
      },
    ],
    "which tankers arrived today": [
      2,
      async (page, { press, choose }) => {
        await press(page.getByRole("navigation", { name: "Ships of the port" }).getByRole("button", { name: "Arrived" }));
        await choose(page.getByLabel("Type of ship"), "tanker");
        const tankers = fleet.filter((one) => one.type >= 80 && one.type < 90);
        await until("the tankers of today", async () => cameToday(await page.locator(".porttable .all .row").count(), tankers, end));
        assert.match(page.url(), /\/arrived\/tanker/);
      },
    ],
    "where a ship sailed in the last six hours": [
      2,
      async (page, { press }) => {
        await press(page.locator(".list .row", { hasText: "OIL ROADS" }));
        await press(page.locator(".card").getByRole("button", { name: "Track of the last 6 hours" }));
        await page.waitForFunction(() => globalThis.quaywatch.tracks.all[0]?.state === "shown");
      },
    ],
  };
  for (const [task, [most, answer]] of Object.entries(tasks)) {
    const page = await open(stage.browser, stage.program.url),
      counted = pressing();
    await signIn(page, 10);
    await until("both tankers are heard", () => state(page, "[219777001, 219777002].every((n) => q.picture.ships.get(n)?.name)"));
    await answer(page, counted);
    assert.ok(counted.presses <= most, `${task}: ${counted.presses} presses`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
  clearInterval(says);
});

test("a box without ships asks which port is the user's, and says what is wrong with its configuration", async () => {
  const empty = await Program.serve({ feeds: 0, more: '[port]\nhome = "Nowhere Haven"\n' });
  try {
    const page = await open(stage.browser, empty.url, { hash: "&port" });
    await signIn(page, 0);
    await page.getByRole("heading", { name: "Which is your port?" }).waitFor();
    await page.getByText("The configuration names “Nowhere Haven”").waitFor();
    await page.getByRole("combobox", { name: "Port, or LOCODE" }).fill("dkaar");
    await page.keyboard.press("Enter"); // before there is an answer
    await heading(page).waitFor();
    await page.getByRole("button", { name: "This is your port" }).waitFor();
    await page.context().close();
  } finally {
    await empty.remove();
  }
});
