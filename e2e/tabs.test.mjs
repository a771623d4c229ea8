// The tabs of one browser: a browser opens six connections to a host, so they share one live stream.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { open, password, signIn, state, until } from "./support.mjs";

const stage = staged({ ships: 12 });
const { call } = stage;

const many = 8;

const place = (page) => state(page, `[q.picture.ships.get(219018004)?.lon, q.picture.ships.get(219018004)?.lat].join()`);
const streams = async () => Number(/^quaywatch_live_clients (\d+)$/m.exec(await metrics())[1]);
const metrics = async () => {
  const Authorization = "Basic " + Buffer.from(`admin:${password}`).toString("base64");
  return (await fetch(stage.program.url + "metrics", { headers: { Authorization } })).text();
};
const way = (page) => state(page, `q.live.way.way.constructor === Object ? "worker" : q.live.way.way.hub ? "leads" : "follows"`);
const leaders = async (pages) => {
  const found = [];
  for (const page of pages) if ((await way(page)) === "leads") found.push(page);
  return found;
};

// moves waits until a ship has moved in each of the pages.
async function moves(pages) {
  const moved = async (page) => {
    const first = await place(page);
    await until("the ship moves", async () => ![first, ","].includes(await place(page)));
  };
  await Promise.all(pages.map(moved));
}

// Tabs that a test leaves for the next one, as each new one costs a second of the processor: of a shared worker, or of a leader.
const left = new Map();

// tabs opens so many tabs in one browser; without shared workers where they are taken away.
async function tabs(shared, count = many) {
  const pages = left.get(shared) ?? [await lone(shared)];
  left.delete(shared);
  while (pages.length < count) {
    const page = await pages[0].context().newPage();
    await page.goto(stage.program.url);
    await shows(page);
    pages.push(page);
  }
  return pages;
}

// lone opens the first tab and signs in.
async function lone(shared) {
  // All of them draw at once: a large one costs twice as much.
  const page = await open(stage.browser, stage.program.url, { width: 1024, height: 768 });
  if (!shared) {
    await page.context().addInitScript(() => delete globalThis.SharedWorker);
    await page.reload();
  }
  await signIn(page, 10);
  return page;
}

const shows = (page) => page.waitForFunction(() => globalThis.quaywatch?.chart?.painter.count >= 10);

// answers clicks on a ship of the list and waits for its card with what the server knows of it.
async function answers(page) {
  await page.bringToFront();
  await page.locator(".all .row").first().click();
  const { mmsi } = await state(page, "q.selection");
  assert.ok(mmsi > 0);
  await page.locator(".card", { hasText: String(mmsi) }).waitFor();
}

for (const shared of [true, false]) {
  const how = shared ? "a shared worker" : "a leader";

  test(`who signs out in one tab is signed out in all, and another user takes all over, with ${how}`, async () => {
    const pages = await tabs(shared, 3);
    await state(pages[1], "q.session.signOut()");
    for (const page of pages) {
      await page.getByLabel("User name").waitFor();
      assert.equal(await state(page, "q.picture.ships.size"), 0);
    }
    await signIn(pages[2], 10);
    await pages[0].reload();
    await shows(pages[0]);
    const name = shared ? "anna" : "bert";
    await call("POST", "config/user", { name, password, groups: ["viewer"], receive_filter: { expression: "mmsi = 219018004" } });
    await pages[1].getByLabel("User name").fill(name);
    await pages[1].getByLabel("Password").fill(password);
    await pages[1].getByRole("button", { name: "Sign in" }).click();
    await until("the other user sees its ship", () => state(pages[1], "q.session.stage === 'on' && q.picture.ships.size === 1"));
    for (const page of [pages[0], pages[2]]) {
      await page.getByLabel("User name").waitFor();
      assert.equal(await state(page, "q.picture.ships.size"), 0);
    }
    await signIn(pages[0], 10);
    for (const page of pages.slice(1)) {
      await page.reload();
      await shows(page);
    }
    left.set(shared, pages);
  });

  test(`eight tabs show moving ships and open cards at once, over one stream of ${how}`, async () => {
    const pages = await tabs(shared);
    for (const page of pages) await answers(page);
    await moves(pages);
    assert.equal((await leaders(pages)).length, shared ? 0 : 1);
    await until("one stream is open", async () => (await streams()) === 1);
    // One tab filters: it alone sees fewer ships, and takes no second connection.
    const [filtering, ...others] = pages;
    await state(filtering, `q.search.setText("mmsi = 219018004", true)`);
    await until("one ship is left", () => state(filtering, "q.picture.ships.size === 1"));
    for (const page of others) assert.ok((await state(page, "q.picture.ships.size")) > 10);
    await until("two questions are open", async () => (await streams()) === 2);
    await state(filtering, `q.search.setText("spede > 3", true)`); // what the server cannot read is told there alone
    await until("the filter is refused", () => state(filtering, "q.search.problem?.code === 'filter_syntax' && q.picture.ships.size > 10"));
    await moves(pages);
    for (const page of others) assert.equal(await state(page, "q.search.problem === undefined && q.link.up"), true);
    assert.deepEqual(pages[0].clean(), []);
    await pages[0].context().close();
    await until("the stream ends with the last tab", async () => (await streams()) === 0);
  });
}

test("when the tab that leads is closed, crashes or stops, another one leads within seconds", async () => {
  const pages = await tabs(false, 4);
  for (const end of [(page) => page.close(), (page) => crash(page), (page) => freeze(page)]) {
    await until("one leads", async () => (await leaders(pages)).length === 1);
    const [leader] = await leaders(pages);
    pages.splice(pages.indexOf(leader), 1);
    await end(leader);
    await until("another one leads", async () => (await leaders(pages)).length === 1);
    await moves(pages);
    await until("one stream is open", async () => (await streams()) === 1);
  }
  assert.equal(pages.length, 1);
  await pages[0].context().close();
});

// crash ends the process of a tab, which says nothing more.
async function crash(page) {
  const gone = new Promise((done) => page.once("crash", done));
  await page.goto("chrome://crash").catch(() => undefined);
  await gone;
}

// freeze stops the scripts of a tab, as a browser does with one that was not seen for long.
async function freeze(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
}
