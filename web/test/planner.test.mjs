import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Refusal } from "../src/api.ts";
import { read, write } from "../src/hash.ts";
import { mercatorX, mercatorY } from "../src/picture.ts";
import { answerOf, corners, voyageOf } from "../src/planner/answer.ts";
import { readDecimal } from "../src/planner/decimal.tsx";
import { Course } from "../src/planner/course.ts";
import { bodyOf, closing, letterOf, nothing, stopsOf, turned, withStop, withVia } from "../src/planner/plan.ts";
import { Planner } from "../src/planner/planner.ts";
import { whyNot } from "../src/planner/result.tsx";
import { meant, offersOf } from "../src/planner/suggest.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
globalThis.window = globalThis;
const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

const at = (lon, lat, name) => ({ kind: "place", at: [lon, lat], ...(name && { name }) });
const port = (text) => ({ kind: "port", text });
const plain = (value) => JSON.parse(JSON.stringify(value)); // without members that are undefined

test("an address says the whole plan", () => {
  const plans = [
    { from: port("DKAAR"), via: [], to: port("NLRTM"), avoid: [] },
    { from: { kind: "port", id: 100000001, text: "", name: "Secret Quay / B*" }, via: [at(-179.5, 12.25, "San Juan, PR")], avoid: [] },
    { from: { kind: "ship", mmsi: 219018004 }, via: [at(10.5, 57)], to: port("Aarhus"), avoid: ["Kiel", "Cape Cod Canal", "Øresund"] },
    { via: [], to: at(-70.5, -53.2), avoid: ["Magellan"], draught: 12.5, speed: 14.2, departure: Date.UTC(2026, 10, 24, 6, 5) },
  ];
  for (const plan of plans) {
    const said = read("#" + write({ plan, place: ["route"] }));
    const wanted = plan.from?.name ? { ...plan, from: { ...plan.from, name: "Secret Quay   B " } } : plan;
    assert.deepEqual(plain(said), plain({ plan: wanted, place: ["route"] }));
  }
  assert.equal(write({ plan: nothing }), "");
  assert.equal(write({ plan: plans[0] }), "r=DKAAR/NLRTM");
});

test("what an address cannot mean is left out", () => {
  const said = (text) => plain(read("#" + text).plan ?? null);
  assert.equal(said("w=route"), null);
  assert.deepEqual(said("r="), { via: [], avoid: [] });
  assert.deepEqual(said("r=-/-"), { via: [], avoid: [] });
  assert.deepEqual(said("r=abc/1,95/NLRTM&rd=-4&rk=abc&rt=2026"), { via: [], avoid: [], to: port("NLRTM") });
  assert.deepEqual(said("r=DKAAR/NLRTM/SGSIN"), { from: port("DKAAR"), via: [], avoid: [], to: port("SGSIN") }); // a port is no waypoint
  assert.equal(read("#r=DKAAR/" + "1,2/".repeat(300) + "NLRTM").plan.via.length, 100);
  assert.deepEqual(said("r=DKAAR&ra=Kiel,,Kiel").avoid, ["Kiel"]);
});

