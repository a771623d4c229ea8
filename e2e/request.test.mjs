// What the port says to a ship: when to be at the berth. In a real browser against the real program; presses are counted.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { open, password, pressing, Program, shot, signIn, state, until, violations } from "./support.mjs";

const ship = {
  mmsi: 219555001,
  name: "NORDIC BOUND",
  lon: 11.2,
  lat: 56.6,
  sog: 12,
  cog: 0,
  heading: 0,
  type: 71,
  destination: "SEGOT",
  dim: [60, 60, 9, 9],
};
const berths = ["Quay 10", "Quay 2", "Älvkajen"].map((name, i) => ({ name, length: 100 + 50 * i }));
let sailing, transponder, id, port;
let written = ""; // to the transponder

const stage = staged({
  ships: 5,
  async start(stage) {
    transponder = createServer((socket) => socket.on("data", (data) => (written += data)).on("error", () => undefined));
    await new Promise((done) => transponder.listen(0, "127.0.0.1", done));
    stage.program = await Program.serve({
      more: `[[feed]]\nname = "vhf"\nurl = "tcp://127.0.0.1:${transponder.address().port}"\ntransmit = true\n`,
    });
  },
  async prepare({ call, feeder }) {
    await call("PUT", "config/shape/port/segot", { berths });
    const sail = () => {
      ship.lat += (12 * 0.5144) / 111120;
      feeder.say(position(ship) + voyage(ship));
    };
    sailing = setInterval(sail, 1000);
    sail();
    await until("the ship is tracked", async () => {
      const body = { source: { ship: { mmsi: ship.mmsi } }, destination: { port: "SEGOT" } };
      id = (await call("POST", "portserver/ship/track", body).catch(() => ({}))).id;
      return id;
    });
    await until("its ETA", async () => (await track()).eta);
    port = (await track()).destination.port.id;
  },
  close: () => clearInterval(sailing),
});
const { call } = stage;
after(() => transponder?.close()); // after the program, which speaks to it

const track = () => call("GET", `portserver/ship/track/${id}?tracks=false`);
const at = (hours) => new Date(Date.now() + hours * 3600e3).toISOString().slice(0, 16) + ":00Z";

// expected opens the list of expected ships, and gives the page and the row of the ship.
async function expected(options, enter = (page) => signIn(page, 1)) {
  const page = await open(stage.browser, stage.program.url, { ...options, hash: `&w=port/${port}/expected` });
  await enter(page);
  const row = page.locator(".expected li", { hasText: ship.name });
  await row.getByRole("button", { name: "Request a time" }).waitFor();
  return { page, row };
}

test("when to be at which berth is said to the ship in four presses, for VHF or a mail", async () => {
  const { page, row } = await expected({ width: 1440, height: 900 });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const counted = pressing(),
    time = at(9);
  await counted.press(row.getByRole("button", { name: "Request a time" }));
  assert.deepEqual(await row.getByLabel("Berth", { exact: true }).locator("option").allInnerTexts(), [
    "Not named",
    "Älvkajen",
    "Quay 2",
    "Quay 10",
  ]);
  await counted.choose(row.getByLabel("Berth", { exact: true }), "Quay 2");
  await counted.type(row.getByLabel(/^Time of arrival/), time.slice(0, 16).replace("T", " "));
  await shot(page, "request-form-1440");
  await counted.press(row.getByRole("button", { name: "Request and copy" }));
  await page.getByText("The time is requested, and the text for the ship is copied.").waitFor();
  assert.equal(counted.presses, 4);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const said = `${ship.name}: Göteborg asks you to be at berth Quay 2 at ${time.slice(0, 16).replace("T", " ")} UTC.`;
  assert.ok(text.startsWith(said), text);
  assert.match(text.slice(said.length), /^ Speed for it: \d+\.\d kn\.$/);
  await row.getByText(/^Requested: berth Quay 2, /).waitFor();
  const [asked] = (await track()).requested;
  assert.deepEqual([asked.place, asked.berth, asked.time], ["berth", "Quay 2", time]);
  const mail = new URL(await row.getByRole("link", { name: "Mail …" }).getAttribute("href"));
  assert.equal(mail.protocol, "mailto:");
  assert.equal(mail.searchParams.get("subject"), `${ship.name} · Göteborg`);
  assert.ok(mail.searchParams.get("body").startsWith(said), mail.href);
  await page.getByRole("button", { name: "Berths", exact: true }).click();
  const berth = page.locator(".berthplan .berthrow", { has: page.getByText("Quay 2", { exact: true }) });
  await berth.getByText(ship.name).waitFor(); // 120 m fit into 150 m
  assert.doesNotMatch(await berth.innerText(), /⚠/);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.context().clearPermissions();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("it goes on air from there, for those that may send, and the form stands and fits on a phone by night", async () => {
  await call("PUT", `portserver/ship/track/${id}/requested`, { time: at(8), berth: "Älvkajen" });
  const { page, row } = await expected({ width: 390, height: 844, touch: true });
  await state(page, 'q.settings.setPalette("night")');
  await row.getByText(/^Requested: berth Älvkajen, /).waitFor();
  await row.getByRole("button", { name: "Request a time" }).click();
  await row.getByLabel("Berth", { exact: true }).waitFor();
  assert.equal(await row.getByLabel("Berth", { exact: true }).inputValue(), "Älvkajen", "the form begins with what stands");
  await shot(page, "request-form-390");
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "Send to the ship …" }).click();
  const field = row.getByLabel(`Text to ${ship.name}`);
  assert.match(await field.inputValue(), /^GOTEBORG ASKS YOU TO BE AT BERTH ALVKAJEN AT \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
  await shot(page, "request-send-390");
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".expected *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wide, []);
  assert.deepEqual(await violations(page), []);
  await row.locator("form.sheet .primary").click();
  await until("the transponder has it", () => written.includes(`ABM,`) && written.includes(String(ship.mmsi)));
  await row.getByRole("status").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("who may not send has no button for it", async () => {
  await call("POST", "config/user", { name: "clerk", password, groups: ["operator"] });
  await call("PUT", "config/user/clerk", { access_rights: { send_messages: "deny", pcs_access: "allow" } });
  const body = { source: { ship: { mmsi: ship.mmsi } }, destination: { port: "SEGOT" } };
  const { id: own } = await call("POST", "portserver/ship/track", body, { name: "clerk", password }); // users without a common group share no track
  await call("PUT", `portserver/ship/track/${own}/requested`, { time: at(7), berth: "Quay 10" });
  const { page, row } = await expected({}, async (page) => {
    await page.getByLabel("User name").fill("clerk");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  });
  await row.getByRole("button", { name: "Copy as text" }).waitFor();
  assert.equal(await state(page, "q.session.account.can_transmit"), undefined);
  assert.equal(await row.getByRole("button", { name: "Send to the ship …" }).count(), 0);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
