import assert from "node:assert/strict";
import { test } from "node:test";
import { Labels } from "../src/labels.ts";

// random is a small generator with a seed, so that a failure can be had again.
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

test("no two boxes that were placed overlap, and none that fits is refused", () => {
  const r = random(11),
    labels = new Labels();
  for (let round = 0; round < 20; round++) {
    labels.begin(900, 600);
    const placed = [];
    for (let i = 0; i < 800; i++) {
      const left = r() * 900,
        top = r() * 600,
        box = [left, top, left + 20 + r() * 180, top + 14];
      const fits =
        box[2] <= 900 && box[3] <= 600 && placed.every((b) => box[0] >= b[2] || box[2] <= b[0] || box[1] >= b[3] || box[3] <= b[1]);
      assert.equal(labels.place(...box), fits, `box ${box}`);
      if (fits) placed.push([...labels.boxes.slice((labels.count - 1) * 4, labels.count * 4)]);
    }
    assert.ok(placed.length > 30);
  }
});

test("reserved boxes keep labels away, but not those that do not mind", () => {
  const labels = new Labels();
  labels.begin(400, 400);
  labels.reserve(90, 90, 110, 110);
  assert.equal(labels.place(95, 95, 150, 105), false);
  assert.equal(labels.place(95, 95, 150, 105, labels.count), true);
  assert.equal(labels.place(95, 95, 150, 105, 1), false, "two labels never overlap");
  labels.begin(400, 400);
  assert.equal(labels.place(95, 95, 150, 105), true, "a new frame is empty");
});

test("a label beside a place avoids what it may lie upon, as long as there is another side", () => {
  const labels = new Labels();
  labels.begin(400, 200);
  const beside = () => labels.beside(200, 100, 10, 50, 6, 2);
  labels.reserve(220, 95, 240, 105);
  labels.reserve(0, 0, 5, 5);
  assert.equal(beside(), 140, "to the left, as a name stands at the right");
  assert.equal(beside(), 210, "upon the name, as a label stands at the left");
  assert.equal(beside(), undefined);
});
