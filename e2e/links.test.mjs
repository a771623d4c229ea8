// Links by which others look at the map until a day: made, opened by somebody without an account, ended; in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { atRest, open, password, shot, signIn, violations } from "./support.mjs";

const stage = staged({ ships: 24 });

// guest opens an address in a browser that knows nobody.
async function guest(address, options) {
  const page = await open(stage.browser, "about:blank", options);
  page.asked = [];
  page.on("request", (request) => page.asked.push(request.url()));
  page.refused = [];
  page.on("response", (response) => {
    if (response.status() >= 400) page.refused.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  await page.goto(address);
  return page;
}

const seen = (page, least = 1) => page.waitForFunction((n) => globalThis.quaywatch?.chart?.painter.count >= n, least);

// make makes a link with the panel, and gives its address.
async function make(page, name, parts = []) {
  await page.getByLabel("Name", { exact: true }).fill(name);
  for (const part of parts) await page.getByLabel(part).check();
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Make the link" }).click();
  return page.getByRole("textbox", { name: `The link ${name}` }).inputValue();
}

test("a link shows the map as it stood to somebody without an account, until it is ended", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 5);
  await page.locator("#search").fill("tanker");
  await page.waitForFunction(() => location.hash.includes("q=tanker"));
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Share the map" }).click();
  const address = await make(page, "Agents", ["Ports, berths and ships in port"]);
  assert.match(address, /#link=qwl_[\w-]{40,}&v=[\d.]+,[\d.]+,[\d.]+&q=tanker/);
  assert.deepEqual(await violations(page), []);
  await shot(page, "links-made-1440");

  const other = await guest(address);
  await seen(other);
  await other.waitForFunction(() => !location.hash.includes("link=") && location.hash.includes("q=tanker")); // no picture of the screen has the secret
  const [all, shown] = await Promise.all([page, other].map((p) => p.evaluate(() => globalThis.quaywatch.picture.ships.size)));
  assert.ok(shown > 0 && shown <= all, `${shown} of ${all}`);
  assert.equal(await other.evaluate(() => globalThis.quaywatch.session.user), "");
  await other.getByRole("button", { name: /^Menu/ }).click();
  assert.deepEqual(await other.locator("nav.panel button").allInnerTexts(), ["Map", "Port", "Wall display"]);
  await other.getByRole("button", { name: "Port", exact: true }).click();
  await other.getByRole("heading", { name: "Aarhus · DKAAR" }).waitFor(); // where most ships are: a guest is not asked whether it is the own port
  await shot(other, "links-guest-port-1440");
  await other.getByRole("button", { name: "Settings" }).click();
  await other.getByText("You look by the link Agents.").waitFor();
  assert.deepEqual(other.refused, []);

  await other.reload(); // the cookie holds it
  await other.waitForFunction((n) => globalThis.quaywatch?.picture.ships.size >= n, shown);

  await page.getByRole("button", { name: "End the link Agents" }).click();
  await page.getByText("There is no link.").waitFor();
  await other.getByLabel("User name").waitFor(); // within a second its stream ends
  const late = await guest(address);
  await late.getByText("The link was ended, or its time is over").waitFor();
  for (const each of [page, other, late]) await each.context().close();
});

test("a user that is signed in stays so behind a link", async () => {
  const page = await open(stage.browser, stage.program.url);
  await signIn(page, 5);
  await page.goto(stage.program.url + "#w=links");
  const address = await make(page, "Mine");
  await page.goto("about:blank");
  await page.goto(address);
  await seen(page);
  assert.equal(await page.evaluate(() => globalThis.quaywatch.session.user), "admin");
  await page.waitForFunction(() => !location.hash.includes("link="));
  await page.context().close();
});

test("the panel of links fits a phone, by night and in German", async () => {
  await stage.call("POST", "token", { name: "For the phone", link: true, rights: [] });
  for (const [width, height, palette, language] of [
    [1440, 900, "night", "de"],
    [1024, 768, "day", "en"],
    [390, 844, "day", "de"],
    [390, 844, "night", "en"],
  ]) {
    const page = await open(stage.browser, stage.program.url, { width, height });
    await page.evaluate(([p, l]) => Object.assign(localStorage, { "quaywatch.palette": p, "quaywatch.language": l }), [palette, language]);
    await page.reload();
    await page.locator("[name=name]").fill("admin");
    await page.locator("[name=password]").fill(password);
    await page.locator("form button.primary").click();
    await seen(page);
    await page.evaluate(() => globalThis.quaywatch.navigation.go("links"));
    await page.locator(".sharing li").first().waitFor();
    assert.deepEqual(await violations(page), [], `${width} ${palette}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${over} pixels too wide`);
    await shot(page, `links-${width}-${palette}-${language}`);
    for (const low of width < 900 ? [780, 720, 660, 600] : []) {
      await page.setViewportSize({ width, height: low });
      await atRest(page);
      const [tools, scale] = await Promise.all([".maptools", ".ol-scale-line"].map((part) => page.locator(part).boundingBox()));
      assert.ok(tools.y + tools.height <= scale.y || tools.x + tools.width <= scale.x, `${low}: the buttons of the map cover its scale`);
    }
    await page.context().close();
  }
});
