/** reveal scrolls the card so far that a section begins at its top, where it would else end below what is seen. */
export function reveal(section: Element): void {
  const body = section.closest(".body")!,
    seen = body.getBoundingClientRect(),
    { top, bottom } = section.getBoundingClientRect();
  if (bottom > seen.bottom) body.scrollTop += top - seen.top;
}
