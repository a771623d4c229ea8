import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { callOf, itemsOf, loadHistory, tripOf } from "../src/calls/call.ts";
import { byText, detectedText, factsText, portName, stayText, timesText, tripText } from "../src/calls/words.ts";
import { callsAtPorts } from "../src/ship.ts";
import { lasting } from "../src/text/figures.ts";
import { showLocal } from "../src/text/clock.ts";
import { speak } from "../src/text/text.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
afterEach(() => speak("en"));
after(() => showLocal(false));

const now = Date.parse("2026-11-22T18:00:00Z"),
  minute = 60e3,
  hour = 60 * minute;
const aarhus = { id: 22781475, locode: "DKAAR", name: "Aarhus" };
const lay = (more) => ({ kind: "berthed", position: { type: "Point", coordinates: [10.22, 56.15] }, ...more });
const record = (more) => ({ id: 7, port: aarhus, in_port: false, confidence: 4, stays: [lay()], ...more });
const says = (more, may = true) => timesText(callOf(record(more)), now, may);
const facts = (more) => factsText(callOf(record(more)), now);

test("a call says when the ship came and left, and what nobody saw", () => {
  const ata = "2026-11-20T08:15:20Z",
    atd = "2026-11-21T09:00:40Z";
  const rows = [
    [{ ata, atd }, "2026-11-20 08:15 – 2026-11-21 09:00 UTC"],
    [{ ata: "2026-11-22T08:15:20Z", atd: "2026-11-22T09:00:00Z" }, "08:15 – 09:00 UTC"],
    [{ ata }, "2026-11-20 08:15 UTC – left unseen"],
    [{ atd }, "there when first heard – 2026-11-21 09:00 UTC"],
    [{}, "there when first heard – left unseen"],
    [{ id: undefined, atd }, "from before you may look back – 2026-11-21 09:00 UTC"],
    [{ in_port: true, ata: "2026-11-22T08:15:20Z" }, "in port since 08:15 UTC"],
    [{ in_port: true }, "in port, there when first heard"],
    [{ in_port: true, id: undefined }, "in port, from before you may look back"],
    [{ in_port: true, ata, atd }, "2026-11-20 08:15 – 2026-11-21 09:00 UTC, still in port"],
  ];
  for (const [more, text] of rows) assert.equal(says(more), text);
});

test("a ship that was never alongside was at anchor", () => {
  const from = "2026-11-22T08:15:20Z",
    to = "2026-11-22T09:00:00Z";
  const anchored = (more, end) => says({ ...more, stays: [lay({ kind: "anchored", from }), lay({ kind: "anchored", ...end })] });
  assert.equal(anchored({ in_port: true }), "at anchor since 08:15 UTC");
  assert.equal(anchored({ in_port: true }, { to }), "at anchor 08:15 – 09:00 UTC, still in port");
  assert.equal(anchored({}, { to }), "at anchor 08:15 – 09:00 UTC");
  assert.equal(anchored({}), "at anchor 08:15 UTC – left unseen");
  assert.equal(says({ in_port: true, stays: [lay({ kind: "anchored" })] }), "at anchor, there when first heard");
});

test("a user that may not know times reads none, and no guess at one", () => {
  assert.equal(says({ id: undefined }, false), "");
  assert.equal(says({ id: undefined, in_port: true }, false), "in port");
  assert.equal(stayText(callOf(record()).stays[0], false, false, now), "alongside");
});

test("times of a call are local where the user wants it, and name both zones where they differ", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Copenhagen";
  showLocal(true);
  assert.equal(says({ in_port: true, ata: "2026-11-22T08:15:00Z" }), "in port since 09:15 CET");
  assert.match(
    says({ ata: "2026-10-24T22:00:00Z", atd: "2026-10-25T12:00:00Z" }),
    /^2026-10-25 00:00 (CEST|GMT\+2) – 2026-10-25 13:00 CET$/,
  );
  showLocal(false);
  process.env.TZ = zone ?? "";
});

