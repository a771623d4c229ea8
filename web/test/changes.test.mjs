import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { changesOf, lengthened, loadChanges, renewed, stateOf } from "../src/changes/change.ts";
import { changeText, labelOf } from "../src/changes/words.ts";
import { speak } from "../src/text/text.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
afterEach(() => speak("en"));

const at = (minutes) => Date.parse("2026-11-26T12:00:00Z") + minutes * 60e3;
const answer = (from, more, ...minutes) => ({
  from: new Date(at(from)).toISOString(),
  more,
  records: minutes.map((m) => ({ time: new Date(at(m)).toISOString(), field: "destination", was: "A", now: `B${m}` })),
});
const minutesOf = ({ from, more, records }) => [(from - at(0)) / 60e3, more, ...records.map(({ time }) => (time - at(0)) / 60e3)];

test("the latest changes take the place of those that were known, and older ones stay", () => {
  const first = changesOf(answer(-100, true, -10, -50, -90));
  assert.deepEqual(minutesOf(renewed(first, undefined)), [-100, true, -10, -50, -90]);
  const later = changesOf(answer(-60, true, 20, -10, -50)); // the day has gone on
  assert.deepEqual(minutesOf(renewed(later, first)), [-100, true, 20, -10, -50, -90]);
  const whole = lengthened(first, changesOf(answer(-900, false, -300)));
  assert.deepEqual(minutesOf(whole), [-900, false, -10, -50, -90, -300]);
  assert.deepEqual(minutesOf(renewed(later, whole)), [-900, false, 20, -10, -50, -90, -300]);
});

test("the first question is for the last day, each further one for a month before what is known", async (context) => {
  const asked = [];
  context.mock.method(globalThis, "fetch", async (url) => {
    asked.push(String(url).replace("http://box/api/portserver/ship/historical/change/", ""));
    return new Response(JSON.stringify(answer(-5, false)), { status: 200 });
  });
  await loadChanges(219018765);
  await loadChanges(219018765, at(-5));
  assert.deepEqual(asked, ["219018765", "219018765?duration=720:00:00&end=2026-11-26T11:55:00.000Z"]);
});

test("a change is written as the card writes the field", async () => {
  const rows = [
    ["status", 0, 1, "Status Under way using engine → At anchor", "Status In Fahrt (Maschine) → Vor Anker"],
    ["destination", "ROTTERDAM", "HAMBURG", "Destination ROTTERDAM → HAMBURG"],
    ["destination", "HAMBURG", null, "Destination HAMBURG → not given", /HAMBURG → keine Angabe/],
    ["draught", 7.2, 9.8, "Draught 7.2 m → 9.8 m", /7,2 m → 9,8 m/],
    ["eta", "2026-11-27T06:00:00", "2026-11-28", "ETA of the crew 11-27 06:00 UTC → 11-28"],
    ["name", "NORDIC", "SUND", "Name NORDIC → SUND"],
    ["callsign", "OXAA", "OXAB", "Call sign OXAA → OXAB"],
    ["imo", 9321483, 9074729, "IMO 9321483 → 9074729"],
    ["type", 70, 80, "Type Cargo → Tanker", /Fracht.* → Tank/],
    [
      "size",
      { dim_a: 118, dim_b: 16, dim_c: 11, dim_d: 11 },
      { dim_a: 120, dim_b: 16, dim_c: 11, dim_d: 11 },
      "Length × beam 134 × 22 m → 136 × 22 m",
    ],
    [
      "size",
      { dim_a: 118, dim_b: 16, dim_c: 11, dim_d: 11 },
      { dim_a: 16, dim_b: 118, dim_c: 11, dim_d: 11 },
      "Length × beam 118 + 16 × 11 + 11 m → 16 + 118 × 11 + 11 m",
    ],
    ["of tomorrow", 1, 2, "of tomorrow 1 → 2"],
  ];
  const text = ([field, was, now]) => `${labelOf({ field })} ${changeText({ field, was, now })}`;
  for (const row of rows) assert.equal(text(row), row[3]);
  await speak("de");
  for (const row of rows) if (row[4] instanceof RegExp) assert.match(text(row), row[4]);
});

test("the list is asked for again when the ship says something else, and not when it sails", () => {
  const ship = { mmsi: 1, nav_status: 0, destination: "ROTTERDAM", draught: 7.2, lon: 4, sog: 11, time: 1 };
  assert.equal(stateOf({ ...ship, lon: 4.1, sog: 12, time: 2 }), stateOf(ship));
  for (const change of [{ nav_status: 1 }, { destination: "HAMBURG" }, { draught: 9.8 }, { name: "X" }, { dim_a: 5 }])
    assert.notEqual(stateOf({ ...ship, ...change }), stateOf(ship));
});
