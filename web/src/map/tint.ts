// The colours of shapes, as a palette can show them.
import { contrast, luminance, palettes, type PaletteName } from "../palette";

/** standard is the colour of a shape that has none. */
export const standard = "#0b5c86";

const tints = new Map<string, string>();

/** tint is a colour (#rgb or #rrggbb) as a palette can show it: its hue, as light or dark as the ground asks for. */
export function tint(colour: string, name: PaletteName): string {
  const key = name + colour;
  let found = tints.get(key);
  if (!found) {
    if (tints.size > 500) tints.clear();
    tints.set(key, (found = mix(colour, name)));
  }
  return found;
}

function mix(colour: string, name: PaletteName): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour),
    p = palettes[name];
  const hex = short
    ? `#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}`
    : /^#[0-9a-f]{6}$/i.test(colour)
      ? colour
      : standard;
  const [hue, strength] = hueOf(hex);
  const light = name !== "day",
    most = name === "night" ? 0.5 : 1;
  for (let k = 0; k <= 40; k++) {
    const made = ofHue(hue, Math.min(strength, most), light ? 0.34 + k * 0.015 : 0.48 - k * 0.0115);
    if ([p.sea, p.land, p.halo].every((ground) => contrast(made, ground) >= 4.5) && (name !== "night" || luminance(made) <= 0.4))
      return made;
  }
  return p.text;
}

function hueOf(hex: string): [number, number] {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  const top = Math.max(r, g, b),
    low = Math.min(r, g, b),
    span = top - low;
  if (span < 0.06) return [210, 0.08];
  const hue = top === r ? ((g - b) / span + 6) % 6 : top === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return [hue * 60, Math.min(0.75, Math.max(0.35, span / (1 - Math.abs(top + low - 1) || 1)))];
}

function ofHue(hue: number, strength: number, light: number): string {
  const part = (n: number): string => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - strength * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
      .toString(16)
      .padStart(2, "0");
  };
  return "#" + part(0) + part(8) + part(4);
}
