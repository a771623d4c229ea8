import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, labelsOf, sentenceOf } from "../src/statistics/picture.ts";
import { compassOf, moved, weekOf } from "../src/statistics/cells.ts";
import { laidOut } from "../src/statistics/png.ts";
import { csvOf } from "../src/statistics/csv.ts";
import { begun, bodyOf, draftOf, notNumbers, times } from "../src/statistics/draft.ts";
import { columnsOf, usualOrder } from "../src/statistics/columns.tsx";
import { aboutText, rounded } from "../src/statistics/estimate.tsx";
import { geojsonOf, placed } from "../src/statistics/geojson.ts";
import { kinds } from "../src/statistics/kinds.ts";
import { timeOf } from "../src/text/clock.ts";
import { rowsOf, speedsOf } from "../src/statistics/row.ts";
import { barsOf, curveOf, groupsOf, size, tallest } from "../src/statistics/lanes.ts";
import { chartsOf, seriesOf } from "../src/statistics/series.ts";

const now = Date.parse("2026-11-26T18:30:20Z");
const square = [
  [10, 55],
  [11, 55],
  [11, 56],
  [10, 56],
];
const area = { how: "polygon", form: { kind: "polygon", chains: [square], radius: 0 } };
const line = (lon) => ({
  how: "line",
  form: {
    kind: "line",
    chains: [
      [
        [lon, 55],
        [lon, 56],
      ],
    ],
    radius: 0,
  },
});

test("a form posts what its kind asks, and nothing that stands in fields that are not shown", () => {
  const draft = { ...begun("area", now), spots: [area], values: { group_by: true, interval: "week" }, filter: " cargo " };
  const shape = { type: "Polygon", coordinates: [[...square, square[0]]] };
  assert.deepEqual(bodyOf("area", draft, now, false), {
    begin: "2026-11-25T18:30:00Z",
    end: "2026-11-26T18:30:00Z",
    filter: "cargo",
    shape,
  });
  const listed = bodyOf("area", { ...draft, who: "list:Tugs" }, now, false);
  assert.deepEqual([listed.shiplist, listed.group_by, listed.interval], ["Tugs", "shiplist", "week"]);
  const saved = { how: "u1", form: area.form };
  assert.deepEqual(bodyOf("nmss", { ...begun("nmss", now), spots: [saved] }, now, false).shape, { shape_id: "u1" });
  const near = bodyOf("nmss", { ...begun("nmss", now), values: { "distance.max": 500, "dcog.min": 20, a_team: "219018765" } }, now, false);
  assert.deepEqual([near.distance, near.dcog, near.sog, near.a_team], [{ max: 500 }, { min: 20 }, undefined, [219018765]]);
  const route = bodyOf("multipassageline", { ...begun("multipassageline", now), spots: [line(10), line(11)] }, now, false);
  assert.deepEqual([route.passagelines.length, route.max_duration, route.both_directions], [2, "24:00:00", false]);
  const calls = bodyOf("portcalls", { ...begun("portcalls", now), ports: "DKAAR, Hamburg" }, now, false);
  assert.deepEqual(calls.ports, [{ locode: "DKAAR" }, { name: "Hamburg" }]);
});

test("the period of a user that sees no times of calls is made of whole days", () => {
  const own = { how: "own", from: "2026-11-20T07:00", to: "2026-11-21T09:00" };
  assert.deepEqual(times(own, now, false), [Date.parse("2026-11-20T07:00Z"), Date.parse("2026-11-21T09:00Z")]);
  assert.deepEqual(times(own, now, true), [Date.parse("2026-11-20"), Date.parse("2026-11-22")]);
});

test("the form of transit pilotage asks for the pilot boats", () => {
  const must = kinds.transitpilot.fields.filter((field) => field.must).map(({ key }) => key);
  assert.deepEqual(must, ["intervals", "a_team"]);
});

