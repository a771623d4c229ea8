// Learned water that a user rejects, in a real browser against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { atRest, open, shot, signIn, state } from "./support.mjs";

const stage = staged({ ships: 12 });

const rejected = async () => (await stage.call("GET", "chart/rejected")).records;

test("an area is rejected with the pen, is there after a reload, and is taken back", async () => {
  const page = await open(stage.browser, stage.program.url, {});
  await signIn(page, 10);
  await page.getByRole("button", { name: /^Menu/ }).click();
  await page.getByRole("button", { name: "Learned water", exact: true }).click();
  await page.getByText("No area is left out.").waitFor();
  await page.getByRole("button", { name: "Leave water out …" }).click();
  assert.equal(await page.getByRole("button", { name: "Leave out", exact: true }).isDisabled(), true, "there is nothing to save");
  await state(page, "q.chart.show(10.4, 56.1, 12)");
  await atRest(page);
  for (const [x, y] of [
    [400, 200],
    [600, 200],
    [600, 400],
    [400, 200],
  ])
    await page.locator("#map").click({ position: { x, y } });
  await shot(page, "water-drawn");
  await page.getByRole("button", { name: "Leave out", exact: true }).click();
  await page.getByText("0 cells of learned or seen water").waitFor();
  const [one] = await rejected();
  assert.equal(one.area.coordinates[0].length, 4);
  assert.equal(one.by, "admin");
  await page.reload();
  await page.getByRole("button", { name: /^Take back/ }).waitFor();
  await shot(page, "water-list");
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "water-phone");
  await page.getByRole("button", { name: /^Take back/ }).click();
  await page.getByText("No area is left out.").waitFor();
  assert.deepEqual(await rejected(), []);
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
