import assert from "node:assert/strict";
import { test } from "node:test";
import { InPort } from "../src/inport.ts";
import { from } from "../src/origin.ts";
import { sorted } from "../src/sort.ts";

const ofServer = [
  { mmsi: 1, port: { id: 7, locode: "DKAAR", name: "Aarhus" }, berth: { id: 2, name: "Quay 10" } },
  { mmsi: 2, port: { id: 7, locode: "DKAAR", name: "Aarhus" }, berth: { id: 3, name: "Quay 2" } },
  { mmsi: 3, port: { id: 8, locode: "DKKAL" } },
  { mmsi: 4, port: { id: 9 } },
];

// asking gives an InPort whose questions are answered one by one: by ships, or by undefined for a failure.
function asking(...answers) {
  let changed;
  const asked = [];
  const inPort = new InPort(
    async () => {
      const ships = answers[asked.push(0) - 1];
      if (!ships) throw new Error("no link");
      return ships;
    },
    () => changed?.(),
  );
  return { inPort, asked, answer: () => new Promise((done) => (changed = done)) };
}

test("it is asked each half minute while somebody looks", async () => {
  const { inPort, asked, answer } = asking(ofServer, ofServer.slice(1));
  assert.equal(inPort.known, false);
  let told = answer();
  inPort.look(1000);
  inPort.look(1000 + 40e3); // the answer is not there yet
  await told;
  await Promise.resolve();
  assert.equal(asked.length, 1);
  assert.equal(inPort.known, true);
  assert.deepEqual(inPort.of({ mmsi: 1 }), { port: "Aarhus", berth: "Quay 10" });
  assert.deepEqual(
    [3, 4, 5].map((mmsi) => inPort.of({ mmsi })?.port),
    ["DKKAL", "9", undefined],
  );
  await new Promise(setImmediate); // what follows the answer is done
  inPort.look(1000 + 29.9e3);
  assert.equal(asked.length, 1);
  told = answer();
  inPort.look(1000 + 30e3);
  await told;
  assert.equal(asked.length, 2);
  assert.equal(inPort.of({ mmsi: 1 }), undefined, "it has left");
});

test("an answer counts for two minutes when no other comes", async () => {
  const { inPort, asked, answer } = asking(ofServer);
  const told = answer();
  inPort.look(0);
  await told;
  const { version } = inPort;
  for (let at = 30e3; at < 120e3; at += 30e3) {
    await new Promise(setImmediate);
    inPort.look(at);
    assert.equal(inPort.of({ mmsi: 2 })?.berth, "Quay 2");
  }
  assert.equal(asked.length, 4);
  inPort.look(120e3);
  assert.equal(inPort.known, false);
  assert.equal(inPort.of({ mmsi: 2 }), undefined);
  assert.ok(inPort.version > version, "the list is drawn anew");
});

test("ships are sorted by port and there by berth, or by berth, with the ships at sea last", async () => {
  const { inPort, answer } = asking([...ofServer, { mmsi: 5, port: { id: 7, name: "Aarhus" } }]);
  const told = answer();
  inPort.look(0);
  await told;
  const ships = [6, 5, 4, 3, 2, 1].map((mmsi) => ({ mmsi, group: "cargo" }));
  const order = (column, down = false) => sorted(ships, { column, down }, { ...from([10, 56]), lying: inPort.of }).map((s) => s.mmsi);
  assert.deepEqual(order("port"), [4, 5, 2, 1, 3, 6]);
  assert.deepEqual(order("port", true), [3, 1, 2, 5, 4, 6]);
  assert.deepEqual(order("berth"), [2, 1, 3, 4, 5, 6]);
  assert.deepEqual(
    sorted(ships, { column: "port", down: false }, from([10, 56])).map((s) => s.mmsi),
    [1, 2, 3, 4, 5, 6],
    "before it is known",
  );
});
