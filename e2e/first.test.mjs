// The first minute after the installation: what a newcomer sees before and until the first ship.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fleet, position } from "./ais.mjs";
import { atRest, Feeder, launch, looks, open, password, Program, shot, signIn, state, until, violations } from "./support.mjs";

let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
});

// quiet makes a page that also collects failed requests and every word in the console.
async function quiet(url, options) {
  const page = await open(browser, "about:blank", options);
  const heard = [];
  page.on("console", (message) => heard.push(message.type() + ": " + message.text()));
  page.on("response", (response) => {
    if (response.status() >= 400) heard.push(response.status() + " " + response.url());
  });
  page.on("requestfailed", (request) => heard.push("failed: " + request.url()));
  await page.goto(url);
  page.heard = heard;
  return page;
}

// today gives the time so many days from now.
const today = (days) => new Date(Date.now() + days * 86400e3).toISOString();

async function enter(page) {
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("without a feed the page says what to do, and no request fails on the way there", async () => {
  const program = await Program.serve({ feeds: 0 });
  try {
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ]) {
      const page = await quiet(program.url, { width, height });
      await enter(page);
      await page.getByRole("heading", { name: "No receiver is set up yet" }).waitFor();
      assert.match(await page.locator(".start pre").textContent(), /\[\[feed\]\][^]*serial:\/\/auto/);
      assert.match(await page.locator(".feedbutton").innerText(), /no feed/);
      const box = await page.locator(".start").boundingBox();
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, JSON.stringify(box));
      await shot(page, `first-${width}`);
      assert.deepEqual(page.heard, []);
      await page.context().close();
    }
  } finally {
    await program.remove();
  }
});

test("without a feed a store with a past opens on it, and is never taken for the present", async () => {
  const ships = [
    [219018765, "NORDIC HAV", 10.3, 56.1],
    [219018004, "ESVAGT", 10.4, 56.2],
  ];
  const past =
    "mmsi,time,name,lon,lat,sog,cog\n" +
    ships.map(([mmsi, name, lon, lat]) => `${mmsi},${today(-3)},${name},${lon},${lat},9,45\n`).join("");
  const program = await Program.serve({ feeds: 0, past });
  try {
    for (const look of looks()) {
      const page = await quiet(program.url, look);
      await enter(page);
      await until("both ships", () => page.evaluate(() => globalThis.quaywatch?.chart?.painter.count === 2));
      await page.getByText(/last places of 2 ships/).waitFor();
      assert.equal(await page.locator(".start").count(), 0);
      await page.locator(".clock.notlive .past", { hasText: "Not live" }).waitFor();
      await atRest(page);
      await shot(page, `stored-${look.width}-${look.palette}`);
      await page.locator(".elsewhere").getByRole("button", { name: "Close" }).click();
      await page.locator(".elsewhere").waitFor({ state: "detached" });
      await state(page, "q.selection.select(219018004)");
      await page
        .locator(".card")
        .getByText(/left .*last seen at/)
        .waitFor();
      assert.deepEqual(page.heard, []);
      await page.context().close();
    }
  } finally {
    await program.remove();
  }
});

test("the card of an empty store can be closed, and stands behind what the user opens", async () => {
  const program = await Program.serve({ feeds: 0 });
  try {
    const page = await quiet(program.url);
    await enter(page);
    await page.locator(".start").waitFor();
    await page.evaluate(() => globalThis.quaywatch.navigation.go("route"));
    await page.locator(".start").waitFor({ state: "detached" });
    await page.evaluate(() => globalThis.quaywatch.navigation.go("map"));
    await page.locator(".start").getByRole("button", { name: "Close" }).click();
    await page.locator(".start").waitFor({ state: "detached" });
    await page.context().close();
  } finally {
    await program.remove();
  }
});

test("with a feed it waits for the first ship, and makes way for it", async () => {
  const program = await Program.serve();
  let feeder;
  try {
    const page = await quiet(program.url);
    await enter(page);
    await page.getByRole("heading", { name: "Waiting for the first ship" }).waitFor();
    assert.match(await page.locator(".start li").textContent(), /roof: nothing heard yet/);
    feeder = new Feeder(program.feed, 30);
    await page.locator(".start").waitFor({ state: "detached" });
    await until("ships", () => page.evaluate(() => globalThis.quaywatch.chart.painter.count >= 20));
    assert.deepEqual(page.heard, []);
    await page.context().close();
  } finally {
    feeder?.close();
    await program.remove();
  }
});

