// What the wall display shows next.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, write } from "../src/hash.ts";
import { passingsOfVisits } from "../src/wall/passing.ts";
import { keptOf, newsOf, next, passingsOf, shipsOf, start, step, within } from "../src/wall/walk.ts";

const every = 15e3,
  hour = 3600e3;
const event = (id, { mmsi = 100 + id, severity = "warning", time = 0 } = {}) => ({ id, mmsi, severity, time });
const anywhere = () => true;

// worldOf gives a world of events, the newest first, and of ships.
const worldOf = (events, ships = [], there = anywhere) => ({ news: newsOf(events, there, 0), ships: () => ships, there });

// walked gives the keys that so many turns show, each after its time.
function walked(world, turns, walk = start, from = 1e6) {
  const keys = [];
  for (let i = 0; i < turns; i++) {
    walk = step(walk, world, from + i * every, every);
    keys.push(walk.item?.key);
  }
  return { keys, walk, now: from + (turns - 1) * every };
}

test("a round shows all events, the newest first, then ships until it has five things, and the next round other ships", () => {
  const { keys } = walked(worldOf([event(9), event(7), event(4)], [1, 2, 3, 4]), 10);
  assert.deepEqual(keys, ["event 9", "event 7", "event 4", "ship 1", "ship 2", "event 9", "event 7", "event 4", "ship 3", "ship 4"]);
});

test("what is shown stays for its time, and the walk is the same then", () => {
  const world = worldOf([event(2), event(1)]);
  const first = step(start, world, 1000, every);
  assert.equal(step(first, world, 1000 + every - 1, every), first);
  assert.equal(step(first, world, 1000 + every, every).item.key, "event 1");
});

test("a new event goes to the front at once", () => {
  const { walk, now } = walked(worldOf([event(2), event(1)]), 2);
  assert.equal(walk.item.key, "event 1");
  const told = step(walk, worldOf([event(3), event(2), event(1)]), now + 1, every);
  assert.equal(told.item.key, "event 3");
  assert.equal(told.since, now + 1);
});

test("while a new event is read the next one waits five seconds, and a graver one does not", () => {
  const first = step(start, worldOf([event(1)]), 1000, every);
  const calm = worldOf([event(2), event(1)]);
  assert.equal(step(first, calm, 1000 + 4999, every), first);
  assert.equal(step(first, calm, 1000 + 5000, every).item.key, "event 2");
  assert.equal(step(first, worldOf([event(2, { severity: "alert" }), event(1)]), 1001, every).item.key, "event 2");
});

test("of events that come at once the newest is first, and none is left out", () => {
  const { walk, now } = walked(worldOf([event(1)]), 1);
  const { keys } = walked(worldOf([event(4), event(3), event(2), event(1)]), 3, walk, now + 6000);
  assert.deepEqual(keys, ["event 4", "event 3", "event 2"]);
});

test("what is gone gives way at once: a ship that left, an event that was deleted", () => {
  const { walk, now } = walked(worldOf([event(2), event(1)]), 1);
  assert.equal(
    step(
      walk,
      worldOf([event(2), event(1)], [], (mmsi) => mmsi !== 102),
      now + 1,
      every,
    ).item.key,
    "event 1",
  );
  assert.equal(step(walk, worldOf([event(1)]), now + 1, every).item.key, "event 1");
  const { walk: alone, now: then } = walked(worldOf([], [5, 6]), 1);
  assert.equal(
    step(
      alone,
      worldOf([], [6], (mmsi) => mmsi === 6),
      then + 1,
      every,
    ).item.key,
    "ship 6",
  );
});

test("without news each ship is shown once before one is shown again", () => {
  const ships = Array.from({ length: 40 }, (_, i) => i + 1),
    { keys } = walked(worldOf([], ships), 80);
  assert.equal(new Set(keys.slice(0, 40)).size, 40);
  assert.deepEqual(keys.slice(40), keys.slice(0, 40));
});

test("one event alone stays, and one ship alone", () => {
  assert.deepEqual(walked(worldOf([event(1)]), 3).keys, ["event 1", "event 1", "event 1"]);
  assert.deepEqual(walked(worldOf([], [7]), 2).keys, ["ship 7", "ship 7"]);
});

test("with nothing to show the walk stays the same, and goes on when something comes", () => {
  assert.equal(step(start, worldOf([]), 1e6, every), start);
  const { walk, now } = walked(worldOf([event(1)]), 1);
  const empty = step(walk, worldOf([]), now + 1, every);
  assert.equal(empty.item, undefined);
  assert.equal(step(empty, worldOf([]), now + 2, every), empty);
  assert.equal(step(empty, worldOf([], [3]), now + 3, every).item.key, "ship 3");
});

