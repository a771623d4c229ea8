// Whether a button of the mouse, or a finger, is down. What moves a page meanwhile takes the target away from under a click.
let down = false;

globalThis.addEventListener?.("mousedown", () => (down = true), true);
globalThis.addEventListener?.("mouseup", () => (down = false), true);

/** released does something at once, or as soon as the pointer is released. */
export function released(then: () => void): void {
  if (down) addEventListener("mouseup", then, { once: true, capture: true });
  else then();
}
