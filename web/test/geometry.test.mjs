import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bearing,
  beside,
  boundsOf,
  complete,
  distance,
  drawn,
  formOf,
  measure,
  middle,
  normal,
  outline,
  parse,
  ringOf,
  toward,
  unwrap,
  wayRound,
  write,
} from "../src/geometry.ts";

const near = (is, want, by, what = "") => assert.ok(Math.abs(is - want) <= by, `${what} is ${is}, not ${want}`);
const area = (...places) => ({ kind: "polygon", chains: [places], radius: 0 });

test("places are read as people write them", () => {
  for (const text of [
    "56°09.000'N 010°15.000'E",
    "56.15 10.25",
    "56.15, 10.25",
    "56.15,10.25",
    "56,15 10,25",
    "56 09 10 15",
    "N56°09' E010°15'",
    "10°15'E 56°09'N",
    "56°09'00\"N 10°15'00\"E",
    "56°09,000'N 010°15,000'E",
    "56° 9.0′ N, 10° 15.0′ O",
    "56.15N 10.25E",
    "56 9 0 N 10 15 0 E",
  ]) {
    const place = parse(text);
    assert.ok(place, text);
    near(place[0], 10.25, 1e-9, text);
    near(place[1], 56.15, 1e-9, text);
  }
  assert.deepEqual(parse("33.5S 70.25W"), [-70.25, -33.5]);
  assert.deepEqual(parse("-33.5 -70.25"), [-70.25, -33.5]);
  assert.deepEqual(parse("0 180"), [180, 0]);
  for (const text of [
    "",
    "56.15",
    "56.15 10.25 3",
    "91 10",
    "56 181",
    "56°61'N 10°00'E",
    "56N 10N",
    "hello",
    "56.5 30 N 10 E",
    "<b>",
    "1e3 2",
  ])
    assert.equal(parse(text), undefined, text);
});

test("a place that is written is read again to 0.2 m", () => {
  for (const place of [
    [10.2512345, 56.1543211],
    [-179.9999, -0.00001],
    [0, 0],
    [179.99999, 89.9],
  ]) {
    const again = parse(write(place));
    near(again[0], place[0], 1e-6);
    near(again[1], place[1], 1e-6);
  }
  assert.equal(write([10.25, 56.15]), "56°09.0000'N 010°15.0000'E");
  assert.equal(write([190, -5.5]), "05°30.0000'S 170°00.0000'W");
  assert.equal(write([9.9999999999, 0]), "00°00.0000'N 010°00.0000'E");
});

test("distances and places are those of the ellipsoid to 0.01 % within a hundred kilometres", () => {
  near(distance([10, 56], [10, 57]), 111351.4, 12); // one degree of latitude there
  near(distance([10, 56], [11, 56]), 62396, 8);
  near(distance([0, 0], [1, 0]), 111319.5, 1);
  near(bearing([10, 56], [10, 57]), 0, 1e-9);
  near(bearing([10, 56], [10, 55]), 180, 1e-9);
  for (const azimuth of [0, 45, 90, 200, 315])
    near(distance([10.2, 56.1], toward([10.2, 56.1], azimuth, 3704)), 3704, 0.05, `bearing ${azimuth}`);
  near(toward([179.99, 0], 90, 3000)[0], 180.01695, 1e-4);
});

test("an area across 180 degrees lies together, is saved in -180 to 180, and comes back the same", () => {
  const f = area([179, 50], [181, 50], [181, 51], [179, 51]);
  const saved = drawn(f);
  assert.deepEqual(saved.polygon.coordinates, [
    [
      [179, 50],
      [-179, 50],
      [-179, 51],
      [179, 51],
      [179, 50],
    ],
  ]);
  const again = formOf(saved);
  assert.deepEqual(again.chains, f.chains);
  near(measure(f).area, measure(area([9, 50], [11, 50], [11, 51], [9, 51])).area, 1e-6);
  assert.deepEqual(boundsOf(outline(again)), [179, 50, 181, 51]);
  assert.deepEqual(
    middle(again).map((v) => Math.round(v * 1000) / 1000),
    [180, 50.5],
  );
});

