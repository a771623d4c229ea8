// Two people at one ship list, shape and entry of the register, in two browsers against the real program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "./stage.mjs";
import { drawn, noticed, open, signIn } from "./support.mjs";

let mine, theirs;

const stage = staged({
  ships: 10,
  async prepare({ browser, program }) {
    [mine, theirs] = await Promise.all([open(browser, program.url), open(browser, program.url)]);
    for (const page of [mine, theirs]) await signIn(page, 10);
  },
});
const { call } = stage;

const name = (page) => page.getByRole("textbox", { name: "Name", exact: true });
const save = (page) => page.getByRole("button", { name: "Save", exact: true }).click();
const question = (page, of) =>
  page.getByRole("dialog", { name: `Somebody else changed ${of} in the meantime. Save your values over theirs?` });

// opens has both pages read the same thing, so that each begins from the same revision.
async function opens(...place) {
  for (const page of [mine, theirs]) {
    await page.evaluate((to) => globalThis.quaywatch.navigation.go(...to), place);
    await name(page).waitFor();
  }
}

test("two users change one ship list: both ships are on it, and a name is asked about", async () => {
  const { uid } = await call("POST", "config/shiplist", { name: "Tugs", ships: [{ mmsi: 219018001 }, { mmsi: 219018002 }] });
  await opens("lists", uid);
  const paste = async (page, mmsi) => {
    await page.getByRole("button", { name: "Paste many numbers" }).click();
    await page.getByLabel("MMSIs and IMO numbers").fill(mmsi);
    await page.getByRole("button", { name: "Add 1 ships" }).click();
  };
  await paste(mine, "219018003");
  await paste(theirs, "219018004");
  await save(theirs);
  await theirs.getByText("Tugs is saved: 3 ships.").waitFor();
  await save(mine);
  await mine.getByText("Tugs is saved: 4 ships. Somebody else changed it too: both are in it.").waitFor();
  const ships = async () => (await call("GET", "config/shiplist/" + uid)).ships.map((s) => s.mmsi).sort();
  assert.deepEqual(await ships(), [219018001, 219018002, 219018003, 219018004]);

  await opens("lists", uid);
  await name(mine).fill("My tugs");
  await name(theirs).fill("Their tugs");
  await save(theirs);
  await theirs.getByText("Their tugs is saved").waitFor();
  await save(mine);
  await question(mine, "Tugs").waitFor();
  assert.deepEqual(await question(mine, "Tugs").locator("li").allInnerTexts(), ["Name"]);
  await mine.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal((await call("GET", "config/shiplist/" + uid)).name, "Their tugs");
  assert.equal(await name(mine).inputValue(), "My tugs", "nothing that was written is lost");
  await save(mine);
  await mine.getByRole("dialog").getByRole("button", { name: "Save mine" }).click();
  await mine.getByText("My tugs is saved").waitFor();
  assert.equal((await call("GET", "config/shiplist/" + uid)).name, "My tugs");
});

test("two users draw one shape: the second is asked, unless it changed something else", async () => {
  const { uid } = await call("POST", "config/shape", {
    name: "Roads",
    type: "circle",
    circle: { center: { type: "Point", coordinates: [10.3, 56.1] }, radius: 900 },
  });
  const radius = async () => (await call("GET", "config/shape/" + uid)).circle.radius;
  for (const page of [mine, theirs]) await page.evaluate(() => globalThis.quaywatch.shapes.load());
  await opens("shapes", uid);
  const draw = (page, metres) => page.getByLabel("Radius").nth(0).fill(metres);
  await draw(mine, "700");
  await draw(theirs, "800");
  await save(theirs);
  await noticed(theirs, "Roads is saved.");
  await save(mine);
  await question(mine, "Roads").waitFor();
  assert.deepEqual(await question(mine, "Roads").locator("li").allInnerTexts(), ["The drawing itself"]);
  assert.equal(await radius(), 800);
  await mine.getByRole("dialog").getByRole("button", { name: "Save mine" }).click();
  await noticed(mine, "Roads is saved.");
  assert.equal(await radius(), 700);

  await theirs.evaluate(() => globalThis.quaywatch.shapes.load());
  await opens("shapes", uid);
  await name(mine).fill("Outer roads");
  await theirs.getByRole("radio", { name: "red" }).click();
  await save(theirs);
  await theirs.getByRole("button", { name: "New circle" }).waitFor();
  await save(mine);
  await noticed(mine, "Outer roads is saved.");
  const now = await call("GET", "config/shape/" + uid);
  assert.deepEqual([now.name, now.color], ["Outer roads", "#b3261e"]);
});

