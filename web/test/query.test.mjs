import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asTerm, nearest, unknownTerms } from "../src/nearest.ts";
import { best, classify, isKind, matches, searchText } from "../src/query.ts";
import { title } from "../src/ship.ts";
import { groupOf } from "../src/ship.ts";

test("an expression goes to the server, words stay here", () => {
  const rows = [
    ["", "none"],
    ["   ", "none"],
    ["tanker", "words"],
    ["NORDIC HAV", "words"],
    ["219018765", "words"],
    ["anna in port", "filter"],
    ["sand and sea", "words"],
    ["not moored", "words"],
    ["tanker or cargo", "words"],
    ["(tanker, moored) or 'TUG'", "words"],
    ["Lotse in Fahrt", "words"],
    ["tanker and", "filter"],
    ["(tanker", "filter"],
    ["tanker and sog > 5", "filter"],
    ["anna not in (x)", "filter"],
    ["MAERSK*", "filter"],
    ["type = tanker and length >= 200", "filter"],
    ["sog > 10", "filter"],
    ["country in (Denmark, Norway)", "filter"],
    ["imo is null", "filter"],
    ["name like 'ANNA*'", "filter"],
    ["pos within circle(56.14, 10.23, 3000)", "filter"],
    ["not class = B", "filter"],
    ["cog in 350..10", "filter"],
    ["draught not in 3..5", "filter"],
    ["tanker length > 150 anchored", "filter"],
    ["tanker > 150 m", "filter"],
    ["speed over 10", "filter"],
    ["Tanker über 150 m vor Anker", "filter"],
    ["weniger als 20m", "filter"],
    ["moored (cargo or tug)", "filter"],
    ["over the sea", "words"],
    ["ships in Copenhagen", "filter"],
    ["im Hafen", "filter"],
    ["anna im Hafen", "filter"],
    ["Schlepper in Fahrt", "words"],
    ["to Aarhus", "filter"],
    ["tankers nach Aarhus", "filter"],
    ["nach", "words"],
    ["tankers waiting", "filter"],
    ['berth = "Quay 6"', "filter"],
    ["eta today", "filter"],
    ["heute angekommen", "filter"],
    ["Schiffe am Liegeplatz", "filter"],
  ];
  for (const [text, kind] of rows) assert.equal(classify(text).kind, kind, text);
});

const ship = (mmsi, more) => {
  const s = { slot: 0, mmsi, time: 0, ...more };
  s.group = groupOf(s.class, s.type_code);
  s.text = searchText(s);
  return s;
};
const fleet = [
  ship(219018765, {
    name: "NORDIC HAV",
    type_code: 80,
    type: "Tanker",
    country: "Denmark",
    country_code: "DK",
    nav_status: 0,
    class: "A",
    destination: "SE GOT",
  }),
  ship(211000001, { name: "ANNA", type_code: 70, type: "Cargo", country: "Germany", country_code: "DE", nav_status: 5, class: "A" }),
  ship(244000002, {
    name: "ANNA MARIA",
    type_code: 52,
    type: "Tug",
    country: "Netherlands",
    country_code: "NL",
    nav_status: 1,
    class: "A",
  }),
  ship(2190001, { class: "base", country: "Denmark", country_code: "DK" }),
  ship(265000003, { type_code: 36, type: "Sailing", class: "B", country: "Sweden", country_code: "SE", signal: "lost" }),
];
const found = (text) => fleet.filter((s) => matches(s, classify(text))).map((s) => s.mmsi);

test("words know names, numbers, kinds, statuses, flags and destinations", () => {
  const rows = [
    ["nordic hav", [219018765]],
    ["hav", [219018765]],
    ["2110", [211000001]],
    ["tanker", [219018765]],
    ["Tankers", [219018765]],
    ["schlepper", [244000002]],
    ["moored", [211000001]],
    ["anchored", [244000002]],
    ["denmark", [219018765, 2190001]],
    ["dk", [219018765, 2190001]],
    ["got", []],
    ["denmark tanker", [219018765]],
    ["lost", [265000003]],
    ["base", [2190001]],
    ["not tanker, not base", [211000001, 244000002, 265000003]],
    ["anna or dk", [219018765, 211000001, 244000002, 2190001]],
    ["yacht", [265000003]],
    ["constructor", []],
    ["__proto__", []],
    ["zzz", []],
  ];
  for (const [text, mmsis] of rows) assert.deepEqual(found(text), mmsis, text);
});

test("words do not need the marks of letters, as at the server", () => {
  const s = ship(219000001, { name: "ÆRØ FÆRGEN", class: "A", type_code: 60 });
  for (const text of ["aero faergen", "Ærø", "FÆRGEN", "fähre", "FAHRE"]) assert.ok(matches(s, classify(text)), text);
  assert.equal(best([s], classify("aero faergen"), 1)[0], s);
  assert.ok(isKind(classify("Fähre")));
});

