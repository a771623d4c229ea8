import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Feeds } from "../src/feeds.ts";
import { read, write } from "../src/hash.ts";
import { EventParser } from "../src/share/stream.ts";
import { speak, told } from "../src/text/text.ts";
import rules from "../src/text/rules.de.json";

test("a stream gives the same events however it is cut", () => {
  const stream = ': hello\n\nid: 7\nevent: picture\ndata: {"a":1}\n\nevent: change\r\ndata: x\r\ndata: y\r\n\r\nid: 9\n\ndata:z\n\n';
  const want = [
    ["picture", '{"a":1}', "7"],
    ["change", "x\ny", ""],
    ["message", "z", ""],
  ];
  for (let size = 1; size <= stream.length; size++) {
    const got = [],
      parser = new EventParser((name, data, id) => got.push([name, data, id]));
    for (let i = 0; i < stream.length; i += size) parser.feed(stream.slice(i, i + size));
    assert.deepEqual(got, want, `pieces of ${size}`);
  }
});

test("the address says the state and is read back", () => {
  const state = {
    view: { lon: 10.25, lat: 56.14, zoom: 12.5 },
    ship: 219018765,
    tracks: [
      { mmsi: 219018765, span: { hours: 6 } },
      { mmsi: 235077001, span: { from: Date.parse("2026-11-21T06:30Z"), to: Date.parse("2026-11-21T09:00Z") } },
    ],
    query: "type = tanker & length > 100",
    vectors: 0,
    place: ["lists", "Tugs / 50% & pilots"],
  };
  assert.deepEqual(read("#" + write(state)), state);
  assert.match(write(state), /t=6,235077001\*20261121T0630-20261121T0900&/);
  assert.deepEqual(read("#v=1,95,3&s=abc&p=neon&t=1000&c=-1"), {});
  assert.deepEqual(read(""), {});
});

test("a feed is silent after 8 s, or after eight of its usual intervals where it hears little, as far as the server tells", () => {
  const feeds = new Feeds();
  let told = 0;
  const tell = (clock) => {
    const spoke = (messages_per_second) => ({ connected: true, last_message: "2026-11-20T10:00:09Z", messages_per_second });
    feeds.tell({
      time: `2026-11-20T10:${clock}Z`,
      feeds: [
        { name: "busy", ...spoke(80) },
        { name: "quiet", ...spoke(0.1) },
        { name: "off", connected: false, error: "refused", messages_per_second: 0 },
        { name: "new", connected: true, messages_per_second: 0 },
        { name: "log", ...spoke(0), connected: false },
      ],
    });
    told = performance.now();
  };
  const health = (after) => feeds.list.map((f) => feeds.health(f, told + after));
  assert.equal(feeds.late(performance.now() + 60e3), undefined, "before the first status nothing is owed");
  tell("00:10");
  assert.deepEqual(health(1000), ["ok", "ok", "down", "never", "ended"]);
  assert.deepEqual(health(8900), ["ok", "ok", "down", "never", "ended"]);
  assert.deepEqual(new Set(health(9100)), new Set(["unknown"]), "a server that is silent says nothing of its feeds");
  tell("00:15");
  assert.deepEqual(health(2100), ["silent", "ok", "down", "never", "ended"]);
  tell("01:30");
  assert.equal(health(0)[1], "silent");
  assert.equal(feeds.late(told + 6000), undefined);
  assert.ok(feeds.late(told + 10e3) >= 10e3);
});

test("a picture of another time is not live, and how fast its time runs is told", () => {
  const feeds = new Feeds(),
    tell = (clock, time) =>
      feeds.tell({ clock: `2026-11-20T10:00:${clock}Z`, time, feeds: [{ name: "f", connected: true, messages_per_second: 1 }] });
  assert.equal(feeds.past(), undefined, "before the first status nothing is known");
  tell("00", "2026-11-20T09:59:59Z");
  assert.equal(feeds.past(), undefined, "a log that is written now is live");
  tell("10", "2013-07-31T08:00:00Z");
  tell("12", "2013-07-31T08:00:20Z");
  assert.deepEqual(feeds.past(), { speed: 10 });
  tell("13", "2013-07-31T08:00:30Z"); // too soon to tell
  assert.equal(feeds.past().speed, 10);
  tell("14", "2013-07-31T08:00:20Z");
  assert.deepEqual(feeds.past(), { speed: 0 });
  tell("24", "2026-11-20T10:00:24Z");
  assert.equal(feeds.past(), undefined);
});

