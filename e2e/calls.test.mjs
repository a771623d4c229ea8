// The calls of a ship on its card, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { minute } from "./harbour.mjs";
import { staged } from "./stage.mjs";
import { atRest, drawn, hear, heard, looks, open, password, shot, signIn, state, until, violations } from "./support.mjs";

const end = Math.floor(Date.now() / minute) * minute - 2 * minute;
const ports = {
  script: [11.6, 56.5],
  kalundborg: [11.08919, 55.68643],
  aarhus: [10.22, 56.15],
  helsingor: [12.59213, 56.03079],
  helsingborg: [12.69451, 56.04647],
};

// sailed gives the past of a ship that ends now, a position a minute: its legs are [port, minutes] where it lies, and minutes at sea between.
function sailed(mmsi, name, legs, draught = "") {
  const rows = [];
  const add = (lon, lat, sog) =>
    rows.push([lon.toFixed(5), lat.toFixed(5), sog.toFixed(1), typeof draught === "function" ? draught(rows.length) : draught]);
  legs.forEach((leg, i) => {
    if (typeof leg !== "number") {
      for (let m = 0; m < leg[1]; m++) add(...ports[leg[0]], 0);
      return;
    }
    const from = ports[legs[i - 1][0]],
      to = ports[legs[i + 1]?.[0]] ?? [from[0] + 0.6, from[1] + 0.3];
    const way = [(to[0] - from[0]) * 111.2 * Math.cos((56 * Math.PI) / 180), (to[1] - from[1]) * 111.2],
      speed = (Math.hypot(...way) / leg) * (60 / 1.852);
    for (let m = 1; m < leg; m++) add(from[0] + ((to[0] - from[0]) * m) / leg, from[1] + ((to[1] - from[1]) * m) / leg, speed);
  });
  return rows.map(([lon, lat, sog, deep], i) =>
    [mmsi, new Date(end - (rows.length - 1 - i) * minute).toISOString(), lon, lat, sog, name, 70, deep].join(),
  );
}

const nordic = { mmsi: 235088001, name: "NORDIC CALLER" };
const shuttle = { mmsi: 235088002, name: "SHUTTLE" };
const outbound = { mmsi: 235088003, name: "OUTBOUND" };
const stranger = { mmsi: 235088004, name: "STRANGER" };
const script = { name: "<img src=x onerror=alert(1)>", locode: "XXEVL", position: { type: "Point", coordinates: [11.6, 56.5] } };
const past = [
  "mmsi,time,longitude,latitude,sog,name,type_code,draught",
  ...sailed(nordic.mmsi, nordic.name, [["kalundborg", 400], 200, ["aarhus", 600], 220, ["kalundborg", 300]], (row) =>
    row < 900 ? 7.4 : 8.1,
  ),
  ...sailed(
    shuttle.mmsi,
    shuttle.name,
    Array.from({ length: 51 }, (_, i) => (i % 2 ? 25 : [i % 4 ? "helsingor" : "helsingborg", 20])),
  ),
  ...sailed(outbound.mmsi, "<b onclick=a()>X</b>", [["script", 60], 240]),
  ...sailed(stranger.mmsi, stranger.name, [["kalundborg", 1], 400]).slice(60),
].join("\n");

const stage = staged({
  ships: 20,
  past,
  async prepare({ call, program }) {
    await call("POST", "config/shape/port", script);
    await until("the past is searched for calls", async () => (await history(shuttle)).length > 20 && (await history(nordic)).length === 3);
    program.runs("detect-calls"); // for the port that is new
  },
});
const { call } = stage;

const history = async ({ mmsi }) => (await call("POST", "portserver/ship/historical/port", { mmsi, limit: 100 })).records;

// chosen opens the card of a ship, and its calls.
async function chosen(page, { mmsi }) {
  await page.evaluate((number) => globalThis.quaywatch.selection.select(number, "go"), mmsi);
  await drawn(page); // until then the card of another ship is there
  await page.locator(".calls h3 button").click();
  await page.locator(".calls .call, .calls .note:not(.late)").first().waitFor();
}

// asked counts the requests for calls and trips from now on.
function asked(page) {
  const all = [];
  page.on("request", (request) => {
    const what = /ship\/historical\/(port|trip)/.exec(request.url());
    if (what) all.push(`${request.method()} ${what[1]}`);
  });
  return all;
}