test("stops are set, put between others, taken away and turned round", () => {
  let plan = { ...nothing, from: port("DKAAR"), to: port("NLRTM") };
  plan = withVia(plan, 1, at(8, 58));
  plan = withVia(plan, 2, at(4, 54));
  plan = withVia(plan, 2, at(6, 56));
  assert.deepEqual(
    plan.via.map((v) => v.at),
    [
      [8, 58],
      [6, 56],
      [4, 54],
    ],
  );
  assert.deepEqual(
    stopsOf(plan).map((_, i) => letterOf(plan, i)),
    ["A", "1", "2", "3", "B"],
  );
  assert.deepEqual(withStop(plan, 2, at(6, 57)).via[1], at(6, 57));
  assert.equal(withStop(plan, 2, undefined).via.length, 2);
  assert.equal(withStop(plan, 4, undefined).to, undefined);
  assert.deepEqual(
    stopsOf(turned(plan)).map((s) => s.text ?? s.at[0]),
    ["NLRTM", 4, 6, 8, "DKAAR"],
  );
  assert.deepEqual(closing(closing(plan, "Kiel", true), "Kiel", true).avoid, ["Kiel"]);
  assert.deepEqual(closing({ ...plan, avoid: ["Suez", "Kiel"] }, "Suez", false).avoid, ["Kiel"]);
  assert.equal(bodyOf({ ...plan, to: undefined }), undefined);
  assert.deepEqual(bodyOf({ ...plan, via: [at(8, 58)], avoid: ["Kiel"], draught: 9, speed: 12 }), {
    source: { port: "DKAAR" },
    destination: { port: "NLRTM" },
    waypoints: [{ position: { type: "Point", coordinates: [8, 58] } }],
    avoid: ["Kiel"],
    draught: 9,
  });
});

const way = (coordinates, more) => ({
  source: { position: { coordinates: coordinates[0] } },
  destination: { position: { coordinates: coordinates[coordinates.length - 1] } },
  route: { type: "LineString", coordinates },
  distance: 185200,
  snap_source: 0,
  snap_destination: 420,
  passages: ["Kiel", "Dover"],
  passage_limits: [{ name: "Kiel", max_draught: 9.5, max_beam: 32.5 }],
  draught_limited: false,
  ...more,
});
const line = [
  [170, 0],
  [175, 1],
  [-180, 2],
  [-175, 1],
  [-170, 0],
];

test("a way goes on over the date line, and knows where its waypoints lie", () => {
  const plan = { ...nothing, from: at(170, 0), via: [at(-175, 1)], to: at(-170, 0) };
  const answer = answerOf(way(line), plan);
  assert.deepEqual(
    answer.line.map(([lon]) => lon),
    [170, 175, 180, 185, 190],
  );
  assert.deepEqual(corners(answer), [0, 3, 4]);
  assert.deepEqual(corners({ ...answer, of: { ...plan, via: [at(174, 3), at(-176, 0)] } }), [0, 1, 3, 4]); // ashore: the nearest
  assert.deepEqual(answer.passages, [
    { name: "Kiel", most: { draught: 9.5, length: undefined, beam: 32.5, air: undefined } },
    { name: "Dover", most: {} },
  ]);
  assert.deepEqual(answer.warnings, []);
});

test("the voyage is at the speed that was typed, else at the likely one of the ship", () => {
  const now = Date.parse("2026-11-22T18:00:00Z"),
    hour = 3600e3;
  const free = answerOf(way(line), nothing);
  assert.equal(voyageOf(free, nothing, now), undefined);
  for (const speed of [0, -3, Number.NaN]) assert.equal(voyageOf(free, { ...nothing, speed }, now), undefined);
  const slow = {
    ...free,
    metres: 100 * 1852,
    slow: [
      { knots: 5, metres: 10 * 1852 },
      { knots: 12, metres: 20 * 1852 },
    ],
  };
  assert.equal(Math.round(voyageOf(slow, { ...nothing, speed: 10 }, now).lasts), 11 * hour); // 90 miles at 10 kn, 10 at 5
  assert.deepEqual(voyageOf(free, { ...nothing, speed: 10 }, now), { knots: 10, lasts: 10 * hour, begins: now, ends: now + 10 * hour });
  const sails = answerOf(way(line, { speed: 12.5, duration: "08:00:00", eta: "2026-11-23T01:30:00Z" }), nothing);
  const begins = now - hour / 2; // at its last position
  assert.deepEqual(voyageOf(sails, nothing, now), { knots: 12.5, lasts: 8 * hour, begins, ends: begins + 8 * hour });
  assert.equal(voyageOf(sails, { ...nothing, speed: 20 }, now).ends, begins + 5 * hour);
  assert.equal(voyageOf(sails, { ...nothing, departure: now + hour }, now).ends, now + 9 * hour);
});

