// The fields that forms are made of. Each shows what the API said of it.
import type { ComponentChildren } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { fold } from "../letters";
import { t } from "../text/text";
import { boundsText, pointForComma, useTyped } from "./number";
import { released } from "./press";
import { below, Errors } from "./wrong";

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** at is the pointer of the field in what is sent. */
  at?: string;
  /** error is told in place of what the API said. */
  error?: string;
  /** each names the elements of a list, of which the API may have said something. */
  each?: readonly string[];
  wide?: boolean;
}

/** Aria is what an input refers to: its label, hint and error. */
export interface Aria {
  id: string;
  "aria-describedby": string;
  "aria-invalid": boolean;
}

/** Field is a label, what is typed or chosen, a hint, and the error of it. */
export function Field({ label, hint, at, error, each, wide, children }: FieldProps & { children: (aria: Aria) => ComponentChildren }) {
  const id = useId(),
    wrong = useContext(Errors),
    told = error || below(wrong, at, each);
  return (
    <div class={"field" + (wide ? " wide" : "") + (told ? " invalid" : "")}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint ${id}-error`, "aria-invalid": told !== "" })}
      {hint && (
        <p class="hint" id={id + "-hint"}>
          {hint}
        </p>
      )}
      {told && (
        <p class="problem" id={id + "-error"}>
          {told}
        </p>
      )}
    </div>
  );
}

interface Input<T> extends FieldProps {
  value: T;
  onInput: (value: T) => void;
  required?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  autocomplete?: string;
  placeholder?: string;
  maxLength?: number;
  autofocus?: boolean;
  autocapitalize?: "none";
  spellcheck?: boolean;
}

interface TextProps extends Input<string> {
  type?: "text" | "password" | "email" | "tel";
}

/** TextField is a line of text. */
export function TextField({ label, hint, at, error, each, wide, onInput, type = "text", ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint} at={at} error={error} each={each} wide={wide}>
      {(aria) => (
        <span class="entry">
          <input {...rest} {...aria} type={type as "text"} onInput={(e) => onInput(e.currentTarget.value)} />
        </span>
      )}
    </Field>
  );
}

interface NumberProps extends Input<number | undefined> {
  unit?: string;
  min?: number;
  max?: number;
  step?: number | "any";
}

/** NumberField is a number with its unit; empty is undefined. What is wrong with it beyond its bounds is told in its own unit, not in that of the API. */
export function NumberField({ label, hint, at, error, wide, value, onInput, unit, min = 0, step = 1, ...rest }: NumberProps) {
  const [text, type] = useTyped(value);
  const wrong = useContext(Errors),
    told = error || (below(wrong, at) && boundsText(value, min, rest.max, unit));
  const read = (input: HTMLInputElement): void => {
    type(input.value);
    onInput(input.value === "" ? undefined : input.valueAsNumber);
  };
  const limits = { ...rest, min, step: Number.isInteger(min) ? step : "any", value: text }; // the arrow keys count from min
  return (
    <Field label={label} hint={hint} at={at} error={told} wide={wide}>
      {(aria) => (
        <span class="entry">
          <input
            {...limits}
            {...aria}
            type="number"
            inputMode="decimal"
            onBeforeInput={pointForComma}
            onInput={(e) => read(e.currentTarget)}
          />
          {unit && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

interface AreaProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  rows?: number;
  disabled?: boolean;
}

/** TextArea is text of more than one line. */
export function TextArea({ value, onInput, rows = 3, disabled, ...field }: AreaProps) {
  const input = { rows, disabled, value, spellcheck: false };
  return (
    <Field wide {...field}>
      {(aria) => <textarea {...aria} {...input} onInput={(e) => onInput(e.currentTarget.value)} />}
    </Field>
  );
}

/** Option is what a Choice or Picker offers. */
export interface Option {
  value: string;
  label: string;
  /** also is another word by which a Picker offers it. */
  also?: string;
}

interface ChoiceProps extends FieldProps {
  value: string;
  options: Option[];
  onChange: (value: string) => void;
  disabled?: boolean;
}

/** Choice is one of a few. */
export function Choice({ value, options, onChange, disabled, ...field }: ChoiceProps) {
  return (
    <Field {...field}>
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

interface SwitchProps extends FieldProps {
  on: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
}

/** Switch is yes or no. */
export function Switch({ label, hint, at, wide, on, onChange, disabled }: SwitchProps) {
  const id = useId(),
    wrong = useContext(Errors),
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

interface ChecksProps extends FieldProps {
  chosen: string[];
  options: Option[];
  onChange: (chosen: string[]) => void;
}

/** Checks takes several of a few options, each with a box of its own. */
export function Checks({ label, hint, at, chosen, options, onChange }: ChecksProps) {
  const id = useId(),
    error = below(useContext(Errors), at);
  const put = (value: string, on: boolean): void =>
    onChange(options.map((o) => o.value).filter((each) => (each === value ? on : chosen.includes(each))));
  return (
    <div class="field" role="group" aria-labelledby={id + "-label"} aria-describedby={id}>
      <span class="quiet" id={id + "-label"}>
        {label}
      </span>
      {options.map(({ value, label: word }) => (
        <label class="check" key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={(e) => put(value, e.currentTarget.checked)} />{" "}
          <span>{word}</span>
        </label>
      ))}
      <div id={id}>
        {hint && <p class="hint">{hint}</p>}
        {error && <p class="problem">{error}</p>}
      </div>
    </div>
  );
}

interface PickerProps extends FieldProps {
  chosen: string[];
  options: Option[];
  onChange: (chosen: string[]) => void;
  free?: boolean;
  check?: (text: string) => boolean;
  disabled?: boolean;
  /** onType hears what is typed, so that it may bring other options. */
  onType?: (text: string) => void;
}

/** Picker takes several of the options or, where free, anything that is typed. Text that it did not take makes its input invalid. */
export function Picker({ chosen, options, onChange, free, check, disabled, onType, ...field }: PickerProps) {
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
      left.find((o) => fold(o.label) === fold(word))?.value ??
      (free && (check?.(word) ?? true) ? word : undefined);
    if (value === undefined) return setRefused(true), false;
    setRefused(false);
    setText("");
    if (!chosen.includes(value)) onChange([...chosen, value]);
    return true;
  };
  const typed = (value: string): void => {
    setText(value);
    setRefused(false);
    onType?.(value);
    if (left.some((o) => o.label === value)) take(value); // chosen from the list
  };
  return (
    <Field wide each={chosen.map(named)} {...field} error={refused ? t("form.unknown", { text }) : ""}>
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
              ref={(input) => {
                input?.setCustomValidity(text.trim() && t("form.unknown", { text }));
              }}
              list={list}
              value={text}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              placeholder={t("form.add")}
              onInput={(e) => typed(e.currentTarget.value)}
              onBlur={() => released(() => take(text))}
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
              <option key={o.value} value={o.label} label={o.also} />
            ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}
