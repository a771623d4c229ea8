import assert from "node:assert/strict";
import { test } from "node:test";
import { from, Origin, originText } from "../src/origin.ts";
import { sorted } from "../src/sort.ts";

const ships = [
  { mmsi: 1, group: "cargo", name: "WEST", lon: 10, lat: 56, draught: 4.5, eta: "2026-12-31T22:00:00Z", callsign: "OXAB2", imo: 9321483 },
  { mmsi: 2, group: "cargo", name: "MIDDLE", lon: 10.5, lat: 56, draught: 12, eta: "2027-01-01", callsign: "DABC", imo: 9074729 },
  { mmsi: 3, group: "cargo", name: "EAST", lon: 11, lat: 56 },
  { mmsi: 4, group: "cargo", name: "NOWHERE" },
];
const desk = { picture: { ships: new Map(ships.map((s) => [s.mmsi, s])) }, centre: { lon: 12, lat: 56, zoom: 9 } };
const where = (selected, measured) => ({ desk, selected, measured });
const order = (at, column, down = false) => sorted([...ships], { column, down }, from(at.place)).map((s) => s.mmsi);

test("distance is measured from the ruler, else from the selected ship, else from the middle of the map", () => {
  const origin = new Origin();
  assert.deepEqual(origin.at(where(0)), { place: [12, 56], fixed: false });
  assert.deepEqual(origin.at(where(1)), { place: [10, 56], name: "WEST", fixed: true });
  assert.deepEqual(origin.at(where(4)), { place: [12, 56], fixed: false }, "a ship without a place");
  assert.deepEqual(origin.at(where(99)), { place: [12, 56], fixed: false }, "a ship that left");
  assert.deepEqual(origin.at(where(1, { place: [5, 50] })), { place: [5, 50], fixed: true });
  assert.deepEqual(origin.at(where(1, { mmsi: 3 })), { place: [11, 56], name: "EAST", fixed: true });
  assert.deepEqual(order(origin.at(where(0)), "distance"), [3, 2, 1, 4]);
  assert.deepEqual(order(origin.at(where(1)), "distance"), [1, 2, 3, 4]);
  assert.deepEqual(order(origin.at(where(1)), "distance", true), [3, 2, 1, 4], "what is not known stands last");
});

test("a step through the list does not sort it anew, a ship that is clicked on the map does", () => {
  const origin = new Origin();
  assert.equal(origin.at(where(1)).name, "WEST");
  origin.pass(2);
  assert.equal(origin.at(where(2)).name, "WEST");
  origin.pass(3);
  assert.equal(origin.at(where(3)).name, "WEST");
  assert.equal(origin.at(where(3)).name, "WEST", "it stays so while it is drawn again");
  assert.equal(origin.at(where(2)).name, "MIDDLE", "clicked on the map");
  origin.pass(3);
  assert.equal(origin.at(where(3)).name, "MIDDLE");
  origin.pass(undefined); // the heading is pressed
  assert.equal(origin.at(where(3)).name, "EAST");
  assert.equal(origin.at(where(0)).fixed, false, "no ship is selected any longer");
});

test("distance and bearing hold across the date line, and a ship without a place has none", () => {
  const measures = from([179.5, 0]);
  const ship = { lon: -179.5, lat: 0 };
  assert.ok(Math.abs(measures.distance(ship) - 111319) < 100, `${measures.distance(ship)} m`);
  assert.equal(Math.round(measures.bearing(ship)), 90);
  assert.equal(measures.distance(ships[3]), undefined);
  assert.equal(measures.bearing(ships[3]), undefined);
});

test("draught, ETA, call sign, IMO and bearing are sorted by their values", () => {
  const at = { place: [10.5, 55] };
  assert.deepEqual(order(at, "draught", true), [2, 1, 3, 4]);
  assert.deepEqual(order(at, "eta"), [1, 2, 3, 4], "the old year before the new");
  assert.deepEqual(order(at, "callsign"), [2, 1, 3, 4]);
  assert.deepEqual(order(at, "imo"), [2, 1, 3, 4]);
  assert.deepEqual(order({ place: [10.5, 55] }, "bearing"), [2, 3, 1, 4], "000, 030, 330");
});

test("the heading says from where", () => {
  assert.equal(originText({ fixed: true, name: "WEST" }), "from WEST");
  assert.equal(originText({ fixed: true }), "from where the ruler begins");
  assert.equal(originText({ fixed: false }), "from the middle of the map");
});
