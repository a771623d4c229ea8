// Bundles the tests with the TypeScript that they import and gives them to node's own runner.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "vite";

const tests = readdirSync("test").filter((name) => name.endsWith(".test.mjs"));
await build({
  configFile: false,
  logLevel: "error",
  build: { ssr: true, outDir: "node_modules/.tests", emptyOutDir: true, rollupOptions: { input: tests.map((name) => "test/" + name) } },
});
const run = spawnSync(process.execPath, ["--test", ...tests.map((name) => "node_modules/.tests/" + name.replace(".mjs", ".js"))], {
  stdio: "inherit",
});
process.exit(run.status ?? 1);
