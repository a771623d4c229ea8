import assert from "node:assert/strict";
import { test } from "node:test";
import { Pen, placeAt } from "../src/map/pen.ts";
import { tint } from "../src/map/tint.ts";
import { contrast, luminance, paletteNames, palettes } from "../src/palette.ts";
import { mercatorX, mercatorY } from "../src/picture.ts";
import { drawn } from "../src/geometry.ts";

const near = (is, want, by) => assert.ok(Math.abs(is - want) <= by, `${is}, not ${want}`);
// 800 by 600 CSS pixels
const screen = (lon, lat, resolution = 10) => ({ x: mercatorX(lon), y: mercatorY(lat), resolution, ratio: 2, width: 1600, height: 1200 });
const s = screen(10, 56);

test("a pixel gives the place that is drawn there", () => {
  const pen = new Pen(
    {
      kind: "line",
      chains: [
        [
          [10.01, 56.01],
          [10.02, 56],
        ],
      ],
      radius: 0,
    },
    () => {},
  );
  const [x, y] = pen.pixel(s, [10.01, 56.01]),
    place = placeAt(s, x, y);
  near(place[0], 10.01, 1e-9);
  near(place[1], 56.01, 1e-9);
});

test("a polygon is clicked, the last place taken back, and closed at its first", () => {
  let changes = 0;
  const pen = Pen.begin("polygon", () => changes++);
  for (const [x, y] of [
    [300, 200],
    [500, 200],
    [500, 400],
    [700, 100],
  ])
    pen.click(s, x, y, false);
  assert.equal(pen.form.chains[0].length, 4);
  assert.equal(pen.key("Backspace", false), true);
  assert.equal(pen.form.chains[0].length, 3);
  assert.equal(pen.drawing, true);
  pen.click(s, 303, 203, false);
  assert.equal(pen.drawing, false);
  assert.equal(pen.form.chains[0].length, 3);
  assert.ok(changes > 4);
  near(pen.form.chains[0][0][0], placeAt(s, 300, 200)[0], 1e-12);
});

test("a second click on the last place ends a line; Escape keeps what is a shape and gives up what is none", () => {
  const pen = Pen.begin("line", () => {});
  pen.click(s, 100, 100, false);
  pen.click(s, 101, 101, false);
  assert.equal(pen.form.chains[0].length, 1, "one place is no line");
  assert.equal(pen.key("Escape", false), true);
  assert.deepEqual([pen.form.chains.length, pen.drawing], [0, true]);
  pen.click(s, 100, 100, false);
  pen.click(s, 200, 100, false);
  pen.click(s, 200, 100, false);
  assert.deepEqual([pen.form.chains[0].length, pen.drawing], [2, false]);
  assert.equal(pen.key("Escape", false), false, "Escape is the page's again");
});

test("a vertex is moved, one put in and one removed, the whole moved, and all taken back", () => {
  const pen = Pen.begin("polygon", () => {});
  for (const [x, y] of [
    [300, 200],
    [500, 200],
    [500, 400],
    [300, 200],
  ])
    pen.click(s, x, y, false);
  const first = pen.form;
  assert.equal(pen.down(s, 502, 401, false), true);
  pen.drag(s, 560, 430);
  pen.drag(s, 600, 450);
  pen.up();
  const [x, y] = pen.pixel(s, pen.form.chains[0][2]);
  near(x, 600, 0.01);
  near(y, 450, 0.01);
  assert.equal(pen.down(s, 400, 200, false), true, "the middle of an edge");
  pen.drag(s, 400, 120);
  pen.up();
  assert.equal(pen.form.chains[0].length, 4);
  assert.deepEqual(pen.selected, { chain: 0, at: 1 });
  assert.equal(pen.key("Delete", false), true);
  assert.equal(pen.form.chains[0].length, 3);
  const whole = pen.grips(s).find((g) => g.kind === "whole"),
    before = pen.form.chains[0];
  assert.equal(pen.down(s, whole.x, whole.y, false), true);
  pen.drag(s, whole.x + 50, whole.y - 20);
  pen.up();
  for (let i = 0; i < 3; i++) near(pen.form.chains[0][i][0] - before[i][0], (50 * 10) / mercatorX(1), 1e-6);
  for (let i = 0; i < 4; i++) pen.undo();
  assert.deepEqual(pen.form, first);
});

