/** glide returns how long the map moves to what it shows, milliseconds: not at all for those who asked their system for less motion. */
export const glide = (usual: number): number => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : usual);
