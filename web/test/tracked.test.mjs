import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { Way } from "../src/map/way.ts";
import { showLocal } from "../src/text/clock.ts";
import { speak } from "../src/text/text.ts";
import { aheadOf } from "../src/tracked/ahead.ts";
import { ofShip, over, trackOf } from "../src/tracked/track.ts";
import { trackable, TrackedShip } from "../src/tracked/tracked.ts";
import { ticksOf, trendOf } from "../src/tracked/trend.ts";
import { adviceText, basisText, endName, rangeText, statusText, trendText, visitText, waypointText } from "../src/tracked/words.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
afterEach(() => speak("en"));
after(() => showLocal(false));

const now = Date.parse("2026-11-22T18:00:00Z"),
  minute = 60e3,
  hour = 60 * minute;
const record = (more) => ({
  id: 7,
  source: { ship: { mmsi: 219018765, name: "NORDIC HAV" } },
  destination: { port: { id: 22781475, locode: "DKAAR", name: "Aarhus" } },
  status: 3,
  status_text: "under_way",
  port: [{ port: { id: 1, locode: "GBFXT", name: "Felixstowe" }, atd: "2026-11-20T22:10:00Z" }, {}],
  ...more,
});

test("a track is read, and what is not told is not there", () => {
  const bare = trackOf(record({}));
  assert.deepEqual(
    [bare.mmsi, bare.eta, bare.low, bare.metres, bare.stale, bare.route, bare.history, bare.waypoints, bare.ports[1]],
    [219018765, undefined, undefined, undefined, false, [], [], [], { port: undefined, ata: undefined, atd: undefined }],
  );
  const full = trackOf(
    record({
      eta: "2026-11-22T20:00:00Z",
      eta_stale: true,
      after_weighing: "001:20:00",
      route: {
        type: "LineString",
        coordinates: [
          [179, 10],
          [-179, 11],
        ],
      },
      waypoints: [{ position: { type: "Point", coordinates: [11, 57] } }, { position: { type: "Point", coordinates: [12, 58] } }],
      waypoint_etas: [null, "2026-11-22T19:00:00Z"],
      waypoint_atas: ["2026-11-22T17:00:00Z", null],
      speed_for_arrival: { time: "2026-11-22T20:00:00Z", speed: 9.4, speed_low: 9 },
    }),
  );
  assert.deepEqual(full.route, [
    [179, 10],
    [181, 11],
  ]);
  assert.deepEqual(full.waypoints, [
    { at: [11, 57], eta: undefined, ata: now - hour },
    { at: [12, 58], eta: now + hour, ata: undefined },
  ]);
  assert.deepEqual(
    [full.eta, full.stale, full.after, full.advice],
    [now + 2 * hour, true, 80 * 60e3, { speed: 9.4, low: 9, high: undefined }],
  );
  assert.equal(trackOf(record({ source: { port: { id: 1 } } })).mmsi, 0);
});

test("the tracks of a ship stand in their order: those that go on, the latest first", () => {
  const of = (id, status, mmsi = 5) => trackOf(record({ id, status, source: { ship: { mmsi } } }));
  const list = ofShip([of(1, 3), of(2, 7), of(3, 0), of(4, 3, 6), of(5, 11)], 5);
  assert.deepEqual(
    list.map((one) => one.id),
    [3, 1, 5, 2],
  );
  assert.deepEqual(
    [0, 3, 6, 7, 8, 9, 10, 11].map((status) => over({ status })),
    [false, false, false, true, true, false, false, true],
  );
  assert.deepEqual(
    ["cargo", "other", "base", "aton", "aircraft", "distress"].map((group) => trackable({ group })),
    [true, true, false, false, false, false],
  );
});

test("each status, basis and end has its words, in both languages", async () => {
  for (const language of ["en", "de"]) {
    await speak(language);
    for (let status = 0; status < 12; status++) assert.notEqual(statusText({ status }), "", `${language} ${status}`);
    assert.equal(statusText({ status: 12 }), "");
    assert.notEqual(basisText({ basis: "history" }), "");
    assert.notEqual(basisText({ basis: "route_speed" }), "");
    assert.equal(basisText({ basis: "moon" }), "");
  }
  await speak("en");
  assert.equal(endName({ port: { id: 1, locode: "DKAAR", name: "Aarhus" } }), "Aarhus (DKAAR)");
  assert.equal(endName({ port: { id: 15 } }), "Port 15");
  assert.equal(endName({ ship: { mmsi: 219018765 } }), "219018765");
  assert.equal(endName({ at: [10.5, 56] }), "56°00.000'N 010°30.000'E");
  assert.equal(endName({ area: true }), "an area");
  assert.equal(rangeText(now, now + hour, now), "likely 18:00 – 19:00 UTC");
  assert.equal(rangeText(now, undefined, now), "");
  assert.equal(visitText({ ata: now, atd: now + hour }, now), "arrived 18:00 UTC · left 19:00 UTC");
  assert.equal(visitText({}, now), "");
  assert.equal(waypointText({ ata: now }, now), "passed 18:00 UTC");
  assert.equal(waypointText({ eta: now }, now), "expected 18:00 UTC");
  assert.equal(waypointText({}, now), "passed, or not known");
  assert.equal(adviceText({ speed: 9.44, low: 9, high: 10.1 }), "9.4 kn, likely 9.0 – 10.1 kn");
  assert.equal(adviceText({ speed: 9.4, low: 9 }), "9.4 kn, 9.0 kn or more");
  assert.equal(adviceText(undefined), "No speed is known for this arrival.");
});

