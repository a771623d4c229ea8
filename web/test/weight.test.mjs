// What a client loads before a panel is opened stays small: it is built as for a release and weighed along its imports.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const most = 180e3;

test("the page, its styles and its scripts are at most 180 KB packed", async () => {
  const { output } = await build({ logLevel: "error", build: { write: false } });
  const files = new Map(output.map((file) => [file.fileName, file])),
    first = new Set(["index.html"]);
  const page = files.get("index.html").source;
  for (const [, name] of page.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)) if (files.has(name)) first.add(name);
  assert.ok([...first].some((name) => name.endsWith(".js")) && [...first].some((name) => name.endsWith(".css")), page);
  for (const name of first) {
    const { imports = [], viteMetadata } = files.get(name);
    for (const next of [...imports, ...(viteMetadata?.importedCss ?? [])]) first.add(next);
  }
  const bytes = (name) => gzipSync(files.get(name).code ?? files.get(name).source).length;
  const weights = [...first].map((name) => [name, bytes(name)]).sort((a, b) => b[1] - a[1]);
  weights.push(["palette.js", gzipSync(readFileSync("public/palette.js")).length]); // the page loads it as it is
  const sum = weights.reduce((n, [, weight]) => n + weight, 0);
  assert.ok(sum > most / 4, "nothing was weighed");
  assert.ok(sum <= most, `${sum} bytes: ${weights.map((each) => each.join(" ")).join(", ")}`);
});
