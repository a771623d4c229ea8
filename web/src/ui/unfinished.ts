// What stands in a field and is no value yet. Saved without it, a form would say less than its user wrote.

/** unfinished tells whether an input has text that is no value. The first one says so and gets the focus. */
export function unfinished(within: ParentNode): boolean {
  const input = [...within.querySelectorAll("input")].find(({ validity }) => validity.customError || validity.badInput),
    fold = input?.closest("details");
  if (fold) fold.open = true;
  input?.reportValidity();
  return input !== undefined;
}