test("a copy of a statistic asks the same", () => {
  const drafts = {
    area: { spots: [area], who: "list:Tugs", values: { group_by: true, interval: "month" } },
    passageline: { spots: [line(10)], filter: "tanker" },
    multipassageline: { spots: [line(10), line(11)], values: { max_duration: 36, both_directions: true } },
    portcalls: { ports: "DKAAR, Hamburg" },
    trip: { spots: [area], values: { a_team: "219018765 219018766" } },
    density: { spots: [area], who: "list:Tugs", values: { cell: 250 } },
    historicaltrack: { who: "numbers", numbers: "219018765", values: { resolution: 90 } },
    sogdist: { who: "numbers", numbers: "219018765", spots: [area], values: { sog_threshold: 1.5 } },
    multiship: { who: "numbers", numbers: "219018765 IMO 9321483" },
    nmss: {
      spots: [area],
      values: {
        "distance.max": 400,
        "sog.min": 3,
        "dsog.min": undefined,
        "dcog.min": 20,
        a_team: undefined,
        domain: "fujii",
        meeting: "crossing",
      },
    },
    nmsp: { spots: [{ how: "point", form: { kind: "point", chains: [[[10.5, 55.5]]], radius: 0 } }] },
    transitpilot: { spots: [area, area], values: { intervals: 6, a_team: "219000001", b_team: undefined } },
    pilotboat: { spots: [area] },
  };
  assert.deepEqual(Object.keys(drafts).sort(), Object.keys(kinds).sort());
  for (const [kind, part] of Object.entries(drafts)) {
    const period = { how: "own", from: "2026-11-20T07:00", to: "2026-11-21T09:00" };
    const posted = bodyOf(kind, { ...begun(kind, now), name: "Mine", ...part, period }, now, false);
    const copy = draftOf({ id: 1, type: kind, created: "", execute: true, ...posted }, [], now);
    assert.deepEqual(bodyOf(kind, copy, now, false), posted, kind);
  }
});

test("near misses are asked by a ship domain and by kinds of meeting, and sorted by the deepest", () => {
  const draft = begun("nmss", now),
    posted = (values) => bodyOf("nmss", { ...draft, values: { ...draft.values, ...values } }, now, false);
  const plain = posted({});
  assert.equal("domain" in plain || "meeting" in plain, false);
  assert.equal(posted({ domain: "fujii" }).domain, "fujii");
  assert.deepEqual(posted({ domain: "ellipse" }).domain, { type: "ellipse", ahead: 4, abeam: 1.6 });
  const own = posted({ domain: "ellipse", "domain.ahead": 6, "domain.abeam": 2.5, meeting: "head-on overtaking" });
  assert.deepEqual([own.domain, own.meeting], [{ type: "ellipse", ahead: 6, abeam: 2.5 }, ["head-on", "overtaking"]]);
  const copied = (body) => draftOf({ id: 1, type: "nmss", created: "", execute: true, ...body }, [], now);
  const again = copied(own);
  assert.deepEqual([bodyOf("nmss", again, now, false).domain, bodyOf("nmss", again, now, false).meeting], [own.domain, own.meeting]);
  assert.deepEqual([copied(plain).values.domain, copied({ ...plain, domain: null }).values.domain], ["none", "none"]);
  assert.equal(copied({ ...plain, domain: "fujii" }).values["domain.ahead"], 4); // what an own one begins with
  const order = (domains) => usualOrder(columnsOf({}, "nmss", false, domains));
  assert.deepEqual([order(true), order(false)], ["domain", "distance"]);
});