test("three places are the least: none can be removed, and a place beside the form is nobody's", () => {
  const pen = Pen.begin("polygon", () => {});
  for (const [x, y] of [
    [300, 200],
    [500, 200],
    [500, 400],
    [300, 200],
  ])
    pen.click(s, x, y, false);
  pen.click(s, 300, 200, false);
  assert.deepEqual(pen.selected, { chain: 0, at: 0 });
  assert.equal(pen.removable, false);
  pen.key("Delete", false);
  assert.equal(pen.form.chains[0].length, 3);
  assert.equal(pen.down(s, 100, 500, false), false, "such a drag moves the map");
});

test("a circle: centre, radius by the second click, by its rim, moved by its centre", () => {
  const pen = Pen.begin("circle", () => {});
  pen.click(s, 400, 300, true);
  pen.click(s, 500, 300, true);
  assert.equal(pen.drawing, false);
  near(pen.form.radius, 100 * 10 * Math.cos((56 * Math.PI) / 180), 4);
  const rim = pen.grips(s).find((g) => g.kind === "radius");
  assert.equal(pen.down(s, rim.x + 15, rim.y, true), true, "a finger needs not meet exactly");
  pen.drag(s, 600, 300);
  pen.up();
  near(pen.form.radius, 200 * 10 * Math.cos((56 * Math.PI) / 180), 8);
  const radius = pen.form.radius;
  pen.down(s, 400, 300, false);
  pen.drag(s, 300, 300);
  pen.up();
  assert.equal(pen.form.radius, radius);
  near(pen.pixel(s, pen.form.chains[0][0])[0], 300, 0.01);
});

test("across 180 degrees: clicks on both sides lie together, and a pen in another copy of the world still meets its grips", () => {
  const strait = screen(180, -17),
    pen = Pen.begin("polygon", () => {});
  for (const [x, y] of [
    [300, 200],
    [500, 200],
    [500, 400],
    [300, 200],
  ])
    pen.click(strait, x, y, false);
  const lons = pen.form.chains[0].map((p) => p[0]);
  assert.ok(lons[0] < 180 && lons[1] > 180, String(lons));
  const saved = drawn(pen.form).polygon.coordinates[0];
  assert.ok(saved[0][0] > 179 && saved[1][0] < -179, JSON.stringify(saved));
  const otherSide = { ...strait, x: mercatorX(-180) };
  const grip = pen.grips(otherSide)[0];
  near(grip.x, 300, 0.01);
  assert.equal(pen.down(otherSide, 300, 200, false), true);
  pen.drag(otherSide, 310, 200);
  pen.up();
  near(pen.form.chains[0][0][0] - lons[0], (10 * 10) / mercatorX(1), 1e-6);
});

test("a wide box is saved as it is drawn, with places on its way", () => {
  const world = screen(0, 0, 60000),
    pen = Pen.begin("polygon", () => {});
  const [west, east] = [-170, 170].map((lon) => mercatorX(lon) / 60000 + 400);
  for (const [x, y] of [
    [west, 250],
    [west, 350],
    [east, 350],
    [east, 250],
    [west, 250],
  ])
    pen.click(world, x, y, false);
  const lons = pen.form.chains[0].map((p) => Math.round(p[0]));
  assert.deepEqual(lons, [-170, -170, -57, 57, 170, 170, 57, -57]);
  assert.equal(pen.drawing, false);
});

test("a place snaps to the corner of another shape, else to its edge", () => {
  const pen = Pen.begin("line", () => {}),
    a = placeAt(s, 200, 200),
    b = placeAt(s, 400, 200);
  pen.targets = [[a, b]];
  pen.click(s, 205, 204, false);
  assert.deepEqual(pen.form.chains[0][0], a);
  pen.move(s, 300, 206);
  assert.equal(pen.snapped, true);
  pen.click(s, 300, 206, false);
  near(pen.form.chains[0][1][1], a[1], 1e-9);
  pen.move(s, 300, 240);
  assert.equal(pen.snapped, false);
});

test("any colour is shown with enough contrast in every palette, and dark enough at night", () => {
  const colours = [
    "#fff",
    "#000000",
    "#ffff00",
    "#ff0000",
    "#0000ff",
    "#00ff00",
    "#777",
    "red",
    "",
    "javascript:alert(1)",
    "#1a56b0",
    "#a34700",
  ];
  for (const name of paletteNames) {
    for (const colour of colours) {
      const made = tint(colour, name),
        p = palettes[name];
      for (const ground of [p.sea, p.land, p.halo])
        assert.ok(contrast(made, ground) >= 4.5, `${colour} as ${made} on ${ground} of ${name}: ${contrast(made, ground)}`);
      if (name === "night") assert.ok(luminance(made) <= 0.4, `${made} at night`);
    }
  }
  assert.notEqual(tint("#ff0000", "night"), tint("#0000ff", "night"));
});
