// Rows lists many pieces in a row each. One is open, and has what can be done with it; the list is one stop of the Tab key.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { finder } from "../letters";
import { number, t } from "../text/text";

const few = 8; // rows that need no filter

/** Row is a piece as its row has it. */
export interface Row {
  key: string;
  name: string;
  facts: string;
  /** words is what the filter looks through, beside the name. */
  words?: string;
}

interface RowsProps {
  label: string;
  /** find is the label of the filter. */
  find: string;
  none: string;
  rows: readonly Row[];
  open?: number;
  choose: (at: number | undefined) => void;
  /** tools stand beside the filter. */
  tools: ComponentChildren;
  /** children are what the row that is open has. */
  children: ComponentChildren;
}

/** Rows is the list. ↑ and ↓ open the next row, Enter goes into it, Escape out of it. */
export function Rows({ label, find, none, rows, open, choose, tools, children }: RowsProps) {
  const [text, setText] = useState(""),
    box = useRef<HTMLDivElement>(null),
    last = useRef({ open, count: rows.length }),
    focus = useRef<"row" | "field" | undefined>(undefined);
  const fits = finder(text),
    shown = rows.flatMap(({ name, words = "" }, at) => (at === open || fits(`${name} ${words}`) ? [at] : [])),
    hits = rows.filter(({ name, words = "" }) => fits(`${name} ${words}`)).length;
  useLayoutEffect(() => {
    const was = last.current,
      row = box.current!.querySelector<HTMLElement>("li.open");
    last.current = { open, count: rows.length };
    if (was.open === open && was.count === rows.length) return;
    if (open !== undefined && rows.length > was.count) focus.current = "field"; // a new one is named first
    for (const part of [row, row?.querySelector("button.lane")]) part?.scrollIntoView({ block: "nearest" }); // it may be higher than the panel
    if (focus.current) into(row, focus.current);
    else if (was.open !== undefined && !row && document.activeElement === document.body) {
      const buttons = box.current!.querySelectorAll<HTMLElement>("button.lane"); // what had the focus is gone
      buttons[Math.min(shown.filter((at) => at < was.open!).length, buttons.length - 1)]?.focus({ preventScroll: true });
    }
    focus.current = undefined;
  }, [open, rows.length]);
  const key = (e: KeyboardEvent): void => {
    const target = e.target as HTMLElement,
      li = target.closest("li"),
      onRow = target.matches("button.lane"),
      naming = li !== null && target === li.querySelector("input");
    if (!onRow && !naming && !target.matches(".sift")) return;
    const at = li ? shown.indexOf(Number(li.dataset.at)) : -1,
      end = shown.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, ...(onRow && { Home: 0, End: end }) }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      if (to < 0 || to > end) return;
      focus.current = naming ? "field" : "row";
      if (shown[to] === open) into(li, "row");
      choose(shown[to]);
    } else if (e.key === "Enter" && !(onRow && li?.className !== "open")) {
      e.preventDefault(); // it neither saves nor closes
      into(li, naming ? "row" : "field");
    } else if (e.key === "Escape" && li?.className === "open") {
      e.stopPropagation();
      if (naming) into(li, "row");
      else choose(undefined);
    }
  };
  return (
    <div class="pieces" ref={box} onKeyDown={key}>
      <div class="tools">
        {rows.length > few && (
          <input
            class="sift"
            type="text"
            inputMode="search"
            aria-label={find}
            placeholder={find}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
          />
        )}
        {tools}
        {text.trim() !== "" && <span class="quiet">{t("list.rows", { shown: number(hits), all: number(rows.length) })}</span>}
      </div>
      {rows.length === 0 && <p class="quiet">{none}</p>}
      {rows.length > 0 && hits === 0 && (
        <p class="quiet" role="status">
          {t("port.noneNamed", { text: text.trim() })}{" "}
          <button type="button" onClick={() => setText("")}>
            {t("port.allRows")}
          </button>
        </p>
      )}
      <ul aria-label={label}>
        {shown.map((at) => (
          <li key={rows[at].key} data-at={at} class={at === open ? "open" : undefined}>
            <button
              type="button"
              class="lane"
              aria-expanded={at === open}
              tabIndex={at === (open ?? shown[0]) ? 0 : -1}
              onClick={() => choose(at === open ? undefined : at)}>
              <b>{rows[at].name}</b> <span class="quiet">{rows[at].facts}</span>
            </button>
            {at === open && children}
          </li>
        ))}
      </ul>
    </div>
  );
}

// into puts the focus on a row, or on the first thing in it.
function into(row: HTMLElement | null, what: "row" | "field"): void {
  const at = row?.querySelector<HTMLElement>(what === "row" ? "button.lane" : "input, .acts button");
  at?.focus({ preventScroll: what === "row" });
  if (at instanceof HTMLInputElement) at.select();
}
