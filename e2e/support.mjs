// What the browser tests share: the program, its feed, and a browser that tells of everything that is not as it must be.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { base, aid, fleet, position, voyage } from "./ais.mjs";
import { open, patience } from "./browser.mjs";

export { field, hear, heard, launch, noticed, open, pressing, shownBy } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
/** binary is the program that is tested. */
export const binary = resolve(process.env.QUAYWATCH_BIN ?? join(here, "..", "quaywatch"));
export const password = "browser-tests-only";
/** secret is the password of a user whom a test makes. */
export const secret = "a-password-of-the-tests";
export const shots = join(here, "shots");

// opened listens at a TCP port, or opens a UDP port, and tells whether that went well.
const opened = (socket, listen) =>
  new Promise((done) => {
    socket.once("error", () => done(false));
    listen.call(socket, () => done(true));
  });

const closed = (socket) => new Promise((done) => socket.close(done));

/** freePort gives a port that nobody uses, by TCP and by UDP, on any address. It lies below the ports that the system gives out by itself, so that no
 * connection of another test takes it before the program does, or while the program starts anew. */
export async function freePort() {
  for (let tries = 0; tries < 1000; tries++) {
    const port = 12000 + Math.floor(Math.random() * 20000);
    const tcp = createServer(),
      udp = createSocket("udp4");
    const free = [
      await opened(tcp, (done) => tcp.listen(port, "0.0.0.0", done)),
      await opened(udp, (done) => udp.bind({ port, address: "0.0.0.0", exclusive: true }, done)),
    ];
    if (free[0]) await closed(tcp);
    await closed(udp);
    if (free[0] && free[1]) return port;
  }
  throw new Error("no port is free");
}

/** until waits for a condition and says what was waited for when it does not come. It looks again after a tenth of what it has waited: often at
 * first, and four times a second where it takes long, as each look costs the page and the test. */
export async function until(what, condition, milliseconds = patience) {
  const begin = Date.now();
  for (;;) {
    const value = await condition();
    if (value) return value;
    const waited = Date.now() - begin;
    if (waited > milliseconds) throw new Error(`waited ${milliseconds} ms in vain: ${what}`);
    await new Promise((done) => setTimeout(done, Math.min(250, Math.max(40, waited / 10))));
  }
}

/** state looks at the client from inside: q is its app. */
export const state = (page, expression) => page.evaluate(`(() => { const q = quaywatch; return (${expression}); })()`);

/** Program is a running quaywatch with a data directory of its own. */
export class Program {
  constructor(verb, args, directory, port) {
    Object.assign(this, { verb, args, directory, port, url: `http://127.0.0.1:${port}/`, output: "" });
  }

  /** serve starts the program with one UDP feed that the test speaks into, or without a feed; more is further text of its configuration,
   * past is a CSV of positions that are in its store from the beginning; invented has the start make up the first password. */
  static async serve({ feeds = 1, more = "", past = "", invented = false } = {}) {
    const directory = mkdtempSync(join(tmpdir(), "quaywatch-e2e-"));
    const port = await freePort(),
      feed = await freePort();
    const config = join(directory, "config.toml");
    writeFileSync(
      config,
      `data_dir = ${JSON.stringify(join(directory, "data"))}\n[http]\nlisten = "127.0.0.1:${port}"\n` +
        (feeds ? `[[feed]]\nname = "roof"\nurl = "udp://127.0.0.1:${feed}"\n` : "") +
        more,
    );
    if (past !== "") {
      writeFileSync(join(directory, "past.csv"), past);
      execFileSync(binary, ["import", "--config", config, join(directory, "past.csv")], { stdio: "pipe" });
    }
    const program = new Program("serve", ["--config", config], directory, port);
    Object.assign(program, { config, feed, invented });
    await program.start();
    return program;
  }

  /** secured starts the program as on a LAN: HTTP on all addresses, and HTTPS with a certificate of its own beside it. */
  static async secured() {
    const directory = mkdtempSync(join(tmpdir(), "quaywatch-e2e-"));
    const port = await freePort(),
      secure = await freePort();
    const data = join(directory, "data");
    const program = new Program(
      "serve",
      ["--listen", `0.0.0.0:${port}`, "--http.listen_tls", `:${secure}`, "--data-dir", data],
      directory,
      port,
    );
    Object.assign(program, { https: `https://127.0.0.1:${secure}/`, authority: join(data, "tls", "ca.pem") });
    await program.start();
    return program;
  }

