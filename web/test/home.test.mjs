import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { read, write } from "../src/hash.ts";
import { forget, lastPorts, ownHome, remember, setHome } from "../src/home.ts";

const stored = new Map();
globalThis.localStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
beforeEach(() => stored.clear());

test("#port and its lists are addresses that people type", () => {
  for (const [hash, place] of [
    ["#port", ["port"]],
    ["#port/arrived", ["port", "arrived"]],
    ["#port/arrived/tanker", ["port", "arrived", "tanker"]],
    ["#port&s=219018765", ["port"]],
    ["#w=port/22781475/left", ["port", "22781475", "left"]],
    ["#s=219018765&port", undefined],
    ["#ports", undefined],
    ["#port=1", undefined],
    ["#", undefined],
    ["", undefined],
  ])
    assert.deepEqual(read(hash).place, place, hash);
  assert.equal(write(read("#port/arrived")), "w=port/arrived");
});

test("the port that a user chose is kept, and so is the answer that there is none", () => {
  assert.equal(ownHome(), undefined);
  for (const choice of [22781475, "none", undefined, 100000001]) {
    setHome(choice);
    assert.equal(ownHome(), choice);
  }
  for (const text of ["0", "-1", "1e3", "DKAAR", "12345678901234567890"]) {
    stored.set("quaywatch.port.home", text);
    assert.equal(ownHome(), undefined, text);
  }
});

test("the five ports that were open last are kept, each once, without those that are gone", () => {
  for (const id of [1, 2, 3, 2, 4, 5, 6]) remember({ id, name: `Port ${id}`, locode: "", country: "X", berths: [] });
  assert.deepEqual(
    lastPorts().map((one) => one.id),
    [6, 5, 4, 2, 3],
  );
  assert.deepEqual(Object.keys(lastPorts()[0]), ["id", "name", "locode", "country"]);
  setHome(4);
  forget(4);
  forget(6);
  assert.equal(ownHome(), undefined);
  assert.deepEqual(
    lastPorts().map((one) => one.id),
    [5, 2, 3],
  );
  for (const text of ["{", "{}", "[null,7,{}]", '[{"id":"1","name":"x"},{"id":1,"name":""}]']) {
    stored.set("quaywatch.port.last", text);
    assert.deepEqual(lastPorts(), [], text);
  }
});