test("a statistic waits for its user, and is seen by those that are named; a copy of an own one keeps them", () => {
  const draft = begun("multiship", now),
    known = [{ name: "pilots", uid: "u7" }];
  assert.equal("execute" in bodyOf("multiship", draft, now, false) || "acl" in bodyOf("multiship", draft, now, false), false);
  assert.equal(bodyOf("multiship", { ...draft, run: "held" }, now, false).execute, false);
  const later = bodyOf("multiship", { ...draft, run: "at", at: "2026-11-21T06:30", repeat: "weekly" }, now, false);
  assert.equal(later.execute, new Date(timeOf("2026-11-21T06:30")).toISOString().replace(".000", ""));
  assert.equal(later.repeat, "weekly");
  assert.equal(bodyOf("multiship", draft, now, false).repeat, undefined);
  assert.equal("mail_to" in later, false);
  assert.deepEqual(bodyOf("multiship", { ...draft, mail_to: ["anna", "a@b.example"] }, now, false).mail_to, ["anna", "a@b.example"]);
  assert.deepEqual(bodyOf("multiship", { ...draft, seen: "nobody", names: ["pilots"] }, now, false).acl, []);
  const posted = bodyOf("multiship", { ...draft, seen: "named", names: ["pilots", "masters"], known }, now, false);
  assert.deepEqual(posted.acl, [{ uid: "u7" }, "masters"]);
  const copied = (acl, own) => draftOf({ id: 1, type: "multiship", created: "", execute: false, ...posted, acl }, [], now, own);
  assert.deepEqual([copied(known, true).seen, copied(known, true).names], ["named", ["pilots"]]);
  assert.deepEqual([copied([], true).seen, copied(undefined, true).seen, copied(known, false).seen], ["nobody", "groups", "groups"]);
  assert.equal(copied(known, true).run, "now"); // a copy is there to be started
});

test("rows are counted by the hour of the week and by the course of their ships", () => {
  const met = (time, cog, sog) => ({ id: time, of: {}, time: Date.parse(time), ships: [{ mmsi: 1, cog, sog }] });
  const monday = met("2026-11-23T00:10:00Z", 359, 12), // which is a Monday
    sunday = met("2026-11-29T23:50:00Z", 181, 9),
    moored = met("2026-11-24T12:00:00Z", 90, 0.1);
  const rows = [monday, sunday, moored, { id: "?", of: {}, ships: [] }];
  const week = weekOf(rows);
  assert.deepEqual([week.cells.length, week.cells[0], week.cells[7 * 24 - 1], week.cells[24 + 12]], [168, [monday], [sunday], [moored]]);
  assert.equal(week.cells.flat().length, 3);
  const courses = compassOf(rows);
  assert.deepEqual([courses.cells.length, courses.cells[0], courses.cells[8], courses.cells.flat().length], [16, [monday], [sunday], 2]);
  const pair = {
    id: "pair",
    of: {},
    ships: [
      { mmsi: 1, cog: 89, sog: 5 },
      { mmsi: 2, cog: 91, sog: 5 },
    ],
  };
  assert.deepEqual(compassOf([pair]).cells[4], [pair]); // once, though both ships sail there
  const way = { id: "way", of: { direction: "SW" }, ships: [{ mmsi: 1 }] };
  assert.deepEqual([compassOf([way]).cells.length, compassOf([way]).cells[5], compassOf([moored])], [8, [way], undefined]);
  assert.deepEqual(
    ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "a"].map((key) => moved(week, 0, key)),
    [167, 1, 144, 24, 0, 167, 0],
  );
  assert.deepEqual([moved(courses, 15, "ArrowDown"), moved(courses, 0, "ArrowUp")], [0, 15]);
});

test("the parts of a picture file stand below each other, and the file has room for all of them", () => {
  const map = { width: 700, height: 500 };
  const bare = laidOut(map, 2);
  assert.deepEqual([bare.width, bare.height - bare.top], [700, 500]);
  const whole = laidOut({ width: 300, height: 200 }, 2, { width: 400, height: 90 });
  assert.ok(whole.width >= 400 && whole.legend >= whole.top + 200 && whole.height >= whole.legend + 90);
});

test("an estimate is told as roughly as it is known", () => {
  assert.deepEqual([0, 7, 42, 187, 1849, 98765, 123456].map(rounded), [0, 7, 42, 190, 1800, 99000, 120000]);
  assert.equal(aboutText({ hours: 24, hours_read: 24 }), ""); // a reader that is told nothing
  const says = (read, ships, fixes) => aboutText({ hours: 48, hours_read: read, ships, fixes });
  assert.equal(new Set([says(48, 2, 90), says(24, 2, 90), says(48, 1, 90), says(24, 1, 90), says(48, 0, 0), says(24, 0, 0)]).size, 6);
  const calls = [0, 1, 340, 20_000].map((n) => aboutText({ hours: 0, hours_read: 0, calls: n }));
  assert.equal(new Set(calls).size, 4);
});

