// The fields that forms are made of. Each shows what the API said of it.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../text/text";
import { below, type Wrong } from "./wrong";

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  at?: string;
  wrong?: Wrong;
  wide?: boolean;
}

/** Field is a label, what is typed or chosen, a hint, and the error of it. */
export function Field({
  label,
  hint,
  at,
  wrong,
  wide,
  children,
}: FieldProps & { children: (aria: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ComponentChildren }) {
  const id = useId(),
    error = below(wrong, at);
  return (
    <div class={"field" + (wide ? " wide" : "") + (error ? " invalid" : "")}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint ${id}-error`, "aria-invalid": error !== "" })}
      {hint && (
        <p class="hint" id={id + "-hint"}>
          {hint}
        </p>
      )}
      {error && (
        <p class="problem" id={id + "-error"}>
          {error}
        </p>
      )}
    </div>
  );
}

interface Input {
  required?: boolean;
  disabled?: boolean;
  autocomplete?: string;
  placeholder?: string;
  maxLength?: number;
  autofocus?: boolean;
  autocapitalize?: "none";
  spellcheck?: boolean;
}

/** TextField is a line of text. */
export function TextField({
  label,
  hint,
  at,
  wrong,
  wide,
  value,
  onInput,
  type = "text",
  unit,
  ...rest
}: FieldProps &
  Input & {
    value: string;
    onInput: (value: string) => void;
    type?: "text" | "password" | "email" | "tel" | "datetime-local" | "color";
    unit?: string;
  }) {
  return (
    <Field label={label} hint={hint} at={at} wrong={wrong} wide={wide}>
      {(aria) => (
        <span class="entry">
          <input {...rest} {...aria} type={type as "text"} value={value} onInput={(e) => onInput(e.currentTarget.value)} />
          {unit && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

/** NumberField is a number with its unit; empty is undefined. */
export function NumberField({
  label,
  hint,
  at,
  wrong,
  wide,
  value,
  onInput,
  unit,
  min = 0,
  max,
  step = 1,
  ...rest
}: FieldProps &
  Input & {
    value: number | undefined;
    onInput: (value: number | undefined) => void;
    unit?: string;
    min?: number;
    max?: number;
    step?: number | "any";
  }) {
  return (
    <Field label={label} hint={hint} at={at} wrong={wrong} wide={wide}>
      {(aria) => (
        <span class="entry">
          <input
            {...rest}
            {...aria}
            type="number"
            inputMode="decimal"
            min={min}
            max={max}
            step={step}
            value={value ?? ""}
            onInput={(e) => onInput(e.currentTarget.value === "" ? undefined : e.currentTarget.valueAsNumber)}
          />
          {unit && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

/** TextArea is text of more than one line. */
export function TextArea({
  label,
  hint,
  at,
  wrong,
  wide = true,
  value,
  onInput,
  rows = 3,
  disabled,
}: FieldProps & { value: string; onInput: (value: string) => void; rows?: number; disabled?: boolean }) {
  return (
    <Field label={label} hint={hint} at={at} wrong={wrong} wide={wide}>
      {(aria) => (
        <textarea
          {...aria}
          rows={rows}
          disabled={disabled}
          spellcheck={false}
          value={value}
          onInput={(e) => onInput(e.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

/** Choice is one of a few. */
export function Choice({
  label,
  hint,
  at,
  wrong,
  wide,
  value,
  options,
  onChange,
  disabled,
}: FieldProps & { value: string; options: Option[]; onChange: (value: string) => void; disabled?: boolean }) {
  return (
    <Field label={label} hint={hint} at={at} wrong={wrong} wide={wide}>
      {(aria) => (
        <select {...aria} value={value} disabled={disabled} onChange={(e) => onChange(e.currentTarget.value)}>
          {options.map((o) => (
            <option key={o.value} value={o.value} selected={o.value === value}>
              {o.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Switch is yes or no. */
export function Switch({
  label,
  hint,
  at,
  wrong,
  wide,
  on,
  onChange,
  disabled,
}: FieldProps & { on: boolean; onChange: (on: boolean) => void; disabled?: boolean }) {
  const id = useId(),
    error = below(wrong, at);
  return (
    <div class={"field" + (wide ? " wide" : "")}>
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          disabled={disabled}
          aria-describedby={id}
          onChange={(e) => onChange(e.currentTarget.checked)}
        />{" "}
        <span>{label}</span>
      </label>
      <div id={id}>
        {hint && <p class="hint">{hint}</p>}
        {error && <p class="problem">{error}</p>}
      </div>
    </div>
  );
}

/** Picker takes several of the options or, where free, anything that is typed. */
export function Picker({
  label,
  hint,
  at,
  wrong,
  wide = true,
  chosen,
  options,
  onChange,
  free,
  check,
  disabled,
}: FieldProps & {
  chosen: string[];
  options: Option[];
  onChange: (chosen: string[]) => void;
  free?: boolean;
  check?: (text: string) => boolean;
  disabled?: boolean;
}) {
  const [text, setText] = useState(""),
    list = useId();
  const [refused, setRefused] = useState(false);
  const named = (value: string): string => options.find((o) => o.value === value)?.label ?? value;
  const left = options.filter((o) => !chosen.includes(o.value));
  const take = (typed: string): boolean => {
    const word = typed.trim();
    if (word === "") return true;
    const value =
      left.find((o) => o.label === word || o.value === word)?.value ??
      left.find((o) => o.label.toLowerCase() === word.toLowerCase())?.value ??
      (free && (check?.(word) ?? true) ? word : undefined);
    if (value === undefined) return (setRefused(true), false);
    setRefused(false);
    setText("");
    if (!chosen.includes(value)) onChange([...chosen, value]);
    return true;
  };
  const typed = (value: string): void => {
    setText(value);
    setRefused(false);
    if (left.some((o) => o.label === value)) take(value); // chosen from the list
  };
  return (
    <Field
      label={label}
      hint={hint}
      at={at}
      wrong={refused ? { general: "", at: { [at ?? "/"]: t("form.unknown", { text }) } } : wrong}
      wide={wide}>
      {(aria) => (
        <div class="picker">
          {chosen.map((value) => (
            <span class="chosen" key={value}>
              {named(value)}
              <button
                type="button"
                disabled={disabled}
                aria-label={t("form.remove", { name: named(value) })}
                onClick={() => onChange(chosen.filter((c) => c !== value))}>
                ×
              </button>
            </span>
          ))}
          {!disabled && (
            <input
              {...aria}
              list={list}
              value={text}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              placeholder={t("form.add")}
              onInput={(e) => typed(e.currentTarget.value)}
              onBlur={() => take(text)}
              onKeyDown={(e) => {
                if (e.key === "Enter" || e.key === ",") {
                  e.preventDefault();
                  take(text);
                } else if (e.key === "Backspace" && text === "" && chosen.length > 0) onChange(chosen.slice(0, -1));
              }}
            />
          )}
          <datalist id={list}>
            {left.map((o) => (
              <option key={o.value} value={o.label} />
            ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}
