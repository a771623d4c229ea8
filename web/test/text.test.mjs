import assert from "node:assert/strict";
import { after, test } from "node:test";
import { groupOf } from "../src/ship.ts";
import { from } from "../src/origin.ts";
import { sorted } from "../src/sort.ts";
import {
  areaText,
  course,
  draught,
  exactMiles,
  knots,
  measured,
  megabytes,
  metres,
  miles,
  minutes,
  place,
  rate,
  size,
  speed,
  turn,
} from "../src/text/figures.ts";
import { both, dateTime, showLocal, stamp, timeOf, wall, when, zone } from "../src/text/clock.ts";
import { dayOf, spanText } from "../src/span.ts";
import { parse, write } from "../src/geometry.ts";
import { ageText, number, speak, told, statusText, t, typeName, typeText } from "../src/text/text.ts";

globalThis.document = { documentElement: {} };
after(() => speak("en"));

const ship = (more) => ({ slot: 0, mmsi: 1, time: 0, text: "", group: groupOf(more.class ?? "A", more.type_code), ...more });

test("German keeps the type of a ship and the hazardous category", async () => {
  await speak("de");
  const rows = [
    [30, "Fischerei"],
    [35, "Militär"],
    [52, "Schlepper"],
    [55, "Behörde"],
    [70, "Frachtschiff"],
    [71, "Frachtschiff, Gefahrenkategorie A"],
    [84, "Tanker, Gefahrenkategorie D"],
    [62, "Passagierschiff, Gefahrenkategorie B"],
    [89, "Tanker"],
    [38, "Reserviert"],
    [12, "Reserviert"],
  ];
  for (const [code, text] of rows) assert.equal(typeText(ship({ type_code: code })), text);
  assert.equal(typeText(ship({ type_code: 71 }), true), "Frachter A");
  assert.equal(typeText(ship({})), undefined);
  assert.equal(typeText(ship({ class: "coast" })), "Küstenfunkstelle");
  assert.equal(statusText(ship({ nav_status: 14 })), "AIS-SART, MOB oder EPIRB aktiv");
});

