import { useEffect, useRef } from "preact/hooks";
import { icon } from "../map/symbols";
import { palettes, type Group, type PaletteName } from "../palette";

/** Kind draws the symbol of a group as the map does. */
export function Kind({ group, palette, degrees, size = 20 }: { group: Group; palette: PaletteName; degrees?: number; size?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => icon(canvas.current!, palettes[palette], group, degrees, size), [group, palette, degrees, size]);
  return <canvas ref={canvas} class="kind" style={{ width: `${size}px`, height: `${size}px` }} aria-hidden="true" />;
}
