// Tracks and their spans: bounds of speeds and lengths, the nearest fix, and a track that is watched for days.
import assert from "node:assert/strict";
import { test } from "node:test";
import { longest, read, write } from "../src/span.ts";
import { bandOf, bands, Track } from "../src/track.ts";

test("a speed has the colour of its band, from its bound on, and an unknown one that of the first that moves", () => {
  bands.forEach((bound, i) => {
    assert.equal(bandOf(bound), i + 1, `at ${bound} kn`);
    assert.equal(bandOf(bound - 0.1), i, `below ${bound} kn`);
  });
  assert.equal(bandOf(100), bands.length);
  assert.equal(bandOf(0), 0);
  assert.equal(bandOf(NaN), 1);
});

test("a span is as long as thirty days at most, and is written as it was read", () => {
  for (const text of ["1", String(longest), "20261122T0000-20261222T0000"]) assert.equal(write(read(text)), text);
  for (const text of ["0", String(longest + 1), "20261122T0000-20261222T0001", "20261122T0000-20261122T0000", "x", ""])
    assert.equal(read(text), undefined, text);
});

const fixes = (n) => Array.from({ length: n }, (_, i) => [10 + i / 1000, 56, new Date(1e12 + i * 1000).toISOString(), 0, i]);

test("the nearest fix to a time is found, also before the first and behind the last", () => {
  const track = new Track(1, fixes(101));
  for (const [seconds, at] of [
    [-5, 0],
    [0, 0],
    [0.5, 0],
    [0.6, 1],
    [99.4, 99],
    [100, 100],
    [500, 100],
  ])
    assert.equal(track.nearest(1e12 + seconds * 1000), at, `${seconds} s`);
});

test("a track without room keeps its newer half whole, and each second fix of the older", () => {
  const track = new Track(1, fixes(976)),
    room = track.time.length;
  for (let i = 976; i <= room; i++) track.append(10 + i / 1000, 56, 1e12 + i * 1000, i);
  const kept = Array.from(track.sog.subarray(0, track.count));
  const want = Array.from({ length: room + 1 }, (_, i) => i).filter((i) => i >= room / 2 || i % 2 === 0);
  assert.deepEqual(kept, want);
  track.append(0, 0, 1e12, 5);
  assert.equal(track.count, want.length, "an older fix is no news");
});

test("a track knows which of its fixes a lying receiver told, also when it lost half of the others", () => {
  const track = new Track(1, fixes(10), 0, [3, 4]);
  assert.deepEqual(Array.from(track.lie.subarray(0, track.count)), [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
  const room = track.time.length;
  for (let i = 10; i <= room; i++) track.append(10 + i / 1000, 56, 1e12 + i * 1000, i, i === room);
  assert.deepEqual(
    Array.from(track.lie.subarray(0, track.count), (lie, i) => (lie ? track.sog[i] : -1)).filter((sog) => sog >= 0),
    [4, room],
  );
});
