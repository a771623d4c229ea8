import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { ahead, at, barOf, marks, ticks } from "../src/port/axis.ts";
import { berthPlan } from "../src/port/berthplan.ts";
import { boardOf, rowsOf } from "../src/port/board.ts";
import { spanOf, usual } from "../src/port/day.ts";
import { expectedOf, groupOfType, inOrder, visitOf, wentAt } from "../src/port/model.ts";
import { keyOf, namesWithin, partOf } from "../src/port/pieces.ts";
import { visitColumns } from "../src/port/columns.tsx";
import { expectedText, freeText, lyingText, onAir } from "../src/port/words.ts";
import { showLocal } from "../src/text/clock.ts";
import { speak } from "../src/text/text.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
afterEach(() => speak("en"));
after(() => showLocal(false));

const hour = 3600e3,
  now = Date.parse("2026-11-22T18:00:00Z");
const iso = (hours) => new Date(now + hours * hour).toISOString().replace(".000", "");

let number = 0;
function visit(more, { length = 100, berth, kind = "berthed", from = -3, to } = {}) {
  const stay = { kind, position: { type: "Point", coordinates: [10.22, 56.15] }, from: from && iso(from), to: to && iso(to), berth };
  const call = { id: ++number, port: { id: 1 }, in_port: true, draught_a: 7.4, draught_d: null, stays: [stay], ...more };
  return visitOf({ ship: { mmsi: 200000000 + number, name: `SHIP ${number}`, length, type: "Cargo" }, ...call });
}

test("a time stands on the axis between its ends, and a span that goes on is marked", () => {
  const axis = { from: now - 24 * hour, to: now };
  assert.equal(at(axis, now - 12 * hour), 0.5);
  assert.equal(at(axis, now + hour), 1);
  assert.equal(at(axis, now - 30 * hour), 0);
  assert.deepEqual(barOf(axis, now - 6 * hour, now), { left: 0.75, width: 0.25, early: false, late: false });
  assert.deepEqual(barOf(axis, now - 48 * hour, now - 12 * hour), { left: 0, width: 0.5, early: true, late: false });
  assert.deepEqual(barOf(axis, undefined, now + hour), { left: 0, width: 1, early: true, late: true });
});

test("ticks stand at whole hours of the clock on the wall", () => {
  const axis = { from: Date.parse("2026-11-21T17:10:00Z"), to: Date.parse("2026-11-22T17:10:00Z") };
  const hours = (ahead) => ticks(axis, 6, ahead).map((time) => new Date(time).toISOString().slice(11, 16));
  assert.deepEqual(hours(0), ["18:00", "00:00", "06:00", "12:00"]);
  assert.deepEqual(hours(hour), ["23:00", "05:00", "11:00", "17:00"]);
  assert.deepEqual(hours(-3.5 * hour), ["21:30", "03:30", "09:30", "15:30"]);
});

test("the next six hours take half of the axis of what is to come", () => {
  const axis = ahead(now);
  assert.deepEqual(
    [-1, 0, 3, 6, 27, 48, 60].map((hours) => at(axis, now + hours * hour)),
    [0, 0, 0.25, 0.5, 0.75, 1, 1],
  );
  const bar = barOf(axis, now + 3 * hour, now + 27 * hour);
  assert.deepEqual([bar.left, bar.width], [0.25, 0.5]);
  const times = marks(axis, 0).map((time) => new Date(time).toISOString().slice(8, 16));
  assert.deepEqual(times, ["22T18:00", "22T20:00", "22T22:00", "23T00:00", "23T12:00", "24T00:00", "24T12:00"]);
});

