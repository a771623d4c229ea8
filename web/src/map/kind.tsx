import { icon } from "./symbols";
import type { Group, PaletteName } from "../palette";

interface Props {
  group: Group;
  palette: PaletteName;
  degrees?: number;
  size?: number;
  /** empty is a symbol without a body. */
  empty?: boolean;
}

/** Kind draws the symbol of a group as the map does. */
export function Kind({ group, palette, degrees, size = 20, empty }: Props) {
  return (
    <img
      src={icon(palette, group, degrees, size, empty)}
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
