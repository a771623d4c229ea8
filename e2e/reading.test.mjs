// What is read of a ship, in a real browser: the same words and figures wherever it is shown, in both languages and at all sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { open, password, secret, shot, signIn, state, until, whole } from "./support.mjs";

const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  [320, 640],
];
const chemical = {
  mmsi: 211000711,
  name: "ALSTER STERN",
  type: 81,
  lon: 10.28,
  lat: 56.13,
  cog: 4.6,
  heading: 5,
  sog: 12.34,
  dim: [511, 511, 20, 20],
  draught: 11.4,
  destination: "DEHAM",
  eta: [12, 24, 18, 30],
};
const tug = { mmsi: 211000052, name: "BUGSIER 7", type: 52, lon: 10.24, lat: 56.14, cog: 180, heading: 180, sog: 0 };

const stage = staged({ ships: 30, prepare: ({ feeder }) => feeder.ships.push(chemical, tug) });
const { call } = stage;

// inGerman signs in and has the page speak German.
async function inGerman(page) {
  await signIn(page, 1);
  await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
  await until("the ships say what they are", () =>
    state(page, `[${chemical.mmsi}, ${tug.mmsi}].every((mmsi) => q.picture.ships.get(mmsi)?.type_code)`),
  );
}

const rowOf = (page, name) => page.locator(".list [role=row]", { hasText: name });

// hover brings the pointer to a ship on the map, and again while the map still moves, until the tip has a text.
async function hover(page, ship, text) {
  await until(`a tip with ${text}`, async () => {
    await pointAt(page, ship);
    return await page
      .locator(".tip", { hasText: text })
      .waitFor({ timeout: 1000 })
      .then(() => true)
      .catch(() => false);
  });
}

async function pointAt(page, { mmsi }) {
  await page.mouse.move(0, 0);
  const at = await state(
    page,
    `q.chart.map.getPixelFromCoordinate([q.picture.x, q.picture.y].map((of) => of[q.picture.ships.get(${mmsi}).slot]))`,
  );
  const box = await page.locator("#map").boundingBox();
  await page.mouse.move(box.x + at[0], box.y + at[1]);
}

test("German has the type of a ship and its hazardous category in list, card, search and tip", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.28,56.13,13" });
  await inGerman(page);
  const kind = "Tanker, Gefahrenkategorie A";
  const cell = rowOf(page, chemical.name).locator(`[title="${kind}"]`);
  await until("the row", async () => (await cell.textContent()) === "Tanker A");
  assert.match(await rowOf(page, tug.name).innerText(), /Schlepper\n/);
  await page.locator("#search").fill("ALSTER");
  await page.locator("#found li", { hasText: `${kind} · Deutschland` }).waitFor();
  await page.locator("#search").fill("");
  await hover(page, chemical, kind);
  await rowOf(page, chemical.name).click();
  await page.locator(".card .head p", { hasText: `${kind} · Deutschland` }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a figure is written alike in list, card, tip and track, in both languages", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.28,56.13,13" });
  await inGerman(page);
  for (const [language, point, comma] of [
    ["de", ",", "."],
    ["en", ".", ","],
  ]) {
    await page.evaluate((code) => globalThis.quaywatch.setLanguage(code), language);
    const row = rowOf(page, chemical.name);
    await page.evaluate(() => {
      const { selection, settings } = globalThis.quaywatch;
      selection.close();
      settings.setColumns(["type", "length", "sog", "cog", "heard", "distance"]);
    });
    await until("the row", async () => (await row.locator(".sog").textContent()) === `12${point}3`);
    assert.equal(await row.locator(".length").textContent(), `1${comma}022`);
    assert.equal(await row.locator(".cog").textContent(), "005°");
    await hover(page, chemical, `12${point}3 kn · 005°`);
    await row.click();
    const card = page.locator(".card");
    for (const text of [`12${point}3 kn`, `11${point}4 m`, `1${comma}022 × 40 m`]) await card.getByText(text, { exact: true }).waitFor();
    await card.getByText(new RegExp(`^56°0\\d\\${point}\\d{3}'N 010°1\\d\\${point}\\d{3}'E$`)).waitFor();
    await card.getByRole("button", { name: language === "de" ? "Track der letzten 6 Stunden" : "Track of the last 6 hours" }).click();
    const chart = card.locator(".speedchart");
    await chart.focus();
    await page.keyboard.press("End");
    await card.locator(".fix", { hasText: `12${point}3 kn` }).waitFor();
    await page.evaluate(() => globalThis.quaywatch.tracks.clear());
  }
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

