// The language of the search box in a real browser: words mean here what they mean to the server, and an answer of nothing says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { drawn, hear, heard, open, shot, signIn, state, until, violations } from "./support.mjs";

const life = { mmsi: 235000007, name: "TUG LIFE", callsign: "MTUG1", type: 37, lon: 10.3, lat: 56.1, cog: 90, heading: 90, sog: 4 };
const fairplay = { mmsi: 218000002, name: "FAIRPLAY", callsign: "DGFP", type: 52, lon: 10.25, lat: 56.12, cog: 0, heading: 0, sog: 6 };

const stage = staged({ ships: 30, prepare: ({ feeder }) => feeder.ships.push(life, fairplay) });

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
  const page = await open(stage.browser, stage.program.url);
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
  const page = await open(stage.browser, stage.program.url);
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
    const page = await open(stage.browser, stage.program.url, { width, height, palette });
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
    const page = await open(stage.browser, stage.program.url, { width, height, palette, touch: width < 900, hash: "&v=0,-40,5" });
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
      assert.deepEqual(await violations(page, palette === "day"), []);
      await note.getByRole("button", { name: words.show }).click();
      await until("the map shows them", () => state(page, "q.chart.painter.count > 0"));
      await note.waitFor({ state: "detached" });
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

const chips = (page) =>
  page.locator(".found .chips li").evaluateAll((all) => all.map((chip) => chip.innerText.replace(/\s*×$/, "").replace(/\s+/g, " ")));
const chipsAre = (page, ...words) =>
  until(`the chips ${words.join(" | ")}`, async () => JSON.stringify(await chips(page)) === JSON.stringify(words));
const boxIs = (page, text) => until(`"${text}" in the box`, async () => (await page.locator("#search").inputValue()) === text);
const taken = (page, name) => page.locator(".found .chips").getByRole("button", { name }).click();

test("the box shows how it reads a sentence, and each condition can be taken out", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 30);
  const box = page.locator("#search");
  for (const [text, ...words] of [
    ["tankers waiting", "Type tankers", "Call waiting"],
    ["in Copenhagen", "Port in Copenhagen"],
    ["to Aarhus", "Destination to Aarhus"],
    ["speed over 10", "speed over 10"],
    ["eta today", "ETA eta today"],
    ["im Hafen", "Port im Hafen"],
    ["Schlepper in Fahrt", "Type Schlepper", "Status in Fahrt"],
    ["tanker or tug", "Type tanker", "or Type tug"],
    ["tanker length > 150 anchored", "Type tanker", "length > 150", "Status anchored"],
  ]) {
    await box.fill(text);
    await chipsAre(page, ...words);
  }
  await shot(page, "words-chips");
  await until("the filter at the server", () => state(page, "q.live.filter === 'tanker length > 150 anchored'"));
  await taken(page, "Remove length > 150");
  await boxIs(page, "tanker anchored");
  assert.equal(await state(page, "q.live.filter"), "", "words are matched in the page");
  await chipsAre(page, "Type tanker", "Status anchored");

  await box.focus();
  await page.keyboard.press("End");
  await page.keyboard.type(" denmark ");
  await chipsAre(page, "Type tanker", "Status anchored", "Flag denmark");
  await page.keyboard.press("Backspace");
  await boxIs(page, "tanker anchored ");
  await chipsAre(page, "Type tanker", "Status anchored");
  await page.keyboard.press("ArrowUp");
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
  assert.equal(await focused(), "Remove Status: anchored");
  assert.notEqual(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none", "the focus is seen");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(), "Remove Type: tanker");
  await hear(page);
  await page.keyboard.press("Delete");
  await boxIs(page, "anchored ");
  assert.equal(await focused(), "Remove Status: anchored", "the focus goes to the next");
  await heard(page, "tanker is removed.");
  await page.keyboard.press("Backspace");
  await boxIs(page, "");
  assert.equal(await page.evaluate("document.activeElement.id"), "search");
  await box.fill("tanker sog > 1");
  await chipsAre(page, "Type tanker", "sog > 1");
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("what the box does not understand is marked and says what to type", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 30);
  const box = page.locator("#search");
  await box.fill("tanker in Atlantis anchored");
  await chipsAre(page, "Type tanker", "? in Atlantis", "Status anchored");
  const odd = page.locator(".found .chips li.odd");
  assert.match(
    await odd.getByRole("button").getAttribute("aria-label"),
    /^Not understood: in Atlantis\. no port is called 'Atlantis': type its name or LOCODE/,
  );
  await page.locator(".found p.problem", { hasText: "no port is called 'Atlantis': type its name or LOCODE" }).waitFor();
  await shot(page, "words-chips-odd");
  await odd.getByRole("button").click();
  await boxIs(page, "tanker anchored");
  await odd.waitFor({ state: "detached" });
  assert.equal(await page.locator(".found p.problem").count(), 0);
  await box.fill("tnaker moored");
  await chipsAre(page, "? Name tnaker", "Status moored");
  await page.locator(".offers").getByRole("button", { name: "tanker moored" }).waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the box keeps its chips while it is left, on a phone they stand below it", async () => {
  for (const [width, height, palette, language, chip, remove] of [
    [1440, 900, "day", "en", "Type Schlepper", "Type: Schlepper"],
    [1024, 768, "night", "de", "Typ Schlepper", "Typ: Schlepper"],
    [390, 844, "night", "de", "Typ Schlepper", "Typ: Schlepper"],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height, palette, touch: width < 900 });
    await signIn(page, 30);
    await page.evaluate((code) => globalThis.quaywatch.setLanguage(code), language);
    const box = page.locator("#search");
    await box.fill("Schlepper in Fahrt length > 20");
    await chipsAre(page, chip, "Status in Fahrt", "length > 20");
    assert.deepEqual(await violations(page, palette === "day"), []);
    await shot(page, `words-chips-${width}`);
    if (width < 900) {
      const size = await page.locator(".found .chips button").first().boundingBox();
      assert.ok(size.width >= 44 && size.height >= 44, `${size.width} × ${size.height} for a finger`);
      await taken(page, new RegExp(remove));
    } else {
      await box.press("Enter");
      const inside = page.locator(".search > .chips.inside li");
      await until("chips in the box", async () => (await inside.count()) === 3);
      await box.blur();
      assert.deepEqual(await violations(page, palette === "day"), []);
      await shot(page, `words-chips-inside-${width}`);
      await inside.first().getByText("×").click();
    }
    await boxIs(page, "in Fahrt length > 20");
    await until("the filter", () => state(page, "q.live.filter === 'in Fahrt length > 20'"));
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});