test("rows have the moment, the way around it and the place that a click shows", () => {
  const [visit] = rowsOf("area", [
    {
      time_in: "2026-11-26T10:00:00Z",
      time_out: "2026-11-26T11:00:00Z",
      position: { coordinates: [10.5, 55.5] },
      ship: { mmsi: 219018765, name: "NORDIC HAV" },
    },
  ]);
  assert.deepEqual(
    [visit.time, visit.from, visit.to].map((time) => new Date(time).toISOString().slice(11, 16)),
    ["10:00", "09:45", "11:15"],
  );
  assert.deepEqual([visit.lon, visit.lat, visit.ships[0].mmsi], [10.5, 55.5, 219018765]);
  const speeds = rowsOf("sogdist", [
    { result_id: -1, ship: { mmsi: 219018765, name: "NORDIC HAV" } },
    { result_id: 0, ship: { mmsi: 219018765 }, day: "2026-11-26", sogs: [3600, 0, 600] },
  ]);
  assert.deepEqual([speeds.length, speeds[0].ships[0].name], [1, "NORDIC HAV"]);
  assert.deepEqual(speedsOf([3600, 0, 600]), { moving: 600, resting: 3600, mean: 1, top: 1 });
  assert.deepEqual(speedsOf([3600]), { moving: 0, resting: 3600 });
  const changes = [{ name: "NORDIC HAV" }, { destination: "DKAAR" }].map((r) => ({ ...r, ship: { mmsi: 219018765 } }));
  assert.deepEqual(
    rowsOf("multiship", changes).map((row) => row.ships[0].name),
    ["NORDIC HAV", "NORDIC HAV"],
  );
  const fix = (minute) => [10, 55, `2026-11-26T10:${minute}:00Z`, null, null];
  const pieces = [["01", "02"], ["03"]].map((minutes) => ({ ship: { mmsi: 219018765 }, track: { coordinates: minutes.map(fix) } }));
  const tracks = rowsOf("historicaltrack", pieces);
  assert.deepEqual([tracks.length, tracks[0].fixes, new Date(tracks[0].to).toISOString().slice(11, 16)], [1, 3, "10:03"]);
});

test("a file has the numbers of the ships, times in UTC, and no formula", () => {
  const columns = [
    { key: "ship", heading: "Ship", ship: 0, text: (row) => row.ships[0].name },
    { key: "time", heading: "Time", text: (row) => row.time, file: (row) => new Date(row.time).toISOString() },
  ];
  const rows = [
    { id: "0", of: {}, ships: [{ mmsi: 2190047, name: '=CMD|"x"' }], time: now },
    { id: "1", of: {}, ships: [{ mmsi: 219018765, name: "A, B" }], time: now },
  ];
  assert.deepEqual(csvOf(columns, rows).split("\r\n"), [
    "MMSI,Ship,Time",
    '002190047,"\'=CMD|""x""",2026-11-26T18:30:20.000Z',
    '219018765,"A, B",2026-11-26T18:30:20.000Z',
    "",
  ]);
  const meeting = [
    { key: "ship", heading: "Ship", ship: 0, text: (row) => row.ships[0].name },
    { key: "other", heading: "Other ship", ship: 1, text: (row) => row.ships[1].name },
    { key: "distance", heading: "Distance", unit: "m", text: () => 1234.5678 },
  ];
  const both = [rows[0].ships[0], rows[1].ships[0]];
  assert.deepEqual(
    csvOf(meeting, [{ id: "0", of: {}, ships: both }])
      .split("\r\n")
      .slice(0, 2),
    ['MMSI,Ship,"MMSI, Other ship",Other ship,"Distance, m"', '002190047,"\'=CMD|""x""",219018765,"A, B",1234.568'],
  );
});

