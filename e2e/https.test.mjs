// HTTPS beside HTTP, in a browser that trusts the box and in one that does not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, looks, password, Program, shot, until } from "./support.mjs";

let program, home;
const browsers = [];

before(async () => {
  program = await Program.secured();
  home = mkdtempSync(join(tmpdir(), "quaywatch-home-"));
});
after(async () => {
  for (const browser of browsers) await browser.close();
  await program?.remove();
  if (home) rmSync(home, { recursive: true, force: true });
});

/** page opens a page in a new browser, which trusts the box or not. */
async function page(trusting, options = {}) {
  const folder = mkdtempSync(join(home, "of-"));
  const store = join(folder, ".pki", "nssdb");
  mkdirSync(store, { recursive: true });
  execFileSync("certutil", ["-d", "sql:" + store, "-N", "--empty-password"]);
  if (trusting) execFileSync("certutil", ["-d", "sql:" + store, "-A", "-t", "C,,", "-n", "quaywatch", "-i", program.authority]);
  const browser = await launch({ home: folder });
  browsers.push(browser);
  const context = await browser.newContext({ locale: "en-GB", ...options });
  return context.newPage();
}

const told = (p) => p.evaluate(() => document.cookie.includes("quaywatch_https=1"));
const asked = (p) => p.waitForResponse((r) => r.url() === program.url + "api/tls");

test("a browser that does not know the box stays on HTTP, and HTTPS warns", async () => {
  const p = await page(false);
  const answer = asked(p),
    failed = p.waitForEvent("requestfailed", (r) => r.url() === program.https + "api/tls");
  await p.goto(program.url);
  assert.equal((await (await answer).json()).https, program.https);
  assert.match((await failed).failure().errorText, /ERR_CERT_AUTHORITY_INVALID/);
  await p.goto(program.url);
  assert.equal(p.url(), program.url);
  assert.equal(await told(p), false);
  await assert.rejects(p.goto(program.https), /ERR_CERT_AUTHORITY_INVALID/);
});

test("a browser that trusts the box is led over at its next visit, signs in there, and finds the way back", async () => {
  const p = await page(true);
  await p.goto(program.url);
  assert.equal(p.url(), program.url); // not at the first
  await until("the browser reached the box by HTTPS", () => told(p));
  await p.goto("about:blank"); // as else only the part after # would change
  await p.goto(program.url + "#m=10/56/10");
  assert.equal(p.url(), program.https + "#m=10/56/10");
  await p.getByLabel("User name").fill("admin");
  await p.getByLabel("Password").fill(password);
  await p.getByRole("button", { name: "Sign in" }).click();
  await p.waitForFunction(() => globalThis.quaywatch?.link.up);
  const cookies = await p.context().cookies(program.https);
  assert.ok(cookies.some((c) => c.name === "__Host-quaywatch_session" && c.secure && c.httpOnly && c.path === "/"));
  await p.goto(program.url + "?http");
  assert.equal(p.url(), program.url + "?http");
  await until("the sign-in of HTTP, which has a session of its own", () => p.getByLabel("Password").isVisible());
  await p.goto(program.url);
  assert.equal(p.url(), program.url);
});

test("the sign-in page says that the password can be read, and leads to HTTPS and to the authority", async () => {
  // By night it is in German, whose words are longer: on the phone too.
  for (const { width, height, palette } of looks(["night", "day"])) {
    const p = await page(false, { viewport: { width, height }, locale: palette === "day" ? "en-GB" : "de-DE" });
    // This browser is on the box itself, where nothing is in clear: the rest of the answer is the box's own.
    let fingerprint = "";
    await p.route(program.url + "api/tls", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      fingerprint = answer.ca.fingerprint;
      await route.fulfill({ response, json: { ...answer, in_clear: true } });
    });
    await p.addInitScript((name) => localStorage.setItem("quaywatch.palette", name), palette);
    await p.goto(program.url + "#s=219018004");
    const note = p.locator(".clear");
    await note.waitFor();
    await shot(p, `signin-clear-${width}-${palette}`);
    assert.equal(await note.getByRole("link").first().getAttribute("href"), program.https + "#s=219018004&light=" + palette);
    await note.locator("summary").click();
    assert.equal(await note.locator("code").innerText(), fingerprint);
    await shot(p, `signin-clear-${width}-${palette}-open`);
    const loaded = p.waitForEvent("download");
    await note.locator("details a").click();
    assert.equal((await loaded).suggestedFilename(), "quaywatch-ca.crt");
    const wide = await p.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false, `${width}: wider than the screen`);
  }
});
