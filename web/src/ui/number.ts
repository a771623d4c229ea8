// What fields of numbers need beside what the browser does for them.
import { useState } from "preact/hooks";
import { number, t } from "../text/text";

/** useTyped returns the text of a field with a value, and what takes what was typed. It stays while it means the value: "7." and "7.0" lead to 7.05. */
export function useTyped(value: number | undefined): [string, (text: string) => void] {
  const [typed, setTyped] = useState("");
  if (value === undefined || Number.isNaN(value)) return ["", setTyped];
  return [typed !== "" && Number(typed) === value ? typed : String(value), setTyped];
}

/** pointForComma lets a comma be the point of a number where the page writes numbers so. A browser of another language drops it, and 7,5 becomes 75. */
export function pointForComma(e: InputEvent): void {
  if (document.documentElement.lang === "en" || !e.data?.includes(",")) return;
  e.preventDefault();
  document.execCommand("insertText", false, e.data.replaceAll(",", ".")); // it keeps the caret, which a field of numbers does not tell
}

/** boundsText says between which bounds a value must be; "" where it is. */
export function boundsText(value: number | undefined, min: number, max: number | undefined, unit = ""): string {
  if (value === undefined || (value >= min && value <= (max ?? Infinity))) return "";
  const text = (n: number): string => number(n, 0, 10),
    named = (n: number): string => text(n) + (unit && " " + unit);
  return max === undefined ? t("form.least", { min: named(min) }) : t("form.range", { min: text(min), max: named(max) });
}