test("a shape that somebody deletes while another draws it leaves the drawing where it is", async () => {
  const { uid } = await call("POST", "config/shape", {
    name: "Gone",
    type: "circle",
    circle: { center: { type: "Point", coordinates: [10.3, 56.1] }, radius: 900 },
  });
  await mine.evaluate(() => globalThis.quaywatch.shapes.load());
  await mine.evaluate((to) => globalThis.quaywatch.navigation.go("shapes", to), uid);
  await drawn(mine); // until then another drawing is open
  await mine.getByLabel("Radius").nth(0).fill("555");
  await call("DELETE", "config/shape/" + uid);
  await mine.evaluate(() => globalThis.quaywatch.shapes.load());
  assert.equal(await mine.getByLabel("Radius").nth(0).inputValue(), "555");
  await save(mine);
  await mine.locator(".save .problem", { hasText: /\S/ }).waitFor();
  assert.equal(await mine.getByLabel("Radius").nth(0).inputValue(), "555");
  await mine.getByRole("button", { name: "Cancel" }).click();
  await mine.getByRole("dialog").getByRole("button", { name: "Discard the changes" }).click();
  await mine.getByRole("button", { name: "New circle" }).waitFor();
});

test("two users change one port: the second is asked about what both changed, and keeps what the other changed alone", async () => {
  const berth = (lon) => ({ name: "Quay", position: { type: "Point", coordinates: [lon, 56.155] }, length: 100 });
  await call("PUT", "config/shape/port/DKAAR", { berths: [berth(10.22)] });
  const edit = async () => {
    for (const page of [mine, theirs]) {
      await drawn(page); // the page of before leads back first
      await page.evaluate(() => (location.hash = "w=port/edit/22781475"));
      await page.getByRole("button", { name: /^Quay/ }).click();
    }
  };
  const length = (page) => page.getByRole("spinbutton", { name: "Length" }),
    saved = (page) => noticed(page, "The borders and berths of Aarhus are saved.");
  const port = () => call("GET", "config/shape/port/DKAAR");
  await edit();
  await length(mine).fill("120");
  await length(theirs).fill("140");
  await save(theirs);
  await saved(theirs);
  await save(mine);
  await question(mine, "Aarhus").waitFor();
  assert.deepEqual(await question(mine, "Aarhus").locator("li").allInnerTexts(), ["Berths"]);
  assert.equal((await port()).berths[0].length, 140);
  await mine.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await length(mine).inputValue(), "120", "nothing that was written is lost");
  await save(mine);
  await mine.getByRole("dialog").getByRole("button", { name: "Save mine" }).click();
  await saved(mine);
  assert.equal((await port()).berths[0].length, 120);

  for (const page of [mine, theirs]) await page.locator('[data-place="port"] .porttabs').waitFor(); // what was saved has led back
  await edit();
  const outer = {
    type: "Polygon",
    coordinates: [
      [
        [10.2, 56.1],
        [10.4, 56.1],
        [10.4, 56.2],
        [10.2, 56.2],
        [10.2, 56.1],
      ],
    ],
  };
  await call("PUT", "config/shape/port/DKAAR", { outer });
  await length(mine).fill("160");
  await save(mine);
  await mine.locator('[data-place="port"] .porttabs').waitFor();
  const now = await port();
  assert.equal(now.berths[0].length, 160);
  assert.equal(now.default, false, "the border that another drew meanwhile is there");
  await theirs.evaluate(() => (location.hash = "w=port/22781475"));
});

test("a link that is lost while something is saved loses nothing, and the next try saves it", async () => {
  await mine.evaluate(() => globalThis.quaywatch.navigation.go("lists", "new"));
  await name(mine).fill("Over a bad link");
  await mine.context().setOffline(true);
  await save(mine);
  await mine.getByText("The server does not answer: perhaps nothing was saved.").waitFor();
  assert.equal(await name(mine).inputValue(), "Over a bad link");
  await mine.context().setOffline(false);
  await save(mine);
  await mine.getByText("Over a bad link is saved: 0 ships.").waitFor();
});

test("two users change one entry of the register: the second is asked field by field", async () => {
  const { mmsi } = await call("POST", "portserver/ship/register", { name: "BARGE 7", length: 40 });
  const [entry] = (await call("GET", "portserver/ship/register")).records;
  assert.equal(entry.name, "BARGE 7", String(mmsi));
  await opens("register", String(entry.mmsi));
  await mine.getByRole("spinbutton", { name: "Length" }).fill("41");
  await mine.getByRole("spinbutton", { name: "Beam" }).fill("9");
  await theirs.getByRole("spinbutton", { name: "Length" }).fill("42");
  await theirs.getByLabel("Note").fill("at the north quay");
  await save(theirs);
  await noticed(theirs, "BARGE 7 is registered.");
  await save(mine);
  await question(mine, "BARGE 7").waitFor();
  assert.deepEqual(await question(mine, "BARGE 7").locator("li").allInnerTexts(), ["Length"]);
  await mine.getByRole("dialog").getByRole("button", { name: "Save mine" }).click();
  await noticed(mine, "BARGE 7 is registered.");
  const [now] = (await call("GET", "portserver/ship/register")).records;
  assert.deepEqual([now.length, now.width, now.note], [41, 9, "at the north quay"]);
  assert.deepEqual([...mine.clean(), ...theirs.clean()], []);
});
