import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { alarmOf, whatOf, whoOf } from "../src/distress/alarm.ts";
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