test("a board has a row for each berth, and rows for what lies elsewhere", () => {
  const quay = (n) => ({ id: n, name: `Quay ${n}` });
  const berths = [{ ...quay(10), length: 250 }, { ...quay(2), length: 200 }, quay(3)];
  const rows = rowsOf(
    [
      visit({}, { berth: quay(2), length: 90 }),
      visit({}, { berth: quay(10), length: 160, from: -2 }),
      visit({}, { berth: quay(10), length: 120, from: -5 }),
      visit({}, { berth: quay(3) }),
      visit({}, { berth: quay(3), length: 0 }),
      visit({}, { berth: { id: 77, name: "Pier" }, length: 0 }),
      visit({}),
      visit({}, { kind: "anchored" }),
      visit({ atd: iso(-0.2) }, { berth: quay(2), to: -0.2 }),
    ],
    berths,
  );
  assert.deepEqual(
    rows.map((r) => [r.kind, r.name, r.ships.length, r.free, r.over]),
    [
      ["berth", "Pier", 1, undefined, false],
      ["berth", "Quay 2", 1, 110, false],
      ["berth", "Quay 3", 2, undefined, true],
      ["berth", "Quay 10", 2, -30, true],
      ["alongside", "", 1, undefined, false],
      ["anchor", "", 1, undefined, false],
      ["leaving", "", 1, undefined, false],
    ],
  );
  assert.deepEqual(
    rows.map((row) => freeText(row, now)),
    ["", "110 m of 200 m free", "2 ships at once", "30 m more than the 250 m of the berth", "", "", ""],
  );
  assert.deepEqual(
    rows[3].ships.map((v) => v.ship.length),
    [120, 160],
    "the first that came is first",
  );
  const unsure = rowsOf([visit({}, { berth: quay(2), length: 0 })], berths)[0];
  assert.equal(freeText(unsure, now), "at most 200 m of 200 m free");
  assert.equal(rowsOf([], []).length, 0);
});

test("a board begins with ships, and free berths stand apart; what is free counts the ships of every kind", () => {
  const quay = (n) => ({ id: n, name: `Quay ${n}` });
  const berths = [1, 2, 3].map((n) => ({ ...quay(n), length: 250 }));
  const tanker = { ...visit({}, { berth: quay(2), length: 90 }), group: "tanker", etd: now + 3 * hour },
    cargo = { ...visit({}, { berth: quay(2), length: 60 }), group: "cargo", etd: now + 5 * hour },
    other = { ...visit({}, { berth: quay(3), length: 60 }), group: "cargo" };
  const names = (rows) => rows.map((row) => `${row.name}: ${row.ships.length}`);
  const all = boardOf([tanker, cargo, other], berths, "all");
  assert.deepEqual([names(all.taken), names(all.free)], [["Quay 2: 2", "Quay 3: 1"], ["Quay 1: 0"]]);
  assert.equal(freeText(all.taken[0], now), "100 m of 250 m free · free from 23:00 UTC");
  assert.equal(freeText(all.taken[0], now + 6 * hour), "100 m of 250 m free", "it should have left");
  assert.equal(freeText(all.taken[1], now), "190 m of 250 m free");
  const tankers = boardOf([tanker, cargo, other], berths, "tanker");
  assert.deepEqual(names(tankers.taken), ["Quay 2: 1"]);
  assert.equal(freeText(tankers.taken[0], now), "100 m of 250 m free · free from 23:00 UTC");
  assert.match(lyingText(tanker, 7.4, now, true), / · ETD 21:00 UTC$/);
  assert.doesNotMatch(lyingText(tanker, 7.4, now, false), /ETD/);
});

test("the plan of the berths marks a ship that is too long, too deep, or has no room beside another", () => {
  const berths = [
    { id: 1, name: "Quay 1", quay_id: 7, length: 200, max_draught: 9 },
    { id: 2, name: "Quay 2", quay_id: 8 },
  ];
  let number = 0;
  const asks = (berth) => ({
    ...comes("7", 1, 2),
    tracked: { plan: { quay: "7", attributes: [] }, requested: [{ place: "berth", berth }] },
  });
  const comes = (quay, eta, etd, ship = {}) => ({
    key: `comes ${++number}`,
    ship: { mmsi: 300000000 + number, length: 90, draught: 6, ...ship },
    group: "cargo",
    eta: eta && now + eta * hour,
    tracked: { plan: { quay, etd: etd && now + etd * hour, attributes: [] }, requested: [] },
  });
  const lies = { ...visit({}, { berth: { id: 1, name: "Quay 1" }, length: 120 }), etd: now + 5 * hour };
  const rows = berthPlan(
    [
      comes("7", 2, 8), // 90 m beside 120 m, on 200 m
      comes("7", 6, 9), // the first has left, and 90 m beside 90 m fit
      comes("7", 20, 30, { length: 210, draught: 9.5 }),
      comes("8", 3, 9),
      comes("8", 9.5, undefined), // after it
      comes("8", 9.75, undefined, { length: 0 }), // nobody knows whether the one before is still there
      comes("8", 4, undefined), // while the first is there, and the berth has no length
      comes("", 1, 2),
      comes("99", 1, 2), // a quay that the port does not list
    ],
    [lies],
    berths,
  );
  assert.deepEqual(
    rows.map(({ name, ships }) => [
      name,
      ...ships.map((one) => one.conflicts.map((c) => c.kind + (c.metres ? ` ${c.metres}` : "")).join()),
    ]),
    [
      ["99", ""],
      ["Quay 1", "", "room", "", "long 10,deep 0.5"],
      ["Quay 2", "", "room", "", ""],
      ["", ""],
    ],
  );
  const asked = berthPlan([asks("Quay 2"), asks()], [], berths);
  assert.deepEqual(
    asked.map(({ name, ships }) => [name, ships.length]),
    [
      ["Quay 1", 1],
      ["Quay 2", 1],
    ],
    "the berth that the ship is asked for goes before the one that was planned",
  );
  assert.equal(rows[1].ships[0].here, true);
  assert.equal(rows[1].ships[1].conflicts[0].with, lies.ship);
});