// atSizes opens a page of each size, in turns by day and by night, and of both languages; of one in turn where the tests are not whole.
async function atSizes(look) {
  for (const [at, [width, height]] of sizes.entries()) {
    for (const [turn, language] of ["en", "de"].entries()) {
      if (!whole && turn !== Math.floor(at / 2)) continue;
      const page = await open(stage.browser, stage.program.url, {
        width,
        height,
        palette: (at % 2 === 0) === (language === "en") ? "day" : "night",
      });
      await inGerman(page);
      await page.evaluate((code) => globalThis.quaywatch.setLanguage(code), language);
      await look(page, `${width}-${language}`);
      assert.deepEqual(page.clean(), []);
      await page.context().close();
    }
  }
}

test("neither an age nor the letter of a hazardous cargo is cut in the list, at any size", async () => {
  await atSizes(async (page, name) => {
    await page.evaluate(() => {
      const { picture, settings } = globalThis.quaywatch;
      const now = picture.now.bind(picture);
      picture.now = () => now() + 118 * 60e3; // the longest age there is
      settings.setList(true);
    });
    const age = page.locator(".list .all .row [role=gridcell].heard");
    await until(`${name}: ages`, async () => /^11[89] min$/.test(await age.first().textContent()));
    const cut = await page.evaluate(() => {
      const rows = document.querySelector(".list .rows");
      const edge = Math.min(innerWidth, rows.getBoundingClientRect().left + rows.clientWidth);
      const cells = [...document.querySelectorAll(".list .heard, .list .type")];
      const letters = (cell) => cell.matches(".heard") || / [A-D]$/.test(cell.textContent);
      return cells
        .filter((cell) => letters(cell) && (cell.scrollWidth > cell.clientWidth || cell.getBoundingClientRect().right > edge))
        .map((cell) => cell.textContent);
    });
    assert.deepEqual(cut, [], name);
    await shot(page, `reading-list-${name}`);
    await page.evaluate((mmsi) => {
      const { selection, settings } = globalThis.quaywatch;
      if (innerWidth < 900) settings.setList(false);
      selection.select(mmsi, "go");
    }, chemical.mmsi);
    await page.locator(".card dl").waitFor();
    await shot(page, `reading-card-${name}`);
  });
});