test("the way ahead begins at the ship, also where the way passes a place twice and across the date line", () => {
  const way = [
    [10, 56],
    [10, 57],
    [10, 58],
  ];
  assert.deepEqual(aheadOf(way, undefined, [10.01, 57.5]), [
    [10.01, 57.5],
    [10, 58],
  ]);
  assert.deepEqual(aheadOf(way, undefined, [10.01, 55.9]), [
    [10.01, 55.9],
    [10, 57],
    [10, 58],
  ]);
  assert.deepEqual(aheadOf(way, undefined, [10, 59]), [
    [10, 59],
    [10, 58],
  ]);
  assert.deepEqual(aheadOf(way, undefined, undefined), way);
  const back = [
    [10, 56],
    [10, 57],
    [10, 56],
    [10, 55],
  ];
  assert.equal(aheadOf(back, 2.5 * 111e3, [10, 56.5]).length, 4, "on the way out");
  assert.equal(aheadOf(back, 1.5 * 111e3, [10, 56.5]).length, 3, "on the way back");
  assert.deepEqual(
    aheadOf(
      [
        [179, 10],
        [181, 10],
        [183, 10],
      ],
      undefined,
      [-178.5, 10],
    ),
    [
      [181.5, 10],
      [183, 10],
    ],
  );
});

test("a way across the date line is drawn once on each copy of the world", () => {
  const world = 2 * Math.PI * 6378137,
    screen = (x, resolution) => ({ x, y: 0, resolution, ratio: 1, width: 1000, height: 600 });
  const way = new Way([
    [179, 10],
    [181, 11],
  ]);
  assert.deepEqual(way.shifts(screen(world / 2, 1000)).length, 1);
  assert.deepEqual(way.shifts(screen(-world / 2, 1000)), [-world]);
  assert.deepEqual(way.shifts(screen(0, 1000)), []);
  assert.ok(way.shifts(screen(0, 100000)).length >= 2);
});

const edge = { width: 300, height: 100, left: 40, top: 10, right: 10, bottom: 20 };
const points = (path) =>
  path
    .slice(1)
    .replace("Z", "")
    .split("L")
    .map((one) => one.split(" ").map(Number));

test("the drawing of an ETA keeps to its edges, the range around the line", () => {
  const history = [0, 15, 30].map((m, i) => ({
    time: now + m * minute,
    eta: now + 5 * hour + i * 20 * minute,
    low: now + 4.5 * hour + i * 20 * minute,
    high: now + 6 * hour - i * 10 * minute,
  }));
  const trend = trendOf([{ time: now - hour }, ...history], now + hour, edge, 0);
  const line = points(trend.line);
  assert.deepEqual(
    line.map(([x]) => x),
    [40, 102.5, 165, 290],
  );
  assert.ok(line[0][1] > line[1][1] && line[1][1] > line[2][1] && line[2][1] === line[3][1], "later is higher");
  for (const [x, y] of [...line, ...points(trend.band)]) assert.ok(x >= 40 && x <= 290 && y >= 10 && y <= 80, `${x} ${y}`);
  assert.equal(points(trend.band).length, 8);
  assert.deepEqual(
    trend.up.map(({ time }) => new Date(time).toISOString().slice(11, 16)),
    ["22:30", "23:00", "23:30", "00:00"],
  );
  assert.equal(trendOf(history.slice(0, 1), now, edge, 0), undefined);
  assert.equal(trendOf([{ time: now }, { time: now + hour }], now, edge, 0), undefined);
  const bare = trendOf(
    history.map(({ time, eta }) => ({ time, eta })),
    now,
    edge,
    0,
  );
  assert.equal(bare.band, "");
  assert.match(
    trendText(history, now),
    /^From 18:00 UTC to 18:30 UTC the ETA moved from 23:00 UTC to 23:40 UTC\. Earliest 23:00 UTC, latest 23:40 UTC\. The range is now 23:10 UTC to 23:40 UTC\.$/,
  );
  assert.equal(trendText(history.slice(0, 1), now), "There are no two ETAs yet.");
});

test("an ETA that never moved has a drawing too", () => {
  const trend = trendOf(
    [
      { time: now, eta: now + hour },
      { time: now, eta: now + hour },
    ],
    now,
    edge,
    0,
  );
  for (const [x, y] of points(trend.line)) assert.ok(Number.isFinite(x) && Number.isFinite(y));
  assert.ok(trend.up.length > 0);
});

test("ticks stand at whole steps by the clock on the wall", () => {
  const half = 30 * minute;
  for (const most of [2, 3, 4, 5])
    for (const long of [3, 11, 47, 200, 3000, 30000]) {
      const all = ticksOf(now + 123456, now + 123456 + long * minute, most, half);
      assert.ok(all.length <= most, `${most} ${long}: ${all.length}`);
      if (long < 10000) assert.ok(all.every((time) => (time + half) % minute === 0));
    }
});

test("a destination can be asked for as soon as a ship is selected", () => {
  document.hidden = true; // so that the server is not asked
  const ship = { mmsi: 219018765, group: "cargo" },
    tracked = new TrackedShip({ changed: () => undefined }, { may: () => true }, () => ship);
  tracked.begin(true);
  tracked.tick();
  assert.deepEqual([tracked.mmsi, tracked.starting], [219018765, true]);
  ship.mmsi = 219018766;
  tracked.tick();
  assert.equal(tracked.starting, false, "it is asked for that ship alone");
});
