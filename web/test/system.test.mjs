// The system page: its figures in words, and what to do about each notice.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bytesText, daysLeft, total, valueText } from "../src/system/model.ts";

const words = JSON.parse(readFileSync("src/system/en.json", "utf8"));

test("each notice that the operations page lists has a remedy", () => {
  const pages = readFileSync("../docs/operations.md", "utf8").split("## Watching the watcher")[1].split("\n## ")[0],
    rows = pages.split("\n").filter((line) => /^\| `/.test(line)),
    notices = rows.flatMap((row) => [...row.split("|")[1].matchAll(/`(\w+)`/g)].map(([, word]) => word));
  assert.ok(notices.length > 20, `${notices.length} notices are listed`);
  for (const word of notices) assert.ok(words["remedy." + word], `${word} has no remedy`);
  const remedies = Object.keys(words).filter((key) => key.startsWith("remedy."));
  assert.deepEqual(remedies.map((key) => key.slice(7)).sort(), notices.sort());
});

test("sizes, days and values are written as people read them", () => {
  assert.deepEqual([0, 5 * 2 ** 20, 300 * 2 ** 20, 1.5 * 2 ** 30, 252 * 2 ** 30].map(bytesText), [
    "0.00 MiB",
    "5.00 MiB",
    "300 MiB",
    "1.5 GiB",
    "252 GiB",
  ]);
  const now = Date.parse("2026-11-27T12:00:00Z");
  assert.deepEqual(
    ["2026-12-11T12:00:00Z", "2026-11-28T11:59:00Z", "2026-11-27T11:59:00Z"].map((until) => daysLeft(until, now)),
    [14, 0, -1],
  );
  assert.equal(total({ checksum: 2, length: 3 }), 5);
  assert.equal(total(undefined), 0);
  assert.deepEqual([valueText(""), valueText(":8080"), valueText(true), valueText(["a"])], ['""', ":8080", "true", '["a"]']);
});
