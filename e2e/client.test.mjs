// The client in a real browser against the real program, fed by UDP.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { atRest, open, password, shot, signIn, standing, state, until } from "./support.mjs";

const stage = staged({ ships: 60 });

const rowNames = (page) => page.locator(".all .row .name").allTextContents();

test("sign-in refuses a wrong password, takes the right one, and survives a reload", async () => {
  const page = await open(stage.browser, stage.program.url);
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Name or password is not right.").waitFor();
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".map canvas.ships").waitFor();
  await page.reload();
  await page.locator(".map canvas.ships").waitFor();
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the page opens on the ships, fitted, without a dialog, and they move", async () => {
  const page = await open(stage.browser, stage.program.url, { motion: true });
  await signIn(page, 55);
  assert.equal(await page.locator("dialog, [role=dialog]").count(), 0);
  const view = await state(
    page,
    `(() => { const c = q.chart.painter, w = c.canvas.width, h = c.canvas.height, xs = [], ys = [];
    for (let k = 0; k < c.count; k++) { xs.push(c.px[k]); ys.push(c.py[k]); }
    const inside = xs.filter((x, i) => x >= 0 && x <= w && ys[i] >= 0 && ys[i] <= h).length;
    return { inside: inside / q.picture.ships.size, spread: Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) / Math.min(w, h) }; })()`,
  );
  assert.ok(view.inside >= 0.9, `${view.inside} of the ships are in view`);
  assert.ok(view.spread >= 0.5, `the fleet takes ${view.spread} of the shorter side`);
  const place = () => state(page, `[q.picture.ships.get(219018004).lon, q.picture.ships.get(219018004).lat].join()`);
  const first = await place();
  await until("ship 219018004 moves", async () => (await place()) !== first);
  assert.equal(await page.getByText("© OpenStreetMap contributors").isVisible(), true);
  assert.match(await page.locator(".ol-scale-line-inner").textContent(), /NM$/);
  assert.match(await page.locator(".clock").textContent(), /\d\d:\d\d:\d\d UTC/);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("no two labels overlap", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  const overlaps = await state(
    page,
    `(() => { const l = q.chart.painter.labels, from = q.chart.painter.firstLabel, out = []; let n = 0;
    for (let a = from; a < l.count; a++, n++) for (let b = a + 1; b < l.count; b++) {
      const A = l.boxes.slice(a * 4, a * 4 + 4), B = l.boxes.slice(b * 4, b * 4 + 4);
      if (A[0] < B[2] && A[2] > B[0] && A[1] < B[3] && A[3] > B[1]) out.push([a, b]); }
    return { n, out }; })()`,
  );
  assert.ok(overlaps.n >= 15, `${overlaps.n} labels`);
  assert.deepEqual(overlaps.out, []);
  await page.context().close();
});

