// Where one was, and what one chose: the way back, following, and what a reload keeps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { atRest, open, shot, signIn, standing, state, until } from "./support.mjs";

const stage = staged({ ships: 14 });

const view = (page) => state(page, "[q.centre.lon, q.centre.lat, q.centre.zoom, q.selection.mmsi, q.search.text]");

// same tells whether two views are one: the address rounds a place to five decimals and a zoom to two.
const same = ([lon, lat, zoom, ...rest], [lon2, lat2, zoom2, ...rest2]) =>
  Math.abs(lon - lon2) < 1e-4 && Math.abs(lat - lat2) < 1e-4 && Math.abs(zoom - zoom2) < 0.1 && rest.join() === rest2.join();

// drag moves the map by the mouse.
async function drag(page, dx, dy) {
  const box = await page.locator("#map").boundingBox(),
    x = box.x + box.width / 3,
    y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx, y + dy, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(box.x + 5, box.y + box.height - 5);
}

test("Back goes back one view, Forward forward again, and the palette stays", async () => {
  const page = await open(stage.browser, stage.program.url, { motion: true });
  await signIn(page, 12);
  await standing(page);
  const first = await view(page);
  await drag(page, -180, 90);
  await standing(page);
  const second = await view(page);
  assert.ok(!same(second, first));
  await state(page, "q.selection.select(219018004, 'go')");
  await page.locator(".card").waitFor();
  await standing(page);
  const third = await view(page);
  await page.locator("#search").fill("cargo");
  await standing(page);
  await page.getByRole("button", { name: "Night" }).click();
  await page.goBack();
  await until("the view before the query", async () => same(await view(page), third));
  await page.goBack();
  await until("the view before the ship", async () => same(await view(page), second));
  assert.equal(await page.locator(".card").count(), 0);
  await page.goBack();
  await until("the first view", async () => same(await view(page), first));
  await page.goForward();
  await until("the second view", async () => same(await view(page), second));
  assert.equal(await state(page, "q.settings.palette"), "night");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a ship that is followed stays where it was put, until it is released", async () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ]) {
    const page = await open(stage.browser, stage.program.url, {
      width,
      height,
      palette: width === 1024 ? "night" : "day",
      touch: width < 900,
    });
    await signIn(page, 12);
    await state(page, "q.selection.select(219018004, 'go')");
    await atRest(page);
    await page.locator(".card").getByRole("button", { name: "Follow", exact: true }).click();
    await page.locator(".following").waitFor();
    await state(page, "q.chart.view.setZoom(17)"); // so that it sails many pixels
    await atRest(page);
    // pixel is where the ship is on the screen, once the map has followed what was heard of it last.
    const pixel = () =>
      until("the map has followed", () =>
        page.evaluate(() => {
          const { picture, following, chart } = globalThis.quaywatch,
            ship = picture.ships.get(219018004);
          return following.at?.lat === ship.lat && following.at.lon === ship.lon && chart.pixel(ship);
        }),
      );
    const place = () => state(page, "q.picture.ships.get(219018004).lat");
    const sail = async () => {
      const from = await place();
      await until("the ship sails on", async () => Math.abs((await place()) - from) > 0.0001);
      await atRest(page);
    };
    await sail();
    await drag(page, 60, 40);
    await sail();
    const put = await pixel();
    await sail();
    await until("it is where it was put", async () => {
      const now = await pixel();
      return Math.hypot(now[0] - put[0], now[1] - put[1]) < 12;
    });
    await shot(page, `follow-${width}`);
    await state(page, "q.selection.select(219018008, 'stay')"); // the card of another does not end it
    await sail();
    assert.equal(await state(page, "q.following.mmsi"), 219018004);
    await page.getByRole("button", { name: "Follow no longer" }).click();
    await page.locator(".following").waitFor({ state: "detached" });
    const left = await view(page);
    await sail();
    assert.ok(same(await view(page), left));
    assert.deepEqual(page.clean(), []);
    await page.context().close();
  }
});

