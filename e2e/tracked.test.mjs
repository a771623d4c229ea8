// Ships that are tracked to their destinations, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, noticed, open, password, shot, signIn, state, until, violations } from "./support.mjs";

const ship = {
  mmsi: 219555001,
  name: "<B>BOUND",
  lon: 11.2,
  lat: 56.6,
  sog: 12,
  cog: 0,
  heading: 0,
  type: 71,
  destination: "SEGOT",
  dim: [60, 60, 9, 9],
};
const quiet = { ...ship, mmsi: 219555002, name: "QUIET", lon: 11.25, destination: "" };
let sailing;

const stage = staged({
  ships: 10,
  prepare({ feeder }) {
    const sail = () => {
      ship.lat += (12 * 0.5144) / 111120;
      for (const one of [ship, quiet]) feeder.say(position(one) + voyage(one));
    };
    sailing = setInterval(sail, 1000);
    sail();
  },
  close: () => clearInterval(sailing),
});
const { call } = stage;

const tracks = async () => (await call("GET", "portserver/ship/track?tracks=false&route=false")).records;

// chosen opens the card of a ship.
async function chosen(page, { mmsi }) {
  await until("the ship is heard", () => state(page, `q.picture.ships.has(${mmsi})`));
  await state(page, `q.selection.select(${mmsi}, "go")`);
  await page.locator(".card dl").first().waitFor();
}