test("an edge goes the shorter way, also the one that closes the ring", () => {
  assert.deepEqual(
    unwrap([
      [170, 0],
      [-170, 0],
      [-150, 0],
    ]),
    [
      [170, 0],
      [190, 0],
      [210, 0],
    ],
  );
  assert.equal(beside(-175, 175), 185);
  assert.equal(normal(190), -170);
  assert.equal(normal(180), -180);
  const wide = outline(
    area(
      ...unwrap([
        [-170, 10],
        [170, 10],
        [170, 20],
      ]),
    ),
  )[0];
  for (let i = 1; i < wide.length; i++) assert.ok(Math.abs(wide[i][0] - wide[i - 1][0]) <= 20);
});

test("sizes: a degree at 56 north, a circle of a mile, a hole does not count", () => {
  near(measure(area([10, 56], [11, 56], [11, 57], [10, 57])).area, 6857, 6); // 111.35 km times the 61.6 km of its middle
  near(measure({ kind: "circle", chains: [[[10, 56]]], radius: 1852 }).area, Math.PI * 1.852 ** 2, 1e-3);
  const holed = {
    kind: "polygon",
    radius: 0,
    chains: [
      [
        [10, 56],
        [11, 56],
        [11, 57],
        [10, 57],
      ],
      [
        [10.4, 56.4],
        [10.6, 56.4],
        [10.6, 56.6],
        [10.4, 56.6],
      ],
    ],
  };
  assert.ok(measure(holed).area < measure(area(...holed.chains[0])).area - 250);
  near(
    measure({
      kind: "line",
      radius: 0,
      chains: [
        [
          [10, 56],
          [10, 56.5],
          [10, 57],
        ],
      ],
    }).length,
    111351,
    15,
  );
});

test("a long edge gets places between, so that it is straight in degrees on the map", () => {
  const [line] = outline({
    kind: "line",
    radius: 0,
    chains: [
      [
        [0, 40],
        [20, 60],
      ],
    ],
  });
  assert.equal(line.length, 21);
  assert.deepEqual(line[10], [10, 50]);
  assert.equal(
    outline({
      kind: "line",
      radius: 0,
      chains: [
        [
          [10, 56],
          [10.5, 56.2],
        ],
      ],
    })[0].length,
    2,
  );
});

test("a circle is round in metres, and closed, also at the date line", () => {
  for (const centre of [
    [10, 60],
    [179.999, -18],
  ]) {
    const [ring] = outline({ kind: "circle", chains: [[centre]], radius: 5000 });
    assert.deepEqual(ring[0], ring[ring.length - 1]);
    for (const p of ring) near(distance(centre, p), 5000, 0.2);
  }
});

test("what is not yet a shape is not complete", () => {
  assert.equal(complete(area([1, 1], [2, 2])), false);
  assert.equal(complete({ kind: "circle", chains: [[[1, 1]]], radius: 0 }), false);
  assert.equal(
    complete({
      kind: "line",
      chains: [
        [
          [1, 1],
          [2, 2],
        ],
      ],
      radius: 0,
    }),
    true,
  );
  assert.equal(complete({ kind: "polygon", chains: [], radius: 0 }), false);
});

test("an edge of 180 degrees or more has places on its way, in the form and as it is saved", () => {
  assert.deepEqual(
    wayRound([
      [-170, 0],
      [170, 30],
    ]),
    [
      [-170, 0],
      [-170 + 340 / 3, 10],
      [-170 + 680 / 3, 20],
      [170, 30],
    ],
  );
  assert.deepEqual(
    wayRound([
      [170, 0],
      [190, 1],
    ]),
    [
      [170, 0],
      [190, 1],
    ],
  );
  assert.deepEqual(
    ringOf([
      [170, 0],
      [-170, 0],
      [-170, 1],
    ]),
    [
      [170, 0],
      [190, 0],
      [190, 1],
    ],
  );
  const world = ringOf([
    [-180, -90],
    [180, -90],
    [180, 90],
    [-180, 90],
  ]);
  assert.deepEqual(
    world.map((p) => p[0]),
    [-180, -60, 60, 180, 180, 60, -60, -180],
  );
  const saved = drawn(area(...world)).polygon;
  for (const [i, [lon]] of saved.coordinates[0].slice(1).entries()) assert.ok(Math.abs(normal(lon - saved.coordinates[0][i][0])) <= 120);
  assert.deepEqual(formOf({ polygon: saved }).chains[0], world);
});