test("a card tells the calls and trips of its ship, at every size, by day and by night", async () => {
  for (const look of looks(["day", "dusk", "night"])) {
    const page = await open(stage.browser, stage.program.url, look);
    const { width, palette } = look;
    await signIn(page, 10);
    const requests = asked(page);
    await page.evaluate((number) => globalThis.quaywatch.selection.select(number, "go"), nordic.mmsi);
    await page.locator(".calls h3 button").waitFor();
    assert.deepEqual(requests, [], "nothing is asked before the section is opened");
    await chosen(page, nordic);
    assert.deepEqual(requests.sort(), ["POST port", "POST trip"]);
    const items = await page.locator(".calls ol > li").allInnerTexts();
    assert.equal(items.length, 5, items.join("\n\n"));
    assert.match(
      items[0],
      /^Kalundborg\s+DKKAL\s+…\s+in port since ([-\d]+ )?\d\d:\d\d UTC\s+[45] h( \d+ min)? · draught 8\.1 m on arrival$/,
    );
    assert.match(items[1], /^4\d\.\d NM · 3 h \d+ min · 1\d\.\d kn on average$/);
    assert.match(items[2], /^Aarhus\s+DKAAR\s+…\s+[-\d: ]+ – [-\d: ]+ UTC\s+(9 h 5\d|10 h \d) min · draught 7\.4 m → 8\.1 m$/);
    assert.match(items[4], /^Kalundborg\s+DKKAL\s+…\s+there when first heard – [-\d: ]+ UTC/);
    await atRest(page);
    await shot(page, `calls-${width}-${palette}`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("the name of a port brings the map to where the ship lay there", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await chosen(page, nordic);
  await page.evaluate(() => globalThis.quaywatch.following.follow(219018004));
  await hear(page);
  await page.getByRole("button", { name: "Aarhus: show on the map" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.quaywatch.following.mmsi === 0);
  await until("the map is at Aarhus", async () => {
    const { lon, lat, zoom } = await state(page, "q.centre");
    return Math.abs(lon - 10.22) < 0.1 && Math.abs(lat - 56.15) < 0.02 && zoom >= 12;
  });
  await heard(page, "The map shows Aarhus");
  await page.context().close();
});

test("more than 20 calls come when they are asked for, and a ship without one has a sentence", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await chosen(page, shuttle);
  assert.equal(await page.locator(".calls .call").count(), 20);
  await shot(page, "calls-many");
  await page.getByRole("button", { name: "Show more" }).click();
  const all = (await history(shuttle)).length;
  await until("all calls", async () => (await page.locator(".calls .call").count()) === all);
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  await chosen(page, stranger);
  assert.equal(await page.locator(".calls .note").innerText(), "No call of this ship at a port is known.");
  await chosen(page, outbound);
  assert.equal(await page.locator(".calls .port .name").innerText(), script.name);
  assert.match(await page.locator(".calls .trip.open").innerText(), /^at sea since ([-\d]+ )?\d\d:\d\d UTC · (3|4) h/);
  assert.deepEqual(page.clean(), []); // the names of this ship and its port are scripts
  await page.context().close();
});

test("in German and in local time the card says the same", async () => {
  const page = await open(stage.browser, stage.program.url, { zone: "Europe/Copenhagen" });
  await signIn(page, 10);
  await page.evaluate(() => {
    globalThis.quaywatch.setLanguage("de");
    globalThis.quaywatch.settings.setLocal(true);
  });
  await chosen(page, nordic);
  assert.match(await page.locator(".calls h3").innerText(), /Hafenanläufe/);
  const items = await page.locator(".calls ol > li").allInnerTexts();
  assert.match(items[0], /im Hafen seit ([-\d]+ )?\d\d:\d\d MEZ\s+[45] h( \d+ min)? · Tiefgang 8,1 m bei Ankunft/);
  assert.match(items[1], /^4\d,\d sm · 3 h \d+ min · 1\d,\d kn im Mittel$/);
  await shot(page, "calls-de");
  await page.context().close();
});

test("a call is confirmed, corrected with its errors, and deleted after a question, by the keyboard", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await chosen(page, nordic);
  const aarhus = page.locator(".calls .call", { hasText: "Aarhus" });
  const press = async (name) => {
    await aarhus.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
  };
  await press("More about the call at Aarhus");
  await press("Confirm");
  await aarhus.getByText("confirmed by admin").waitFor();
  await until("the focus stays with the call", () =>
    page.evaluate(() => document.activeElement?.title === "More about the call at Aarhus"),
  );
  assert.equal(await aarhus.getByRole("button", { name: "Confirm" }).count(), 0);

  await press("Correct …");
  const arrival = aarhus.getByLabel("Arrival, UTC");
  const was = (await arrival.inputValue()).replace(" ", "T");
  const at = (hours) => new Date(Date.parse(was + "Z") + hours * 60 * minute).toISOString().slice(0, 16);
  for (const [typed, error, german] of [
    [at(-24), "must not be before the ship departed from its call before", "darf nicht vor der Abfahrt vom Anlauf davor liegen"],
    [at(300), "must not be in the future", "darf nicht in der Zukunft liegen"],
  ]) {
    await arrival.fill(typed);
    await press("Save");
    await aarhus.locator(".field.invalid .problem", { hasText: error }).waitFor();
    await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
    await until(`German: ${german}`, async () => {
      await aarhus.getByRole("button", { name: "Speichern" }).click(); // at first while the German of the server is on its way
      return aarhus.getByText(german).isVisible();
    });
    await shot(page, "calls-wrong");
    await page.evaluate(() => globalThis.quaywatch.setLanguage("en"));
  }
  assert.deepEqual(await violations(page), []);
  await arrival.fill(at(1));
  await press("Save");
  await aarhus.getByText("corrected by admin").waitFor();
  assert.match(await aarhus.innerText(), new RegExp(`arrival as detected: .*${was.slice(11)} UTC`));
  const [, stored] = await history(nordic);
  assert.equal(stored.ata, at(1) + ":00Z");
  assert.equal(stored.ata_detected.slice(0, 16), was);
  await press("Correct …");
  await arrival.fill("");
  await press("Save");
  await until("the correction is taken back", async () => (await history(nordic))[1].ata.slice(0, 16) === was);
  await aarhus.getByText("confirmed by admin").waitFor();

  await press("Delete …");
  await page.getByRole("heading", { name: "Delete the call at Aarhus?" }).waitFor();
  await shot(page, "calls-delete");
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Delete the call at Aarhus?" }).waitFor({ state: "detached" });
  assert.equal(await aarhus.count(), 1);
  await press("Delete …");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await until("the call is gone", async () => (await aarhus.count()) === 0 && (await history(nordic)).length === 2);
  await until("the keyboard is where the list opens", () =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-expanded") === "true"),
  );
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("without view_ata_atd no time is told, without view_history there is no section", async () => {
  await call("POST", "config/user", { name: "clerk", password, groups: ["operator"] });
  const as = async (rights) => {
    await call("PUT", "config/user/clerk", { access_rights: rights });
    const page = await open(stage.browser, stage.program.url);
    await page.getByLabel("User name").fill("clerk");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 10);
    return page;
  };
  const bare = await as({ view_ata_atd: "deny" });
  const requests = asked(bare);
  await chosen(bare, shuttle);
  assert.equal(await bare.locator(".calls .call").count(), 20);
  const text = await bare.locator(".calls ol").innerText();
  assert.doesNotMatch(text, /\d\d:\d\d|UTC|first heard|unseen| min/);
  assert.match(text, /DKHLS/); // whether it is in port now depends on the last quarter of an hour
  assert.deepEqual(requests, ["POST port"]);
  assert.equal(await bare.locator(".calls .square").count(), 0);
  await bare.context().close();
  const none = await as({ view_history: "deny", view_ata_atd: "allow" });
  await none.evaluate((number) => globalThis.quaywatch.selection.select(number, "go"), shuttle.mmsi);
  await none.locator(".card dl").waitFor();
  assert.equal(await none.locator(".calls").count(), 0);
  await none.context().close();
});

test("on a phone of 320 px the calls and their form fit", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 320, height: 640, touch: true });
  await signIn(page, 10);
  await chosen(page, nordic);
  await page.getByRole("button", { name: "More about the call at Kalundborg" }).first().click();
  await page.getByRole("button", { name: "Correct …" }).click();
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".calls *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth - 8)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wide, []);
  await page.getByLabel("Departure, UTC").scrollIntoViewIfNeeded();
  await shot(page, "calls-small");
  await page.context().close();
});

