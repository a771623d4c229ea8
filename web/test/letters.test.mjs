import assert from "node:assert/strict";
import { test } from "node:test";
import forms from "../../internal/fold/testdata/forms.json";
import { finder, fold, plain } from "../src/letters.ts";

test("names and texts have the forms that the server gives them", () => {
  assert.ok(forms.length > 20);
  for (const row of forms) {
    assert.equal(fold(row.text), row.fold, row.text);
    assert.equal(plain(row.text), row.plain, row.text);
  }
});

test("each word is found, in any order and without its marks", () => {
  const fits = finder(" zurich  OSTERSUND");
  assert.ok(fits("Östersund, Zürich"));
  assert.ok(!fits("Östersund"));
  assert.ok(finder("")("anything"));
});