test("a chart counts the ships that are there at once, the rows of each hour, and the hours at each speed", () => {
  const at = (hour) => `2026-11-26T${hour}:00:00Z`,
    period = [Date.parse(at("08")), Date.parse(at("14"))];
  const visits = [
    [at("09"), at("12")],
    [at("10"), at("11")],
  ].map(([time_in, time_out], i) => ({ time_in, time_out, ship: { mmsi: 219018765 + i } }));
  const area = seriesOf("area", rowsOf("area", visits), period);
  assert.deepEqual(area.y, [0, 1, 2, 1, 0, 0]);
  const passages = ["09", "09", "13"].map((hour) => ({ timestamp: at(hour), ship: { mmsi: 219018765 } }));
  assert.deepEqual(seriesOf("passageline", rowsOf("passageline", passages), period).y, [0, 2, 0, 0, 0, 1]);
  const sogs = [{ sogs: [3600, 0, 1800] }, { sogs: [3600] }].map((r, i) => ({
    result_id: 0,
    day: `2026-11-2${i}`,
    ship: { mmsi: 1 },
    ...r,
  }));
  const speeds = seriesOf("sogdist", rowsOf("sogdist", sogs), period);
  assert.deepEqual(
    [speeds.x, speeds.y],
    [
      [0, 0.5, 1],
      [2, 0, 0.5],
    ],
  );
  assert.equal(seriesOf("area", [], period), undefined);
  const days = ["2026-11-24", "2026-11-25", "2026-11-25"].map((day, i) => ({ day, seconds: 5400, ship: { mmsi: 219018765 + i } }));
  const stays = seriesOf("density", rowsOf("density", days), [Date.parse("2026-11-24"), Date.parse("2026-11-27")]);
  assert.deepEqual([stays.says, stays.y], ["stays", [1.5, 3, 0]], "a day is a day, and counts by its hours");
  assert.equal(stays.rowsAt(stays.x[1]).rows.length, 2);
  assert.equal(stays.step, 86400, "a bar is as wide as its day");
});

test("where the labels of a picture stand is read from the answer", () => {
  assert.deepEqual(labelsOf("312 140 24 17, -4 9 30 17"), [
    [312, 140, 24, 17],
    [-4, 9, 30, 17],
  ]);
  for (const none of [null, "", "1 2 3", "a b c d"]) assert.deepEqual(labelsOf(none), [], String(none));
});

test("the picture of a result fills the screen, and its failure is read from the answer", () => {
  const frame = frameOf({ x: 1000, y: 2000, resolution: 10, ratio: 2, width: 800, height: 600 });
  assert.deepEqual(frame, { west: -1000, south: 500, east: 3000, north: 3500, width: 400, height: 300 });
  const report = (text) =>
    `<ServiceExceptionReport version="1.3.0"><ServiceException code="X">${text}</ServiceException></ServiceExceptionReport>`;
  assert.equal(sentenceOf(report(" too slow\n")), "too slow");
  assert.equal(sentenceOf(report("").replace(' code="X"', "")), "");
  assert.equal(sentenceOf("<html>"), "");
});