test("a call says how long the ship lay, where, and how deep it was", () => {
  assert.equal(facts({}), "");
  assert.equal(facts({ in_port: true, ata: "2026-11-22T16:30:00Z" }), "1 h 30 min");
  assert.equal(facts({ in_port: true, ata: "2026-11-22T10:30:00Z", atd: "2026-11-22T12:30:00Z", service: "02:00:00" }), "2 h");
  assert.equal(
    facts({ service: "102:05:00", waiting: "02:10:00", berth: { id: 3, name: "Kaj 12" }, draught_a: 7.4, draught_d: 8 }),
    "4 d 6 h · waited 2 h 10 min at anchor · berth Kaj 12 · draught 7.4 m → 8.0 m",
  );
  assert.equal(facts({ berth: { id: 3 }, draught_a: 7.4, draught_d: 7.4 }), "berth 3 · draught 7.4 m");
  assert.equal(facts({ draught_a: 7.4 }), "draught 7.4 m on arrival");
  assert.equal(facts({ draught_d: 7.4 }), "draught 7.4 m on departure");
});

test("a call that a user corrected says so, and what was detected", () => {
  const at = { ata: "2026-11-22T08:15:00Z", atd: "2026-11-22T10:00:00Z", confirmed_by: "anna" };
  const same = callOf(record({ ...at, ata_detected: at.ata, atd_detected: at.atd }));
  assert.deepEqual([byText(same), detectedText(same, "ata", now), detectedText(same, "atd", now)], ["confirmed by anna", "", ""]);
  const other = callOf(record({ ...at, ata_detected: "2026-11-22T07:55:00Z" }));
  assert.equal(byText(other), "corrected by anna");
  assert.equal(detectedText(other, "ata", now), "arrival as detected: 07:55 UTC");
  assert.equal(detectedText(other, "atd", now), "no departure was detected");
  const none = callOf(record({ ata: at.ata }));
  assert.deepEqual([byText(none), detectedText(none, "ata", now)], ["", ""]); // what was detected is told of calls alone that a user wrote to
});

test("the parts of a call say where and when", () => {
  const [waited, kaj] = callOf(
    record({
      stays: [
        lay({ kind: "anchored", from: "2026-11-22T06:00:00Z", to: "2026-11-22T07:00:00Z" }),
        lay({ berth: { id: 3, name: "Kaj 12" }, from: "2026-11-22T07:30:00Z" }),
      ],
    }),
  ).stays;
  assert.equal(stayText(waited, false, true, now), "at anchor, 06:00 – 07:00 UTC");
  assert.equal(stayText(kaj, true, true, now), "berth Kaj 12, since 07:30 UTC");
  assert.equal(stayText(kaj, false, true, now), "berth Kaj 12, 07:30 UTC – left unseen");
  assert.deepEqual(kaj.place, { lon: 10.22, lat: 56.15 });
});

test("a trip says how far, how long, how fast, and for how long nobody heard the ship", () => {
  const trip = (more) => tripText(tripOf({ id: 1, from: {}, to: {}, ...more }), now);
  assert.equal(
    trip({ distance: 1012400, duration: "40:22:00", avg_sog: 13.6, gap: "01:12:00" }),
    "547 NM · 40 h 22 min · 13.6 kn on average · unheard for 1 h 12 min",
  );
  assert.equal(trip({ distance: 90200, duration: "04:00:00", avg_sog: 12, gap: "00:00:40" }), "48.7 NM · 4 h · 12.0 kn on average");
  assert.equal(trip({ distance: 90200 }), "48.7 NM");
  assert.equal(trip({ to: undefined, from: { atd: "2026-11-22T15:40:00Z" }, duration: "02:20:00" }), "at sea since 15:40 UTC · 2 h 20 min");
  assert.equal(trip({ to: undefined }), "at sea");
});