// enter fills the sign-in of a user.
async function enter(page, name, word = secret) {
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(word);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const lacking = (name) => `${name} may not use the web client: the right web_online_access is missing. Ask your administrator for it.`;

test("a new user without rights is warned of at once, and reads at the sign-in which right is missing", async () => {
  const desk = await open(stage.browser, stage.program.url, { hash: "&w=users/new" });
  await enter(desk, "admin", password);
  await desk.locator("header").waitFor();
  await desk.getByLabel("User name").fill("lotte");
  await desk.getByLabel("Password", { exact: true }).fill(secret);
  await desk.getByRole("button", { name: "Make the user" }).click();
  const warning = desk.getByRole("alert").filter({ hasText: "lotte cannot sign in anywhere" });
  await warning.waitFor();
  await shot(desk, "reading-powerless");

  const page = await open(stage.browser, stage.program.url);
  await enter(page, "lotte", "some-other-password");
  const problem = page.locator(".signin .problem");
  await page.getByText("Name or password is not right.").waitFor();
  await enter(page, "lotte");
  await until("the right", async () => (await problem.textContent()) === lacking("lotte"));
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("button", { name: "Anmelden" }).click();
  await until("in German", async () =>
    (await problem.textContent()).startsWith("lotte darf den Web-Client nicht benutzen: Das Recht web_online_access"),
  );
  await page.getByRole("button", { name: "English" }).click();

  await desk.getByLabel("Groups").fill("viewer");
  await desk.getByLabel("Groups").press("Enter");
  await desk.getByRole("button", { name: "Save the user" }).click();
  await warning.waitFor({ state: "detached" });
  await enter(page, "lotte");
  await page.locator("header").waitFor();
  for (const each of [desk, page]) {
    assert.deepEqual(each.clean(), []);
    await each.context().close();
  }
});

test("a user that loses the last right reads so instead of an empty map; with the right to look alone there is no error", async () => {
  await call("POST", "config/user", { name: "mats", password: secret, access_rights: { web_online_access: "allow" } });
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.28,56.13,13" });
  await enter(page, "mats");
  await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 1);
  await rowOf(page, chemical.name).click();
  await page.locator(".card dl").waitFor();
  assert.equal(await page.locator(".problem:visible").count(), 0);
  assert.equal(await page.getByRole("button", { name: /^Track of/ }).count(), 0, "nothing is offered that would be refused");
  await page.goto(stage.program.url + "#w=audit");
  await page.getByText("It takes one of the rights: get_system_status_info. Ask your administrator.").waitFor();
  await page.goto(stage.program.url + "#w=map");
  await call("PUT", "config/user/mats", { access_rights: { web_online_access: "" } });
  const problem = page.locator(".signin .problem");
  await until("the sentence", async () => (await problem.count()) === 1 && (await problem.textContent()) === lacking("mats"));
  await page.reload();
  await until("after a reload too", async () => {
    const text = (await problem.count()) === 1 ? await problem.textContent() : "";
    return text === "Your user lacks the right web_online_access. Ask your administrator for it.";
  });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("local time is a setting that a reload keeps, and names its zone wherever a time is shown", async () => {
  stage.feeder.say(position({ mmsi: 972111222, lon: 10.3, lat: 56.12, sog: 0, cog: 0, status: 14 }));
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.28,56.13,13", zone: "Europe/Copenhagen" });
  await signIn(page, 1);
  const clock = page.locator(".clock"),
    card = page.locator(".card"),
    strip = page.locator("section.distress");
  await strip.getByText(/since \d\d:\d\d UTC/).waitFor();
  assert.match(await clock.textContent(), /\d\d:\d\d:\d\d UTC$/);
  await rowOf(page, chemical.name).click();
  await card.getByText(/^\d\d:\d\d:\d\d UTC$/).waitFor();
  await card.getByText("12-24 18:30 UTC").waitFor();
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("button", { name: "Local", exact: true }).click();
  await page.keyboard.press("Escape");
  for (const again of [false, true]) {
    if (again) {
      await page.reload();
      await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 1);
    }
    await strip.getByText(/since \d\d:\d\d CES?T/).waitFor();
    assert.match(await clock.textContent(), /\d\d:\d\d:\d\d CES?T \d\d:\d\d UTC$/);
    await card.getByText(/^\d\d:\d\d:\d\d CES?T \(\d\d:\d\d:\d\d UTC\)$/).waitFor();
    await card.getByText("12-24 19:30 CET").waitFor();
    assert.match(await rowOf(page, chemical.name).locator(".heard").getAttribute("title"), /^\d\d:\d\d:\d\d CES?T$/);
    const now = await page.evaluate(() => {
      const d = new Date(globalThis.quaywatch.picture.now());
      return [d.getHours(), d.getMinutes()].map((n) => String(n).padStart(2, "0")).join(":");
    });
    assert.ok(Math.abs(minutesOf(await clock.textContent()) - minutesOf(now)) % 1439 <= 1, "it is the time of the wall");
  }
  await card.getByRole("button", { name: "Track of the last 6 hours" }).click();
  await card.getByText(/fixes, .*\d\d:\d\d CES?T/).waitFor();
  await card.getByRole("button", { name: "Other times of the track" }).click();
  await card.getByLabel(/^From, CES?T$/).waitFor();
  await shot(page, "reading-local");
  await page.goto(stage.program.url + "#w=audit");
  await page.getByRole("button", { name: /Time, CES?T/ }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

const minutesOf = (text) => {
  const [, hours, minutes] = /(\d\d):(\d\d)(?=:\d\d CES?T|$)/.exec(text);
  return Number(hours) * 60 + Number(minutes);
};

test("the card says which port a destination names, in both languages, and nothing twice", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&v=10.28,56.13,13" });
  await signIn(page, 1);
  const ship = Object.assign({}, chemical, { mmsi: 211000712, name: "ALSTER BUG", imo: 0, lon: 10.3 });
  const typed = async (destination) => {
    stage.feeder.say(voyage(Object.assign(ship, { destination })));
    await until("the destination", () => state(page, `q.picture.ships.get(${ship.mmsi})?.destination === ${JSON.stringify(destination)}`));
  };
  stage.feeder.say(position(ship));
  await typed("DKAAR");
  await page.evaluate((mmsi) => globalThis.quaywatch.selection.select(mmsi), ship.mmsi);
  const said = page.locator(".card dl div", { has: page.locator("dt", { hasText: /^(Destination|Ziel)$/ }) }).locator("dd");
  for (const [destination, want] of [
    ["DKAAR", "DKAAR · Aarhus"],
    ["DE HAM>SEGOT", "DE HAM>SEGOT · Göteborg"],
    ["GOTHENBORG", "GOTHENBORG · Göteborg"],
  ]) {
    await typed(destination);
    await until(want, async () => (await said.textContent()) === want);
  }
  for (const language of ["de", "en"]) {
    await page.evaluate((language) => globalThis.quaywatch.setLanguage(language), language);
    await until("the port in " + language, async () => (await said.textContent()) === "GOTHENBORG · Göteborg");
  }
  for (const destination of ["HAMBURG VIA NOK", "FOR ORDERS", "<B>X</B>"]) {
    const answered = page.waitForResponse((response) => response.url().endsWith(`/ship/info/${ship.mmsi}`));
    await typed(destination);
    await (await answered).finished();
    await until(destination, async () => (await said.textContent()) === destination);
  }
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
