import type { Palette } from "../palette";

/** textured is the fill of land: dots that tell it from water also where no shore is in view, and where the eye does not see their colours. */
export function textured(p: Palette): CanvasPattern | string {
  const each = 9,
    ratio = window.devicePixelRatio || 1,
    canvas = document.createElement("canvas"),
    c = canvas.getContext("2d")!;
  canvas.width = canvas.height = 2 * each * ratio;
  c.fillStyle = p.land;
  c.fillRect(0, 0, canvas.width, canvas.height);
  c.fillStyle = p.shore;
  c.globalAlpha = 0.55;
  for (const at of [0.5, 1.5]) c.fillRect(at * each * ratio, at * each * ratio, ratio, ratio);
  return c.createPattern(canvas, "repeat") ?? p.land;
}
