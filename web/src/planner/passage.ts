import type { Sentence } from "../api";
import { known, told } from "../text/text";

/** passageName is the name of a canal or strait in the user's language. */
export const passageName = (name: string): string => known("passage." + name) || name;

/** warningText is a sentence of the server about a passage, with its name in the user's language. The server's own sentence, which English takes, has
 * the name of the table. */
export const warningText = (w: Sentence): string => {
  if (typeof w.params?.passage !== "string") return told(w);
  const name = w.params.passage,
    passage = passageName(name);
  return told({ ...w, detail: w.detail.replace(name, () => passage), params: { ...w.params, passage } });
};
