// The three palettes in the manner of IHO S-52: day, dusk and night. The page takes its colours from style.css; what is
// drawn on canvas takes them from here. test/palette.test.mjs computes that symbols keep 3:1 and text 4.5:1 on every
// ground, and that nothing of the night palette is brighter than 40 % luminance.

/** PaletteName is one of the three, listed in paletteNames. */
export type PaletteName = "day" | "dusk" | "night";
export const paletteNames: readonly PaletteName[] = ["day", "dusk", "night"];

/** Group is what a symbol's shape and colour tell: the kind of ship, or the kind of station. */
export const groups = [
  "cargo",
  "tanker",
  "passenger",
  "hsc",
  "service",
  "fishing",
  "leisure",
  "authority",
  "other",
  "base",
  "aton",
  "aircraft",
  "distress",
] as const;
export type Group = (typeof groups)[number];
/** The groups from this index on are stations, not ships. */
export const firstStation = groups.indexOf("base");

/** Palette is the colours of what is drawn on canvas, as #rrggbb. */
export interface Palette {
  sea: string;
  land: string;
  shore: string;
  learned: string; // water that ships taught, on what the chart has as land
  grid: string;
  gridText: string;
  outline: string; // around a symbol
  mark: string; // inside a symbol
  text: string; // labels on the map
  halo: string;
  vector: string;
  track: string; // the times of a track, and legs that were not seen
  speed: readonly string[]; // the line of a track, by the band of the speed (track.ts)
  selected: string;
  lost: string;
  group: Record<Group, string>;
}

/** palettes returns the colours of each. */
export const palettes: Record<PaletteName, Palette> = {
  day: {
    sea: "#d9e8f0",
    land: "#efe8d4",
    shore: "#85795a",
    learned: "#b3d4d0",
    grid: "#b4cad6",
    gridText: "#46606e",
    outline: "#12222c",
    mark: "#ffffff",
    text: "#10202a",
    halo: "#f4f8fa",
    vector: "#1d3a4a",
    track: "#8a1a6e",
    speed: ["#59646b", "#1a56b0", "#00717a", "#1f7a3a", "#96530a", "#b3123f"],
    selected: "#b3123f",
    lost: "#8c1d1d",
    group: {
      cargo: "#1f7a3a",
      tanker: "#b3261e",
      passenger: "#1a56b0",
      hsc: "#7a4a00",
      service: "#00717a",
      fishing: "#a3480f",
      leisure: "#93218f",
      authority: "#3a3f9e",
      other: "#56636b",
      base: "#3d4c56",
      aton: "#7a5200",
      aircraft: "#a34700",
      distress: "#c40018",
    },
  },
  dusk: {
    sea: "#14232d",
    land: "#2a2b23",
    shore: "#7f7c61",
    learned: "#1d3f42",
    grid: "#25394a",
    gridText: "#8fa5b3",
    outline: "#060b0f",
    mark: "#0a1117",
    text: "#d3dde3",
    halo: "#0c161d",
    vector: "#a9bfcc",
    track: "#e08ad0",
    speed: ["#a5b2ba", "#7fb4f2", "#5cc4cc", "#6fbf7f", "#e0bd5a", "#f0857a"],
    selected: "#ffb454",
    lost: "#e08a7c",
    group: {
      cargo: "#6fbf7f",
      tanker: "#f0857a",
      passenger: "#7fb4f2",
      hsc: "#e0bd5a",
      service: "#5cc4cc",
      fishing: "#e89a5e",
      leisure: "#d98ad8",
      authority: "#aaa8f0",
      other: "#a5b2ba",
      base: "#9fb0bb",
      aton: "#d9b35a",
      aircraft: "#f0a860",
      distress: "#ff7a70",
    },
  },
  night: {
    sea: "#04080b",
    land: "#1a1811",
    shore: "#706a48",
    learned: "#0c2426",
    grid: "#0f1c24",
    gridText: "#948068",
    outline: "#000000",
    mark: "#050505",
    text: "#b09a80",
    halo: "#020405",
    vector: "#6f6355",
    track: "#a0608f",
    speed: ["#78828a", "#5580b5", "#3d8b92", "#4f8f5c", "#9c8138", "#c4574f"],
    selected: "#d08a35",
    lost: "#c07468",
    group: {
      cargo: "#4f8f5c",
      tanker: "#bb5f56",
      passenger: "#5580b5",
      hsc: "#9c8138",
      service: "#3d8b92",
      fishing: "#ab6c3c",
      leisure: "#a05f9f",
      authority: "#7b79b5",
      other: "#78828a",
      base: "#727f88",
      aton: "#9a7d3c",
      aircraft: "#b0773d",
      distress: "#d0544c",
    },
  },
};

/** luminance is the relative luminance of a #rrggbb colour as WCAG 2.2 defines it, 0..1. */
export function luminance(colour: string): number {
  const channel = (at: number): number => {
    const c = parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** contrast is the WCAG contrast ratio of two #rrggbb colours, 1..21. */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