test("the map shows all ships while the first come in one by one, until the user moves it", async () => {
  const program = await Program.serve();
  let feeder;
  try {
    const page = await open(browser, program.url);
    await enter(page);
    await page.locator(".start").waitFor();
    const drawn = (count) => until(`${count} ships on the map`, () => state(page, `q.chart.painter.count >= ${count}`));
    feeder = new Feeder(program.feed, 1);
    feeder.silent = true; // it said the places of the first ship and of two stations
    await drawn(1);
    await atRest(page);
    const [first, ...others] = fleet(25),
      far = { ...others[3], mmsi: 219018900, lat: 57.9 };
    for (const ship of others) feeder.say(position(ship));
    await drawn(25);
    feeder.say(position({ ...first, mmsi: 219018901, lon: 11.4 }));
    await drawn(26);
    await atRest(page);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await atRest(page);
    const place = await state(page, "q.centre");
    feeder.say(position(far));
    await until("the ship far away", () => state(page, `q.picture.ships.has(${far.mmsi})`));
    await atRest(page);
    assert.deepEqual(await state(page, "q.centre"), place, "the map that the user moved");
    await page.context().close();
  } finally {
    feeder?.close();
    await program.remove();
  }
});

test("a word for a kind and Enter: the answers make way for the map and the list", async () => {
  const program = await Program.demo();
  try {
    const page = await open(browser, program.url);
    await signIn(page, 20);
    await until("tankers", () => page.evaluate(() => [...globalThis.quaywatch.picture.ships.values()].some((s) => s.group === "tanker")));
    await page.keyboard.press("/");
    await page.keyboard.type("tanker");
    await page.locator(".found").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".found").waitFor({ state: "detached" });
    assert.equal(await page.locator("#search").inputValue(), "tanker");
    // In the harbour, with hulls to scale, no name lies on another or on a hull of another ship.
    await page.locator("#search").fill("");
    await until("dimensions", () =>
      page.evaluate(() => [...globalThis.quaywatch.picture.ships.values()].filter((s) => s.length > 60).length > 20),
    );
    await page.evaluate(() => {
      const q = globalThis.quaywatch,
        tanker = [...q.picture.ships.values()].find((s) => s.length > 60 && s.sog === 0);
      q.chart.show(tanker.lon, tanker.lat, 14.5);
    });
    await atRest(page);
    const struck = await page.evaluate(() => {
      const q = globalThis.quaywatch;
      const { boxes, count } = q.chart.painter.labels,
        first = q.chart.painter.firstLabel,
        out = [];
      for (let i = first; i < count; i++) {
        for (let k = 0; k < i; k++) {
          if (
            boxes[4 * i] < boxes[4 * k + 2] &&
            boxes[4 * i + 2] > boxes[4 * k] &&
            boxes[4 * i + 1] < boxes[4 * k + 3] &&
            boxes[4 * i + 3] > boxes[4 * k + 1]
          )
            out.push([i, k]);
        }
      }
      return { out, labels: count - first, reserved: first, seen: q.chart.painter.count };
    });
    assert.deepEqual(struck.out, []);
    assert.ok(struck.labels > 0 && struck.reserved > struck.seen, JSON.stringify(struck)); // hulls take more room than symbols
    await shot(page, "demo-hulls");
    await page.context().close();
  } finally {
    await program.remove();
  }
});

test("by the link of the first start the administrator chooses a password, once", async () => {
  const program = await Program.serve({ feeds: 0, invented: true });
  try {
    await until("the link", () => /#first=\S+/.test(program.output));
    const link = program.output.match(/http:\S+#first=\S+/)[0];
    for (const look of looks()) {
      const page = await quiet("about:blank", look);
      await page.goto(link);
      await page.getByRole("heading", { name: "Welcome to Quaywatch" }).waitFor();
      assert.deepEqual(await violations(page), [], `${look.width} ${look.palette}`);
      await shot(page, `invited-${look.width}-${look.palette}`);
      await page.context().close();
    }
    const page = await quiet("about:blank");
    await page.goto(link);
    await page.getByLabel("Password", { exact: true }).fill("a password of my own");
    await page.getByLabel("Password again").fill("another password");
    await page.keyboard.press("Enter");
    await page.getByText("The two passwords differ.").waitFor();
    await page.getByLabel("Password again").fill("a password of my own");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No receiver is set up yet" }).waitFor();
    assert.doesNotMatch(page.url(), /first=/);
    assert.deepEqual(page.heard, []);
    await page.context().close();

    const late = await open(browser, "about:blank");
    await late.goto(link);
    await late.getByLabel("Password", { exact: true }).fill("a password of my own");
    await late.getByLabel("Password again").fill("a password of my own");
    await late.keyboard.press("Enter");
    await late.getByText(/The link was used before/).waitFor();
    await late.getByLabel("User name").fill("admin");
    await late.getByLabel("Password").fill("a password of my own");
    await late.getByRole("button", { name: "Sign in", exact: true }).click();
    await late.getByRole("heading", { name: "No receiver is set up yet" }).waitFor();
    await late.context().close();
  } finally {
    await program.remove();
  }
});
