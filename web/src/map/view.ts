// Screen is how a frame lies over the world: the affine map from EPSG:3857 metres to pixels of the canvas.
export interface Screen {
  x: number; // centre, metres
  y: number;
  resolution: number; // metres of the projection per CSS pixel
  ratio: number; // pixels of the canvas per CSS pixel
  width: number; // pixels of the canvas
  height: number;
}

/** world is how many metres of the projection the world is wide. */
export const world = 2 * Math.PI * 6378137;

/** across returns the column of a place in pixels: the copy of the world nearest to the middle of the screen. */
export function across(s: Screen, x: number): number {
  let dx = x - s.x;
  if (dx > world / 2) dx -= world;
  else if (dx < -world / 2) dx += world;
  return (dx / s.resolution) * s.ratio + s.width / 2;
}

/** down returns the row of a place in pixels. */
export const down = (s: Screen, y: number): number => ((s.y - y) / s.resolution) * s.ratio + s.height / 2;

/** stretch is how much the projection enlarges at this northing: 1 / cos(latitude). */
export const stretch = (y: number): number => Math.cosh(y / 6378137);