// desk is what a planner needs of the page; ships are those of the picture.
const desk = (ships = []) => ({ picture: { ships: new Map(ships.map((s) => [s.mmsi, s])) }, changed() {} });
const answered = (metres) => new Response(JSON.stringify(way(line, { distance: metres })), { status: 200 });
const settled = async (planner) => {
  while (planner.busy) await new Promise((done) => setTimeout(done, 5));
};

test("an answer of an older question never takes the place of a newer one", async () => {
  const waiting = [];
  globalThis.fetch = (_, { body }) => new Promise((answer) => waiting.push({ body, answer }));
  const asked = async (n) => {
    while (waiting.length < n) await new Promise((done) => setTimeout(done, 5));
  };
  const planner = new Planner(desk(), () => 0);
  planner.show();
  planner.set({ ...nothing, from: at(1, 1), to: at(2, 2) });
  await asked(1);
  planner.set({ ...nothing, from: at(1, 1), to: at(3, 3) });
  await asked(2);
  waiting[1].answer(answered(2000));
  await settled(planner);
  assert.equal(planner.answer.metres, 2000);
  waiting[0].answer(answered(1000)); // although it was given up
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(planner.answer.metres, 2000);
  assert.match(waiting[1].body, /\[3,3\]/);
  planner.set({ ...planner.plan, speed: 12 }); // no question for the server
  assert.equal(planner.busy, false);
  planner.set({ ...planner.plan, to: undefined });
  assert.equal(planner.answer, undefined);
  planner.hide();
});

test("while an end is dragged one question at a time is asked, and the last place is asked in the end", async () => {
  let under = 0,
    most = 0;
  const bodies = [];
  globalThis.fetch = async (_, { body }) => {
    most = Math.max(most, ++under);
    bodies.push(JSON.parse(body).destination.position.coordinates[0]);
    await new Promise((done) => setTimeout(done, 30));
    under--;
    return answered(1000 * bodies.length);
  };
  const planner = new Planner(desk(), () => 0);
  planner.show();
  planner.set({ ...nothing, from: at(1, 1), to: at(2, 2) });
  await settled(planner);
  for (let k = 1; k <= 60; k++) {
    planner.move(1, [2 + k / 10, 2]);
    await new Promise((done) => setTimeout(done, 10));
  }
  planner.drop();
  await settled(planner);
  assert.equal(most, 1);
  assert.ok(bodies.length >= 2 && bodies.length <= 20, `${bodies.length} questions of 60 moves`);
  assert.equal(bodies.at(-1), 8);
  assert.equal(planner.answer.of.to.at[0], 8);
  planner.hide();
});

test("a number may have a point or a comma, and half a number is none yet", () => {
  assert.equal(readDecimal("  "), undefined);
  for (const [text, value] of [
    ["12", 12],
    ["12.", 12],
    [" 12,5 ", 12.5],
    [".5", 0.5],
    ["0.5", 0.5],
  ])
    assert.equal(readDecimal(text), value);
  for (const text of ["0", "0.", ".", "-3", "1e3", "12.5.1", "abc"]) assert.ok(Number.isNaN(readDecimal(text)), text);
});

test("a refusal is told in plain words, and a name of several ports offers them", async () => {
  const refused = (rule, code = "no_route", more = {}) => new Refusal(422, { code, detail: "in English", rule, ...more });
  assert.match(
    whyNot(refused("waypoint_on_land", "no_route", { params: { km: 50, number: 2 } }), nothing),
    /^Waypoint 2 lies on land, more than 50 km/,
  );
  assert.doesNotMatch(whyNot(refused("no_sea_route"), nothing), /closed/);
  assert.match(whyNot(refused("no_sea_route"), { ...nothing, avoid: ["Kiel"] }), /Open a closed passage/);
  assert.equal(whyNot(refused("never_heard_of"), nothing), "in English");
  assert.equal(whyNot(new Refusal(400, { errors: [{ pointer: "/avoid", detail: "Styx is no passage" }] }), nothing), "Styx is no passage");
  const records = [
    { id: 7, locode: "GBPTL", name: "Portland", position: { coordinates: [-2.4, 50.6] } },
    { id: 8, locode: "USPDX", name: "Portland" },
  ];
  globalThis.fetch = async () =>
    new Response(JSON.stringify({ code: "ambiguous_port", detail: "2 ports", records }), {
      status: 409,
      headers: { "Content-Type": "application/json" },
    });
  const planner = new Planner(desk(), () => 0);
  planner.show();
  planner.set({ ...nothing, from: at(1, 1), to: port("Portland") });
  await settled(planner);
  assert.equal(planner.choices.end, 1);
  assert.deepEqual(
    planner.choices.ports.map((p) => p.text),
    ["GBPTL", "USPDX"],
  );
  planner.hide();
});

