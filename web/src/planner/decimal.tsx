import { useLayoutEffect, useState } from "preact/hooks";
import { number, t } from "../text/text";
import { Field } from "../ui/form";

interface DecimalProps {
  label: string;
  unit: string;
  at?: string;
  hint?: string;
  value: number | undefined;
  /** usual stands in the empty field. */
  usual: number | undefined;
  onInput: (value: number | undefined) => void;
}

/** readDecimal reads a number that is more than 0, with a point or a comma; "" is undefined, and NaN what is none. */
export function readDecimal(text: string): number | undefined {
  const word = text.trim().replace(",", ".");
  if (word === "") return undefined;
  return /^(\d+\.?\d*|\.\d+)$/.test(word) && Number(word) > 0 ? Number(word) : Number.NaN;
}

/** Decimal is a number with its unit. What is half typed stays as it is, and is no number yet. */
export function Decimal({ label, unit, at, hint, value, usual, onInput }: DecimalProps) {
  const [text, setText] = useState<string>();
  const typed = text === undefined ? value : readDecimal(text),
    unread = Number.isNaN(typed);
  // Before the next key: what is typed then stays.
  useLayoutEffect(() => {
    if (!unread && typed !== value) setText(undefined); // it was changed elsewhere
  }, [value]);
  return (
    <Field label={label} hint={hint} at={at} error={unread && !/^[0.,]*$/.test(text!.trim()) ? t("planner.unread") : ""}>
      {(aria) => (
        <span class="entry">
          <input
            {...aria}
            type="text"
            inputMode="decimal"
            autocomplete="off"
            placeholder={usual === undefined ? "" : number(usual, 1, 2)}
            value={text ?? (value === undefined ? "" : value < 1000 ? number(value, 0, 2) : String(value))}
            onInput={(e) => {
              setText(e.currentTarget.value);
              const read = readDecimal(e.currentTarget.value);
              onInput(Number.isNaN(read) ? undefined : read);
            }}
            onBlur={() => !unread && setText(undefined)}
          />
          <span class="unit">{unit}</span>
        </span>
      )}
    </Field>
  );
}
