import assert from "node:assert/strict";
import { test } from "node:test";
import { isNumber, planOf, saveAttribute } from "../src/tracked/erp.ts";
import { replaced, spanOf, textAt } from "../src/tracked/lossless.ts";

globalThis.document = { documentElement: {}, baseURI: "http://box/" };

test("a value of a JSON text is changed and nothing else", () => {
  const text = `{ "erp" : {"n": 1.000000000000000000001, "big":12345678901234567890,"a":"x\\"}]","attributes":[ {"key":"k1","value":1e2},{"key":"agent","va\\u006cue":"Blue" , "edit":true}] , "z":[]}}`;
  const changed = replaced(text, ["erp", "attributes", 1, "value"], '"Red"');
  assert.equal(changed, text.replace('"Blue"', '"Red"'));
  assert.equal(textAt(text, ["erp", "n"]), "1.000000000000000000001");
  assert.equal(textAt(text, ["erp", "attributes", 0, "value"]), "1e2");
  assert.equal(textAt(text, ["erp", "z"]), "[]");
  assert.equal(textAt(text, []), text);
  for (const path of [["nope"], ["erp", 0], ["erp", "attributes", 2], ["erp", "attributes", "key"], ["erp", "n", "x"]])
    assert.equal(spanOf(text, path), undefined);
  assert.equal(textAt('{"a":1,"a":2}', ["a"]), "2", "as JSON.parse has it");
});

test("any JSON is found as JSON.parse has it", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const make = (deep) => {
    const kind = random(deep > 3 ? 4 : 6);
    if (kind === 0) return random(2000) / 16 - 50;
    if (kind === 1) return ['a"b\\c', "ü{[", "", "]},:"][random(4)];
    if (kind === 2) return random(2) === 0;
    if (kind === 3) return null;
    if (kind === 4) return Array.from({ length: random(4) }, () => make(deep + 1));
    return Object.fromEntries(Array.from({ length: random(4) }, (_, i) => [['k"', "}", "x", "y"][i], make(deep + 1)]));
  };
  for (let i = 0; i < 500; i++) {
    const value = make(0),
      text = JSON.stringify(value, null, random(2) * 2);
    const walk = (part, path) => {
      assert.deepEqual(JSON.parse(textAt(text, path)), part);
      if (typeof part === "object" && part !== null)
        for (const key of Object.keys(part)) walk(part[key], [...path, Array.isArray(part) ? Number(key) : key]);
      const other = JSON.parse(replaced(text, path, "17"));
      assert.equal(
        path.reduce((at, step) => at[step], other),
        17,
      );
    };
    walk(value, []);
  }
});

test("ERP information is read as far as it is understood", () => {
  const attributes = [
    { key: "agent", value: "<b>Blue</b>", datatype: "string", edit: true },
    { key: "tons", value: 12.5, datatype: "float", edit: true },
    { key: "lock", value: true, edit: true },
    { key: "gang", value: "B", datatype: "enum", options: ["A", "B"], edit: true },
    { key: "", value: 1 },
    "nothing",
    { key: "deep", value: { a: 1 }, edit: true },
    { key: "fixed", value: 1 },
  ];
  const plan = planOf({
    eta: "2026-11-21T18:30:00+01:00",
    color: "#2060C0",
    warp: [{ quay_id: 124, etd: "2026-11-22" }, { etd: "2026-11-22T12:00:00" }],
    attributes,
  });
  assert.deepEqual(
    [plan.eta, plan.etd, plan.quay, plan.colour],
    [Date.parse("2026-11-21T17:30:00Z"), Date.parse("2026-11-22T12:00:00Z"), "124", "#2060C0"],
  );
  assert.deepEqual(
    plan.attributes.map(({ at, key, kind, edit }) => `${at} ${key} ${kind} ${edit}`),
    ["0 agent text true", "1 tons number true", "2 lock truth true", "3 gang choice true", "6 deep text false", "7 fixed number false"],
  );
  for (const erp of [
    undefined,
    null,
    7,
    "x",
    [],
    { eta: 5, etd: "soon", color: "red", warp: 7, attributes: {} },
    { color: "#12345g" },
    { color: "#fff" },
  ])
    assert.deepEqual(planOf(erp), { eta: undefined, etd: undefined, quay: "", colour: "", attributes: [] }, JSON.stringify(erp));
  for (const text of ["0", "-1.50", "1e3", "12345678901234567890"]) assert.ok(isNumber(text), text);
  for (const text of ["", "01", ".5", "1.", "0x1", "1,5", "NaN", "1 2"]) assert.ok(!isNumber(text), text);
});

test("an edit changes one value and sends all else as it was, digit by digit", async () => {
  const erp =
    '{"id":12345678901234567890,"n":1.10,"attributes":[{"key":"agent","value":"Blue","edit":true},{"key":"n","edit":true},{"key":"g","value":2.0,"datatype":"enum","options":[1.0,2.0],"edit":true},{"key":"f","value":1}]}';
  const sent = [];
  globalThis.fetch = async (url, { method, body }) => {
    sent.push(`${method} ${body ?? url}`);
    return { ok: true, text: async () => `{"id":7,"erp":${erp},"status":3}` };
  };
  const list = planOf(JSON.parse(erp)).attributes;
  assert.equal(await saveAttribute(7, list[0], '"Red"'), "saved");
  assert.deepEqual(sent, [
    "GET http://box/api/portserver/ship/track/7?tracks=false&route=false",
    `PUT {"erp":${erp.replace('"Blue"', '"Red"')}}`,
  ]);
  assert.equal(await saveAttribute(7, list[1], '"x"'), "saved");
  assert.equal(sent[3], `PUT {"erp":${erp.replace('"n","edit":true}', '"n","edit":true,"value":"x"}')}}`);
  assert.equal(await saveAttribute(7, list[2], { option: 0 }), "saved");
  assert.equal(sent[5], `PUT {"erp":${erp.replace('"value":2.0', '"value":1.0')}}`);
  assert.equal(await saveAttribute(7, { ...list[0], value: "Green" }, '"Red"'), "stale");
  assert.equal(await saveAttribute(7, list[3], "2"), "stale", "no edit is allowed");
  assert.equal(await saveAttribute(7, { ...list[0], at: 9 }, '"Red"'), "stale");
  assert.equal(sent.length, 9);
});