test("a text for the air has the characters of AIS, without the name of the ship that it is for", () => {
  assert.equal(
    onAir("NORDIC: Århus bittet Sie, um 14:00 UTC am Liegeplatz „Süd_@4“ zu sein.", "NORDIC"),
    "ARHUS BITTET SIE, UM 14:00 UTC AM LIEGEPLATZ  SUD_ 4  ZU SEIN.",
  );
  assert.equal(onAir("[A]\\^ {b} 1~2", "NORDIC"), "[A]\\^  B  1 2");
});

test("words of ships in port, of those that came and of those that left", async () => {
  const lies = visit({ waiting: "02:10:00" });
  assert.equal(lyingText(lies, 7.4, now, true), "since 15:00 UTC · draught 7.4 m · waited 2 h 10 min");
  assert.equal(lyingText(visit({}, { from: 0 }), undefined, now, true), "there when first heard");
  assert.equal(lyingText(visit({ id: undefined }, { from: 0 }), 7.4, now, false), "draught 7.4 m");
  await speak("de");
  assert.equal(lyingText(lies, 7.4, now, true), "seit 15:00 UTC · Tiefgang 7,4 m · wartete 2 h 10 min");
});

test("the columns of calls say what each time is, who corrected it, and who is still here", async () => {
  const said = (event, place, value, source = "detected") => ({ event, place, value, source, kind: "actual", entered: iso(0) });
  const app = { picture: { now: () => now } };
  const row = (v, tab = "left") => Object.fromEntries(visitColumns(app, tab).map((c) => [c.key, c.words(v)]));
  const times = [said("arrival", "border", iso(-6)), said("departure", "border", iso(-1)), said("departure", "border", iso(-0.5))];
  const over = { in_port: false, ata: iso(-5), atd: iso(-1), service: "04:00:00", berth: { id: 4, name: "Quay 4" }, draught_d: 6, times };
  const gone = visit({
    ...over,
    previous: { id: 1, name: "Kiel" },
    next: { id: 2 },
    confirmed_by: "anna",
    ata_detected: iso(-4),
    atd_detected: iso(-1),
  });
  const { border, ata, atd, out, berth, lay, draughtIn, draughtOut, previous, next, by } = row(gone);
  assert.deepEqual(
    [border, ata, atd, out, berth, lay, draughtIn, draughtOut, previous, next, by],
    ["12:00", "13:00 ✎", "17:00", "17:30", "Quay 4", "4 h", "7.4 m", "6.0 m", "Kiel", "2", "corrected by anna"],
  );
  const still = row(visit({ ata: iso(-5), atd: iso(-1) }, { to: -1 }), "in");
  assert.deepEqual([still.where, still.out, still.atd], ["let go, still here", "let go, still here", "17:00"]);
  assert.equal(row(visit({ in_port: false, ata: iso(-5) })).out, "not seen");
  assert.equal(wentAt(visit({ in_port: false, ata: iso(-5) })), undefined);
  const file = visitColumns(app, "left").find(({ key }) => key === "ata").file;
  assert.equal(file(gone), iso(-5), "a file has the time alone, in UTC");
  assert.deepEqual(
    visitColumns(app, "left")
      .slice(0, 4)
      .map(({ heading }) => heading),
    ["Ship", "Alongside", "Let go", "Left"],
  );
});

