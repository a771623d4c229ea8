// Runs the browser tests, four files at a time. The files of at most four tests that failed are run once more, one after another: a test that passes
// then is flaky, and the run is green. What became of each test is written to the file in QUAYWATCH_RESULTS, as lines like those of go test -json.
// Arguments are names of files; without them all run.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { tap } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const given = process.argv.slice(2).map((name) => basename(name));
// The largest first, so that none is left to run alone at the end.
const files = (given.length > 0 ? given : readdirSync(here).filter((name) => name.endsWith(".test.mjs")))
  .map((name) => join(here, name))
  .sort((a, b) => statSync(b).size - statSync(a).size);
const most = 4;
const lines = [];

// reasonOf gives the first line of why a test failed.
const reasonOf = (error) => (error?.cause?.message ?? error?.message ?? "").split("\n")[0].slice(0, 200);

// tried runs files, so many at a time, and gives the files of the tests that failed, one for each test. A hook that fails takes all tests of its file
// along: they count once.
async function tried(names, concurrency) {
  const failed = [],
    unprepared = new Set();
  const note = (action) => (data) => {
    const file = data.file ?? names[0];
    if (data.nesting > 0 || data.name === file) return; // node tells the file as a test of its own where it cannot be run
    const took = (data.details?.duration_ms ?? 0) / 1000;
    const named = { Package: "e2e/" + basename(file), Test: data.name };
    lines.push({ ...named, Action: data.skip !== undefined ? "skip" : action, Elapsed: took });
    if (action !== "fail") return;
    const { error } = data.details;
    lines.push({ ...named, Action: "why", Output: reasonOf(error) });
    if (error?.failureType === "hookFailed") unprepared.add(file);
    else failed.push(file);
  };
  const stream = run({ files: names, concurrency, timeout: 20 * 60e3 });
  stream.on("test:pass", note("pass"));
  stream.on("test:fail", note("fail"));
  stream.on("test:fail", (data) => data.name === data.file && failed.push(data.file));
  const told = stream.compose(tap);
  told.pipe(process.stdout, { end: false });
  await finished(told);
  return [...failed, ...unprepared];
}

const failed = await tried(files, most);
const again = failed.length <= most ? [...new Set(failed)] : [];
let red = failed.length > most;
for (const file of again) {
  console.log(`# ${basename(file)} is run once more, alone`);
  if ((await tried([file], 1)).length > 0) red = true;
}
if (process.env.QUAYWATCH_RESULTS) writeFileSync(process.env.QUAYWATCH_RESULTS, lines.map((line) => JSON.stringify(line) + "\n").join(""));
process.exitCode = red ? 1 : 0;
