// A small picture of what each kind of statistics asks. It is drawn in lines of the colour of the text.
const ship = (x: number, y: number): string => `M${x} ${y}l7 3-7 3 1.5-3z`;
const box = "M14 8h28v22H14z";

const pictures: Record<string, { quiet: string; strong: string }> = {
  area: { quiet: box, strong: `M2 19h40 ${ship(44, 16)} M14 16v6 M42 16v6` },
  passageline: { quiet: "M28 4v30", strong: `M4 26 28 19l14-4 ${ship(43, 11)} M25 16h6v6h-6z` },
  multipassageline: {
    quiet: "M14 6v26 M38 6v26",
    strong: `M4 26 14 23l24-8 8-2 ${ship(46, 10)} M11.500 20.500h5v5h-5z M35.500 12.500h5v5h-5z`,
  },
  portcalls: { quiet: "M4 32h22v-8h26 M4 24h14", strong: `${ship(26, 12)} M44 6v14 M39 11h10 M38 17c2 4 10 4 12 0` },
  trip: { quiet: "M4 34h10v-8H4 M42 12h10V4H42", strong: `M14 28c14 0 4-18 22-18 ${ship(25, 15)}` },
  historicaltrack: { quiet: "M4 32h48", strong: `M4 28c8-16 14 4 22-8s8-10 16-8 ${ship(44, 9)}` },
  density: {
    quiet: "M8 4v30 M18 4v30 M28 4v30 M38 4v30 M48 4v30 M8 4h40 M8 14h40 M8 24h40 M8 34h40",
    strong: "M18 14h10v10H18z M28 14h10v10H28z M28 4h10v10H28z M30 17l6 4 M30 21l6-4",
  },
  sogdist: { quiet: "M6 4v28h46", strong: "M12 32V22h6v10 M22 32V10h6v22 M32 32V16h6v16 M42 32v-6h6v6" },
  multiship: { quiet: "M6 8h20 M6 19h20 M6 30h20", strong: `M34 8h12m-4-4 4 4-4 4 M34 28h12m-4-4 4 4-4 4 ${ship(30, 15)}` },
  nmss: { quiet: "M4 8l20 11 M52 8 32 19", strong: `${ship(16, 14)} ${ship(36, 20)} M25 17l9 5 M28 12v3 M32 12v3` },
  nmsp: { quiet: "M28 19m-13 0a13 13 0 1 0 26 0a13 13 0 1 0-26 0", strong: `M28 16v6 M25 19h6 M4 32 40 28 ${ship(40, 24)}` },
  transitpilot: {
    quiet: "M4 8h14v22H4z M38 8h14v22H38z",
    strong: `M10 19h30 ${ship(24, 16)} M10 14v5 M45 14v5 M10 14h4l-4 3 M45 14h4l-4 3`,
  },
  pilotboat: { quiet: "M4 32h12v-8H4 M36 6h16v14H36z", strong: `M16 26c10 4 14-10 24-12 M40 15c-4 10-14 16-24 14 ${ship(41, 10)}` },
};

/** Picture is that of a kind. */
export const Picture = ({ kind }: { kind: string }) => {
  const { quiet, strong } = pictures[kind] ?? pictures.area;
  return (
    <svg class="statpicture" viewBox="0 0 56 38" aria-hidden="true">
      <path class="low" d={quiet} />
      <path d={strong} />
    </svg>
  );
};