test("the sentences that users type pick here what they pick at the server", () => {
  const { ships, sentences } = JSON.parse(readFileSync("../ship/testdata/sentences.json", "utf8"));
  const all = Object.entries(ships).map(([key, fields]) => [key, ship(fields.mmsi, fields)]);
  let here = 0;
  for (const { text, picks } of sentences) {
    const query = classify(text);
    if (query.kind !== "words") continue;
    here++;
    const found = all.filter(([, s]) => matches(s, query)).map(([key]) => key);
    assert.deepEqual(found.sort(), picks.sort(), text);
  }
  assert.ok(here > 60, `${here} of ${sentences.length} sentences`);
});

test("no suggestion is the contrary of what was typed", () => {
  assert.deepEqual(nearest("unmoored", [], 3), []);
  assert.deepEqual(nearest("moorde", [], 3), ["moored"]);
  assert.equal(nearest("omored", [], 3)[0], "moored"); // the first two letters are swapped
});

test("a term that no ship has is told, with the nearest words", () => {
  assert.deepEqual(unknownTerms(classify("anna or xyz").terms, fleet), ["xyz"]);
  assert.deepEqual(unknownTerms(classify("tanker").terms, fleet), []);
  const rows = [
    ["tnaker", "tanker"],
    ["tanke", "tanker"],
    ["denmrak", "denmark"],
    ["schleper", "schlepper"],
    ["nordik", "NORDIC HAV"],
    ["got", 'destination ~ "*got*"'],
  ];
  for (const [term, offer] of rows) assert.equal(nearest(term, fleet, 3)[0], offer, term);
  assert.deepEqual(nearest("qqqqqq", fleet, 3), []);
  const many = [0, 1, 2, 3].map((n) => ({ ...fleet[0], name: `GOTA ${n}`, destination: "GOTHENBURG" }));
  for (const limit of [1, 2, 3]) assert.equal(nearest("got", many, limit).length, limit); // the destination is one of them
  assert.equal(asTerm("NORDIC HAV"), "NORDIC HAV");
  assert.equal(asTerm("SEA PILOT"), '"SEA PILOT"');
  assert.equal(asTerm('A "B" C.'), '"A \\"B\\" C."');
});

test("whole words come before parts of words", () => {
  const ships = [ship(1, { name: "PORTUGAL STAR" }), ship(2, { name: "TUG LIFE" }), ship(3, { type_code: 52, name: "ZEUS" })];
  assert.deepEqual(
    best(ships, classify('"tug"'), 5).map((s) => s.mmsi),
    [2, 1],
  );
  assert.equal(best(ships, classify("tug"), 5)[0].mmsi, 2, "the name is offered, whatever the filter is");
  assert.ok(!matches(ships[1], classify("tug")));
});

test("a coast station has nine digits, and is found by them and without its zeros", () => {
  const stations = [{ mmsi: 219004700 }, { mmsi: 2190047 }].map((s) => ({ ...s, text: searchText(s) }));
  assert.equal(title(stations[1]), "002190047");
  assert.equal(title({ mmsi: 219004700, name: "ANNA" }), "ANNA");
  for (const typed of ["002190047", "2190047", "00219"]) assert.equal(best(stations, classify(typed), 1)[0].mmsi, 2190047, typed);
  assert.equal(best(stations, classify("219004700"), 1)[0].mmsi, 219004700);
});

test("the ship of that name comes first", () => {
  assert.deepEqual(
    best(fleet, classify("anna"), 5).map((s) => s.name),
    ["ANNA", "ANNA MARIA"],
  );
  assert.deepEqual(
    best(fleet, classify("denmark"), 5).map((s) => s.mmsi),
    [219018765, 2190001],
    "ships before stations",
  );
  assert.equal(best(fleet, classify("a"), 1).length, 1);
});

test("a word for a kind goes nowhere by Enter", () => {
  assert.ok(isKind(classify("tanker")));
  assert.ok(isKind(classify("moored tug")));
  assert.ok(!isKind(classify("anna")));
  assert.ok(!isKind(classify("tanker anna")));
  assert.ok(isKind(classify("not moored")));
  assert.ok(isKind(classify("anna or maria")));
});

test("groups follow class before type", () => {
  const rows = [
    ["A", 70, "cargo"],
    ["A", 89, "tanker"],
    ["B", 37, "leisure"],
    ["A", 35, "authority"],
    ["A", 50, "service"],
    ["A", 40, "hsc"],
    ["A", 0, "other"],
    ["A", undefined, "other"],
    ["base", 70, "base"],
    ["aton", undefined, "aton"],
    ["sar", undefined, "aircraft"],
    ["mob", undefined, "distress"],
    ["epirb", 0, "distress"],
  ];
  for (const [c, code, group] of rows) assert.equal(groupOf(c, code), group, `${c} ${code}`);
});