test("a click on a ship opens its card with what is known, and six hours of track take one click more", async () => {
  const page = await open(stage.browser, stage.program.url, { motion: true });
  await signIn(page, 55);
  let lonely;
  await until("the tip of a ship, also where a notice makes the map smaller meanwhile", async () => {
    lonely = await state(
      page,
      `(() => { const p = q.chart.painter; let best = 0, at;
    for (let a = 0; a < p.count; a++) { const s = q.picture.bySlot[p.seen[a]]; if (!s.name || !(s.sog > 3) || p.px[a] > 500) continue;
      let d = 1e9; for (let b = 0; b < p.count; b++) if (a !== b) d = Math.min(d, Math.hypot(p.px[a] - p.px[b], p.py[a] - p.py[b]));
      if (d > best) { best = d; at = { x: p.px[a], y: p.py[a], mmsi: s.mmsi, name: s.name }; } }
    return at; })()`,
    );
    await page.locator("#map").hover({ position: { x: lonely.x, y: lonely.y } });
    return page.locator(".tip", { hasText: lonely.name }).isVisible();
  });
  await page.locator("#map").click({ position: { x: lonely.x, y: lonely.y } });
  const card = page.locator(".card");
  await card.getByRole("heading", { name: lonely.name }).waitFor();
  const text = await card.innerText();
  for (const part of [
    "Denmark",
    "Speed",
    "Course",
    "Destination",
    "ETA of the crew",
    "11-21 18:30 UTC",
    "Draught",
    "Length × beam",
    String(lonely.mmsi),
    "Call sign",
    "IMO",
    "live",
  ]) {
    assert.ok(text.includes(part), `the card lacks ${part}: ${text}`);
  }
  assert.ok(!/Altitude|undefined|null|NaN/.test(text), text);
  await card.getByRole("button", { name: "Track of the last 6 hours" }).click();
  await page.waitForFunction(() => globalThis.quaywatch.tracks.all[0]?.state === "shown");
  assert.ok((await state(page, "q.chart.painter.tracks[0].track.count")) >= 2);
  await until("the card tells of it", async () => /fixes/.test(await card.innerText()));
  const file = await page.request.get(await card.getByRole("link", { name: "GPX" }).evaluate((a) => a.href));
  assert.equal(file.status(), 200);
  assert.match(await file.text(), /<gpx[\s\S]*<trkpt/);
  await shot(page, "track");
  await until("the address knows ship and track", () => page.url().includes(`s=${lonely.mmsi}`) && page.url().includes("t=6"));
  await page.keyboard.press("Escape");
  await page.locator(".card").waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a base station's card has nothing that only a ship can have", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&s=2190047" });
  await signIn(page);
  await page.waitForFunction(() => globalThis.quaywatch.selection.ship !== undefined);
  await page.locator(".card").getByText("Base station").first().waitFor();
  const text = await page.locator(".card").innerText();
  assert.match(text, /\b002190047\b/);
  assert.ok(!/Speed|Course|Destination|Draught|Status/.test(text), text);
  await page.context().close();
});

test("keyboard: slash, a name, Enter goes to the ship", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  const name = await state(page, "q.picture.ships.get(219018010).name");
  await page.keyboard.press("/");
  await page.keyboard.type(name.toLowerCase());
  await page.keyboard.press("Enter");
  await page.locator(".card").getByRole("heading", { name }).waitFor();
  assert.equal(await state(page, "q.selection.mmsi"), 219018010);
  await page.context().close();
});

test("one word filters map and list alike, also an expression of the filter language, and a wrong one is told", async () => {
  const page = await open(stage.browser, stage.program.url, { motion: true });
  await signIn(page, 55);
  await page.keyboard.press("/");
  await page.keyboard.type("tanker");
  await until("only tankers in the list", async () => {
    const types = await page.locator(".all .row").evaluateAll((rows) => rows.map((r) => r.children[2].textContent));
    return types.length > 3 && types.every((type) => type.startsWith("Tanker"));
  });
  await until("only tankers on the map", async () => {
    const shown = await state(
      page,
      "[...Array(q.chart.painter.count).keys()].map((k) => q.picture.bySlot[q.chart.painter.seen[k]].type_code)",
    );
    return shown.length > 3 && shown.every((code) => code >= 80 && code < 90);
  });
  await page.locator("#search").fill("sog > 9 and not type = tanker");
  await page.keyboard.press("Enter");
  await until("the server's filter", () =>
    state(page, "q.picture.ships.size > 0 && [...q.picture.ships.values()].every((s) => s.sog > 9 && s.group !== 'tanker')"),
  );
  await page.locator("#search").fill("spede > 3");
  await page.keyboard.press("Enter");
  await page.locator(".found .problem").waitFor();
  assert.match(await page.locator(".found .problem").textContent(), /unknown field 'spede'; type speed/);
  await page.getByRole("button", { name: "Clear search" }).click();
  await until("all ships again", () => state(page, "q.picture.ships.size >= 60 && q.chart.painter.count >= 55"));
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the list shows at least 28 rows on 900 px, sorts, and puts stations last", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await until("the rows", async () => (await page.locator(".all .row").count()) > 28);
  const box = await page.locator(".rows").boundingBox();
  const rows = await page
    .locator(".all .row")
    .evaluateAll((all) => all.map((r) => r.getBoundingClientRect()).map((r) => [r.top, r.bottom]));
  const inside = rows.filter(([top, bottom]) => top >= box.y - 1 && bottom <= Math.min(900, box.y + box.height) + 1).length;
  assert.ok(inside >= 28, `${inside} rows`);
  await page.getByRole("button", { name: "Sort by Name" }).click();
  await until("rows in order of names", async () => {
    const names = (await rowNames(page)).slice(0, 20).map((name) => name.toLowerCase());
    return names.length === 20 && names.every((name, i) => i === 0 || names[i - 1] <= name);
  });
  await page.locator(".rows").focus();
  await page.keyboard.press("End");
  await until("the last row is a station", async () => /2190047|AARHUS BUGT/.test((await rowNames(page)).at(-1)));
  await page.context().close();
});

