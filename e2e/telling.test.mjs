// Whom a watchdog tells beside the board, what of, and what becomes of an alert that nobody acknowledges, in a real browser.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { freighter } from "./ais.mjs";
import { pen } from "./map.mjs";
import { staged } from "./stage.mjs";
import { field, nameWatchdog, newWatchdog, noticed, open, password, Program, shot, signIn, small, until } from "./support.mjs";

let post;

// mailbox is a mail server on this machine that takes what comes.
async function mailbox() {
  const mails = [];
  const server = createServer((socket) => {
    let rest = "",
      data;
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.write("220 box\r\n");
    socket.on("data", (chunk) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop();
      for (const line of lines) {
        if (data === undefined) {
          if (/^DATA/i.test(line)) data = [];
          socket.write(/^DATA/i.test(line) ? "354 go on\r\n" : /^QUIT/i.test(line) ? "221 bye\r\n" : "250 box\r\n");
        } else if (line === ".") {
          mails.push(data.join("\n"));
          data = undefined;
          socket.write("250 taken\r\n");
        } else data.push(line);
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { mails, port: server.address().port, close: () => server.close() };
}

const stage = staged({
  ships: 3,
  async start(stage) {
    post = await mailbox();
    stage.program = await Program.serve({
      more:
        `[mail]\nhost = "127.0.0.1"\nport = ${post.port}\ntls = "off"\nfrom = "quaywatch@port.example"\n` +
        `[sms]\nurl = "http://127.0.0.1:${post.port}/?to=%to%&text=%text%"\n`,
    });
  },
  async prepare({ call }) {
    await call("POST", "config/group", { name: "bridge" });
    await call("POST", "config/user", { name: "chief", password, groups: ["viewer", "bridge"], access_rights: { view_watchdog: "allow" } });
    await call("POST", "config/user", {
      name: "mate",
      password,
      groups: ["viewer"],
      access_rights: { view_watchdog: "allow", configure_watchdog_definitions: "allow", user_conf_access: "deny" },
    });
  },
});
const { call } = stage;
after(() => post?.close()); // after the program, which speaks to it

const fold = (page, name) => page.locator(".fold", { has: page.getByRole("button", { name, exact: true }) });
const places = "55.89 10.3\n55.89 10.4\n55.91 10.4\n55.91 10.3";
const named = async (name) => (await call("GET", "watchdog/definition")).records.find((w) => w.name === name);

async function add(page, label, ...names) {
  for (const name of names) {
    await field(page, label).fill(name);
    await field(page, label).press("Enter");
  }
}

async function sheet(page, type, name) {
  await newWatchdog(page, type);
  await pen(page);
  await field(page, "Places").fill(places);
  await nameWatchdog(page, name);
}

async function save(page, name) {
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, `${name} watches.`);
  return named(name);
}

test("a watchdog tells by mail what its preview said", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 3);
  await sheet(page, "polygon", "Roads");
  await field(page, "Severity").selectOption("warning");
  const tell = fold(page, "Also tell");
  await tell.getByText("Nobody: it stands on the board alone.").waitFor();
  await tell.getByRole("button", { name: "Also tell" }).click();
  assert.equal(await tell.getByLabel("Text of the mail").count(), 0, "texts are asked for once somebody gets them");
  await add(page, "By mail", "watch@port.example", "no address");
  await field(page, "By SMS").fill("+4512345678");
  await tell.getByRole("switch").check(); // a click is not lost, though what was typed makes room above it
  await page.getByRole("button", { name: "Remove +4512345678" }).waitFor();
  await tell.getByRole("switch").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field.invalid", { hasText: "must name a user, or be a mail address" }).waitFor();
  await page.getByRole("button", { name: "Remove no address" }).click();
  await tell.getByText("EXAMPLE entered Roads").first().waitFor();
  await field(page, "Text of the mail").fill("Subject: Come, %name%\n\n%name% is in %watchdog%: %tide%");
  await field(page, "Text of the SMS").fill("%name% in");
  await tell.locator("pre", { hasText: "Come, EXAMPLE" }).getByText("EXAMPLE is in Roads: %tide%").waitFor();
  await tell.locator("pre", { hasText: "EXAMPLE in" }).first().waitFor();
  await shot(page, "telling-preview");
  const made = await save(page, "Roads");
  assert.deepEqual([made.mail_to, made.sms_to], [["watch@port.example"], ["+4512345678"]]);
  await page.locator(".all .row", { hasText: "Roads" }).click();
  await page.getByText("watch@port.example, +4512345678").waitFor();
  await fold(page, "Also tell").getByRole("button", { name: "Also tell" }).click();
  await page.getByRole("button", { name: "Remove +4512345678" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await until("the number is gone", async () => ((await named("Roads")).sms_to ?? []).length === 0);
  stage.feeder.joins({ ...freighter, mmsi: 219900021, name: "<B>NORDIC", lon: 10.35, lat: 55.9, sog: 0, cog: 90, heading: 90 });
  await until("the mail", () => post.mails.length > 0);
  assert.match(post.mails[0], /^Subject: Come, <B>NORDIC$/m);
  assert.match(post.mails[0], /<B>NORDIC is in Roads: %tide%/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a test goes to the targets as they stand in the form, and the page says what became of each", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 3);
  await sheet(page, "polygon", "Never saved");
  const tell = fold(page, "Also tell");
  await tell.getByRole("button", { name: "Also tell" }).click();
  const button = tell.getByRole("button", { name: "Send a test" });
  assert.equal(await button.count(), 0, "nobody is told yet");
  await add(page, "By mail", "no address");
  await button.click();
  await page.locator(".field.invalid", { hasText: "must name a user, or be a mail address" }).waitFor();
  await page.getByRole("button", { name: "Remove no address" }).click();
  await add(page, "By mail", "try@port.example");
  await add(page, "By SMS", "+4512345678");
  await button.click();
  await tell.getByText("try@port.example by mail: sent").waitFor();
  await tell.getByText("+4512345678 by SMS: failed: ").waitFor();
  await shot(page, "telling-trial");
  const [mail] = post.mails.filter((text) => text.includes("To: <try@port.example>"));
  assert.match(mail, /^Subject: Test of Quaywatch by admin$/m);
  assert.match(mail, /Nothing has happened/);
  assert.equal(await named("Never saved"), undefined);
  await page.context().close();

  const box = await open(stage.browser, stage.program.url, { ...small, hash: "&w=system" });
  await signIn(box, 3);
  const notices = box.getByRole("region", { name: "Notices", exact: true });
  const mine = notices.getByRole("button", { name: "Send a test to me: Mail" });
  await mine.click();
  await notices.getByText("the user admin has no address for mail").waitFor();
  await call("PUT", "config/user/admin", { email: "admin@port.example" });
  await mine.click();
  await notices.getByText("admin by mail: sent").waitFor();
  assert.equal(await notices.getByText("has no address").count(), 0);
  assert.deepEqual(await notices.getByRole("button").allTextContents(), ["Send a test to me", "Send a test to me"]);
  await shot(box, "system-trial");
  assert.deepEqual([...page.clean(), ...box.clean()], []);
  await box.context().close();
});

test("an alert that nobody acknowledges goes on, and a sector has its own operators", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 3);
  await sheet(page, "polygon", "Gate");
  const part = fold(page, "If nobody acknowledges");
  assert.equal(await part.count(), 0, "a note waits for nobody");
  await field(page, "Severity").selectOption("alert");
  await part.getByText("It waits for those that have it.").waitFor();
  await part.getByRole("button").first().click();
  await add(page, "Then also to", "chief");
  await page.getByRole("button", { name: "Save" }).click();
  await part.locator(".field.invalid", { hasText: "is required with escalate_to" }).waitFor();
  await field(page, "Goes on after").fill("00:00:05");
  await page.getByRole("button", { name: "Save" }).click();
  await part.locator(".field.invalid", { hasText: "must be from 00:00:10" }).waitFor();
  await field(page, "Goes on after").fill("00:05:00");
  await add(page, "Then also to", "bridge");
  const made = await save(page, "Gate");
  assert.deepEqual([made.escalate_after, made.escalate_to.map((ref) => ref.name)], ["00:05:00", ["chief", "bridge"]]);
  await page.locator(".all .row", { hasText: "Gate" }).click();
  await page.getByText("After 00:05:00 also to chief, bridge, then to all.").waitFor();
  await part.getByRole("button").first().click();
  await page.getByRole("button", { name: "Remove chief" }).click();
  await page.getByRole("button", { name: "Remove bridge" }).click();
  await field(page, "Goes on after").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".all .row", { hasText: "Gate" }).waitFor(); // the page goes back to the list by itself
  assert.equal((await named("Gate")).escalate_after, undefined);

  const circle = { center: { type: "Point", coordinates: [10.3, 55.9] }, radius: 1000 };
  const { uid } = await call("POST", "config/shape", { name: "North", circle });
  const shape = () => call("GET", `config/shape/${uid}`);
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("shapes", to), uid);
  await field(page, "Sector").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".field.invalid", { hasText: "Looked after by" }).waitFor();
  await add(page, "Looked after by", "bridge");
  await field(page, "Goes on after").fill("00:02:00");
  await add(page, "Then also to", "chief");
  await shot(page, "telling-sector");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "North is saved.");
  const { sector } = await shape();
  assert.deepEqual(
    [sector.groups.map((ref) => ref.name), sector.escalate_after, sector.escalate_to.map((ref) => ref.name)],
    [["bridge"], "00:02:00", ["chief"]],
  );
  await page.locator(".all .row", { hasText: "North" }).click();
  assert.equal(await field(page, "Goes on after").inputValue(), "00:02:00");
  await field(page, "Sector").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".all .row", { hasText: "North" }).waitFor();
  assert.equal((await shape()).sector, undefined);
  await page.evaluate(() => globalThis.quaywatch.navigation.go("shapes", "new", "line"));
  await page.getByRole("button", { name: "Save" }).waitFor();
  assert.equal(await field(page, "Sector").count(), 0, "a line is no area");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the message to the ship holds what AIS can carry, and is for those that may send", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 3);
  await sheet(page, "polygon", "Tow");
  const part = fold(page, "Message to the ship");
  await part.getByRole("button").first().click();
  await field(page, "Send a text to the ship by radio").check();
  const text = field(page, "Text");
  await page.getByRole("button", { name: "Save" }).click();
  await part.locator(".field.invalid").waitFor();
  await text.fill("Nåher @ %name%");
  await part.getByText("AIS does not have å @.").waitFor();
  await text.fill("x".repeat(157));
  await part.getByText("1 characters too many: AIS carries 156.").waitFor();
  await field(page, "To all ships that hear it, not to the one alone").check();
  await part.getByText("4 of 161 characters left.").waitFor();
  await part.getByText("characters too many").waitFor({ state: "detached" });
  await field(page, "To all ships that hear it, not to the one alone").uncheck();
  await text.fill("%name%, keep clear of the tow");
  await part.getByText("127 of 156 characters left.").waitFor();
  await part.locator("pre", { hasText: "EXAMPLE, KEEP CLEAR OF THE TOW" }).waitFor();
  await shot(page, "telling-ship");
  const made = await save(page, "Tow");
  assert.deepEqual(
    [made.send_ship_notification, made.ship_notification_text, made.ship_notification_broadcast ?? false],
    [true, "%name%, keep clear of the tow", false],
  );
  await page.context().close();
  const other = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs/new/polygon" });
  await other.getByLabel("User name").fill("mate");
  await other.getByLabel("Password").fill(password);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("button", { name: "Exactly" }).waitFor();
  assert.equal(await fold(other, "Message to the ship").count(), 0);
  assert.deepEqual([...page.clean(), ...other.clean()], []);
  await other.context().close();
});

