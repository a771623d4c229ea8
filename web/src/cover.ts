/** cover is what the card hides of the map's right edge, in pixels. */
export const cover = (): number => (innerWidth >= 900 ? 350 : 0);