test("hostile names are text and nothing else", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&s=219018000" });
  await signIn(page);
  await until("the name in the card", async () => (await page.locator(".card h2").textContent()) === "<SCRIPT SRC=//A.CO>");
  await page.keyboard.press("/");
  await page.keyboard.type("<script");
  const option = page.locator(".all .row .name", { hasText: "<SCRIPT SRC=//A.CO>" });
  await page.locator("#search").fill("script src");
  await page.locator("#found li", { hasText: "<SCRIPT SRC=//A.CO>" }).waitFor();
  await page.locator("#search").fill("");
  await page.getByRole("button", { name: "Sort by Name" }).click();
  await option.first().waitFor();
  await page.locator(".all .row .name", { hasText: "=CMD' /C CALC'!A0" }).waitFor();
  assert.equal(await page.locator("script").count(), 2, "the page's own two scripts");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("every control has a name and can be reached, and there are headings and landmarks", async () => {
  const page = await open(stage.browser, stage.program.url, { hash: "&s=219018004" });
  await signIn(page);
  await page.getByRole("button", { name: "Settings" }).click();
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, a[href], [tabindex], [role=application]")]
      .filter((e) => {
        const label =
          e.getAttribute("aria-label") ||
          e.textContent.trim() ||
          (e.getAttribute("aria-labelledby") && document.getElementById(e.getAttribute("aria-labelledby"))?.textContent) ||
          e.labels?.[0]?.textContent;
        return !label;
      })
      .map((e) => e.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(nameless, []);
  const unreachable = await page.evaluate(() => [...document.querySelectorAll("[onclick]")].length);
  assert.equal(unreachable, 0);
  for (const selector of ["h1", "h2", "main", "header", "[role=search]", "[aria-live]", ".skip"])
    assert.ok((await page.locator(selector).count()) > 0, selector);
  assert.ok(!/user-scalable\s*=\s*no|maximum-scale/.test(await page.locator("meta[name=viewport]").getAttribute("content")));
  await page.keyboard.press("Escape");
  // By Tab alone the focus reaches search, list, map and card, and is always seen.
  const met = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const e = document.activeElement,
        style = getComputedStyle(e);
      return {
        where: e.closest(".search, .list, .card, .mapbox, header")?.className || e.tagName,
        seen: (e.id === "map" ? getComputedStyle(e, "::after").borderTopStyle : style.outlineStyle) !== "none" || e === document.body,
      };
    });
    assert.ok(at.seen, `focus is not seen in ${at.where}`);
    for (const part of ["search", "list", "card", "mapbox"]) if (at.where.includes(part)) met.add(part);
  }
  assert.deepEqual([...met].sort(), ["card", "list", "mapbox", "search"]);
  await page.context().close();
});

