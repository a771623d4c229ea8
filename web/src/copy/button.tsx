import { useState } from "preact/hooks";
import { learn, t } from "../text/text";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Copy is a button that puts a text where other programs find it, and says whether it could. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [said, say] = useState("");
  return (
    <button type="button" onBlur={() => say("")} onClick={() => void copy(text).then((ok) => say(ok ? "copy.done" : "copy.not"))}>
      {said ? t(said) : label}
    </button>
  );
}

/** copy tells whether it could. A page that came without encryption has no clipboard but the old way. */
export async function copy(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // it refuses: the old way is left
  }
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "unseen";
  document.body.append(box);
  box.select();
  const ok = document.execCommand("copy");
  box.remove();
  return ok;
}
