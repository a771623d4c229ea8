// Every act that the server writes into the audit log has words on its page.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const words = JSON.parse(readFileSync("src/admin/en.json", "utf8"));

// acts gives the acts of all routes, as "POST user".
function acts() {
  const files = readdirSync("../handlers", { recursive: true }).filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"));
  return files.flatMap((name) =>
    [...readFileSync(join("../handlers", name), "utf8").matchAll(/\{Method: "(\w+)".*?Audit: "([^"]+)"/g)].map(([, method, thing]) => [
      method,
      thing,
    ]),
  );
}

test("an act of the audit log is told in words, not by its name in the API", () => {
  const all = acts();
  assert.ok(all.length > 30, `${all.length} acts`);
  const untold = all.filter(([method, thing]) => !words[`act.${method} ${thing}`] && !words["thing." + thing]).map((act) => act.join(" "));
  assert.deepEqual([...new Set(untold)], []);
});
