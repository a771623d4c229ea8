// The ruler: range and bearing between places and ships, and how near ships will come.
import assert from "node:assert/strict";
import { test } from "node:test";
import { approach, bent, Ruler } from "../src/map/ruler.ts";
import { mercatorX, mercatorY } from "../src/picture.ts";
import { distance } from "../src/geometry.ts";

const screen = { x: mercatorX(10), y: mercatorY(55), resolution: 100, ratio: 2, width: 1600, height: 1200 };
const near = (got, want, by) => assert.ok(Math.abs(got - want) <= by, `${got}, want ${want}`);

test("a leg has range and bearing, the pointer is the end of the last one", () => {
  let changes = 0;
  const ruler = new Ruler(
    () => undefined,
    () => changes++,
  );
  ruler.begin();
  ruler.click(screen, 400, 300, false, undefined); // the middle
  assert.deepEqual(ruler.legs(), []);
  ruler.move(screen, 400, 200); // 10,000 m of the projection to the north
  const [leg] = ruler.legs();
  near(leg.metres, 10_000 * Math.cos((55.03 * Math.PI) / 180), 40);
  near(leg.bearing, 0, 0.001);
  assert.equal(ruler.legs(false).length, 0);
  ruler.leave();
  assert.equal(ruler.legs().length, 0, "a pointer that left the map is no end");
  ruler.click(screen, 500, 300, true, undefined);
  near(ruler.legs()[0].bearing, 90, 0.1);
  assert.equal(ruler.legs().length, 1, "a finger leaves no pointer behind");
  ruler.undo();
  ruler.move(screen, 500, 300);
  ruler.click(screen, 500, 300, false, undefined);
  assert.equal(ruler.legs().length, 1, "the leg that was measured stays the last one until the pointer moves on");
  ruler.undo();
  assert.equal(ruler.points.length, 1);
  assert.ok(changes >= 5);
});

test("a point on a ship moves with it, and times are by the speed of the first ship", () => {
  const ship = { mmsi: 1, lon: 10, lat: 55, sog: 12, cog: 0 },
    other = { mmsi: 2, lon: 10, lat: 55.1, sog: 0 },
    ships = new Map([ship, other].map((s) => [s.mmsi, s]));
  const ruler = new Ruler(
    (mmsi) => ships.get(mmsi),
    () => undefined,
  );
  ruler.begin(1);
  ruler.click(screen, 0, 0, false, other);
  const before = ruler.legs(false)[0].metres;
  ship.lat = 55.05;
  near(ruler.legs(false)[0].metres, before / 2, 10);
  assert.equal(ruler.knots(), 12);
  ship.sog = 0.2;
  assert.equal(ruler.knots(), undefined, "a ship at rest comes nowhere");
  ships.delete(1);
  assert.deepEqual(ruler.legs(false), [], "a ship that left has no place");
  ruler.begin(9);
  assert.deepEqual(ruler.points, [], "nor has one that was never there");
});

test("how near two ships come is worked out where both have place, course and speed", () => {
  const a = { lon: 10, lat: 55, sog: 10, cog: 0 },
    ahead = { lon: 10, lat: 55 + 10 / 60, sog: 10, cog: 180 }; // 10 miles: they meet in half an hour
  const met = approach(a, ahead);
  near(met.seconds, 1800, 6);
  near(met.metres, 0, 1);
  near(approach({ ...a, cog: 180 }, { ...ahead, cog: 0 }).seconds, -1800, 6);
  const along = approach(a, { ...ahead, cog: 0 });
  assert.equal(along.seconds, 0);
  near(along.metres, 18_550, 30);
  near(approach(a, { lon: 10 + 1 / 60 / Math.cos((55 * Math.PI) / 180), lat: 55 + 5 / 60, sog: 0 }).metres, 1852, 10);
  for (const lacking of [undefined, { ...ahead, sog: undefined }, { ...ahead, cog: undefined }, { ...ahead, lon: undefined }])
    assert.equal(approach(a, lacking), undefined);
});

test("a long leg bends as a great circle does, also across the date line", () => {
  const places = bent([170, 50], [-170, 50], distance([170, 50], [-170, 50]));
  assert.ok(places.length > 10);
  const middle = places[Math.floor(places.length / 2)];
  assert.ok(middle[1] > 50.3 && Math.abs(middle[0]) > 179, String(middle));
  const sum = places.slice(1).reduce((all, to, i) => all + distance(places[i], to), 0);
  near(sum, distance([170, 50], [-170, 50]), 5000);
  assert.equal(bent([10, 55], [10.1, 55], 6400).length, 2);
});
