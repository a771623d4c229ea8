import assert from "node:assert/strict";
import { test } from "node:test";
import { partAt, readTyped, shown, stepped, weeks } from "../src/moment/typed.ts";
import { showLocal } from "../src/text/clock.ts";

const now = Date.parse("2026-11-26T12:27:40Z");

test("times are read as people write them", () => {
  const rows = [
    ["2026-11-26 12:27", "2026-11-26T12:27"],
    ["2026-11-26T12:27", "2026-11-26T12:27"],
    ["2026-11-26T12:27:09.5Z", "2026-11-26T12:27"],
    ["20261126 1227", "2026-11-26T12:27"],
    [" 2026-1-6  8:05 ", "2026-01-06T08:05"],
    ["26.11.2026 12:27", "2026-11-26T12:27"],
    ["26.11.26, 8.05", "2026-11-26T08:05"],
    ["6.1. 8:05", "2027-01-06T08:05"], // the nearest January
    ["30.6. 8:05", "2026-06-30T08:05"],
    ["11-28 0800", "2026-11-28T08:00"],
    ["28 0800", "2026-11-28T08:00"],
    ["2 0800", "2026-12-02T08:00"], // the nearest second of a month
    ["280800Z", "2026-11-28T08:00"],
    ["280800 utc", "2026-11-28T08:00"],
    ["1405", "2026-11-26T14:05"],
    ["14:05", "2026-11-26T14:05"],
    ["14h", "2026-11-26T14:00"],
    ["14h05", "2026-11-26T14:05"],
    ["2026-11-28", "2026-11-28T00:00"],
    ["now", "2026-11-26T12:27"],
    ["jetzt", "2026-11-26T12:27"],
    ["+2h", "2026-11-26T14:27"],
    ["+ 2", "2026-11-26T14:27"],
    ["+1:30", "2026-11-26T13:57"],
    ["-30min", "2026-11-26T11:57"],
    ["+1d", "2026-11-27T12:27"],
    ...[
      "",
      "later",
      "2026-02-30 12:00",
      "2026-13-01 12:00",
      "2026-11-26 24:00",
      "2026-11-26 12:60",
      "25:00",
      "2026-11-26 12",
      "1 2 3",
      "99",
      "0 0800",
    ].map((text) => [text, undefined]),
  ];
  for (const [typed, want] of rows) assert.equal(readTyped(typed, "moment", now), want, typed);
});

test("a time of day alone stays on its day, and a day alone has all its hours", () => {
  assert.equal(readTyped("14:05", "moment", now, "2026-12-24T08:00"), "2026-12-24T14:05");
  assert.equal(readTyped("2026-11-28", "moment", now, "2026-12-24T08:00"), "2026-11-28T00:00");
  assert.equal(readTyped("2026-11-30", "moment", now, "2026-12-24T08:00", true), "2026-12-01T00:00", "an end is that of the day");
  assert.equal(readTyped("2026-11-30 08:00", "moment", now, "", true), "2026-11-30T08:00");
});

test("a day and a time of day are read alone", () => {
  assert.equal(readTyped("26.11.", "day", now), "2026-11-26");
  assert.equal(readTyped("heute", "day", now), "2026-11-26");
  assert.equal(readTyped("-1d", "day", now), "2026-11-25");
  assert.equal(readTyped("14:05", "day", now), undefined);
  assert.equal(readTyped("0805", "clock", now), "08:05");
  assert.equal(readTyped("8.05", "clock", now), "08:05");
  assert.equal(readTyped("2026-11-26", "clock", now), undefined);
});

test("what the field writes is read back, and a Z is UTC on a local clock", () => {
  process.env.TZ = "Europe/Copenhagen";
  showLocal(true);
  try {
    assert.equal(readTyped("280800Z", "moment", now), "2026-11-28T09:00");
    assert.equal(readTyped("2026-06-01 23:30Z", "moment", now), "2026-06-02T01:30");
    assert.equal(readTyped("now", "moment", now), "2026-11-26T13:27");
  } finally {
    showLocal(false);
  }
  for (const value of ["2026-11-26T12:27", "2027-01-01T00:00"]) assert.equal(readTyped(shown(value), "moment", now), value);
});

test("the arrow keys count the part at the caret", () => {
  const rows = [
    ["2026-11-26T12:27", 2, 1, "2027-11-26T12:27"],
    ["2026-12-31T12:27", 6, 1, "2027-01-31T12:27"],
    ["2026-01-31T12:27", 6, 1, "2026-02-28T12:27"],
    ["2024-02-29T12:27", 0, 1, "2025-02-28T12:27"],
    ["2026-11-30T12:27", 9, 1, "2026-12-01T12:27"],
    ["2026-11-30T23:27", 12, 1, "2026-12-01T00:27"],
    ["2026-11-26T12:00", 16, -1, "2026-11-26T11:59"],
  ];
  for (const [value, caret, by, want] of rows) assert.equal(stepped(value, partAt(caret, "moment")[0], "moment", by), want, value);
  assert.equal(stepped("23:59", partAt(4, "clock")[0], "clock", 1), "00:00");
  assert.equal(stepped("2026-03-01", partAt(10, "day")[0], "day", -1), "2026-02-28");
});

test("a month is shown by whole weeks from Monday", () => {
  const rows = weeks("2026-11-26");
  assert.deepEqual(rows[0], ["2026-10-26", "2026-10-27", "2026-10-28", "2026-10-29", "2026-10-30", "2026-10-31", "2026-11-01"]);
  assert.equal(rows.length, 6);
  assert.equal(weeks("2027-02-01")[0][0], "2027-02-01");
});
