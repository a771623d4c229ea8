import assert from "node:assert/strict";
import { test } from "node:test";
import { filterOf, imoValid, keyOf, merged, readNumbers } from "../src/lists/lists.ts";

test("numbers are read out of whatever was pasted, each once, and what is none is told", () => {
  const { ships, bad } = readNumbers(
    'MMSI;name\n219018765;NORDIC HAV\r\n211000001,"211000001"\tIMO9321483 mmsi:244000000 | 9321484 12345 9900000001',
  );
  assert.deepEqual(ships, [{ mmsi: 219018765 }, { mmsi: 211000001 }, { imo: 9321483 }, { mmsi: 244000000 }, { mmsi: 9900000001 }]);
  assert.deepEqual(bad, ["9321484", "12345"]);
  assert.deepEqual(readNumbers(""), { ships: [], bad: [] });
});

test("an IMO number is told by its last digit", () => {
  assert.equal(imoValid(9321483), true);
  assert.equal(imoValid(9321484), false);
  assert.equal(imoValid(123), false);
});

test("entries are the same by what decides which ship is meant", () => {
  assert.equal(keyOf({ mmsi: 1, name: "A" }), keyOf({ mmsi: 1, name: "B" }));
  assert.equal(keyOf({ name: "Anna " }), keyOf({ name: "ANNA" }));
  assert.notEqual(keyOf({ callsign: "ANNA" }), keyOf({ name: "ANNA" }));
});

test("a name with quotes and backslashes stays one string of the filter", () => {
  assert.equal(filterOf('Tugs "north" \\ 1'), 'shiplist = "Tugs \\"north\\" \\\\ 1"');
});

test("what two took off a list and put on it is done to it both", () => {
  const ships = (...numbers) => numbers.map((mmsi) => ({ mmsi })),
    after = (was, mine, theirs) => merged(was, mine, theirs).map((s) => s.mmsi);
  assert.deepEqual(after(ships(1, 2), ships(3, 1, 2), ships(4, 1, 2)), [3, 4, 1, 2]);
  assert.deepEqual(after(ships(1, 2), ships(2), ships(1, 2, 5)), [2, 5], "1 was taken off here");
  assert.deepEqual(after(ships(1, 2), ships(1, 2, 7), ships(1)), [7, 1], "2 was taken off there");
  assert.deepEqual(after(ships(1), ships(1, 9), ships(1, 9)), [1, 9], "both put it on");
  assert.deepEqual(after([], ships(), ships()), []);
});
