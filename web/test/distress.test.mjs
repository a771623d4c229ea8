import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { alarmOf, inOrder, whatOf, whoOf } from "../src/distress/alarm.ts";
import { helpFor } from "../src/distress/near.ts";
import { Hollow, Picture } from "../src/picture.ts";
import { contrast, luminance, paletteNames } from "../src/palette.ts";

const css = readFileSync("src/distress/style.css", "utf8");

test("the strip of an alarm keeps 4.5:1 in each palette, and by night is no brighter than 40 %", () => {
  for (const name of paletteNames) {
    const [, ground, ink] = css.match(new RegExp(`data-palette="${name}"\\] \\{ --alarm: (#\\w{6}); --on-alarm: (#\\w{6}); \\}`));
    assert.ok(contrast(ground, ink) >= 4.5, `${name}: ${contrast(ground, ink).toFixed(2)}`);
    if (name === "night") assert.ok(luminance(ink) <= 0.4, `${luminance(ink)}`);
  }
});

test("an alarm is told by its kind and by name or number, and a test says that it is one", () => {
  const record = { mmsi: 972123456, class: "mob", reports: 2, since: "2026-11-20T12:00:00Z", heard: "2026-11-20T12:00:07Z" };
  const alarm = alarmOf({ ...record, position: { coordinates: [10.25, 56.14] } });
  assert.equal(`${whatOf(alarm)} ${whoOf(alarm)} ${alarm.lon} ${alarm.heard - alarm.since}`, "Man overboard 972123456 10.25 7000");
  assert.equal(whatOf(alarmOf({ ...record, class: "sart", test: true })), "Test, no distress: AIS-SART");
  const ship = alarmOf({ ...record, class: "A", name: " NORDIC HAV ", acknowledged: { time: "2026-11-20T12:01:00Z", by: "anna" } });
  assert.equal(`${whatOf(ship)} ${whoOf(ship)} ${ship.seen.by} ${ship.lat}`, "Distress signal NORDIC HAV anna undefined");
});

test("an alarm that nobody has acknowledged stands before tests, and those before what was acknowledged", () => {
  const of = (mmsi, rest) => alarmOf({ mmsi, reports: 2, since: "2026-11-20T12:00:00Z", heard: "2026-11-20T12:00:07Z", ...rest });
  const seen = { acknowledged: { time: "2026-11-20T12:01:00Z", by: "anna" } };
  const given = [of(1, seen), of(2, { test: true }), of(3, { test: true, ...seen }), of(4, {}), of(5, {})];
  assert.deepEqual(
    inOrder(given).map((a) => a.mmsi),
    [4, 5, 2, 1, 3],
  );
  assert.equal(given[0].mmsi, 1, "what was given stays as it was");
});

test("help is the nearest ships that are heard, with range and bearing, also over the date line", () => {
  const ship = (mmsi, lon, lat, rest) => ({
    mmsi,
    class: "A",
    signal: "live",
    position: { coordinates: [lon, lat, "2026-11-20T09:43:05Z", 0, 0] },
    ...rest,
  });
  const p = new Picture();
  p.replace([
    ship(972123456, 179.99, 10, { class: "mob" }),
    ship(211000001, -179.99, 10), // 2,193 m to the east
    ship(211000002, 179.99, 10.05), // 5,530 m to the north
    ship(211000003, 179.98, 10, { signal: "lost" }),
    ship(2110004, 179.99, 10.001, { class: "base" }),
    ship(211000005, 179.89, 10), // 10,965 m to the west
    ship(211000006, 179.99, 9.8), // fourth
    ship(211000007, 179.99, 11), // beyond 50 nm
    { mmsi: 211000008, class: "A", name: "NO PLACE" },
  ]);
  const help = helpFor(p, [179.99, 10], 972123456);
  assert.deepEqual(
    help.map(({ ship, far, toward }) => [ship.mmsi, Math.round(far / 10), Math.round(toward)]),
    [
      [211000001, 219, 90],
      [211000002, 553, 0],
      [211000005, 1096, 270],
    ],
  );
  assert.deepEqual(helpFor(p, [0, 50], 972123456), []);
});

test("a device under test is drawn hollow, never as the red cross; in distress it is red at once", () => {
  const p = new Picture();
  const hollow = () => (p.flags[p.ships.get(970123456).slot] & Hollow) !== 0;
  p.replace([{ mmsi: 970123456, class: "sart", signal: "live", position: { coordinates: [10, 56, "2026-11-20T09:43:05Z", 0, 0] } }]);
  assert.ok(hollow());
  p.change([{ mmsi: 970123456, nav_status: 14 }], []);
  assert.ok(!hollow());
  p.change([{ mmsi: 970123456, nav_status: null }], []);
  assert.ok(hollow(), "the test after it");
});
