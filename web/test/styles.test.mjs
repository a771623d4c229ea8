// A style sheet that was loaded stays: what it says of a class without a scope holds in the panels that are opened later.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

// selectorsOf returns the selectors of a style sheet, one by one.
const selectorsOf = (file) =>
  [
    ...readFileSync(file, "utf8")
      .replaceAll(/\/\*.*?\*\/|@media[^{]*\{/gs, "")
      .matchAll(/([^{}]+)\{[^{}]*\}/g),
  ].flatMap(([, all]) => all.split(",").map((one) => one.trim()));

const shared = ["moment", "sheetbox", "pentools", "small"]; // parts of forms, which some panels lay out otherwise

test("no class that another panel styles too is styled without a scope", () => {
  const sheets = readdirSync("src", { recursive: true })
      .filter((name) => name.endsWith(".css"))
      .map((name) => join("src", name))
      .map((file) => ({ of: dirname(file), selectors: selectorsOf(file) })),
    bare = [];
  for (const { of, selectors } of sheets.filter(({ of }) => !["src", "src/ui"].includes(of))) // those that all pages have
    for (const name of new Set(selectors.flatMap((one) => /^\.([\w-]+)$/.exec(one)?.[1] ?? []))) {
      const other = sheets.find(
        (one) => one.of !== of && one.selectors.some((s) => s.split(/[^\w.-]/).some((w) => w.split(".").includes(name))),
      );
      if (other && !shared.includes(name)) bare.push(`${name}: ${of}, ${other.of}`);
    }
  assert.deepEqual(bare, []);
});
