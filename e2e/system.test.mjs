// The system page: how the box is, what an operator must know, and the configuration in force.
import assert from "node:assert/strict";
import { test } from "node:test";
import { position, voyage } from "./ais.mjs";
import { staged } from "./stage.mjs";
import { atRest, looks, open, shot, signIn, until } from "./support.mjs";

const stage = staged({
  // No mail is sent here: the page offers the test.
  more: `[mail]\nhost = "127.0.0.1"\ntls = "off"\nfrom = "box@port.example"\n[[webhook]]\nname = "vts"\nurl = "http://127.0.0.1:9/"\n`,
  prepare: ({ call }) => call("POST", "config/user", { name: "viewer", password: "a quay in the rain", groups: ["viewer"] }),
});
const { call } = stage;

const fact = (page, box, name) =>
  page
    .getByRole("region", { name: box, exact: true })
    .locator("dl > div")
    .filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .locator("dd");

test("the page says how the box is, and follows it", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 1440, height: 900 });
  await signIn(page, 0);
  await page.getByRole("button", { name: /^Menu:/ }).click();
  await page.getByRole("navigation", { name: "Menu" }).getByRole("button", { name: "System", exact: true }).click();
  await fact(page, "Program", "Version").waitFor();
  const status = await call("GET", "status");
  assert.equal(await fact(page, "Program", "Version").innerText(), status.version.version);
  assert.match(await fact(page, "Storage", "Disk").innerText(), /GiB of .* GiB free/);
  assert.match(await fact(page, "Backups", "Schedule").innerText(), /none: set backup\.to/);
  const feeds = page.getByRole("table", { name: "Feeds" }).or(page.getByRole("grid", { name: "Feeds" }));
  await feeds.getByText("roof").waitFor();
  const conf = page.getByRole("region", { name: "Configuration in force" });
  await conf.getByText("http.listen", { exact: true }).waitFor();
  const { createSocket } = await import("node:dgram");
  const socket = createSocket("udp4");
  const ship = { mmsi: 219018765, name: "NORDIC HAV", lon: 10.3, lat: 56.14, sog: 0, cog: 90 };
  const timer = setInterval(() => socket.send(position(ship), stage.program.feed, "127.0.0.1"), 300);
  socket.send(voyage(ship), stage.program.feed, "127.0.0.1");
  await until(
    "the reports are counted on the page",
    async () => Number(await fact(page, "Work since the start", "Reports").innerText()) > 3,
  );
  clearInterval(timer);
  const deep = { mmsi: 219018766, name: "DEEP", draught: 8.8, lon: 12.7, lat: 55.6098, sog: 20, cog: 0 };
  socket.send(voyage(deep), stage.program.feed, "127.0.0.1");
  const sails = setInterval(() => {
    deep.lat += 0.00003;
    socket.send(position(deep), stage.program.feed, "127.0.0.1");
  }, 300);
  const drogden = fact(page, "Passages sailed beyond their limit", "Drogden");
  await drogden.waitFor();
  assert.equal(await drogden.innerText(), "ships 1, draught up to 8.8 m of 7.7 m");
  clearInterval(sails);
  socket.close();
  await shot(page, "system-passages");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a user without the right is shown no system page", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 1440, height: 900 });
  await page.getByLabel("User name").fill("viewer");
  await page.getByLabel("Password").fill("a quay in the rain");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^Menu:/ }).click();
  const menu = page.getByRole("navigation", { name: "Menu" });
  await menu.getByRole("button", { name: "Map", exact: true }).waitFor();
  assert.equal(await menu.getByRole("button", { name: "System", exact: true }).count(), 0);
  await page.context().close();
});

test("the page fits on each screen, by day and by night", async () => {
  for (const look of looks()) {
    const page = await open(stage.browser, stage.program.url, look);
    await signIn(page, 0);
    await page.goto(`${stage.program.url}#w=system`);
    await page.locator(".system .box").first().waitFor();
    await page.locator(".system .long [role=row]").nth(3).waitFor();
    await atRest(page);
    await shot(page, `system-${look.width}-${look.palette}`);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll(".system *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.className),
    );
    assert.deepEqual(wide, [], `${look.width}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});