// catalogue gives the words of a language: those of the shell, and those that parts of the client bring along.
const catalogue = (language) =>
  Object.assign(
    {},
    ...readdirSync("src", { recursive: true })
      .filter((name) => name.endsWith(`/${language}.json`))
      .sort()
      .map((name) => JSON.parse(readFileSync("src/" + name, "utf8"))),
  );

test("every language has the same keys and the same places to fill in", () => {
  const [en, de] = ["en", "de"].map(catalogue);
  assert.deepEqual(Object.keys(de), Object.keys(en));
  const places = (text) => [...text.matchAll(/\{\w+\}/g)].map((m) => m[0]).sort();
  for (const key of Object.keys(en)) {
    assert.deepEqual(places(de[key]), places(en[key]), key);
  }
});

// spoken gives the English sentences of the server's rules by their words.
const spoken = () => {
  const files = readdirSync("..", { recursive: true }).filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"));
  const calls = files.flatMap((name) => [
    ...readFileSync("../" + name, "utf8").matchAll(/\b(?:rule\.)?New\(\s*"([a-z]\w*)",\s*"((?:[^"\\]|\\.)*)"/g),
  ]);
  return Object.fromEntries(calls.map(([, word, sentence]) => [word, sentence]));
};

test("every rule of the server has its German, and no other has", () => {
  const english = spoken();
  assert.ok(Object.keys(english).length > 200, `${Object.keys(english).length} rules found`);
  assert.deepEqual(Object.keys(rules).sort(), Object.keys(english).sort());
  const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
  for (const word of Object.keys(rules)) {
    const unknown = places(rules[word]).filter((place) => !places(english[word]).includes(place));
    assert.deepEqual(unknown, [], word); // what the server fills in may be left out
  }
});

test("a sentence of the server is told by its rule, a value that is a rule too, and one without German in English", async () => {
  globalThis.document ??= { documentElement: {} };
  const inner = { rule: "unknown_field", params: { name: "sogg" }, detail: "unknown field 'sogg'" };
  const outer = { rule: "filter", params: { offset: 7, problem: inner }, detail: "filter, character 7: unknown field 'sogg'" };
  assert.equal(told(outer), outer.detail);
  await speak("de");
  assert.equal(told(outer), "Filter, Zeichen 7: das Feld 'sogg' ist nicht bekannt");
  assert.equal(told({ rule: "of_tomorrow", detail: "must be new" }), "must be new");
  assert.equal(told({ detail: "no rule at all" }), "no rule at all");
  await speak("en");
});

test("every text that the client asks for is in the catalogue, and none stands there unused", () => {
  const en = catalogue("en");
  const sources = readdirSync("src", { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync("src/" + name, "utf8"))
    .join("\n");
  const said = [...sources.matchAll(/"([a-z]+\.[A-Za-z]+(?:\.[a-z]+)?)"/g)]
    .map((m) => m[1])
    .filter((key) =>
      /\bt\((?:[^()]|\([^()]*\))*$/.test(sources.slice(Math.max(0, sources.indexOf(`"${key}"`) - 120), sources.indexOf(`"${key}"`))),
    );
  assert.ok(said.length > 40, `${said.length} keys found`);
  for (const key of said) assert.ok(key in en, key);
  const families = [...sources.matchAll(/"([a-z]+\.(?:long\.)?)"\s*\+/g)].map((m) => m[1]);
  families.push(...[...sources.matchAll(/startsWith\("([a-z]+\.)"\)/g)].map((m) => m[1]));
  const facts = new Set([...sources.matchAll(/fact\("(\w+)"/g)].map((m) => "card." + m[1]));
  const unused = Object.keys(en).filter(
    (key) => !sources.includes(`"${key}"`) && !facts.has(key) && !families.some((f) => key.startsWith(f) && f !== "card."),
  );
  assert.deepEqual(unused, []);
});
