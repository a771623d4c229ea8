import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { speak } from "../src/text/text.ts";
import { eventOf, overOf } from "../src/watchdogs/event.ts";
import "../src/watchdogs/events.ts"; // which brings the words

globalThis.document = { documentElement: {}, baseURI: "http://box/" };
afterEach(() => speak("en"));

test("an event that is over for want of room alone says so", async () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  const of = (more) =>
    overOf(
      eventOf({ id: 1, time: "2026-11-20T12:00:00Z", event: "enter", state: "inactive", ...more }, () => undefined),
      noon + 6e5,
    );
  const deactivated = "2026-11-20T12:05:00Z";
  assert.equal(of({}), false);
  assert.match(of({ deactivated }), /^over since /);
  assert.match(of({ deactivated, evicted: true }), /^no longer followed since .*: too many alarms stood$/);
  await speak("de");
  assert.match(of({ deactivated, evicted: true }), /^seit .* nicht mehr verfolgt: zu viele Alarme standen$/);
});
