// The browser of the tests, and its pages: each is as a new one, and most of them are warm.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** patience is how long a test waits for what has to come: long, as a slow machine that has other work to do is no fault. */
export const patience = 60e3;

const full = "/usr/bin/chromium",
  shell = "/usr/bin/chromium-headless-shell";

// How V8 runs the client. A page of a test lives for seconds, so what compiling its code costs never comes back: without it a quarter of the renderer's
// time is saved where a page shows ships, and nothing is lost under axe-core, which computes longest. The full browser compiles.
const interpreted = "--js-flags=--no-opt,--no-sparkplug,--single-threaded";

/** launch starts a browser: the one that CHROMIUM names, or the headless shell of Chromium, or the full one where no shell is installed. The shell is
 * the same program without a desktop, and costs a fifth less of the processor. home is a folder with what it trusts, if not that of the user; args are
 * further arguments. */
export const launch = ({ home = process.env.HOME, args = [] } = {}) =>
  chromium.launch({
    env: { ...process.env, HOME: home },
    timeout: 2 * patience,
    executablePath: process.env.CHROMIUM ?? (existsSync(shell) ? shell : full),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(process.env.CHROMIUM ? [] : [interpreted]),
      ...args,
    ],
  });

// A page that was used costs less than half of a new one, as its process and its compiled code are warm. So a page whose context is closed is made as
// if it were new, and rests until a test opens one of its kind. resting has such pages, for each browser.
const resting = new WeakMap();

/** open makes a page that collects errors, refused content and requests to other origins; check them with clean(). It is signed out, and nothing of
 * a page before it is left. It ends with its context. Without motion the user has asked for little of it: the map jumps, as a glide costs as much
 * as a visit. */
export async function open(
  browser,
  url,
  { width = 1440, height = 900, palette = "day", touch = false, hash = "", zone = "UTC", motion = false } = {},
) {
  const { origin, protocol } = new URL(url);
  if (!resting.has(browser)) resting.set(browser, new Map());
  const kept = resting.get(browser),
    kind = [origin, touch, zone, motion].join();
  if (!kept.has(kind)) kept.set(kind, []);
  const rested = kept.get(kind).pop(),
    page = rested ?? (await blank(browser, { width, height, touch, zone, motion }));
  page.rests = () => kept.get(kind).push(page);
  if (rested) await page.setViewportSize({ width, height });
  else if (protocol === "http:") await page.goto(`${origin}/readyz`);
  if (protocol === "http:") await page.evaluate((name) => localStorage.setItem("quaywatch.palette", name), palette);
  else await page.addInitScript((name) => globalThis.origin !== "null" && (localStorage["quaywatch.palette"] ??= name), palette);
  const troubles = [];
  page.on("pageerror", (error) => troubles.push("error: " + error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) troubles.push("policy: " + message.text());
  });
  page.on("dialog", (dialog) => {
    troubles.push("dialog: " + dialog.message());
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) troubles.push("foreign request: " + request.url());
  });
  page.clean = () => troubles;
  await page.goto(url + hash.replace("&", "#"));
  return page;
}

// What these do outlasts a visit: a context that met one of them is not used again.
const lasting = ["addInitScript", "exposeFunction", "grantPermissions", "route", "setExtraHTTPHeaders", "setOffline"];

// blank makes a page in a context of its own. The page rests when that is closed.
async function blank(browser, { width, height, touch, zone, motion }) {
  const reducedMotion = motion ? "no-preference" : "reduce",
    context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, locale: "en-GB", timezoneId: zone, reducedMotion });
  context.setDefaultTimeout(patience);
  await context.addInitScript(keepNotices);
  const page = await context.newPage();
  let spent = false;
  const spend = () => {
    spent = true;
  };
  page.on("crash", spend);
  for (const part of [context, page])
    for (const name of lasting.filter((one) => one in part)) {
      const does = part[name].bind(part);
      part[name] = (...given) => {
        spend();
        return does(...given);
      };
    }
  const end = context.close.bind(context);
  context.close = async () => {
    if (!spent && (await forgets(page).catch(() => false))) page.rests();
    else await end();
  };
  return page;
}

// How much of the text of a page is told, in characters, and how long a page that hangs is asked for it, in milliseconds.
const mostText = 4000,
  soon = 5000;

/** shownBy returns what the open pages of a browser show: the address of each, its troubles, and its text in one line. A page that rests is left out. */
export async function shownBy(browser) {
  const lines = [];
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    if (page.url().endsWith("/readyz")) continue;
    const text = await page
      .locator("body")
      .innerText({ timeout: soon })
      .catch((problem) => problem.message);
    lines.push(`shown by ${page.url()} ${JSON.stringify(page.clean?.() ?? [])}: ${text.replace(/\s+/g, " ").slice(0, mostText)}`);
  }
  return lines;
}

const events = ["console", "dialog", "download", "pageerror", "request", "requestfailed", "requestfinished", "response"];

// forgets leaves nothing of a visit but what is warm, and tells whether that went well.
async function forgets(page) {
  const context = page.context(),
    { origin } = new URL(page.url());
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of events) page.removeAllListeners(event);
  await page.goto(`${origin}/readyz`);
  await context.clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(0, 0);
  const session = await context.newCDPSession(page);
  await session.send("Page.resetNavigationHistory");
  await session.detach();
  return true;
}

// keepNotices runs in the page, and keeps the text of each notice: an alert may take the place of a notice before a busy machine has looked at it.
function keepNotices() {
  globalThis.noticesKept = [];
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (node instanceof Element && node.matches(".notice")) globalThis.noticesKept.push(node.querySelector("p").textContent);
    }
  }).observe(document, { subtree: true, childList: true });
}

/** hear keeps from now on what the page says to a reader of the screen: the next text may take the place of the last before a busy machine has looked at it. */
export const hear = (page) =>
  page.evaluate(() => {
    const q = globalThis.quaywatch,
      say = q.say.bind(q);
    globalThis.saidKept = [];
    q.say = (text) => {
      globalThis.saidKept.push(text);
      say(text);
    };
  });

/** heard waits until the page has said a text since hear. */
export const heard = (page, text) => page.waitForFunction((whole) => globalThis.saidKept.includes(whole), text);

/** field returns the field of a page that has just this label. */
export const field = (page, label) => page.getByLabel(label, { exact: true });

/** pressing returns what presses on a page and counts it. A text that is typed is one press, and so is what is chosen of a list. */
export const pressing = () => {
  const count = { presses: 0 };
  const counted =
    (act) =>
    async (...all) => {
      await act(...all);
      count.presses++;
    };
  count.press = counted((one) => one.click());
  count.type = counted((one, text) => one.fill(text));
  count.choose = counted((one, value) => one.selectOption(value));
  return count;
};

/** noticed waits for a notice that has a text, and forgets those up to it. */
export const noticed = (page, text) =>
  page.waitForFunction((part) => {
    const at = globalThis.noticesKept.findIndex((notice) => notice.includes(part));
    return globalThis.noticesKept.splice(0, at + 1).length > 0;
  }, text);
