import assert from "node:assert/strict";
import { test } from "node:test";
import { extentOf } from "../src/map/extent.ts";
import { firstStation } from "../src/palette.ts";
import { Lost, mercatorX, Moving, Picture, Placed, Shown } from "../src/picture.ts";
import { oddNumber } from "../src/ship.ts";
import { sorted } from "../src/sort.ts";
import { parseTime } from "../src/time.ts";

const at = (lon, lat, cog = null, sog = null) => ({ coordinates: [lon, lat, "2026-11-20T09:43:05Z", cog, sog] });

test("a change merges what it names and keeps the rest; null makes unknown", () => {
  const p = new Picture();
  p.replace([{ mmsi: 1, class: "A", name: "ANNA", type_code: 70, signal: "live", heading: 90, position: at(10, 56, 100, 12) }]);
  p.change([{ mmsi: 1, heading: null, destination: "DKAAR", position: at(10.1, 56, null, 0.1) }], []);
  const s = p.ships.get(1);
  assert.deepEqual(
    [s.name, s.heading, s.destination, s.lon, s.cog, s.sog, s.group],
    ["ANNA", undefined, "DKAAR", 10.1, undefined, 0.1, "cargo"],
  );
  assert.equal(p.flags[s.slot] & Moving, 0);
  p.change([{ mmsi: 1, signal: "lost" }], []);
  assert.ok(p.flags[s.slot] & Lost);
  p.change([{ mmsi: 1, position: null }], []);
  assert.equal(p.ships.get(1).lon, undefined);
  assert.equal(p.flags[p.ships.get(1).slot] & Placed, 0);
});

test("names lose their outer blanks, and so do call signs and destinations", () => {
  const p = new Picture();
  p.replace([{ mmsi: 1, class: "A", name: "  ANNA ", callsign: " DA1", destination: " KIEL " }]);
  const s = p.ships.get(1);
  assert.deepEqual([s.name, s.callsign, s.destination], ["ANNA", "DA1", "KIEL"]);
  p.change([{ mmsi: 1, name: "   " }], []);
  assert.equal(p.ships.get(1).name || String(1), "1");
});

test("a new picture forgets what it does not name", () => {
  const p = new Picture();
  p.replace([
    { mmsi: 1, class: "A", name: "ANNA", position: at(1, 1) },
    { mmsi: 2, class: "A", destination: "X", position: at(2, 2) },
  ]);
  p.replace([{ mmsi: 2, class: "A", position: at(2, 3) }]);
  assert.deepEqual([...p.ships.keys()], [2]);
  assert.equal(p.ships.get(2).destination, undefined);
});

test("slots are used again: ships that come and go do not grow the arrays", () => {
  const p = new Picture();
  for (let i = 0; i < 5000; i++) p.change([{ mmsi: i, class: "A", position: at(1, 1) }], i > 100 ? [i - 100] : []);
  assert.equal(p.x.length, 1024);
  assert.equal(p.ships.size, 101);
});

test("many ships: each slot keeps its own ship through growing", () => {
  const p = new Picture();
  p.replace(Array.from({ length: 5000 }, (_, i) => ({ mmsi: i + 1, class: "A", position: at(i / 100, 10) })));
  for (const s of p.ships.values()) {
    assert.equal(p.x[s.slot], mercatorX(s.lon));
    assert.equal(p.bySlot[s.slot], s);
  }
});

test("the extent leaves the few farthest out away, ignores stations, and holds together across 180 degrees", () => {
  const p = new Picture();
  p.replace([
    ...Array.from({ length: 100 }, (_, i) => ({
      mmsi: i + 1,
      class: "A",
      position: at(i < 50 ? 179 + i / 100 : -179 - (i - 50) / 100, 10 + i / 100),
    })),
    { mmsi: 500, class: "A", position: at(0, -40) },
    { mmsi: 501, class: "base", position: at(-90, 80) },
  ]);
  const [w, s, e, n] = extentOf(p, Placed | Shown, firstStation);
  assert.ok(e - w < mercatorX(3), `${(e - w) / mercatorX(1)} degrees wide`);
  assert.ok(s < n && n - s < mercatorX(2));
  assert.equal(extentOf(new Picture(), Placed, firstStation), undefined);
});

test("the list: stations last, the unknown last in either order, ties by MMSI", () => {
  const ships = [
    { mmsi: 4, group: "base", name: "AAA" },
    { mmsi: 3, group: "cargo" },
    { mmsi: 2, group: "cargo", name: "B", sog: 3 },
    { mmsi: 1, group: "tanker", name: "A", sog: 9 },
    { mmsi: 6, group: "other", name: "b", sog: 3 },
  ];
  const order = (column, down) =>
    sorted(ships, { column, down }, { distance: () => undefined, bearing: () => undefined }).map((s) => s.mmsi);
  assert.deepEqual(order("name", false), [1, 2, 6, 3, 4]);
  assert.deepEqual(order("name", true), [2, 6, 1, 3, 4]);
  assert.deepEqual(order("sog", true), [1, 2, 6, 3, 4]);
  assert.deepEqual(order("distance", false), [1, 2, 3, 6, 4]);
});

test("times equal Date.parse", () => {
  for (const text of [
    "2026-11-20T09:43:05Z",
    "2026-11-20T23:59:59Z",
    "2026-11-21T00:00:00Z",
    "2024-02-29T12:00:00.250Z",
    "1999-12-31T23:59:59Z",
  ]) {
    assert.equal(parseTime(text), Date.parse(text), text);
  }
});

test("a number that has not the form of its station is odd", () => {
  const odd = [
    [2190001, "A"],
    [21900001, "B"],
    [992190001, "A"],
    [111219001, "B"],
    [663000001, "aton"],
    [219000001, "base"],
    [233200001, "sar"],
  ];
  const right = [
    [219000001, "A"],
    [982190001, "B"],
    [2190001, "base"],
    [992190001, "aton"],
    [111219001, "sar"],
    [970219001, "sart"],
    [2190001, "coast"],
    [4000000001, "A"],
    [2190001, undefined],
  ];
  for (const [mmsi, is] of odd) assert.equal(oddNumber({ mmsi, class: is }), true, `${mmsi} ${is}`);
  for (const [mmsi, is] of right) assert.equal(oddNumber({ mmsi, class: is }), false, `${mmsi} ${is}`);
});