test("Save of a correction is in view in a long card, beside either field", async () => {
  for (const [width, height, touch] of [
    [1024, 768, false],
    [390, 844, true],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height, touch });
    await signIn(page, 10);
    await chosen(page, shuttle);
    for (const at of [0, -1]) {
      const item = page.locator(".calls .call").nth(at);
      await item.getByTitle(/^More about/).click();
      await item.getByRole("button", { name: "Correct …" }).click();
      const save = page.getByRole("button", { name: "Save", exact: true });
      for (const field of ["Arrival, UTC", "Departure, UTC"]) {
        await page.getByLabel(field).focus();
        for (const one of [save, page.getByLabel(field)])
          await until(`nothing hides ${await one.evaluate((e) => e.outerHTML.slice(0, 60))} at ${width}, call ${at}, ${field}`, () =>
            one.evaluate((e) => {
              const { left, right, top, bottom } = e.getBoundingClientRect();
              return [top + 2, bottom - 2].every((y) => e.contains(document.elementFromPoint((left + right) / 2, y)));
            }),
          );
      }
      await shot(page, `calls-correct-${width}-${at === 0 ? "first" : "last"}`);
      await page.getByRole("button", { name: "Cancel" }).click();
      await save.waitFor({ state: "detached" });
    }
    await page.context().close();
  }
});