test("words of ships that are expected, and their order", () => {
  const ship = { mmsi: 1, destination: "DKAAR" };
  const one = (more) => ({ ship: { ...ship, mmsi: ++number }, group: "cargo", calls: 0, ...more });
  const both = one({ eta: now + 2 * hour, crew: now + hour, late: "00:41:00", calls: 6, metres: 18520 });
  assert.equal(
    expectedText(both, now),
    "our ETA 20:00 UTC · the crew says 19:00 UTC · the crew is usually 41 min late (6 calls) · 10.0 NM to go",
  );
  assert.equal(expectedText(one({ late: "-01:05:00", calls: 1 }), now), "no ETA · the crew was 1 h 5 min early on its last call");
  const forgotten = one({ crew: now - 13 * hour }),
    none = one({}),
    soon = one({ crew: now - hour });
  assert.deepEqual(inOrder([forgotten, none, both, soon], now), [soon, both, forgotten, none]);
});

test("a ship that announces the port and a tracked one are read alike", () => {
  const ship = { mmsi: 219018765, name: "NORDIC HAV", type: "Tanker" };
  const announced = expectedOf({ announced: true, ship, eta: iso(2), eta_crew: iso(1), distance: 1852 });
  const tracked = expectedOf({ id: 4711, source: { ship }, eta: iso(2), distance: 1852 });
  assert.deepEqual([announced.ship, announced.group, announced.eta, announced.crew], [ship, "tanker", now + 2 * hour, now + hour]);
  assert.deepEqual([tracked.ship, tracked.eta, tracked.crew, tracked.metres], [ship, now + 2 * hour, undefined, 1852]);
  assert.notEqual(tracked.key, announced.key);
  assert.equal(expectedOf({ id: 1, source: {} }), undefined);
});

test("what the port asks of a tracked ship is read with the speed for it", () => {
  const point = { type: "Point", coordinates: [10.5, 56.1] };
  const { tracked } = expectedOf({
    id: 4711,
    source: { ship: { mmsi: 1 } },
    requested: [{ place: "pilot", time: iso(2), position: point }],
    speed_for_arrival: { time: iso(2), place: "pilot", speed: 9.4, speed_low: 8.9 },
  });
  assert.deepEqual(tracked.requested, [{ place: "pilot", time: now + 2 * hour, position: point }]);
  assert.deepEqual(tracked.advice, { place: "pilot", time: now + 2 * hour, speed: 9.4, low: 8.9, high: undefined });
  assert.deepEqual(expectedOf({ id: 1, source: { ship: { mmsi: 1 } } }).tracked.requested, []);
});

test("types of ships are read as the server writes them", () => {
  for (const [type, group] of [
    ["Tanker, hazardous category A", "tanker"],
    ["Cargo", "cargo"],
    ["Port tender", "service"],
    ["Wing in ground", "hsc"],
    ["Reserved", "other"],
    [undefined, "other"],
  ])
    assert.equal(groupOfType(type), group);
});

test("today and a day are those of the clock on the wall", () => {
  assert.deepEqual(spanOf("24h", now), { begin: now - 24 * hour, end: now + 1000 });
  assert.deepEqual(spanOf("today", now), { begin: Date.parse("2026-11-22T00:00:00Z"), end: Date.parse("2026-11-23T00:00:00Z") });
  assert.deepEqual(spanOf("2026-11-20", now), { begin: Date.parse("2026-11-20T00:00:00Z"), end: Date.parse("2026-11-21T00:00:00Z") });
  assert.deepEqual(spanOf("nonsense", now), spanOf("24h", now));
  assert.equal(usual("arrived"), "today");
  assert.equal(usual("left"), "24h");
});

test("an inner shape is called by the berths that lie in it, and a click finds the piece of its port alone", () => {
  const shape = (west) => ({
    kind: "polygon",
    radius: 0,
    chains: [
      [
        [west, 56],
        [west + 2, 56],
        [west + 1, 57],
      ],
    ],
  });
  const berth = (name, ...coordinates) => ({ name, position: { type: "Point", coordinates } });
  const berths = [berth("A", 11, 56.5), berth("B", 11, 56.1), berth("beside", 10.1, 56.9), { name: "nowhere" }];
  const empty = { kind: "polygon", radius: 0, chains: [] };
  assert.deepEqual(namesWithin([shape(10), shape(20), empty], berths), [["A", "B"], [], []]);
  assert.deepEqual(partOf(7, keyOf(7, "berths", 12)), { kind: "berths", at: 12 });
  assert.deepEqual(partOf(7, keyOf(7, "inners", 0)), { kind: "inners", at: 0 });
  for (const key of [keyOf(7, "outer", 0), keyOf(7, "suggested", 0), keyOf(77, "berths", 1), "port:7", "dog"])
    assert.equal(partOf(7, key), undefined, key);
});
