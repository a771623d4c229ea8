import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sectionsOf } from "../src/admin/keys.ts";
import { changes, clashes, effectOf, groupsOf, inherited, newUser, setKey, stateOf, typeOf } from "../src/admin/model.ts";
import { allRights, comesWith } from "../src/admin/rights.ts";

// The server's own source says what there is: a right or key that is new there must get its place and words here.
const go = (name) => readFileSync("../users/access/" + name, "utf8");
const words = JSON.parse(readFileSync("src/admin/en.json", "utf8"));

test("every right of the server stands in one section, with words", () => {
  const known = [...go("right/right.go").matchAll(/Name = "(\w+)"/g)].map((m) => m[1]);
  assert.equal(known.length, 73);
  assert.deepEqual([...allRights].sort(), known.sort());
  for (const right of known) assert.ok(words["right." + right], right);
});

test("the rights that do nothing yet are those of the document, with what they come with in both languages", () => {
  const [, rest] = readFileSync("../docs/api.md", "utf8").split("<!-- keys that wait: checked by access -->\n");
  const groups = rest
    .split("<!-- end of the keys that wait -->")[0]
    .split("\n")
    .map((line) => [...(/rights (`.*)\|$/.exec(line)?.[1] ?? "").matchAll(/`(\w+)`/g)].map((m) => m[1]))
    .filter((rights) => rights.length > 0);
  assert.ok(groups.length > 0);
  const german = JSON.parse(readFileSync("src/admin/de.json", "utf8"));
  for (const rights of groups) {
    const what = new Set(rights.map(comesWith));
    assert.equal(what.size, 1, `${rights} come with ${[...what]}`);
    for (const catalogue of [words, german]) assert.ok(catalogue["waits." + [...what][0]], `words for ${[...what]}`);
  }
  assert.deepEqual(allRights.filter(comesWith).sort(), groups.flat().sort());
});

test("every setting and condition of the server has an input, with words", () => {
  const source = go("filter/keys.go");
  const keysOf = (name) =>
    [
      ...source
        .slice(source.indexOf(`func ${name}(`))
        .split("\n}\n")[0]
        .matchAll(/"(\w+)":\s*(?:is|names|level|number|seconds|interval|\{)/g),
    ].map((m) => m[1]);
  const transmit = keysOf("transmitRules"),
    receive = [...transmit, ...keysOf("receiveOnlyRules")];
  for (const [set, known, family] of [
    ["settings", keysOf("settingRules"), "set."],
    ["receive_filter", receive, "cond."],
    ["transmit_filter", transmit, "cond."],
  ]) {
    assert.ok(known.length > 10, set);
    assert.deepEqual(
      sectionsOf(set)
        .flatMap((s) => s.keys.map((k) => k.key))
        .sort(),
      known.sort(),
      set,
    );
    for (const key of known) assert.ok(words[family + key], key);
  }
});

const group = (name, rights, settings = {}) => ({ uid: name, name, access_rights: rights, settings });

test("the effective right is decided as by the server, and names the group that decided", () => {
  const b = group("b", { x: "allow", y: "allow" }),
    a = group("a", { y: "deny" }),
    c = group("c", { x: "allow" });
  assert.deepEqual(effectOf("x", {}, [b, c, a]), { may: true, from: "groups", groups: ["b", "c"] });
  assert.deepEqual(effectOf("y", {}, [b, a]), { may: false, from: "groups", groups: ["a"] });
  assert.deepEqual(effectOf("y", { y: "allow" }, [b, a]), { may: true, from: "own", groups: [] });
  assert.deepEqual(effectOf("x", { x: "deny" }, [b]), { may: false, from: "own", groups: [] });
  assert.deepEqual(effectOf("z", {}, [a, b]), { may: false, from: "none", groups: [] });
  assert.deepEqual(effectOf("x", { x: "" }, [b]).from, "groups"); // an empty text is absent
});

test("a setting comes from the first group by name that has it", () => {
  const groups = groupsOf(
    [
      { name: "z", uid: "z" },
      { name: "m", uid: "m" },
    ],
    [group("z", {}, { user_type: "proxy" }), group("m", {}, { user_type: "client" }), group("a", {}, { user_type: "admin" })],
  );
  assert.deepEqual(inherited("user_type", groups), { value: "client", from: "m" });
  assert.equal(typeOf({ ...newUser }, groups), "client");
  assert.equal(typeOf({ ...newUser, settings: { user_type: "user" } }, groups), "user");
  assert.equal(typeOf(newUser, []), "user");
});

test("only what was changed is sent; what is gone is sent as the server removes it", () => {
  const was = {
    ...newUser,
    uid: "1",
    name: "anna",
    access_rights: { a: "allow", b: "deny" },
    settings: { s: 1, kept: { odd: [1] } },
    expiration_time: "2026-12-31T23:59:00Z",
  };
  assert.deepEqual(changes(was, { ...was }), {});
  assert.deepEqual(
    changes(was, {
      ...was,
      access_rights: { b: "allow" },
      settings: setKey(setKey(was.settings, "s", undefined), "t", 2),
      phone: "1",
      expiration_time: undefined,
    }),
    { phone: "1", expiration_time: null, settings: { s: null, t: 2 }, access_rights: { a: "", b: "allow" } },
  );
});

test("a user is disabled before expired before soon to expire", () => {
  const now = Date.parse("2026-11-21T12:00:00Z"),
    at = (expiration_time, disabled = false) => stateOf({ disabled, expiration_time, period_before_expire: 14 }, now);
  assert.deepEqual(
    [at(undefined), at("2026-11-21T12:00:00Z"), at("2026-12-01T00:00:00Z"), at("2026-12-31T00:00:00Z"), at("2026-11-01T00:00:00Z", true)],
    ["active", "expired", "soon", "active", "disabled"],
  );
});

test("what two administrators changed otherwise is told, and nothing else", () => {
  const was = { ...newUser, name: "anna", groups: [{ name: "a", uid: "1" }], settings: { delay: 1 }, access_rights: {} };
  const mine = {
    ...was,
    email: "x",
    groups: [...was.groups, { name: "b", uid: "2" }],
    settings: { delay: 2, both: 1 },
    access_rights: { view_port: "allow" },
  };
  assert.deepEqual(clashes(was, mine, was), []);
  assert.deepEqual(
    clashes(was, mine, { ...was, phone: "1", settings: { delay: 1, other: 1, both: 1 }, access_rights: { send_mail: "deny" } }),
    [],
  );
  assert.deepEqual(clashes(was, mine, { ...was, groups: [], settings: {}, access_rights: { view_port: "deny" } }), [
    "groups",
    "delay",
    "view_port",
  ]);
});