test("a span has two units, to the minute or to the hour", () => {
  const rows = [
    [0, "0 min"],
    [29e3, "0 min"],
    [45 * minute, "45 min"],
    [60 * minute, "1 h"],
    [90 * minute, "1 h 30 min"],
    [47 * hour + 59 * minute, "47 h 59 min"],
    [48 * hour, "2 d"],
    [71 * hour + 40 * minute, "3 d"],
    [-5 * minute, "0 min"],
  ];
  for (const [span, text] of rows) assert.equal(lasting(span), text);
});

test("the trips stand between the calls that they join, the open one before all", () => {
  const calls = [9, 8, 7, 6].map((id) => callOf(record({ id })));
  const items = (...trips) =>
    itemsOf({ calls, trips: new Map(trips.map((r) => [r.id, tripOf({ from: {}, ...r })])), more: false }).map((i) =>
      i.call ? i.call.id : `trip ${i.trip.id}`,
    );
  assert.deepEqual(items({ id: 8, to: {} }, { id: 6, to: {} }), [9, "trip 8", 8, 7, "trip 6", 6]);
  assert.deepEqual(items({ id: 9 }, { id: 7, to: {} }), ["trip 9", 9, 8, "trip 7", 7, 6]);
  assert.deepEqual(items({ id: 9, to: {} }, { id: 7 }), [9, 8, 7, 6]); // of another moment than the calls
  const early = itemsOf({
    calls: [callOf(record()), callOf(record({ id: undefined }))],
    trips: new Map([[0, tripOf({ from: {}, to: {} })]]),
  });
  assert.deepEqual(
    early.map((i) => (i.call ? i.call.id : "trip")),
    [7, "trip", 0],
  );
  const keys = itemsOf({ calls: [0, 0, 0].map(() => callOf(record({ id: undefined }))), trips: new Map() }).map((i) => i.key);
  assert.equal(new Set(keys).size, 3);
});

test("one call more is asked for than is shown, and no trip for a user that may not know times", async () => {
  const asked = [];
  globalThis.fetch = async (url, { body }) => {
    asked.push([url.slice("http://box/api/portserver/ship/historical/".length), JSON.parse(body)]);
    const records = url.endsWith("/port") ? [9, 8, 7].map((id) => record({ id })) : [{ id: 8, from: {}, to: {}, distance: 1852 }];
    return new Response(JSON.stringify({ records }));
  };
  const all = await loadHistory(219018765, 2, true);
  assert.deepEqual(asked, [
    ["port", { mmsi: 219018765, limit: 3 }],
    ["trip", { mmsi: 219018765, limit: 3 }],
  ]);
  assert.deepEqual([all.calls.map((c) => c.id), all.more, all.trips.get(8).metres], [[9, 8], true, 1852]);
  asked.length = 0;
  const bare = await loadHistory(219018765, 3, false);
  assert.deepEqual([asked.map(([what]) => what), bare.more, bare.trips.size], [["port"], false, 0]);
});

test("German has its own words, and a port without a name its number", async () => {
  await speak("de");
  assert.equal(says({ in_port: true, ata: "2026-11-22T08:15:20Z" }), "im Hafen seit 08:15 UTC");
  assert.equal(says({}), "beim ersten Empfang schon da – Abfahrt nicht gesehen");
  assert.equal(facts({ draught_a: 7.4, draught_d: 8 }), "Tiefgang 7,4 m → 8,0 m");
  assert.equal(portName(callOf(record({ port: { id: 27407729 } }))), "Hafen 27407729");
});

test("ships call at ports that were heard, and no station, aircraft or beacon", () => {
  assert.equal(callsAtPorts({ group: "cargo" }), true);
  assert.equal(callsAtPorts({ group: "cargo", source: "register" }), false);
  for (const group of ["base", "aton", "aircraft", "distress"]) assert.equal(callsAtPorts({ group }), false);
});
