import assert from "node:assert/strict";
import { test } from "node:test";
import { readingOf } from "../src/read/reading.ts";

// conditions gives the answer of the server to a text in which "|" stands around each condition.
function reading(marked, any = false) {
  const conditions = [];
  let plain = "";
  for (const [i, part] of marked.split("|").entries()) {
    const start = [...plain].length;
    plain += part;
    if (i % 2 === 1) conditions.push({ start, end: [...plain].length, text: part, says: "name" });
  }
  return readingOf(plain, { any, conditions });
}

test("a condition is taken out with what joins it", () => {
  for (const [marked, at, left, any] of [
    ["|tanker| |anchored|", 0, "anchored"],
    ["|tanker| |anchored|", 1, "tanker"],
    ["|tanker|, |length > 150| and |anchored|", 1, "tanker, anchored"],
    ["|tanker|, |length > 150| and |anchored|", 2, "tanker, length > 150"],
    ["  |tanker|  ", 0, ""],
    ["|tanker| |(cargo or tug)| |lost|  ", 2, "tanker (cargo or tug)"],
    ["|🚢| |tanker| |moored|", 1, "🚢 moored"],
    ["|tanker| or |tug| or |pilot|", 1, "tanker or pilot", true],
  ]) {
    const before = reading(marked, any);
    for (const each of before.conditions) assert.equal(before.text.slice(each.start, each.end), each.text);
    const after = before.without(at);
    assert.equal(after.text, left, marked);
    assert.equal(after.any, any ?? false);
    assert.equal(after.sure, false);
    for (const each of after.conditions) assert.equal(after.text.slice(each.start, each.end), each.text, marked);
    assert.equal(before.without(at, true).text, left && `${left.trimEnd()} `);
  }
});

test("the last of two that were joined by or has to hold alone", () => {
  assert.equal(reading("|tanker| or |tug|", true).without(0).any, false);
});