test("no type of ship is without words in either language", async () => {
  for (const language of ["en", "de"]) {
    await speak(language);
    for (let code = 1; code < 256; code++) {
      assert.match(typeName(code), /^[A-ZÄÖÜ]/, `${language} ${code}`);
      assert.doesNotMatch(typeName(code), /type\.|undefined|\{/, `${language} ${code}`);
      assert.equal(/[ ][A-D]$/.test(typeName(code, true)), /category|kategorie/.test(typeName(code)), `${language} ${code}`);
    }
  }
});

test("the list is sorted by the types that it shows", async () => {
  await speak("de");
  const ships = [70, 30, 54, 50, 80, 71].map((type_code, i) => ship({ mmsi: i + 1, type_code }));
  const order = sorted(ships, { column: "type", down: false }, from([0, 0]));
  assert.deepEqual(
    order.map((s) => typeText(s, true)),
    ["Fischerei", "Frachter", "Frachter A", "Lotse", "Ölbekämpf.", "Tanker"],
  );
});

test("each kind of figure has one format in a language", async () => {
  const rows = [
    [() => knots(12.34), "12.3", "12,3"],
    [() => knots(0), "0.0", "0,0"],
    [() => speed(102.2), "102.2 kn", "102,2 kn"],
    [() => course(4.6), "005°"],
    [() => course(359.7), "000°"],
    [() => metres(1022), "1,022 m", "1.022 m"],
    [() => size(1022, 62), "1,022 × 62 m", "1.022 × 62 m"],
    [() => draught(11), "11.0 m", "11,0 m"],
    [() => draught(11.45), "11.45 m", "11,45 m"],
    [() => turn(-127), "◄ > 10°/min"],
    [() => miles(1852 * 3.04), "3.0", "3,0"],
    [() => miles(1852 * 99.94), "99.9", "99,9"],
    [() => miles(1852 * 99.96), "100"],
    [() => miles(1852 * 10800), "10,800", "10.800"],
    [() => measured(999.4), "999 m"],
    [() => measured(999.6), "0.54 NM", "0,54 sm"],
    [() => exactMiles(1852e3), "1,000.00 NM", "1.000,00 sm"],
    [() => areaText(0.05), "50,000 m²", "50.000 m²"],
    [() => areaText(1234.5), "1,235 km²", "1.235 km²"],
    [() => rate(9.94), "9.9", "9,9"],
    [() => rate(9.96), "10"],
    [() => rate(1234), "1,234", "1.234"],
    [() => megabytes(1572864), "1.50", "1,50"],
    [() => megabytes(2 ** 32), "4,096", "4.096"],
    [() => minutes(5, 0), "05'"],
    [() => minutes(5.25, 1), "05.3'", "05,3'"],
    [() => place(10.28, 56.13), "56°07.800'N 010°16.800'E", "56°07,800'N 010°16,800'E"],
    [() => place(-0.0000001, -59.9999999), "60°00.000'S 000°00.000'W", "60°00,000'S 000°00,000'W"],
    [() => number(0.126, 0, 3), "0.126", "0,126"],
    [() => ageText(2000 * 864e5), "2,000 d", "2.000 d"],
    [() => t("search.count", { n: 12345, all: 23456 }), "12,345 of 23,456 ships match.", "12.345 von 23.456 Schiffen passen."],
  ];
  for (const [written, english, german = english] of rows) {
    await speak("en");
    assert.equal(written(), english);
    await speak("de");
    assert.equal(written(), german);
  }
});

test("a place that is written in either language is read again", async () => {
  for (const language of ["en", "de"]) {
    await speak(language);
    for (const at of [
      [10.25, 56.15],
      [-179.99, -0.5],
    ])
      parse(write(at)).forEach((value, i) => assert.ok(Math.abs(value - at[i]) < 2e-6, write(at)));
  }
});

test("times are UTC, or local with the name of the zone, in summer and winter", async () => {
  const before = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  try {
    await speak("en");
    const winter = Date.parse("2026-11-22T23:30:00Z"),
      summer = Date.parse("2026-07-01T11:05:07Z");
    assert.equal(when(winter, winter, false), "23:30 UTC");
    assert.equal(both(winter, winter), "23:30:00 UTC");
    assert.deepEqual(dayOf(winter, 0), { from: Date.parse("2026-11-22T00:00Z"), to: Date.parse("2026-11-23T00:00Z") });
    showLocal(true);
    assert.equal(when(winter, winter, false), "00:30 CET");
    assert.equal(both(winter, winter), "00:30:00 CET (23:30:00 UTC)");
    assert.equal(when(summer, winter), "2026-07-01 13:05:07 CEST");
    assert.equal(stamp(winter, Date.parse("2026-11-22T22:00Z"), false), "2026-11-23 00:30", "the day is that of the wall");
    assert.equal(dateTime(summer), "2026-07-01 13:05 CEST");
    assert.equal(timeOf(wall(summer)), summer);
    process.env.TZ = "Europe/Lisbon"; // where winter is UTC
    assert.equal(both(winter, winter), `23:30:00 ${zone(winter)}`);
    assert.equal(both(summer, summer), `12:05:07 ${zone(summer)} (11:05:07 UTC)`);
    process.env.TZ = "Europe/Berlin";
    await speak("de");
    assert.equal(zone(winter), "MEZ");
    const change = dayOf(Date.parse("2026-10-25T12:00Z"), 0); // the day on which the clocks go back
    assert.equal((change.to - change.from) / 3600e3, 25);
    assert.equal(spanText(change, winter), "2026-10-25");
    assert.equal(spanText({ from: summer, to: summer + 60e3 }, winter), "2026-07-01 13:05 – 2026-07-01 13:06 MESZ");
  } finally {
    showLocal(false);
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test("a sentence of the server has the fractions of the language", async () => {
  const deep = { detail: "Drogden lies ahead", rule: "way_too_deep", params: { passage: "Drogden", max: 7.7, is: 8.8 } };
  await speak("de");
  assert.equal(told(deep), "Drogden liegt voraus, mit höchstens 7,7 m Tiefgang; das Schiff nennt 8,8 m");
  assert.equal(told({ detail: "", rule: "unknown_ship", params: { mmsi: 211234567 } }), "Das Schiff 211234567 ist nicht bekannt");
  await speak("en");
  assert.equal(told(deep), "Drogden lies ahead");
});
