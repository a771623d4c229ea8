// What changed of a ship, on its card, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, drawn, looks, open, shot, signIn, until, violations } from "./support.mjs";

const hour = 3600e3;

const ship = {
  mmsi: 235099101,
  name: "NORDIC CHANGER",
  callsign: "MGCH1",
  type: 70,
  dim: [118, 16, 11, 11],
  draught: 7.2,
  destination: "ROTTERDAM",
  eta: [11, 27, 6, 0],
  lon: 10.31,
  lat: 56.12,
  cog: 45,
  heading: 45,
  sog: 0,
};
const silent = { ...ship, mmsi: 235099102, name: "NEVER CHANGED", lat: 56.13 };

// past is three days of the ship, a position each quarter of an hour: its draught changed two days ago.
const end = Math.floor(Date.now() / 60e3) * 60e3;
const past = [
  "mmsi,time,longitude,latitude,sog,name,type_code,draught",
  ...Array.from({ length: 288 }, (_, i) => {
    const time = end - 72 * hour + (i * hour) / 4;
    return [ship.mmsi, new Date(time).toISOString(), ship.lon, ship.lat, "0.0", ship.name, 70, i < 96 ? 8.6 : 7.2].join();
  }),
].join("\n");

const say = (of) => stage.feeder.say(voyage(of) + position(of));
const changes = async (query = "") =>
  (await call("GET", `portserver/ship/historical/change/${ship.mmsi}${query}`)).records.map(({ field }) => field);

const stage = staged({
  ships: 20,
  past,
  async prepare({ call }) {
    say(silent);
    // What becomes known is no change. What the crew says then is: the ship is heard until the server tells of it.
    await until("the ship is known", async () => {
      say(ship);
      return (await call("GET", `portserver/ship/info/${ship.mmsi}`)).destination === "ROTTERDAM";
    });
    Object.assign(ship, { status: 1, destination: "HAMBURG" });
    await until("its status and destination changed", async () => {
      say(ship);
      const told = await changes();
      return told.includes("status") && told.includes("destination");
    });
  },
});
const { call } = stage;

// opened opens the card of a ship, and what changed of it.
async function opened(page, { mmsi }) {
  await page.evaluate((number) => globalThis.quaywatch.selection.select(number, "go"), mmsi);
  await drawn(page); // until then the card of another ship is there
  await page.locator(".changes h3 button").click();
  await page.locator(".changes .note:not(.late)").first().waitFor();
}

const rows = (page) => page.locator(".changes ol > li").allInnerTexts();
const has = (page, text) => page.locator(".changes ol > li", { hasText: text }).waitFor();

test("a card tells what changed of its ship, at every size, by day and by night", async () => {
  for (const look of looks(["day", "dusk", "night"])) {
    const page = await open(stage.browser, stage.program.url, look);
    await signIn(page, 10);
    const asked = [];
    page.on("request", (request) => request.url().includes("/historical/change/") && asked.push(request.url()));
    await page.evaluate((number) => globalThis.quaywatch.selection.select(number, "go"), ship.mmsi);
    await page.locator(".changes h3 button").waitFor();
    assert.deepEqual(asked, [], "nothing is asked before the section is opened");
    await opened(page, ship);
    const list = (await rows(page)).map((row) => row.replace(/\s+/g, " "));
    const time = String.raw`^([-\d]+ )?\d\d:\d\d UTC `;
    assert.ok(
      list.some((row) => new RegExp(`${time}Status Under way using engine → At anchor$`).test(row)),
      list.join("\n"),
    );
    assert.ok(
      list.some((row) => new RegExp(`${time}Destination ROTTERDAM → HAMBURG$`).test(row)),
      list.join("\n"),
    );
    assert.ok(!list.some((row) => row.includes("8.6 m")), "of the last day alone");
    await page.getByRole("button", { name: "Show older changes" }).click();
    await has(page, "8.6 m → 7.2 m");
    await page.getByText("Older changes are not known.").waitFor();
    assert.match((await rows(page)).at(-1).replace(/\s+/g, " "), /^\d{4}-\d\d-\d\d \d\d:\d\d UTC Draught 8\.6 m → 7\.2 m$/);
    assert.equal(await page.getByRole("button", { name: "Show older changes" }).count(), 0);
    await atRest(page);
    await shot(page, `changes-${look.width}-${look.palette}`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("what changes while the card is open comes into the list", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await opened(page, ship);
  await page.getByRole("button", { name: "Show older changes" }).focus();
  await page.keyboard.press("Enter");
  await has(page, "8.6 m → 7.2 m");
  const before = (await rows(page)).length;
  Object.assign(ship, { draught: 9.8, status: 5 });
  await until("it was heard", async () => {
    say(ship);
    return (await changes()).filter((field) => field === "status" || field === "draught").length >= 3;
  });
  await has(page, "7.2 m → 9.8 m");
  await has(page, "At anchor → Moored");
  const list = await rows(page);
  assert.equal(list.length, before + 2, list.join("\n"));
  assert.match(list.slice(0, 2).join(), /Moored|9\.8 m/);
  assert.match(list.at(-1), /8\.6 m → 7\.2 m/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a ship of which nothing changed has a sentence, in German too, and a station no section", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 10);
  await opened(page, silent);
  assert.match(
    await page.locator(".changes .note").innerText(),
    /^Nothing is known to have changed since .* UTC\. Older changes are not known\.$/,
  );
  await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
  await page.getByRole("button", { name: "Änderungen" }).waitFor();
  await page.getByText("Ältere Änderungen sind nicht bekannt.").waitFor();
  await page.evaluate(() => globalThis.quaywatch.selection.select(2190047, "go"));
  await page.locator(".card").getByText("002190047").first().waitFor();
  assert.equal(await page.locator(".changes").count(), 0);
  await page.context().close();
});
