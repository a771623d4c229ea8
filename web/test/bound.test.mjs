import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../src/bound.ts";

test("a destination that has the name of its port needs it no second time", () => {
  const rows = [
    ["HAMBURG", "Hamburg", true],
    ["HAMBURG VIA NOK", "Hamburg", true],
    ["LE-HAVRE", "Le Havre", true],
    ["GÖTEBORG", "Goteborg", true],
    ["HELSINKI", "Helsingfors (Helsinki)", true],
    ["FUNCHAL", "Funchal, Madeira", true],
    ["MUMBAI", "Mumbai (ex Bombay)", true],
    ["DKAAR", "Aarhus", false],
    ["AE DXB>NL RTM", "Rotterdam", false],
    ["GOTHENBORG", "Goteborg", false],
    ["RULED", "Saint Petersburg (ex Leningrad)", false],
    ["DKAAR", "", false],
  ];
  for (const [destination, name, want] of rows) assert.equal(says(destination, name), want, `${destination} · ${name}`);
});
