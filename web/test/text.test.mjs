import assert from "node:assert/strict";
import { after, test } from "node:test";
import { groupOf } from "../src/ship.ts";
import { sorted } from "../src/sort.ts";
import { speak, statusText, typeName, typeText } from "../src/text/text.ts";

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
  const order = sorted(ships, { column: "type", down: false }, () => 0);
  assert.deepEqual(
    order.map((s) => typeText(s, true)),
    ["Fischerei", "Frachter", "Frachter A", "Lotse", "Ölbekämpf.", "Tanker"],
  );
});
