import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contrast, groups, luminance, paletteNames, palettes } from "../src/palette.ts";

// blocks reads the colours of the page out of style.css.
const css = readFileSync("src/style.css", "utf8");
const page = (name) => {
  const block = css.match(new RegExp(`data-palette="${name}"\\] \\{([^}]*)\\}`))[1];
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]]));
};

test("luminance and contrast are those of WCAG", () => {
  assert.equal(luminance("#ffffff").toFixed(4), "1.0000");
  assert.equal(luminance("#000000"), 0);
  assert.equal(contrast("#ffffff", "#000000").toFixed(2), "21.00");
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
});

for (const name of paletteNames) {
  const p = palettes[name];
  test(`${name}: every symbol keeps 3:1 on sea and on land`, () => {
    for (const group of groups) {
      for (const ground of [p.sea, p.land]) {
        const c = contrast(p.group[group], ground);
        assert.ok(c >= 3, `${group} on ${ground}: ${c.toFixed(2)}`);
      }
    }
    for (const ground of [p.sea, p.land]) {
      assert.ok(contrast(p.selected, ground) >= 3, `selected on ${ground}`);
      assert.ok(contrast(p.track, ground) >= 3, `track on ${ground}`);
      for (const colour of p.speed)
        assert.ok(contrast(colour, ground) >= 3, `${colour} of a track on ${ground}: ${contrast(colour, ground).toFixed(2)}`);
    }
  });
  test(`${name}: the shore keeps 3:1 on sea and on land, and a lost ship within`, () => {
    for (const ground of [p.sea, p.land])
      assert.ok(contrast(p.shore, ground) >= 3, `shore on ${ground}: ${contrast(p.shore, ground).toFixed(2)}`);
    for (const group of groups)
      assert.ok(contrast(p.group[group], p.halo) >= 3, `${group} around its halo: ${contrast(p.group[group], p.halo).toFixed(2)}`);
  });
  test(`${name}: marks can be seen within their symbols`, () => {
    for (const group of ["tanker", "passenger", "service", "authority", "base", "aton"]) {
      const c = contrast(p.mark, p.group[group]);
      assert.ok(c >= 3, `${group}: ${c.toFixed(2)}`);
    }
  });
  test(`${name}: text of the map keeps 4.5:1`, () => {
    for (const colour of [p.text, p.lost, p.gridText]) {
      for (const ground of colour === p.gridText ? [p.sea, p.land] : [p.sea, p.land, p.halo]) {
        const c = contrast(colour, ground);
        assert.ok(c >= 4.5, `${colour} on ${ground}: ${c.toFixed(2)}`);
      }
    }
  });
  test(`${name}: text of the page keeps 4.5:1`, () => {
    const c = page(name);
    const pairs = [
      ["text", ["panel", "ground", "raised", "chosen"]],
      ["quiet", ["panel", "ground", "raised", "chosen"]],
      ["on-accent", ["accent"]],
      ["on-warn", ["warn"]],
      ["on-bad", ["bad"]],
      ["bad-text", ["panel", "ground"]],
      ["accent", ["panel", "ground"]],
    ];
    for (const [ink, grounds] of pairs) {
      for (const ground of grounds) {
        const ratio = contrast(c[ink], c[ground]);
        assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
    for (const sign of ["ok", "warn-sign", "focus", "accent"]) assert.ok(contrast(c[sign], c.panel) >= 3, `${sign} on panel`);
  });
}

test("night: nothing is brighter than 40 % luminance", () => {
  const p = palettes.night;
  const colours = [
    ...Object.values(page("night")),
    ...Object.values(p).filter((v) => typeof v === "string"),
    ...Object.values(p.group),
    ...p.speed,
  ];
  for (const colour of colours) assert.ok(luminance(colour) <= 0.4, `${colour}: ${luminance(colour)}`);
});