test("the way of a ship is asked for again while the way of before stays as it is", async () => {
  let metres = 1000;
  globalThis.fetch = async () => answered((metres += 1000));
  const planner = new Planner(desk([{ mmsi: 219018004, lon: 10, lat: 56 }]), () => 0);
  planner.show();
  planner.set({ ...nothing, from: { kind: "ship", mmsi: 219018004 }, to: at(2, 2) });
  await settled(planner);
  planner.again();
  assert.equal(planner.busy, false);
  assert.equal(planner.answer.metres, 2000);
  while (planner.answer.metres === 2000) await new Promise((done) => setTimeout(done, 5));
  planner.set({ ...planner.plan, from: at(1, 1) });
  await settled(planner);
  planner.again(); // no ship, so nothing is another than before
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(planner.answer.metres, 4000);
  planner.hide();
});

const ports = [
  { id: 1, locode: "NLRTM", name: "Rotterdam", position: { coordinates: [4.5, 51.9] } },
  { id: 2, locode: "ITCRV", name: "Crotone", position: { coordinates: [17, 39] } },
  { id: 3, locode: "XXROT", name: "Rotterdam East", position: { coordinates: [5, 52] } },
  { id: 4, locode: "XXNOP", name: "Rot without a place" },
];

test("a text means a position, a port or a ship; only what is beyond doubt is taken", () => {
  const ships = [{ mmsi: 219018004, name: "ROTA STAR", text: "rota star\n219018004", lon: 10, lat: 56, group: "cargo" }];
  const offers = (text) => offersOf(text, ports, desk(ships).picture);
  assert.deepEqual(
    offers("rot").map((o) => o.label),
    ["Rotterdam", "Rotterdam East", "Crotone", "ROTA STAR"],
  );
  assert.equal(meant(offers("rot")), undefined);
  assert.equal(meant(offers("rotterdam")).stop.text, "NLRTM");
  assert.equal(meant(offers("nlrtm")).stop.id, 1);
  assert.deepEqual(meant(offers("56°12.0'N 010°30.0'E")).stop, at(10.5, 56.2));
  assert.deepEqual(meant(offersOf("rota star", [], desk(ships).picture)).stop, { kind: "ship", mmsi: 219018004 });
  assert.deepEqual(meant(offers("235000001")).stop, { kind: "ship", mmsi: 235000001 }, "a ship that the picture lacks");
  const twice = [ports[0], { ...ports[0], id: 9, locode: "USRAJ" }];
  assert.equal(meant(offersOf("Rotterdam", twice, desk().picture)), undefined);
  assert.deepEqual(offers(" "), []);
});

// 1000 by 600 CSS pixels on the date line, 0.02 degrees a pixel
const screen = { x: mercatorX(180), y: mercatorY(0), resolution: mercatorX(0.02), ratio: 1, width: 1000, height: 600 };
const pixel = ([lon, lat]) => [(mercatorX(lon) - screen.x) / screen.resolution + 500, 300 - mercatorY(lat) / screen.resolution];