test("from 1:25,000 on a hull lies to scale around its antenna", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await page.waitForFunction(() => globalThis.quaywatch.picture.ships.get(219018015)?.dim_a !== undefined);
  await state(page, "q.settings.setLabels(false)");
  await state(page, "(() => { const ship = q.picture.ships.get(219018015); q.chart.show(ship.lon, ship.lat, 14.2); })()"); // moored, so that it has no vector
  await atRest(page);
  const found = await page.evaluate(() => {
    const q = globalThis.quaywatch,
      ship = q.picture.ships.get(219018015);
    const p = q.chart.painter,
      [x, y] = q.chart.pixel(ship),
      a = (ship.heading * Math.PI) / 180;
    const metresEachPixel = q.chart.view.getResolution() * Math.cos((ship.lat * Math.PI) / 180);
    const c = p.canvas.getContext("2d");
    const inked = (metres) =>
      c.getImageData(
        Math.round(x + (Math.sin(a) * metres) / metresEachPixel),
        Math.round(y - (Math.cos(a) * metres) / metresEachPixel),
        1,
        1,
      ).data[3] > 0;
    return {
      scale: metresEachPixel / 0.00028,
      fore: ship.dim_a,
      inked: [0.5, 0.9].map((part) => inked(ship.dim_a * part)),
      clear: inked(ship.dim_a + 4 * metresEachPixel),
      aft: inked(-ship.dim_b * 0.8),
      behind: inked(-ship.dim_b - 4 * metresEachPixel),
    };
  });
  assert.ok(found.scale < 25000, `1:${found.scale}`);
  assert.deepEqual([found.inked, found.clear, found.aft, found.behind], [[true, true], false, true, false], JSON.stringify(found));
  await page.context().close();
});

test("the address holds the state: copied into another browser it shows the same", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await state(page, "q.selection.select(219018004)");
  await page.locator("#search").fill("cargo");
  await page.getByRole("button", { name: "Night" }).click();
  await until("the address", async () => /q=cargo/.test(page.url()) && /s=219018004/.test(page.url()));
  await standing(page);
  const other = await open(stage.browser, stage.program.url);
  await signIn(other, 55);
  await other.evaluate((hash) => {
    location.hash = hash;
  }, new URL(page.url()).hash);
  const told = (p) =>
    state(p, "[q.selection.mmsi, q.search.text, q.centre.lon.toFixed(3), q.centre.lat.toFixed(3), q.centre.zoom.toFixed(1)].join()");
  await until("the same state", async () => (await told(other)) === (await told(page)));
  await page.context().close();
  await other.context().close();
});

