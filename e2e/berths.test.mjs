// Berths that the calls suggest, in a real browser against the real program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { binary, caller, Feeder, launch, noticed, open, Program, shot, signIn, until } from "./support.mjs";

const aarhus = 22781475;
const minute = 60e3;
const quay = { lon: 10.2201, lat: 56.1471 };
const metre = 1 / (111195 * Math.cos((56.15 * Math.PI) / 180)); // in degrees of longitude

let program, feeder, browser, call;

const header =
  "MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n";

// visits is five calls of some ships at one place of the quay: each comes from the east, lies for 70 minutes and leaves.
function visits(begin, first, ships, lat) {
  const rows = [];
  for (let n = 0; n < 5; n++) {
    let at = begin + n * 5 * 60 * minute;
    const say = (off, sog, cog, status) => {
      const time = new Date(at).toISOString().slice(0, 19);
      rows.push(
        `${first + (n % ships)},${time},${lat},${(quay.lon + off * metre).toFixed(5)},${sog},${cog},90,GUEST ${n % ships},,,70,${status},140,20,,,A`,
      );
      at += minute;
    };
    for (let off = 8000; off > 0; off -= 308.67) say(off, 10, 270, 0);
    for (let i = 0; i < 70; i++) say(0, 0, 270, 5);
    for (let off = 300; off < 8400; off += 308.67) say(off, 10, 90, 0);
  }
  return rows.join("\n") + "\n";
}

before(async () => {
  program = await Program.serve();
  call = caller(program);
  await program.stop();
  const config = join(program.directory, "config.toml"),
    past = join(program.directory, "past.csv");
  const begin = Math.floor(Date.now() / minute) * minute - 40 * 60 * minute;
  writeFileSync(past, header + visits(begin, 219000301, 3, quay.lat) + visits(begin, 219000311, 1, quay.lat + 0.004));
  execFileSync(binary, ["import", "--config", config, past], { stdio: "pipe" });
  await program.start();
  execFileSync(binary, ["detect-calls", "--config", config], { stdio: "pipe" });
  feeder = new Feeder(program.feed, 20);
  browser = await launch();
  await until("the calls suggest two berths", async () => (await call("GET", `portserver/port/berths/${aarhus}`)).records.length === 2);
});
after(async () => {
  feeder?.close();
  await browser?.close();
  await program?.remove();
});

test("a suggested berth is added by a click, named and saved, and suggested no more", async () => {
  const page = await open(browser, program.url, { hash: `&w=port/edit/${aarhus}` });
  await signIn(page, 0);
  const add = page.getByRole("button", { name: "Add: Berth for 140 m, 5 stays of 3 ships" });
  await add.waitFor();
  const few = page.getByText("5 stays, used by one ship");
  assert.match(await few.locator("..").textContent(), /only for users that may see every ship that lay here/);
  await page.getByTitle("Show on the map").first().click();
  await shot(page, "berths-suggested");
  await add.click();
  await until("it is in the list", async () => (await add.count()) === 0);
  assert.equal(await page.getByLabel("Length", { exact: true }).inputValue(), "140");
  await page.getByLabel("Name", { exact: true }).fill("Quay 9");
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "berths-phone");
  await page.getByRole("button", { name: "Save" }).click();
  await noticed(page, "The borders and berths of Aarhus are saved.");
  const { berths } = await call("GET", `portserver/port/info/${aarhus}`);
  assert.deepEqual(
    berths.map(({ name, length }) => [name, length]),
    [["Quay 9", 140]],
  );
  const left = (await call("GET", `portserver/port/berths/${aarhus}`)).records;
  assert.deepEqual(
    left.map(({ ships, few }) => [ships, few]),
    [[1, true]],
    "the berth is suggested no more",
  );
  assert.deepEqual(page.clean(), []);
  await page.context().close();
});
