// The parts that forms and tables are made of. A field shows what the API said of it: the problem's errors name it by JSON pointer.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refusal, type Referrer } from "../api";
import { learn, number, t, told } from "../text/text";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Wrong is what was wrong with the last try to save: of single fields by pointer, and the rest. */
export interface Wrong {
  general: string;
  at: Record<string, string>;
}
export const nothingWrong: Wrong = { general: "", at: {} };

/** wrongOf reads a failed call. A field that the form does not have is told in general. */
export function wrongOf(problem: unknown): Wrong {
  if (!(problem instanceof Refusal)) return { general: t("form.unreachable"), at: {} };
  const at = Object.fromEntries(problem.errors.map((e) => [e.pointer, told(e.detail)]));
  const filter = problem.code === "filter_syntax" && problem.offset !== undefined;
  if (filter) at["/filter"] ??= t("search.error", { at: problem.offset! + 1, detail: problem.message });
  return {
    general: problem.errors.length > 0 ? t("form.look") : filter ? at["/filter"] : stillReferred(problem) || told(problem.message),
    at,
  };
}

/** stillReferred says who or what still refers to a thing that was to go; "" for any other refusal. */
export function stillReferred(problem: unknown): string {
  if (!(problem instanceof Refusal) || problem.code !== "conflict" || problem.records.length === 0) return "";
  const by = (problem.records as Referrer[]).map((r) =>
    r.name === undefined ? t("refers." + r.type) : t("refers." + r.type, { name: r.name }),
  );
  return t("refers.still", { by: by.join(", ") });
}

// below gives what was wrong at a pointer or at something below it, as /groups/1 below /groups.
function below(wrong: Wrong | undefined, pointer: string | undefined): string {
  if (!wrong || !pointer) return "";
  return Object.entries(wrong.at)
    .filter(([p]) => p === pointer || p.startsWith(pointer + "/"))
    .map(([p, detail]) => (p === pointer ? detail : `${p.slice(pointer.length + 1)}: ${detail}`))
    .join("; ");
}

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

/** Sheet is a form: its fields, what was wrong in general, and the buttons below that stay in sight. What is being saved is not saved a second time. */
export function Sheet({
  wrong,
  save,
  onSave,
  onCancel,
  children,
  more,
  bad,
  unsaved = true,
}: {
  wrong: Wrong;
  save: string;
  onSave: () => unknown;
  onCancel?: () => void;
  children: ComponentChildren;
  more?: ComponentChildren;
  bad?: boolean;
  unsaved?: boolean;
}) {
  const form = useRef<HTMLFormElement>(null);
  const saving = useRef(false); // before the page is drawn anew: a double click is two tries
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (saving.current) return;
    saving.current = true;
    setBusy(true);
    try {
      await onSave();
    } finally {
      saving.current = false;
      setBusy(false);
    }
  };
  useLayoutEffect(() => {
    if (wrong === nothingWrong) return;
    (form.current?.querySelector("[aria-invalid=true]") as HTMLElement | null)?.focus();
  }, [wrong]);
  return (
    <form
      class="sheet"
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}>
      {children}
      <div class="save">
        <p class="problem" role="alert">
          {wrong.general}
        </p>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t("form.cancel")}
          </button>
        )}
        {more}
        <button class={bad ? "dangerous" : "primary"} disabled={busy || !unsaved}>
          {save}
        </button>
      </div>
    </form>
  );
}

/** ColumnOf is a column of a table: text is what it sorts, searches and shows by; cell draws it otherwise. One that is empty in every row is not shown. */
export interface ColumnOf<R> {
  key: string;
  heading: string;
  text: (row: R) => string | number | undefined;
  cell?: (row: R) => ComponentChildren;
  width?: string; // of a grid column
  from?: number; // pixels of the table from which it is shown
  right?: boolean;
}