async function planned(more = {}) {
  globalThis.fetch = async () => answered(1000);
  const planner = new Planner(desk([{ mmsi: 219018004, lon: -178, lat: -3, name: "HAV" }]), () => 0);
  planner.show();
  planner.set({ ...nothing, from: at(170.5, 0), to: at(-170.5, 0), ...more });
  await settled(planner);
  return { planner, course: new Course(planner) };
}
const near = (stop, [lon, lat]) => assert.ok(Math.abs(stop.at[0] - lon) < 0.03 && Math.abs(stop.at[1] - lat) < 0.03, JSON.stringify(stop));

test("an end is dragged over the date line, and the line is bent into a waypoint, by mouse and by finger", async () => {
  for (const touch of [false, true]) {
    const { planner, course } = await planned();
    assert.deepEqual(
      course.marks().map((m) => Math.round(m.x / mercatorX(0.5)) / 2),
      [170.5, 189.5],
    );
    assert.equal(course.down(screen, ...pixel([172, 8]), touch), false, "open water moves the map");
    assert.equal(course.down(screen, ...pixel([189.6, 0.1]), touch), true);
    course.drag(screen, ...pixel([188, -4]));
    course.up();
    near(planner.plan.to, [-172, -4]);
    assert.equal(planner.plan.via.length, 0);
    await settled(planner);
    const [x, y] = pixel([177.5, 1.5]);
    assert.equal(course.move(screen, x, y + 2), true, "the line shows that it can be taken");
    assert.equal(course.down(screen, x, y + (touch ? 10 : 4), touch), true);
    course.drag(screen, x + 1, y + (touch ? 12 : 6));
    assert.equal(planner.plan.via.length, 0, "a trembling hand bends nothing");
    course.drag(screen, ...pixel([182, 5]));
    course.drag(screen, ...pixel([183, 5]));
    course.up();
    assert.equal(planner.plan.via.length, 1);
    near(planner.plan.via[0], [-177, 5]);
    planner.hide();
  }
});

test("a waypoint is put in before the stop that follows where the line is taken", async () => {
  const { planner, course } = await planned({ via: [at(-180, 2)] });
  const bend = (from, to) => {
    assert.equal(course.down(screen, ...pixel(from), false), true);
    course.drag(screen, ...pixel(to));
    course.up();
  };
  bend([187.5, 0.5], [187, 3]);
  near(planner.plan.via[1], [-173, 3]);
  await settled(planner);
  bend([172.5, 0.5], [172, 4]);
  near(planner.plan.via[0], [172, 4]);
  assert.equal(planner.plan.via.length, 3);
  planner.hide();
});

test("a click fills the end that is empty, with the ship under it, and else is the map's", async () => {
  const { planner, course } = await planned({ from: undefined });
  assert.equal(course.aims, true);
  assert.equal(course.click(screen, 400, 300, false, { mmsi: 219018004, lon: -178, lat: -3 }), true);
  assert.deepEqual(planner.plan.from, { kind: "ship", mmsi: 219018004 });
  assert.equal(course.aims, false);
  assert.equal(course.click(screen, 400, 100, false, undefined), false);
  assert.equal(course.click(screen, ...pixel([189.5, 0]), false, undefined), true, "a stop is chosen");
  assert.equal(planner.chosen, 1);
  planner.set({ ...planner.plan, from: undefined });
  course.click(screen, 400, 300, false, undefined, {
    id: 22781475,
    locode: "DKAAR",
    name: "Aarhus",
    position: { coordinates: [10.2, 56.1] },
  });
  assert.equal(planner.nameOf(planner.plan.from), "Aarhus (DKAAR)");
  planner.set({ ...planner.plan, from: at(170.5, 0) });
  await settled(planner);
  planner.add();
  course.click(screen, ...pixel([180, -4]), false, undefined);
  near(planner.plan.via[0], [-180, -4]);
  assert.equal(planner.adding, false);
  planner.add();
  planner.put(2, { kind: "ship", mmsi: 219018004 }); // as a waypoint it is the place where it is now
  assert.deepEqual(planner.plan.via[1], at(-178, -3, "HAV"));
  planner.hide();
});