test("a ship is tracked to the announced port in two steps, its ETA is told and its way drawn, and it is tracked no more", async () => {
  const page = await open(stage.browser, stage.program.url, { zone: "Europe/Copenhagen" });
  await signIn(page, 5);
  await chosen(page, ship);
  await page.getByRole("button", { name: "Track to …" }).click();
  const field = page.getByRole("combobox", { name: "Track to" });
  await until("the announced port stands there", async () => (await field.inputValue()) === "Göteborg (SEGOT)");
  await state(
    page,
    "(globalThis.heard = [], q.tracked.hear = new Proxy(q.tracked.hear, { apply: (f, of, [ids]) => (heard.push(...ids), f.call(of, ids)) }), 1)",
  );
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("heading", { name: "Tracked to Göteborg (SEGOT)" }).waitFor();
  await until("the server tells of the track", () => state(page, "heard.includes(q.tracked.chosen)"));
  let told, text;
  await until("the ETA, its range and the distance as the server has them", async () => {
    [told] = await tracks();
    text = await page.locator(".tracked").innerText();
    const shown = [`${told.eta?.slice(11, 16)} UTC`, `${told.eta_low?.slice(11, 16)} – `, `${(told.distance / 1852).toFixed(1)} NM`];
    return shown.every((part) => text.includes(part));
  });
  assert.match(text, /under way/);
  assert.match(text, /from its way and its speed/);

  const end = await state(page, "q.chart.way.line.at(-1)");
  assert.ok(Math.hypot(end[0] - 11.9, end[1] - 57.7) < 0.2, `the way ends at ${end}`);
  await page.getByRole("button", { name: "Show the way on the map" }).click();
  await until("all of it is on the map", () => state(page, "Math.abs(q.centre.lat - 57.15) < 0.2"));
  await atRest(page);
  const inked = await state(
    page,
    `(() => { const s = q.chart.screen, c = q.chart.shapes.canvas.getContext("2d"), way = q.chart.way, i = way.xs.length - 1;
    const x = ((way.xs[i] - s.x) / s.resolution) * s.ratio + s.width / 2, y = ((s.y - way.ys[i]) / s.resolution) * s.ratio + s.height / 2;
    return [...c.getImageData(Math.round(x), Math.round(y), 1, 1).data]; })()`,
  );
  assert.deepEqual(inked, [0x1d, 0x3a, 0x4a, 255], "the mark at its end");
  const before = await state(page, "q.chart.way.line[0][1]");
  await until("the way is drawn from where the ship has come to", () => state(page, `q.chart.way.line[0][1] > ${before}`));

  await page.getByRole("button", { name: "How the ETA moved, and speeds" }).click();
  const speed = page.getByLabel("What speed for this arrival? UTC");
  await speed.fill(new Date(Date.parse(told.eta) + 3600e3).toISOString().slice(0, 16));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".tracked [role=status]", { hasText: / kn, likely / }).waitFor();
  const [, knots] = /([\d.]+) kn, likely/.exec(await page.locator(".tracked").innerText());
  assert.ok(Number(knots) > 8 && Number(knots) < 12, `${knots} knots for an hour later`);
  await speed.fill(new Date(Date.now() - 3600e3).toISOString().slice(0, 16));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("No speed is known for this arrival.").waitFor();

  await state(page, "q.settings.setLocal(true)");
  await until("local time beside UTC", async () => {
    const [{ eta }] = await tracks();
    return (await page.locator(".tracked").innerText()).includes(`CET (${eta.slice(11, 16)} UTC)`);
  });
  assert.deepEqual(await violations(page), []);
  await shot(page, "tracked");

  await page.getByRole("button", { name: "Stop tracking …" }).click();
  await page.getByRole("heading", { name: "Stop tracking <B>BOUND to Göteborg (SEGOT)?" }).waitFor();
  await page.getByRole("button", { name: "Stop tracking", exact: true }).click();
  await until("it is tracked no more", async () => (await tracks()).length === 0 && (await page.locator(".tracked").count()) === 0);
  assert.equal(await state(page, "q.chart.way"), undefined);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a destination is typed, the reason of a refusal is told, and the drawing of a history fits a phone", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 390, height: 844, touch: true });
  await signIn(page, 5);
  await chosen(page, quiet);
  await page.getByRole("button", { name: "Track to …" }).click();
  const field = page.getByRole("combobox", { name: "Track to" });
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Choose a destination.").waitFor();
  await field.fill("xyzzy");
  await field.press("Enter");
  await page.getByText("Nothing is called “xyzzy”.").waitFor();
  await field.fill("52°N 21°E");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await until("the refusal is told", async () => /more than 50 km from water/.test(await page.locator(".tracked .problem").innerText()));
  assert.deepEqual(await tracks(), []);
  await field.fill("skag");
  await page.getByRole("option", { name: /Skagen/ }).click();
  await until("the port is chosen", async () => (await field.inputValue()) === "Skagen (DKSKA)");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("heading", { name: "Tracked to Skagen (DKSKA)" }).waitFor();
  await until("its ETA", () => state(page, "q.tracked.track?.eta !== undefined"));
  await page.getByRole("button", { name: "How the ETA moved, and speeds" }).click();
  await page.evaluate(() => {
    const { tracked, picture } = globalThis.quaywatch,
      now = picture.now();
    tracked.track.history = [3, 2, 1].map((h) => ({ time: now - h * 3600e3, eta: now + h * 3600e3, low: now, high: now + 4 * 3600e3 }));
    globalThis.quaywatch.changed();
  });
  await page.getByRole("img", { name: /^From .* the ETA moved from / }).waitFor();
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".tracked *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth - 8)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wide, []);
  await call("DELETE", `portserver/ship/track/${(await tracks())[0].id}`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the page of a port has the tracked ship with what the port planned, and an attribute is changed and nothing else", async () => {
  const at = (hours) => new Date(Date.now() + hours * 3600e3).toISOString().slice(0, 19) + "Z";
  const erp = `{"id":12345678901234567890,"eta":"${at(8)}","etd":"${at(30)}","color":"#2060c0","n":1.10,"warp":[{"quay_id":7}],"attributes":[
    {"key":"agent","value":"<i>Blue</i>","datatype":"string","edit":true},{"key":"tugs","value":2.0,"datatype":"float","edit":true},{"key":"pilot","value":true}]}`;
  const response = await fetch(`${stage.program.url}api/portserver/ship/track`, {
    method: "POST",
    body: `{"source":{"ship":{"mmsi":${ship.mmsi}}},"destination":{"port":"SEGOT"},"erp":${erp}}`,
    headers: { Authorization: "Basic " + Buffer.from(`admin:${password}`).toString("base64"), "Content-Type": "application/json" },
  });
  const { id } = await response.json();
  await call("PUT", `portserver/ship/track/${id}/requested`, { time: at(12), place: "berth" });
  let hours = 12; // from now on, at which the port asks for the ship
  const told = await until("its ETA", async () => (await tracks()).find((one) => one.id === id && one.eta));
  for (const [width, height, palette] of [
    [1440, 900, "day"],
    [1024, 768, "dusk"],
    [390, 844, "night"],
  ]) {
    const page = await open(stage.browser, stage.program.url, {
      width,
      height,
      palette,
      touch: width < 900,
      hash: `&w=port/${told.destination.port.id}/expected`,
    });
    await signIn(page, 0); // the map shows the port, and no ship has to be near it
    const row = page.locator(".expected li", { has: page.locator(".lane", { hasText: "<B>BOUND" }) });
    await row.locator(".attributes").waitFor();
    let text; // what has not come into sight yet has none
    await until("the row is drawn", async () => (text = await row.innerText()).includes("our ETA"));
    assert.match(text, /our ETA .*under way · likely .* – .* · the port plans .* · ETD .* · berth 7/s);
    assert.match(text, /agent <i>Blue<\/i>\s+tugs 2\s+pilot yes/);
    const axis = await row.locator(".axis").boundingBox(),
      range = await row.locator("i.range").boundingBox(),
      ours = await row.locator("i.ours").boundingBox(),
      planned = await row.locator("i.erp").boundingBox();
    // The next six hours have half of the axis, and the 42 after them the other.
    const x = (time) => {
      const hours = (Date.parse(time) - Date.now()) / 3600e3;
      return axis.x + axis.width * (hours < 6 ? hours / 12 : 0.5 + (hours - 6) / 84);
    };
    assert.ok(Math.abs(range.x - x(told.eta_low)) < 4 && Math.abs(range.x + range.width - x(told.eta_high)) < 4, "the range");
    assert.ok(Math.abs(ours.x + ours.width / 2 - x(told.eta)) < 4 && Math.abs(planned.x + planned.width / 2 - x(at(8))) < 4, "both ETAs");
    const wanted = await row.locator("i.wanted").boundingBox();
    assert.ok(Math.abs(wanted.x + wanted.width / 2 - x(at(hours))) < 4, "what the port asks for");
    assert.match(text, /Requested: berth, .* · \d+\.\d kn, likely \d+\.\d – \d+\.\d kn\s+Copy as text\s+Mail …\s+Take back/);
    assert.equal(await row.locator("i.colour").evaluate((e) => getComputedStyle(e).backgroundColor), "rgb(32, 96, 192)");
    assert.equal(await row.getByRole("button", { name: "Change pilot" }).count(), 0);
    assert.deepEqual(await violations(page), []);
    await shot(page, `tracked-expected-${width}`);
    if (width === 1440) {
      await row.getByRole("button", { name: "Change tugs" }).click();
      await row.getByLabel("tugs").fill("two");
      await row.getByRole("button", { name: "Save" }).click();
      await row.getByText("must be a number").waitFor();
      await row.getByLabel("tugs").fill("3.50");
      await shot(page, "tracked-attribute");
      await row.getByRole("button", { name: "Save" }).click();
      await noticed(page, "tugs is changed.");
      const kept = await page.evaluate(async (n) => (await fetch(`api/portserver/ship/track/${n}?tracks=false`)).text(), id);
      assert.ok(kept.includes('"id":12345678901234567890') && kept.includes('"n":1.10') && kept.includes('"value":3.50'), kept);
      await call("PUT", `portserver/ship/track/${id}`, JSON.parse(erp));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      // What the port asks of a ship is said in four presses, from the plan to the sentence.
      await row.getByRole("button", { name: "Request a time" }).click();
      hours = 11;
      const time = at(hours);
      await row.getByLabel(/^Time of arrival/).fill(time.slice(0, 16));
      await row.getByRole("button", { name: "Request", exact: true }).click();
      const asked = `${time.slice(11, 16)} UTC`;
      await until(
        "the new time is asked for",
        async () => (await row.innerText()).includes(`Requested: berth, `) && (await row.innerText()).includes(asked),
      );
      await row.getByRole("button", { name: "Copy as text" }).click();
      await row.getByRole("button", { name: "Copied" }).waitFor();
      assert.match(
        await page.evaluate(() => navigator.clipboard.readText()),
        /^<B>BOUND.*: .* asks you to be at berth 7 at [-\d]+ \d\d:\d\d UTC\. Speed for it: \d+\.\d kn\.$/,
      );
      await page.context().clearPermissions();
      await page.getByRole("button", { name: "Berths", exact: true }).click();
      const berth = page.locator(".berthplan .berthrow", { has: page.getByText("7", { exact: true }) });
      await until("the ship that is planned there", async () => /<B>BOUND[\s\S]*the port plans .* · ETD /.test(await berth.innerText()));
      await shot(page, "port-berthplan");
      await page.getByRole("button", { name: "Plan", exact: true }).click();
      await row.locator(".attributes").waitFor();
      await row.getByRole("button", { name: "Request a time" }).click();
      await row.getByLabel("Place").selectOption("pilot");
      await row.getByLabel(/^Time of arrival/).fill(at(6).slice(0, 16));
      const { coordinates } = (await call("GET", `portserver/ship/track/${id}`)).route,
        [lon, lat] = coordinates[Math.floor(coordinates.length / 2)];
      await row.getByLabel("Position").fill(`${lat}, ${lon}`);
      await shot(page, "tracked-request");
      await row.getByRole("button", { name: "Request", exact: true }).click();
      await row.getByText(/Requested: pilot boarding, .* · \d+\.\d kn, likely/).waitFor();
      await row.getByRole("button", { name: "Take back the time: pilot boarding" }).click();
      await until("it is taken back", async () => (await row.locator("i.wanted").count()) === 1);
      const said = (await call("GET", `portserver/ship/track/${id}`)).requested_history.map((one) => [one.place, one.time === null]);
      assert.deepEqual(said, [
        ["berth", false],
        ["berth", false],
        ["pilot", false],
        ["pilot", true],
      ]);
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
  await call("DELETE", `portserver/ship/track/${id}`);
});

test("the list of expected ships follows a track that somebody else changes", async () => {
  const body = { source: { ship: { mmsi: ship.mmsi } }, destination: { port: "SEGOT" } };
  const { id } = await call("POST", "portserver/ship/track", body);
  const { port } = (await call("GET", `portserver/ship/track/${id}`)).destination;
  const page = await open(stage.browser, stage.program.url, { hash: `&w=port/${port.id}/expected` });
  await signIn(page, 0);
  await page.locator(".expected .lane", { hasText: "<B>BOUND" }).waitFor();
  const asked = [];
  page.on("request", (r) => r.url().includes("port/arrivals/") && asked.push(performance.now()));
  let hours = 9;
  await until("the list is asked for sooner than each 10 s", async () => {
    const before = asked.length;
    hours += 0.1;
    const time = new Date(Date.now() + hours * 3600e3).toISOString().slice(0, 19) + "Z";
    await call("PUT", `portserver/ship/track/${id}/requested`, { time, place: "berth" });
    await until("the list is asked for", () => asked.length > before);
    return asked.length > 1 && asked.at(-1) - asked.at(-2) < 8000;
  });
  await page.locator(".expected li", { hasText: "<B>BOUND" }).getByText("Requested: berth").waitFor();
  await call("DELETE", `portserver/ship/track/${id}`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the card of a ship that announces a port has our ETA there as the list of the port has it, without a track", async () => {
  const port = (await call("GET", "portserver/port/list?pattern=SEGOT")).records[0].id;
  const expected = async () => (await call("GET", `portserver/port/arrivals/${port}?announced=true`)).records;
  await until("the list has an ETA", async () => (await expected()).some((one) => one.announced && one.ship.mmsi === ship.mmsi && one.eta));
  assert.deepEqual(await tracks(), []);
  for (const [width, height, palette, language, label] of [
    [1440, 900, "day", "en", "Our ETA"],
    [390, 844, "night", "de", "Unsere ETA"],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height, touch: width < 900 });
    await signIn(page, 5);
    await state(page, `(q.setLanguage("${language}"), q.settings.setPalette("${palette}"))`);
    await chosen(page, ship);
    const row = page.locator(".card dl div", { has: page.getByText(label, { exact: true }) });
    let told, text;
    await until("the ETA and the distance of the list", async () => {
      told = (await expected()).find((one) => one.ship?.mmsi === ship.mmsi);
      text = await row.innerText({ timeout: 10_000 });
      const near = /([\d.,]+) (NM|sm)/.exec(text)?.[1].replace(",", ".");
      return text.includes(`${told.eta.slice(11, 16)} UTC`) && Math.abs(near - told.distance / 1852) < 0.3;
    });
    assert.match(text, / (to|bis) Göteborg/);
    const parts = await page.locator(".card dt").allInnerTexts();
    assert.ok(parts.indexOf(label) > 0 && parts.indexOf(label) < 7, parts.join());
    await shot(page, `card-announced-${width}`);
    if (width === 1440) {
      await chosen(page, quiet); // which announces nothing
      await until("the row is gone", async () => (await row.count()) === 0);
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("without pcs_access nothing of it is shown or asked, without view_predicted_position no way", async () => {
  await call("POST", "portserver/ship/track", { source: { ship: { mmsi: ship.mmsi } }, destination: { port: "SEGOT" } });
  await call("POST", "config/user", { name: "clerk", password, groups: ["operator"] });
  const as = async (rights) => {
    await call("PUT", "config/user/clerk", { access_rights: rights });
    const page = await open(stage.browser, stage.program.url);
    page.asked = [];
    page.on("request", (r) => /ship\/track|port\/arrivals/.test(r.url()) && page.asked.push(r.url()));
    await page.getByLabel("User name").fill("clerk");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 5);
    await chosen(page, ship);
    return page;
  };
  const none = await as({ pcs_access: "deny" });
  await none.getByRole("button", { name: "Follow" }).waitFor();
  await until("some ticks", () => state(none, "(globalThis.ticks = (globalThis.ticks ?? 0) + 1) > 40"));
  assert.equal(await none.getByRole("button", { name: "Track to …" }).count(), 0);
  assert.equal(await none.locator(".tracked").count(), 0);
  assert.equal(await none.getByText("Our ETA").count(), 0);
  assert.deepEqual(none.asked, []);
  await none.context().close();
  const [{ owner }] = await tracks();
  assert.equal(owner, "admin");
  const bare = await as({ pcs_access: "allow", view_predicted_position: "deny", admin_user: "allow" });
  await bare.getByRole("button", { name: "Track to …" }).waitFor();
  await until("the tracks are asked for", () => state(bare, "q.tracked.tracks !== undefined"));
  assert.equal(await state(bare, "q.chart.way"), undefined);
  await bare.context().close();
});

test("the card names a strait ahead that the ship is too deep for, in both languages", async (t) => {
  const deep = {
    ...ship,
    mmsi: 219555003,
    name: "DEEP",
    lon: 12.4586,
    lat: 55.5285,
    sog: 14,
    cog: 45,
    heading: 45,
    draught: 8.8,
    destination: "DKCPH",
  };
  const sail = setInterval(() => {
    deep.lat += (10 * 0.5144) / 111120;
    stage.feeder.say(position(deep) + voyage(deep));
  }, 1000);
  t.after(() => clearInterval(sail)); // else a test that fails has the file run for ever
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 5);
  await until("the ship is heard with its draught", () => state(page, `q.picture.ships.get(${deep.mmsi})?.draught === 8.8`));
  await call("POST", "portserver/ship/track", { source: { ship: { mmsi: deep.mmsi } }, destination: { port: "DKCPH" } });
  await until("the server names the strait", async () =>
    (await tracks()).some((one) => one.warnings?.some((w) => w.params?.passage === "Drogden")),
  );
  await chosen(page, deep);
  await page.locator(".tracked .warned", { hasText: "Drogden lies ahead and takes 7.7 m of draught; the ship says 8.8 m" }).waitFor();
  await shot(page, "tracked-deep");
  await state(page, "q.settings.setLanguage('de')");
  await page
    .locator(".tracked .warned", { hasText: "Drogden liegt voraus, mit höchstens 7,7 m Tiefgang; das Schiff nennt 8,8 m" })
    .waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