/** Table shows rows to sort and search; only those in sight exist, so that twenty thousand cost no more than forty. */
export function Table<R>({
  label,
  columns,
  rows,
  id,
  onOpen,
  chosen,
  empty,
  sort,
  tools,
  searchable = true,
}: {
  label: string;
  columns: ColumnOf<R>[];
  rows: readonly R[];
  id: (row: R) => string;
  onOpen?: (row: R) => void;
  chosen?: string;
  empty: ComponentChildren;
  sort?: { key: string; down: boolean };
  tools?: ComponentChildren;
  searchable?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [order, setOrder] = useState(sort ?? { key: columns[0].key, down: false });
  const [scroll, setScroll] = useState(0);
  const [at, setAt] = useState(-1);
  const [size, setSize] = useState({ width: 900, height: 600, bar: 0 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(
      () =>
        box.current &&
        setSize({
          width: box.current.clientWidth,
          height: box.current.clientHeight,
          bar: box.current.offsetWidth - box.current.clientWidth,
        }),
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const hits =
      words.length === 0
        ? [...rows]
        : rows.filter((row) => {
            const all = columns
              .map((c) => c.text(row) ?? "")
              .join(" ")
              .toLowerCase();
            return words.every((word) => all.includes(word));
          });
    const by = columns.find((c) => c.key === order.key) ?? columns[0],
      sign = order.down ? -1 : 1;
    const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
    const keyed = hits.map((row) => ({ row, key: by.text(row) }));
    keyed.sort((a, b) => {
      const none = (v: unknown): boolean => v === undefined || v === "";
      if (none(a.key) || none(b.key)) return (none(a.key) ? 1 : 0) - (none(b.key) ? 1 : 0);
      return (
        sign * (typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : collator.compare(String(a.key), String(b.key)))
      );
    });
    return keyed.map((k) => k.row);
  }, [rows, text, order, columns.map((c) => c.key).join()]);
  const rowHeight = innerWidth < 900 ? 48 : 30;
  const filled = useMemo(
    () =>
      new Set(
        columns
          .filter(
            (c, i) =>
              i === 0 ||
              rows.length === 0 ||
              rows.some((row) => {
                const text = c.text(row);
                return (c.heading === "" && text === undefined) || (text ?? "") !== "";
              }),
          )
          .map((c) => c.key),
      ),
    [rows, columns.map((c) => c.key).join()],
  );
  const shown = columns.filter((c) => size.width >= (c.from ?? 0) && filled.has(c.key));
  const template = shown.map((c) => c.width ?? "minmax(0, 1fr)").join(" ");
  const first = Math.max(0, Math.floor(scroll / rowHeight) - 4);
  const visible = found.slice(first, first + Math.ceil(size.height / rowHeight) + 8);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(found.length - 1, to)),
      top = next * rowHeight,
      b = box.current!;
    setAt(next);
    if (top < b.scrollTop) b.scrollTop = top;
    else if (top + rowHeight > b.scrollTop + b.clientHeight) b.scrollTop = top + rowHeight - b.clientHeight;
  };
  const key = (e: KeyboardEvent): void => {
    if (e.target !== e.currentTarget) return;
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[e.key];
    if (by !== undefined && found.length > 0) {
      e.preventDefault();
      move(by === -1e9 ? 0 : at + by);
    } else if (e.key === "Enter" && found[at]) onOpen?.(found[at]);
  };
  return (
    <div class="tablebox" style={{ "--columns": template, "--row": `${rowHeight}px` } as never}>
      {(searchable || tools) && (
        <div class="tools">
          {searchable && (
            <input
              class="sift"
              type="search"
              aria-label={t("table.search", { name: label })}
              placeholder={t("table.find")}
              value={text}
              onInput={(e) => {
                setText(e.currentTarget.value);
                setAt(-1);
                if (box.current) box.current.scrollTop = 0;
              }}
            />
          )}
          <span class="quiet">
            {text === "" ? number(rows.length) : t("list.rows", { shown: number(found.length), all: number(rows.length) })}
          </span>
          {tools}
        </div>
      )}
      <div class="table" role="grid" aria-label={label} aria-rowcount={found.length + 1}>
        <div class="row headings" role="row" aria-rowindex={1} style={{ paddingRight: `${8 + size.bar}px` }}>
          {shown.map((c) => (
            <span
              key={c.key}
              role="columnheader"
              class={c.right ? "right" : ""}
              aria-sort={order.key !== c.key ? "none" : order.down ? "descending" : "ascending"}>
              {c.heading && (
                <button
                  type="button"
                  aria-label={t("list.sort", { column: c.heading })}
                  onClick={() => setOrder({ key: c.key, down: order.key === c.key && !order.down })}>
                  {c.heading}
                  {order.key === c.key && <i aria-hidden="true">{order.down ? "▾" : "▴"}</i>}
                </button>
              )}
            </span>
          ))}
        </div>
        <div
          class="rows"
          ref={box}
          tabIndex={0}
          role="rowgroup"
          aria-label={label}
          onKeyDown={key}
          onScroll={(e) => setScroll(e.currentTarget.scrollTop)}>
          <div class="all" style={{ height: `${found.length * rowHeight}px` }}>
            {visible.map((row, i) => (
              <div
                key={id(row)}
                class={"row" + (first + i === at ? " at" : "") + (onOpen ? " opens" : "")}
                role="row"
                aria-rowindex={first + i + 2}
                aria-selected={chosen === id(row)}
                style={{ transform: `translateY(${(first + i) * rowHeight}px)` }}
                onClick={() => {
                  setAt(first + i);
                  onOpen?.(row);
                }}>
                {shown.map((c) => (
                  <span key={c.key} role="gridcell" class={c.right ? "right" : ""} title={c.cell ? undefined : String(c.text(row) ?? "")}>
                    {c.cell ? c.cell(row) : c.text(row)}
                  </span>
                ))}
              </div>
            ))}
          </div>
          {found.length === 0 && <div class="empty">{rows.length === 0 ? empty : t("table.none", { text })}</div>}
        </div>
      </div>
    </div>
  );
}