test("sort order, columns and open panels survive a reload, and a shared address leaves the palette alone", async () => {
  const page = await open(stage.browser, stage.program.url, { motion: true });
  await signIn(page, 12);
  await page.getByRole("button", { name: "Sort by Name" }).evaluate((button) => {
    button.click();
    button.click(); // before the first was drawn
  });
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Those that fit").uncheck();
  const flag = page.getByLabel("Flag", { exact: true });
  await until("every column is chosen", () => flag.isChecked()); // uncheck would else find it unticked, and do nothing
  await flag.uncheck();
  await shot(page, "columns-1440");
  await page.keyboard.press("Escape");
  const headings = async () => (await page.locator(".list .headings button").allInnerTexts()).map((text) => text.trim());
  const all = ["Name▾", "Type", "Length", "SOG", "COG", "Destination", "Status", "Age", "Dist."];
  await until("the columns", async () => (await headings()).join() === all.join());
  await state(page, "q.selection.select(219018004)");
  await page.locator(".card").getByRole("button", { name: "Other times of the track" }).click();
  await page.locator(".card .times").waitFor();
  await until("the address", () => page.url().includes("219018004"));
  await page.reload();
  await page.waitForFunction(() => globalThis.quaywatch?.picture.ships.size > 12);
  await until("the same columns", async () => (await headings()).join() === all.join());
  await page.locator(".card .times").waitFor();
  await page.goto(`${stage.program.url}#w=users`);
  await page.locator(".page .headings button").first().click();
  const sorting = await page.locator(".page .headings [aria-sort=descending]").innerText();
  await page.reload();
  await page.locator(".page .headings [aria-sort=descending]").waitFor();
  assert.equal(await page.locator(".page .headings [aria-sort=descending]").innerText(), sorting);
  await page.goto(`${stage.program.url}#w=shapes`);
  await page.getByRole("heading", { name: "Shapes" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Shapes" }).waitFor();
  await page.getByRole("button", { name: "Dusk" }).click();
  assert.ok(!/[#&]p=/.test(page.url()), page.url());
  await page.goto(`${stage.program.url}#p=night&s=219018008`);
  await page.reload();
  await page.locator(".card").waitFor();
  assert.equal(await page.locator("html").getAttribute("data-palette"), "dusk");
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});

test("a page of the tests that has rested knows nothing of the visit before it", async () => {
  const first = await open(stage.browser, stage.program.url);
  await signIn(first, 12);
  await first.getByRole("button", { name: "Night" }).click();
  await first.getByRole("button", { name: "Sort by Name" }).click();
  await state(first, "q.selection.select(219018004)");
  await first.locator(".card").waitFor();
  assert.ok((await first.evaluate(() => localStorage.length)) > 1);
  assert.ok((await first.context().cookies()).length > 0);
  await first.context().close();
  const page = await open(stage.browser, stage.program.url, { palette: "dusk", width: 1024, height: 768 });
  assert.equal(page, first);
  await page.getByLabel("User name").waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(await page.evaluate(() => Object.entries(localStorage)), [["quaywatch.palette", "dusk"]]);
  assert.deepEqual(await page.evaluate(() => [innerWidth, innerHeight, globalThis.noticesKept.length]), [1024, 768, 0]);
  assert.equal(await page.locator("html").getAttribute("data-palette"), "dusk");
  await page.route("**/api/none", (route) => route.abort()); // that would outlast the visit
  await page.context().close();
  assert.ok(page.isClosed());
  const fresh = await open(stage.browser, stage.program.url);
  assert.notEqual(fresh, page);
  await fresh.context().close();
});

test("the map glides to what it shows, and jumps for who asked for less motion", async () => {
  for (const motion of [true, false]) {
    const page = await open(stage.browser, stage.program.url, { motion, width: 1024, height: 768 });
    await signIn(page, 10);
    const glides = await page.evaluate(() => {
      const { chart } = globalThis.quaywatch;
      chart.showBox([10.2, 56.1, 10.3, 56.2], 13);
      return chart.busy;
    });
    assert.equal(glides, motion);
    await until("the map is there", async () => Math.abs((await state(page, "q.centre")).zoom - 13) < 0.01);
    await page.context().close();
  }
});
