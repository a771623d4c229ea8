// Access lists as the API takes them.
import type { Reference } from "../contract";

/** aclOf writes names as the API takes them: known ones by uid, so that a rename meanwhile does no harm. */
export const aclOf = (names: string[], known: Reference[]): (string | { uid: string })[] =>
  names.map((name) => {
    const ref = known.find((r) => r.name === name);
    return ref ? { uid: ref.uid } : name;
  });
