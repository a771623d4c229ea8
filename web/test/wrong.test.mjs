import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../src/api.ts";
import { below, generalOf, wrongOf } from "../src/ui/wrong.ts";

const refused = (...errors) => ({ ...wrongOf(new Refusal(400, { code: "invalid", detail: "no", errors })), shown: new Set() });

test("what no field of a form tells is told in general", () => {
  const wrong = refused({ parameter: "text", detail: "must not contain ä" }, { pointer: "/to", detail: "must name a user" });
  assert.equal(generalOf(wrong), "Refused: must not contain ä; must name a user.");
  assert.equal(below(wrong, "/text"), "must not contain ä");
  assert.equal(generalOf(wrong), "Not saved. Look at the marked fields. Refused: must name a user.");
  below(wrong, "/to");
  assert.equal(generalOf(wrong), "Not saved. Look at the marked fields.");
  assert.equal(generalOf({ general: "The line ends nowhere", at: { "": "The line ends nowhere" } }), "The line ends nowhere");
});

test("an element of a list is told by its name, or counted from one", () => {
  const wrong = refused({ pointer: "/ports/0", detail: "no port Køben is known" }, { pointer: "/rules/2/from", detail: "is no time" });
  assert.equal(below(wrong, "/ports", ["Køben"]), "no port Køben is known");
  assert.equal(below(wrong, "/ports", ["Køben", "Aarhus"]), "Køben: no port Køben is known");
  assert.equal(below(wrong, "/ports"), "1: no port Køben is known");
  assert.equal(below(wrong, "/rules"), "3/from: is no time");
});