  /** demo starts the simulated harbour; its time runs so many times faster than the clock. */
  static async demo({ speed = 1 } = {}) {
    const directory = mkdtempSync(join(tmpdir(), "quaywatch-e2e-"));
    const port = await freePort();
    const program = new Program(
      "demo",
      ["--listen", `127.0.0.1:${port}`, "--data-dir", join(directory, "data"), "--seed", "1", "--speed", String(speed)],
      directory,
      port,
    );
    await program.start();
    return program;
  }

  async start() {
    this.process = spawn(binary, [this.verb, ...this.args], {
      env: { ...process.env, QUAYWATCH_ADMIN_PASSWORD: this.invented ? "" : password },
      cwd: this.directory,
    });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    this.ended = new Promise((done) => this.process.once("exit", done));
    await until(`${this.verb} answers`, () => {
      const { exitCode, signalCode } = this.process;
      if (exitCode !== null || signalCode !== null) throw new Error(`${this.verb} ended with ${exitCode ?? signalCode}`);
      return fetch(this.url + "readyz").then(
        (r) => r.ok,
        () => false,
      );
    }).catch((problem) => {
      throw new Error(`${problem.message}\n${this.output}`);
    });
  }

  /** stop ends the program by a signal and waits for its end. */
  async stop(signal = "SIGTERM") {
    this.process.kill(signal);
    await this.ended;
  }

  /** runs has the binary do something else in the data directory of the program. */
  runs(verb, ...files) {
    execFileSync(binary, [verb, "--config", this.config, ...files], { stdio: "pipe" });
  }

  /** remembers brings a CSV of positions into the store, while the program is stopped, and has the calls in it found. */
  async remembers(past) {
    const file = join(this.directory, "past.csv");
    await this.stop();
    writeFileSync(file, past);
    this.runs("import", file);
    await this.start();
    this.runs("detect-calls");
  }