test("German: the words change at once and stay after a reload", async () => {
  const page = await open(stage.browser, stage.program.url);
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("heading", { name: "Bei Quaywatch anmelden" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  await page.reload();
  await page.getByRole("heading", { name: "Bei Quaywatch anmelden" }).waitFor();
  await page.getByLabel("Benutzername").fill("admin");
  await page.getByLabel("Kennwort").fill(password);
  await page.getByRole("button", { name: "Anmelden" }).click();
  await page.waitForFunction(() => globalThis.quaywatch.chart?.painter.count >= 55);
  await page.locator("#search").fill("dänemark");
  await until("the flag is known in German", () => state(page, "q.search.shown >= 60"));
  await page.locator("#search").fill("sogg > 3");
  await page.locator(".found .problem", { hasText: "Filter: das Feld 'sogg' ist nicht bekannt" }).waitFor();
  await page.context().close();
});

test("on the phone: targets of 44 px, nothing covers the controls, the map keeps 55 % with a card open", async () => {
  const page = await open(stage.browser, stage.program.url, { width: 390, height: 844, touch: true });
  await signIn(page, 40);
  await shot(page, "phone-day");
  await page.locator("#search").fill("nordic");
  await page.locator("#found li").first().tap();
  await page.locator(".card h2").waitFor();
  const map = await page.locator("#map").boundingBox();
  assert.ok(map.height / 844 >= 0.55, `the map has ${((map.height / 844) * 100).toFixed(1)} %`);
  await shot(page, "phone-card");
  const faults = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, a[href]:not(.skip)")].flatMap((e) => {
      const r = e.getBoundingClientRect();
      if (r.width === 0 || r.bottom < 0 || r.top > innerHeight || r.left > innerWidth) return [];
      const out = [],
        name = e.getAttribute("aria-label") || e.textContent || e.name;
      if (r.width < 43.5 || r.height < 43.5) out.push(`${name}: ${r.width} × ${r.height}`);
      const top = document.elementFromPoint(r.left + r.width / 2, Math.min(innerHeight - 1, r.top + r.height / 2));
      if (top && !e.contains(top) && !top.contains(e) && !top.closest(".attribution"))
        out.push(`${name} is covered by ${top.className || top.tagName}`);
      return out;
    }),
  );
  assert.deepEqual(faults, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.locator(".card").getByRole("button", { name: "Track of the last 6 hours" }).tap();
  await page.waitForFunction(() => globalThis.quaywatch.tracks.all[0]?.state === "shown");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("palettes: night has no pixel brighter than 40 %, also while it loads, and dusk exists", async () => {
  for (const palette of ["dusk", "night"]) {
    const page = await open(stage.browser, stage.program.url, { palette });
    await shot(page, "signin-" + palette);
    if (palette === "night") assert.ok((await brightest(page)) <= 0.4, "sign-in");
    await signIn(page, 55);
    await state(page, "q.selection.select(219018004)");
    await page.getByRole("button", { name: "Settings" }).click();
    await shot(page, palette);
    const bright = await brightest(page);
    if (palette === "night") assert.ok(bright <= 0.4, `the brightest pixel has ${bright}`);
    await page.context().close();
  }
});

// brightest gives the highest relative luminance of a pixel on the screen.
async function brightest(page) {
  const png = (await page.screenshot()).toString("base64");
  const other = await page.context().browser().newPage();
  try {
    return await other.evaluate(async (data) => {
      const image = new Image();
      image.src = "data:image/png;base64," + data;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const c = canvas.getContext("2d");
      c.drawImage(image, 0, 0);
      const { data: px } = c.getImageData(0, 0, canvas.width, canvas.height);
      const part = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
      let top = 0;
      for (let i = 0; i < px.length; i += 4)
        top = Math.max(top, 0.2126 * part(px[i]) + 0.7152 * part(px[i + 1]) + 0.0722 * part(px[i + 2]));
      return top;
    }, png);
  } finally {
    await other.close();
  }
}

test("a feed that stops is told, and forgiven when it speaks again", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await page.waitForFunction(() => globalThis.quaywatch.feeds.list.length === 1);
  await until("its usual rate is known", () => state(page, "q.feeds.list[0].messages_per_second > 1"));
  stage.feeder.silent = true;
  await page.locator(".banner.warn", { hasText: "No data from roof" }).waitFor();
  stage.feeder.silent = false;
  await page.locator(".banner").waitFor({ state: "detached" });
  await page.context().close();
});

test("a server that hangs is told as the server, not as its feed, and forgiven when it goes on", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await page.waitForFunction(() => globalThis.quaywatch.feeds.list.length === 1);
  await page.evaluate(() => {
    const said = (globalThis.said = []);
    new MutationObserver(() => {
      const text = document.querySelector(".banner")?.textContent ?? "";
      if (text && said.at(-1) !== text) said.push(text);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const hung = Date.now();
  stage.program.process.kill("SIGSTOP");
  try {
    await page.locator(".banner.bad", { hasText: "The server has been silent for" }).waitFor();
    assert.ok(Date.now() - hung < 20e3, `told after ${Date.now() - hung} ms`); // 10 s on a quiet machine
    assert.match((await state(page, "said"))[0], /The server has been silent/, "what was told first");
  } finally {
    stage.program.process.kill("SIGCONT");
  }
  await page.locator(".banner").waitFor({ state: "detached" });
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("the server goes away: the page says so; it comes back: the page mends itself and shows the ships of before", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 55);
  await stage.program.stop("SIGKILL");
  await page.locator(".banner.bad", { hasText: "Connection to the server lost" }).waitFor();
  await shot(page, "link-lost");
  const seen = await state(page, "q.picture.ships.size");
  assert.ok(seen >= 60, "the picture stays");
  await page.evaluate(() => globalThis.quaywatch.navigation.go("statistics"));
  await page.locator(".panel", { hasText: "This page could not be loaded." }).waitFor();
  await stage.program.start();
  await page.locator(".banner.bad").waitFor({ state: "detached" });
  await page.locator(".panel h2", { hasText: "Statistics" }).waitFor();
  await until("ships move again", () => state(page, "q.link.up && q.picture.ships.size >= 60"));
  const time = await state(page, "q.picture.time");
  await until("time goes on", async () => (await state(page, "q.picture.time")) > time);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
