// Hulls are drawn to scale around the antenna once that is larger than a symbol. y is always the northing of the ship, in metres of
// the projection.
import { firstStation, groups, type Palette } from "../palette";
import { bow, type Ship } from "../ship";
import { drawMark } from "./symbols";
import { stretch, type Screen } from "./view";

/** Box is left, top, right and bottom. */
type Box = [number, number, number, number];

/** Hull is a hull to scale: its ends and sides as seen from the antenna, in pixels; aft and port are negative as a rule. */
export interface Hull {
  angle: number;
  fore: number;
  aft: number;
  port: number;
  starboard: number;
  width: number;
}

/** hullOf measures the hull of a ship; undefined where it would be smaller than the symbol. */
export function hullOf(s: Screen, ship: Ship, y: number): Hull | undefined {
  const heading = bow(ship);
  if (s.resolution >= 16 || heading === undefined || !ship.length || !ship.width) return undefined;
  const enlarged = stretch(y),
    scale = (enlarged / s.resolution) * s.ratio;
  if (s.resolution / enlarged > 7 || ship.length * scale < 12 * s.ratio) return undefined;
  const known = (ship.dim_a ?? 0) + (ship.dim_b ?? 0) > 0;
  const fore = (known ? (ship.dim_a ?? 0) : ship.length / 2) * scale,
    aft = fore - ship.length * scale;
  const port = -(known ? (ship.dim_c ?? 0) : ship.width / 2) * scale,
    starboard = port + ship.width * scale;
  return { angle: (heading * Math.PI) / 180, fore, aft, port, starboard, width: ship.width * scale };
}

/** boxesOf covers a hull with boxes along its middle line. */
export function boxesOf(hull: Hull, x: number, y: number, half: number): Box[] {
  const sin = Math.sin(hull.angle),
    cos = Math.cos(hull.angle),
    middle = (hull.port + hull.starboard) / 2;
  const reach = Math.max(half / 2, hull.width / 2),
    pieces = Math.max(1, Math.ceil((hull.fore - hull.aft) / (2 * reach)));
  return Array.from({ length: pieces }, (_, n) => {
    const along = hull.aft + ((n + 0.5) * (hull.fore - hull.aft)) / pieces;
    const at = [x + sin * along + cos * middle, y - cos * along + sin * middle];
    return [at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach];
  });
}

/** drawHull draws a ship with its antenna at a place in pixels; it declines where the hull would be smaller than the symbol. */
export function drawHull(c: CanvasRenderingContext2D, s: Screen, palette: Palette, ship: Ship, y: number, px: number, py: number): boolean {
  const hull = hullOf(s, ship, y);
  if (!hull) return false;
  const { angle, fore, aft, port, starboard, width } = hull;
  const middle = (port + starboard) / 2,
    shoulder = fore - Math.min((fore - aft) * 0.22, width * 1.1);
  c.save();
  c.translate(px, py);
  c.rotate(angle);
  c.beginPath();
  c.moveTo(middle, -fore);
  c.quadraticCurveTo(starboard, -(fore + shoulder) / 2, starboard, -shoulder);
  c.lineTo(starboard, -aft);
  c.lineTo(port, -aft);
  c.lineTo(port, -shoulder);
  c.quadraticCurveTo(port, -(fore + shoulder) / 2, middle, -fore);
  fill(c, palette, ship, s.ratio);
  c.translate(middle, -(fore + aft) / 2);
  const size = Math.min(1.6 * s.ratio, width / 9);
  c.scale(size, size);
  drawMark(c, ship.group, ship.signal === "lost" ? palette.group[ship.group] : palette.mark);
  c.restore();
  return true;
}

function fill(c: CanvasRenderingContext2D, palette: Palette, ship: Ship, ratio: number): void {
  const hollow = ship.group === "other" || ship.signal === "lost";
  c.fillStyle = hollow ? palette.halo : palette.group[ship.group];
  c.strokeStyle = hollow ? palette.group[ship.group] : palette.outline;
  c.lineWidth = (hollow ? 2 : 1) * ratio;
  c.fill();
  c.stroke();
  c.fillStyle = palette.mark;
  c.fillRect(-1 * ratio, -1 * ratio, 2 * ratio, 2 * ratio); // the antenna
}

/** reachOf is how far symbol or hull of a ship reach from the antenna to the west, north, east and south, in pixels. */
export function reachOf(s: Screen, ship: Ship, y: number): Box {
  const half = 6 * s.ratio,
    hull = groups.indexOf(ship.group) < firstStation ? hullOf(s, ship, y) : undefined;
  if (!hull) return [half, half, half, half];
  const sin = Math.sin(hull.angle),
    cos = Math.cos(hull.angle);
  const corners = [hull.aft, hull.fore].flatMap((along) => [hull.port, hull.starboard].map((aside) => [along, aside]));
  const xs = corners.map(([along, aside]) => sin * along + cos * aside),
    ys = corners.map(([along, aside]) => sin * aside - cos * along);
  return [Math.max(half, -Math.min(...xs)), Math.max(half, -Math.min(...ys)), Math.max(half, ...xs), Math.max(half, ...ys)];
}