test("a watchdog has hours of several rules", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=watchdogs" });
  await signIn(page, 3);
  await sheet(page, "polygon", "Nights");
  await field(page, "Hours").selectOption("own");
  await page.getByRole("button", { name: "Add hours" }).click();
  const second = page.getByRole("group", { name: "Hours 2" });
  for (const day of ["Mon", "Tue", "Wed", "Thu", "Fri"]) await second.getByRole("button", { name: day }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await second.locator(".problem").waitFor();
  await second.getByRole("button", { name: "Sun" }).click();
  await second.getByLabel("From").fill("22:00");
  await second.getByLabel("To", { exact: true }).fill("00:00");
  await shot(page, "telling-hours");
  const made = await save(page, "Nights");
  assert.deepEqual(made.calendar.rules, [
    { days: ["mon", "tue", "wed", "thu", "fri"], from: "08:00", to: "16:00" },
    { days: ["sun"], from: "22:00", to: "24:00" },
  ]);
  await page.locator(".all .row", { hasText: "Nights" }).click();
  await page.getByRole("button", { name: "Remove hours 1" }).click();
  assert.equal(await page.getByRole("button", { name: /^Remove hours/ }).count(), 0, "the last one stays");
  await page.getByRole("button", { name: "Save" }).click();
  await until("one is left", async () => (await named("Nights")).calendar.rules.length === 1);
  assert.deepEqual((await named("Nights")).calendar.rules[0].days, ["sun"]);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the table of a statistic is mailed when it is done, and the page says what became of it", async () => {
  const page = await open(stage.browser, stage.program.url, { ...small, hash: "&w=statistics/new/multiship" });
  await signIn(page, 3);
  const { mmsi } = stage.feeder.ships[0];
  await field(page, "Numbers of the ships").fill(String(mmsi));
  await field(page, "Name (may stay empty)").fill("Who it is");
  await field(page, "When").selectOption("own"); // which holds the first reports of the ship
  await page.getByLabel(/^To/).fill("2030-01-01 00:00");
  await add(page, "Mail the table to", "no address");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator(".field.invalid", { hasText: "must name a user, or be a mail address" }).waitFor();
  await page.getByRole("button", { name: "Remove no address" }).click();
  await add(page, "Mail the table to", "office@port.example");
  let early = true; // the statistic is done, and its mails are not made yet
  await page.route(/statistic\/\d+$/, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch(),
      json = await response.json();
    if (early && json.status === "completed") [early, json.mails] = [false, []];
    return route.fulfill({ response, json });
  });
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page
    .locator(".stathead")
    .getByText(/^Mailed to office@port\.example, /)
    .waitFor();
  assert.ok(!early);
  const [mail] = post.mails.filter((text) => text.includes("Subject: Statistic Who it is"));
  assert.match(mail, /To: <?office@port\.example>?[^]*multiship-\d+\.csv/);
  const statistic = async () => (await call("GET", "jobserver/stat/statistic")).records.find(({ name }) => name === "Who it is");
  await page.getByRole("button", { name: "Repeat and mail …" }).click();
  assert.equal(await page.getByText("Mail the table to").count(), 0, "what has ended is not mailed any more");
  await field(page, "Repeat").selectOption({ label: "Daily" });
  await add(page, "Mail the table to", "no address");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".field.invalid", { hasText: "must name a user, or be a mail address" }).waitFor();
  await page.getByRole("button", { name: "Remove no address" }).click();
  await add(page, "Mail the table to", "pilots@port.example");
  await shot(page, "telling-repeat");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".stathead").getByText("The next tables are mailed to pilots@port.example.").waitFor();
  await page.locator(".stathead").getByText("Repeats daily, next ").waitFor();
  const { repeat, mail_to } = await statistic();
  assert.deepEqual([repeat, mail_to], ["daily", ["office@port.example", "pilots@port.example"]]);
  await page.getByRole("button", { name: "Repeat and mail …" }).click();
  assert.equal(await field(page, "Repeat").inputValue(), "daily");
  await page.getByRole("button", { name: "Remove pilots@port.example" }).click();
  await field(page, "Repeat").selectOption({ label: "Monthly" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".stathead").getByText("Repeats monthly, next ").waitFor();
  assert.deepEqual((await statistic()).mail_to, ["office@port.example"]);
  const { id } = await statistic();
  await call("DELETE", `jobserver/stat/statistic/${id}`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