test("nothing of the walk grows: a day of events and of ships that come and go", () => {
  let walk = start;
  for (let i = 1; i <= 6000; i++) {
    const events = Array.from({ length: Math.min(i, 300) }, (_, k) => event(i - k, { mmsi: 1 + ((i - k) % 50) }));
    const world = worldOf(i % 3 === 0 ? [] : events, [i, i + 1, i + 2]);
    walk = i % 7 === 0 ? next(walk, world, i * 14400) : step(walk, world, i * 14400, every);
    assert.ok(walk.round.length <= 17 && walk.passed.length <= 64, `${walk.round.length} and ${walk.passed.length} after ${i}`);
  }
  assert.ok(walk.passed.length > 0);
});

test("the news are the twelve latest events of twelve hours, of ships that the map shows and of no ship", () => {
  const events = [event(30, { mmsi: 0 }), event(29, { mmsi: 5 }), event(28, { mmsi: 6 }), event(27, { time: -12 * hour })];
  const keys = (all, there = anywhere) => newsOf(all, there, 0).map(({ key }) => key);
  assert.deepEqual(
    keys(events, (mmsi) => mmsi !== 5),
    ["event 30", "event 28"],
  );
  assert.equal(keys(Array.from({ length: 300 }, (_, i) => event(400 - i))).length, 12);
});

test("an event of a watchdog that was deleted is no news, one that may be of a new watchdog is, and so is one by hand", () => {
  const events = [event(9), event(8), event(7), event(6)].map((e, i) => ({ ...e, definition: [44, 33, 22, 0][i] }));
  const kept = (upTo, ...ids) => keptOf(events, { upTo, all: ids.map((id) => ({ id })) }).map(({ id }) => id);
  assert.deepEqual(kept(8, 22), [9, 7, 6]);
  assert.deepEqual(kept(9, 22), [7, 6]);
  assert.deepEqual(kept(0), [9, 8, 7, 6], "before the list is there");
});

test("ships under way stand before others, the one heard last first; stations and ships without a place do not stand there", () => {
  const ship = (mmsi, more) => ({ mmsi, lon: 10, lat: 56, time: 100, sog: 0, group: "cargo", ...more });
  const sails = [ship(1, { sog: 5 }), ship(2, { sog: 9, time: 200 }), ship(3), ship(4, { sog: 7, signal: "lost" })];
  assert.deepEqual(shipsOf(sails, anywhere), [2, 1]);
  assert.deepEqual(shipsOf(sails.slice(2), anywhere), [3, 4]);
  assert.deepEqual(shipsOf([ship(5, { group: "base" }), ship(6, { lon: undefined }), ship(7)], anywhere), [7]);
  assert.deepEqual(
    shipsOf(sails, (mmsi) => mmsi !== 2),
    [1],
  );
});

test("arrivals and departures are in one order, and those before a time are left out", () => {
  const visit = (mmsi, call) => ({
    key: `${mmsi} 1`,
    ship: { mmsi, name: `SHIP ${mmsi}` },
    call: { stays: [], port: { name: "Aarhus" }, ...call },
  });
  const all = passingsOfVisits(
    [visit(1, { ata: 500, atd: 900, inPort: false }), visit(2, { ata: 700, inPort: true }), visit(3, { ata: 100, inPort: true })],
    400,
  );
  assert.deepEqual(
    all.map((p) => [p.name, p.arrived, p.time, p.port]),
    [
      ["SHIP 1", false, 900, "Aarhus"],
      ["SHIP 2", true, 700, "Aarhus"],
      ["SHIP 1", true, 500, "Aarhus"],
    ],
  );
  const news = passingsOf(all, (mmsi) => mmsi === 1);
  assert.deepEqual(
    news.map(({ key }) => key),
    ["departure 1 1", "arrival 1 1"],
  );
});

test("a place lies in a view up to its edge, across the date line too", () => {
  const view = { lon: 179.9, lat: 0, zoom: 10 }; // a pixel is 0.00137 degrees
  assert.equal(within(view, { lon: -179.9, lat: 0 }, 1000, 600), true);
  assert.equal(within(view, { lon: -179.4, lat: 0 }, 1000, 600), false);
  assert.equal(within(view, { lon: 179.9, lat: 0.5 }, 1000, 600), false);
});

test("the address of the wall has its seconds, from 1 to 600, beside a filter and a view", () => {
  assert.deepEqual(read("#wall"), { place: ["wall"] });
  const { place, every: seconds, query, view } = read("#wall&every=1&q=tanker&v=10.2,56.1,12");
  assert.deepEqual([place, seconds, query, view], [["wall"], 1, "tanker", { lon: 10.2, lat: 56.1, zoom: 12 }]);
  assert.equal(read("#wall&every=600").every, 600);
  for (const odd of ["0", "601", "-3", "x", ""]) assert.equal(read(`#wall&every=${odd}`).every, undefined, odd);
  assert.equal(read(`#${write({ place: ["wall"], every: 20 })}`).every, 20);
});
