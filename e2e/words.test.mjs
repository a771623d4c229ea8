// The language of the search box in a real browser: words mean here what they mean to the server, and an answer of nothing says why.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { drawn, Feeder, launch, open, Program, shot, signIn, state, until, violations } from "./support.mjs";

const life = { mmsi: 235000007, name: "TUG LIFE", callsign: "MTUG1", type: 37, lon: 10.3, lat: 56.1, cog: 90, heading: 90, sog: 4 };
const fairplay = { mmsi: 218000002, name: "FAIRPLAY", callsign: "DGFP", type: 52, lon: 10.25, lat: 56.12, cog: 0, heading: 0, sog: 6 };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let program, feeder, browser;

before(async () => {
  program = await Program.serve();
  feeder = new Feeder(program.feed, 30);
  feeder.ships.push(life, fairplay);
  browser = await launch();
});
after(async () => {
  feeder?.close();
  await browser?.close();
  await program?.remove();
});

// atServer gives how many ships the server finds by a filter.
const atServer = (page, filter) =>
  page.evaluate(async (text) => {
    const stop = new AbortController();
    const response = await fetch("api/live?filter=" + encodeURIComponent(text), { signal: stop.signal });
    let body = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      body += part;
      const picture = /event: picture\ndata: (.*)\n/.exec(body);
      if (!picture) continue;
      stop.abort();
      return JSON.parse(picture[1]).records.length;
    }
    throw new Error(`${response.status} ${body}`);
  }, filter);

test("words pick in the box what they pick at the server", async () => {
  const page = await open(browser, program.url);
  await signIn(page, 30);
  await until("all ships have names", () =>
    state(page, "q.picture.ships.size >= 34 && [...q.picture.ships.values()].every((s) => s.class === 'base' || s.name)"),
  );
  for (const text of [
    "tanker",
    "not tanker",
    "tanker or cargo",
    "Tanker oder Frachter",
    "nicht (Tanker oder Frachter)",
    "moored",
    "not moored",
    "Denmark",
    "dänemark, not base",
    "tug",
    '"TUG"',
    "nordic",
    "aton or base",
    "xyz",
  ]) {
    await page.locator("#search").fill(text);
    await until(`${text} at the server`, async () => (await state(page, "q.search.shown")) === (await atServer(page, text)), 20e3);
  }
  assert.ok((await state(page, "q.picture.ships.size")) >= 34, "the whole picture stayed here");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("an answer says n of all, and which word no ship is called", async () => {
  const page = await open(browser, program.url);
  await signIn(page, 30);
  const named = "['TUG LIFE', 'FAIRPLAY'].every((name) => [...q.picture.ships.values()].some((s) => s.name === name))";
  const all = await until("all ships", () => state(page, `q.picture.ships.size >= 34 && ${named} && q.picture.ships.size`));
  const count = page.locator(".found .count");
  const box = page.locator("#search");
  await box.fill("tug");
  const tugs = await state(page, "[...q.picture.ships.values()].filter((s) => [31, 32, 52].includes(s.type_code)).length");
  await until("the tugs", async () => (await count.textContent()) === `${tugs} of ${all} ships match.`);
  assert.match(await page.locator("#found").innerText(), /TUG LIFE[^]*FAIRPLAY/, "the ship of that name is offered beside the tug");
  await box.fill("tnaker");
  await until("the word", async () => (await count.textContent()) === `No ship is called “tnaker”. None of ${all} ships matches.`);
  assert.equal(await page.locator(".list .quiet").first().textContent(), `0 of ${all}`);
  await shot(page, "words-none");
  await page.locator(".offers").getByRole("button", { name: "tanker", exact: true }).click();
  await until("the word in the box", async () => (await box.inputValue()) === "tanker");
  await until("tankers", () => state(page, "q.search.shown > 0"));
  await box.fill("tanker and sog > 90");
  await page.keyboard.press("Enter");
  await until("none of all", async () => (await page.locator(".list .quiet").first().textContent()) === `0 of ${all}`);
  await box.fill("tanker and sog > 91");
  await until("the box says so too", async () => (await count.textContent()) === `None of ${all} ships matches.`);
  assert.equal(await page.locator(".list .empty").textContent(), `None of ${all} ships matches.`);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the box says it on a phone and at night, in German too", async () => {
  for (const [width, height, palette] of [
    [1024, 768, "night"],
    [390, 844, "day"],
  ]) {
    const page = await open(browser, program.url, { width, height, palette });
    await signIn(page, 1);
    await page.evaluate(() => globalThis.quaywatch.setLanguage("de"));
    await page.locator("#search").fill("Schleper");
    await page.locator(".offers").getByRole("button", { name: "schlepper", exact: true }).waitFor();
    assert.match(await page.locator(".found .count").textContent(), /Kein Schiff heißt „Schleper“. Keines von \d+ Schiffen passt\./);
    await shot(page, `words-${width}-${palette}`);
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("what matches beyond the edge of the map is told, and a press shows it", async () => {
  for (const [width, height, palette, language, words] of [
    [1440, 900, "day", "en", { told: /^(\d+ match, none here|1 matches, not here) Show$/, show: "Show", filter: "tug or type = Pilot" }],
    [390, 844, "night", "de", { told: /^(\d+ passen, hier keines|1 passt, nicht hier) Zeigen$/, show: "Zeigen", filter: "sog > 3" }],
  ]) {
    const page = await open(browser, program.url, { width, height, palette, touch: width < 900, hash: "&v=0,-40,5" });
    await signIn(page, 0);
    await page.evaluate((code) => globalThis.quaywatch.setLanguage(code), language);
    await until("the fleet is there", () => state(page, "q.picture.ships.size >= 30"));
    const note = page.locator(".elsewhere");
    await drawn(page);
    assert.equal(await note.count(), 0, "without a filter nothing is missed");
    for (const filter of ["tanker", words.filter]) {
      await page.evaluate(() => globalThis.quaywatch.chart.show(0, -40, 5));
      await page.locator("#search").fill(filter);
      await page.locator("#search").blur();
      await note.waitFor();
      const matches = await state(page, "q.search.shown");
      assert.ok(matches > 0);
      assert.match((await note.innerText()).replace(/\s+/g, " "), words.told);
      await shot(page, `words-elsewhere-${width}`);
      await page.evaluate(axe);
      assert.deepEqual(await violations(page, palette === "day"), []);
      await note.getByRole("button", { name: words.show }).click();
      await until("the map shows them", () => state(page, "q.chart.painter.count > 0"));
      await note.waitFor({ state: "detached" });
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});
