import { icon } from "../map/symbols";
import type { Group, PaletteName } from "../palette";

/** Kind draws the symbol of a group as the map does. */
export function Kind({ group, palette, degrees, size = 20 }: { group: Group; palette: PaletteName; degrees?: number; size?: number }) {
  return (
    <img
      src={icon(palette, group, degrees, size)}
      class="kind"
      width={size}
      height={size}
      alt=""
      aria-hidden="true"
      decoding="sync"
      draggable={false}
    />
  );
}
