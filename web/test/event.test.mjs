import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { alertOf, stateOf } from "../src/alerts/alert.ts";
import "../src/alerts/alerts.ts"; // which brings the words of the board
import { whose } from "../src/alerts/whose.ts";
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

test("a watchdog that is paused, and what it held back, is told without a ship", async () => {
  const textOf = (more) =>
    eventOf({ id: 1, time: "2026-11-20T12:00:00Z", watchdog: "Roads", type: "polygon", state: "active", ...more }, () => undefined);
  const paused = { event: "paused", pause: { until: "2026-11-20T12:10:00Z" } };
  const held = textOf({ event: "more", pause: { held: 1490 } });
  assert.match(textOf(paused).text(), /^Roads rings too often and is paused until 12:10 /);
  assert.equal(held.text(), "Roads: and 1,490 more, while it was paused");
  assert.equal(textOf(paused).begins, true);
  assert.equal(held.begins, false);
  await speak("de");
  assert.match(textOf(paused).text(), /^Roads schlägt zu oft an und pausiert bis 12:10 /);
});

test("an alert is for the user, without the name of the user", async () => {
  const of = (mine, ...names) => whose({ priority: "alarm", told: "active", mine, with: names }, "chief");
  assert.deepEqual([of(true, "chief"), of(true, "chief", "bridge"), of(true)], ["for you", "for you (bridge)", ""]);
  assert.deepEqual([of(false, "bridge"), of(false)], ["for bridge", "comes to you when nobody answers"]);
  await speak("de");
  assert.equal(of(true, "chief"), "für Sie");
});

test("an alert is silent for as long as the box says, whatever the time of the user", () => {
  const told = { id: 1, state: "silenced", silenced_until: "2026-11-20T12:00:30Z", silenced_for: "00:00:20", events: [] };
  for (const now of [Date.UTC(2026, 10, 20, 12, 0, 10), Date.UTC(2026, 10, 20, 11, 30, 5)]) {
    const alert = alertOf({ ...told, since: "2026-11-20T11:00:00Z", last: "2026-11-20T11:00:00Z" }, now, () => undefined);
    assert.equal(alert.silentUntil - now, 20e3);
    assert.equal(stateOf(alert, now + 19e3), "silenced");
    assert.equal(stateOf(alert, now + 20e3), "active");
  }
});
