// The stage of the tests of a file: the program, its feed and a browser, which are there while the tests run.
import { after, afterEach, before } from "node:test";
import { caller, Feeder, launch, Program, shownBy } from "./support.mjs";

/** staged returns the stage of the tests of a file. It is set up before them, and taken down after them. program, feeder and browser are on
 * it when the tests run. call asks the API of the program, and can be taken from it at once. Node begins each `before` of a file at once:
 * a second one would not wait for the stage. So what a file needs besides is an option:
 * - ships is how many of them sail. Without any there is no feeder.
 * - start puts the program on the stage, where Program.serve with the other options is not enough.
 * - prepare runs when all of the stage is there.
 * - close runs first at the end, also of a start that failed.
 * Where a test fails, what its pages show is told with it. */
export function staged({ ships = 0, start, prepare, close, ...options } = {}) {
  const stage = { call: (...asked) => caller(stage.program)(...asked) };
  before(async () => {
    if (start) await start(stage);
    else stage.program = await Program.serve(options);
    if (ships > 0) stage.feeder = new Feeder(stage.program.feed, ships);
    stage.browser = await launch();
    await prepare?.(stage);
  });
  afterEach(async (test) => {
    if (test.passed || !stage.browser) return;
    for (const line of await shownBy(stage.browser)) test.diagnostic(line);
  });
  after(async () => {
    await close?.();
    stage.feeder?.close();
    await stage.browser?.close();
    await stage.program?.remove();
  });
  return stage;
}