test("passages are counted along the line and by the hour of the day, and a bar knows its rows", () => {
  const passage = (distance, timestamp) => ({ ship: { mmsi: 1 }, distance, timestamp });
  const rows = rowsOf("passageline", [
    passage(20, "2026-11-26T10:00:00Z"),
    passage(120, "2026-11-26T10:59:00Z"),
    passage(130, "2026-11-25T23:00:00Z"),
  ]);
  const [, along, hours] = chartsOf("passageline", rows, [Date.parse("2026-11-25T00:00:00Z"), now]);
  assert.deepEqual(along.y, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  assert.deepEqual(
    along.rowsAt(125).rows.map((row) => row.of.distance),
    [120],
  );
  assert.deepEqual([hours.y[10], hours.y[23], hours.y.length], [2, 1, 24]);
  assert.deepEqual(hours.rowsAt(10.5), { rows: rows.slice(0, 2), from: 10, to: 11 });
  assert.deepEqual(chartsOf("passageline", [], [0, now]), []);
});

test("the lanes of a line: bars and curves stand on the side of their way, and groups keep their order", () => {
  const spread = (direction_flag, counts, group) => ({
    direction_flag,
    group,
    counts,
    count: counts.reduce((a, b) => a + b),
    mean: 150,
    deviation: 20,
    mixture: [{ weight: 1, mean: 150, deviation: 20 }],
  });
  const right = spread(true, [0, 4, 0, 2]),
    left = spread(false, [1, 0, 0, 0]),
    tankers = spread(true, [0, 4, 0, 0], { type: "Tanker" }),
    unknown = spread(true, [0, 0, 0, 2], {});
  const of = { length: 400, bin: 100, spreads: [right, left, tankers, unknown] };
  assert.deepEqual(groupsOf(of.spreads), [[right, left], [tankers], [unknown]]);
  assert.equal(tallest([right, left]), 4);
  assert.equal(tallest([]), 1);
  const quarter = size.width / 4;
  assert.equal(
    barsOf(right, of, 4),
    `M${quarter + 0.5} ${size.middle}v-${size.half}h${quarter - 1}V${size.middle}zM${3 * quarter + 0.5} ${size.middle}v-${size.half / 2}h${quarter - 1}V${size.middle}z`,
  );
  assert.equal(barsOf(left, of, 4), `M0.5 ${size.middle}v${size.half / 4}h${quarter - 1}V${size.middle}z`);
  const heights = (path) =>
    path
      .slice(1)
      .split("L")
      .map((point) => Number(point.split(" ")[1]));
  const curve = heights(curveOf(right, of, 8));
  const peak = Math.min(...curve);
  assert.equal(curve.indexOf(peak) + curve.lastIndexOf(peak), 120); // it stands about 150 m of 400
  assert.ok(Math.abs(size.middle - peak - (6 / 8) * size.half) < 1); // nearly all ships in one bin
  assert.ok(Math.min(...curve) >= size.middle - 1.1 * size.half - 0.1 && curve[0] === size.middle);
  assert.ok(heights(curveOf(left, of, 4)).every((y) => y >= size.middle));
  assert.deepEqual(
    chartsOf("passageline", rowsOf("passageline", [{ ship: { mmsi: 1 }, distance: 5 }]), [0, now]).map(({ says }) => says),
    ["count", "along", "lanes"],
  );
});

test("rows that have a place are GeoJSON, with the track where there is one", () => {
  const columns = [{ key: "along", heading: "Along", text: (row) => row.of.distance }];
  const track = {
    coordinates: [
      [10, 55, "2026-11-26T10:00:00Z", 12, 90],
      [11, 55, "2026-11-26T11:00:00Z", 12, 90],
    ],
  };
  const rows = rowsOf("passageline", [
    { ship: { mmsi: 1 }, distance: 20, position: { coordinates: [10, 55] } },
    { ship: { mmsi: 2 }, track },
    { ship: { mmsi: 3 } },
  ]);
  assert.deepEqual([placed(rows), placed(rows.slice(2))], [true, false]);
  assert.deepEqual(JSON.parse(geojsonOf(columns, rows)).features, [
    { type: "Feature", geometry: { type: "Point", coordinates: [10, 55] }, properties: { mmsi: [1], along: 20 } },
    {
      type: "Feature",
      geometry: {
        type: "LineString",
        coordinates: [
          [10, 55],
          [11, 55],
        ],
      },
      properties: { mmsi: [2], along: null },
    },
  ]);
});

test("what is no number of a ship is told, and so is an IMO number where only an MMSI will do", () => {
  assert.deepEqual(notNumbers("219018765, NORDIC HAV 235066001", false), []);
  assert.deepEqual(notNumbers("219018765 21901876 IMO9074729", false), ["21901876", "IMO 9074729"]);
  assert.deepEqual(notNumbers("219018765 21901876 IMO9074729", true), ["21901876"]);
});