  async remove() {
    await this.stop("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** caller gives the function that speaks to the API of a program as its administrator, or as the user that is given. */
export const caller =
  (program) =>
  async (method, path, body, who = { name: "admin", password }) => {
    const response = await fetch(`${program.url}api/${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        Authorization: "Basic " + Buffer.from(`${who.name}:${who.password}`).toString("base64"),
        "Content-Type": "application/json",
      },
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };

/** Voice says sentences into a UDP feed. */
export class Voice {
  constructor(port) {
    this.port = port;
    this.socket = createSocket("udp4");
  }

  say(text) {
    for (const line of text.split(/(?<=\n)/)) this.socket.send(line, this.port, "127.0.0.1");
  }

  close() {
    this.socket.close();
  }
}

/** Feeder sails a fleet and speaks it into a UDP feed once a second until it is told to be silent. */
export class Feeder extends Voice {
  constructor(port, count) {
    super(port);
    this.ships = fleet(count);
    this.round = 0;
    this.timer = setInterval(() => this.speak(), 1000);
    this.speak();
  }

  /** joins says who a ship is, and has it sail with the fleet. */
  joins(ship) {
    this.say(voyage(ship));
    this.ships.push(ship);
  }

  speak() {
    if (this.silent) return;
    for (const ship of this.ships) {
      const a = (ship.cog * Math.PI) / 180,
        metres = ship.sog * 0.5144;
      ship.lat += (Math.cos(a) * metres) / 111120;
      ship.lon += (Math.sin(a) * metres) / 111120 / Math.cos((ship.lat * Math.PI) / 180);
      if (this.round % 10 === 0) this.say(voyage(ship));
      this.say(position(ship));
    }
    if (this.round % 5 === 0) {
      this.say(base({ mmsi: 2190047, lon: 10.26, lat: 56.16 }));
      this.say(aid({ mmsi: 992190001, lon: 10.33, lat: 56.09, name: "AARHUS BUGT" }));
    }
    this.round++;
  }

  close() {
    clearInterval(this.timer);
    super.close();
  }
}

/** signIn fills the form and waits for ships on the map. */
export async function signIn(page, least = 1) {
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForFunction((n) => globalThis.quaywatch?.chart?.painter.count >= n, least);
}

/** drawn waits until the page shows what has changed up to now. */
export const drawn = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const end = quaywatch.subscribe(() => {
          end();
          requestAnimationFrame(() => requestAnimationFrame(done));
        });
        quaywatch.changed();
      }),
  );

const words = JSON.parse(readFileSync(join(here, "..", "web", "src", "watchdogs", "words", "en.json"), "utf8"));

/** newWatchdog opens an empty sheet of a type, and waits for it: the sheet before it may still stand there for a moment. */
export async function newWatchdog(page, type) {
  await page.evaluate((to) => globalThis.quaywatch.navigation.go("watchdogs", "new", to), type);
  await page.locator(".panel h2", { hasText: words["dog.when." + type] }).waitFor();
}

/** nameWatchdog types its name. A name that the page proposes for what was drawn may come between the marking of the old text and the typing. */
export const nameWatchdog = (page, name) =>
  until("the name stands there", async () => {
    const field = page.getByLabel("Name", { exact: true });
    await field.fill(name);
    return (await field.inputValue()) === name;
  });

/** atRest waits until the map glides no more and is drawn where it has come to. */
export async function atRest(page) {
  await page.waitForFunction(() => globalThis.quaywatch?.chart && !globalThis.quaywatch.chart.view.getAnimating());
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}

/** standing waits until the address has what is shown, for so long that it is worth a way back. */
export async function standing(page) {
  await atRest(page);
  await until("the address has the view", () => state(page, "q.navigation.address() === location.hash && q.navigation.timer === 0"));
  await until("a view to come back to", () => state(page, "performance.now() - q.navigation.writtenAt > 1250"));
}

/** shot keeps a picture of the page for the eyes of a human. */
export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.evaluate(() => {
    const ends = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity);
    return Promise.all(ends.map((a) => a.finished.catch(() => undefined)));
  });
  await page.waitForFunction(() => !globalThis.quaywatch?.chart?.view.getAnimating());
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const session = await page.context().newCDPSession(page);
  // A picture that is pressed less takes half the processor.
  const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  await session.detach();
  writeFileSync(join(shots, name + ".png"), Buffer.from(data, "base64"));
}

/** sizes are those that pages are looked at in. */
export const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
];

/** small is the window of a test that is not about what is seen: a page in it costs a tenth less than in that of 1440 × 900. */
export const small = { width: 1024, height: 768 };

/** whole tells that a page is looked at in each size with each palette and language. Otherwise each of them comes in turn. */
export const whole = process.env.QUAYWATCH_LOOKS === "whole";

/** looks gives in which sizes and palettes a page is looked at: each with each, or each size once, with a palette in turn. */
export const looks = (palettes = ["day", "night"], all = sizes) =>
  all.flatMap(([width, height], at) =>
    palettes.filter((_, turn) => whole || turn === at % palettes.length).map((palette) => ({ width, height, palette, touch: width < 900 })),
  );

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** findings returns what axe-core finds on the page: by all rules or by one, and on all of it or on the part that a selector names. */
export async function findings(page, { rule, part } = {}) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(
    async ([only, within]) => {
      const found = await globalThis.axe.run(within ?? document, { resultTypes: ["violations"], ...(only && { runOnly: [only] }) });
      return found.violations.flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.html} ${n.any[0]?.message ?? ""}`));
    },
    [rule, part],
  );
}

/** violations returns what axe-core finds on the page, by all rules. In a palette that is not the first, contrast alone can differ: the
 * other rules look at it when the tests are whole. */
export const violations = (page, first = true) => findings(page, { rule: first || whole ? undefined : "color-contrast" });

/** fits holds that no place is wider than the window, in each size and language, by day and by night in turn, and keeps a picture of each. ready waits
 * for what the places show. */
export async function fits(browser, url, { places, ready, name, sizes: all = sizes }) {
  for (const touch of [false, true]) {
    const mine = all.filter(([width]) => width < 500 === touch);
    if (mine.length === 0) continue;
    const page = await open(browser, url, { width: mine[0][0], height: mine[0][1], touch, hash: "&w=" + places[0] });
    await signIn(page, 1);
    await ready(page);
    for (const [width, height] of mine) {
      await page.setViewportSize({ width, height });
      for (const [turn, palette] of ["day", "night"].entries())
        for (const [other, language] of ["en", "de"].entries()) {
          if (!whole && (turn + other + all.findIndex(([w]) => w === width)) % 2 === 1) continue;
          await page.evaluate(
            ([colours, code]) => {
              globalThis.quaywatch.settings.setPalette(colours);
              return globalThis.quaywatch.setLanguage(code);
            },
            [palette, language],
          );
          for (const place of places) {
            await page.evaluate((to) => globalThis.quaywatch.navigation.go(...to.split("/")), place);
            await page.locator(".panel h2").waitFor();
            await drawn(page);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `${place} is ${wide} px wide at ${width}`);
            await shot(page, `${name}-${place.replaceAll("/", "-")}-${width}-${palette}-${language}`);
          }
        }
    }
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
}
