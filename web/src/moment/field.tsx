// A field of a time as the port writes it: 2026-11-26 12:27, typed, counted by the arrow keys, or picked from a calendar.
import "./style.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { wall } from "../text/clock";
import { learn, spoken, t } from "../text/text";
import type { Aria } from "../ui/form";
import { Icon } from "../ui/icon";
import de from "./de.json";
import en from "./en.json";
import { partAt, pattern, readTyped, shown, stepped, weeks, type Part } from "./typed";

learn({ en, de });

/** unreadText says how such a time is written. */
export const unreadText = (part: Part): string => t("moment.unread", { like: pattern[part] });

interface MomentProps {
  /** aria is what a label and an error refer to. */
  aria?: Aria;
  label?: string;
  part?: Part;
  value: string; // as YYYY-MM-DDThh:mm, YYYY-MM-DD or hh:mm of the clock on the wall; "" for none
  /** onChange tells a value, or that what stands there is no time yet. */
  onChange: (value: string, unread: boolean) => void;
  now: () => number;
  last?: string; // the last day that may be picked
  /** whole has what is typed told only when it is done: by Enter, or when the field is left. */
  whole?: boolean;
  /** end tells that it is the end of a time: a day alone is meant with all its hours. */
  end?: boolean;
}

/** Moment is an input of a day with its time, of a day, or of a time of day. */
export function Moment({ aria, label, part = "moment", value, onChange, now, last, whole, end }: MomentProps) {
  const [typed, setTyped] = useState<string>(), // undefined while the value is shown
    [left, setLeft] = useState(false),
    [open, setOpen] = useState(false),
    select = useRef<[number, number] | undefined>(undefined),
    input = useRef<HTMLInputElement>(null);
  const read = (to: string): string | undefined => readTyped(to, part, now(), value, end);
  const text = typed ?? shown(value),
    unread = text.trim() !== "" && read(text) === undefined;
  useLayoutEffect(() => {
    if (select.current) input.current!.setSelectionRange(...select.current);
    select.current = undefined;
  });
  const take = (to: string): void => {
    setTyped(undefined);
    if (to !== value || typed !== undefined) onChange(to, false);
  };
  const onInput = (to: string): void => {
    const is = read(to);
    setTyped(to);
    setLeft(false);
    if (!whole) onChange(is ?? "", is === undefined && to.trim() !== "");
  };
  const settle = (): void => {
    setLeft(true);
    if (unread || typed === undefined) return;
    setTyped(undefined);
    if (whole) onChange(read(typed) ?? "", false);
  };
  const step = (by: number): void => {
    const from = read(text) ?? cut(wall(now()), part),
      [start, stop] = partAt(input.current!.selectionStart ?? 0, part);
    select.current = [start, stop];
    const empty = text.trim() === "";
    take(empty ? from : stepped(from, start, part, by));
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (by && e.altKey && part !== "clock") setOpen(true);
    else if (by) step(by);
    else if (e.key === "Enter" && typed !== undefined) return settle();
    else return;
    e.preventDefault();
  };
  const pick = (date: string): void => {
    const clock = value.slice(11) || wall(now()).slice(11, 16);
    take(part === "day" ? date : `${date}T${clock}`);
    setOpen(false);
    select.current = part === "day" ? [0, 10] : [11, 13];
    input.current!.focus();
  };
  const close = (): void => {
    setOpen(false);
    input.current!.focus();
  };
  return (
    <span class={"moment " + part}>
      <input
        {...aria}
        ref={input}
        aria-label={label}
        aria-invalid={unread || aria?.["aria-invalid"]}
        value={text}
        inputMode={part === "day" ? "numeric" : "text"}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={t("moment." + part)}
        title={unread ? unreadText(part) : undefined}
        onInput={(e) => onInput(e.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={settle}
      />
      {part !== "clock" && (
        <button type="button" class="pickday" aria-label={t("moment.pick")} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" />
        </button>
      )}
      {unread && left && <span class="problem">{unreadText(part)}</span>}
      {open && (
        <Calendar value={readTyped(text, "day", now(), value)} today={wall(now()).slice(0, 10)} last={last} pick={pick} close={close} />
      )}
    </span>
  );
}

const cut = (text: string, part: Part): string =>
  part === "clock" ? text.slice(11, 16) : part === "day" ? text.slice(0, 10) : text.slice(0, 16);

interface CalendarProps {
  value?: string;
  today: string;
  last?: string;
  pick: (date: string) => void;
  close: () => void;
}

const moves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

// Calendar shows a month to pick a day from.
function Calendar({ value, today, last = "9999-12-31", pick, close }: CalendarProps) {
  const [at, setAt] = useState(value ?? today),
    box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const elsewhere = (e: PointerEvent): void => {
      if (!box.current!.parentElement!.contains(e.target as Node)) close();
    };
    addEventListener("pointerdown", elsewhere, true);
    return () => removeEventListener("pointerdown", elsewhere, true);
  }, []);
  useLayoutEffect(() => {
    const field = box.current!.parentElement!.getBoundingClientRect(),
      { offsetWidth: width, offsetHeight: height } = box.current!,
      below = field.bottom + 4;
    box.current!.style.left = Math.max(4, Math.min(field.left, innerWidth - width - 4)) + "px";
    box.current!.style.top = (below + height <= innerHeight ? below : Math.max(4, field.top - height - 4)) + "px";
  }, []);
  useLayoutEffect(() => box.current!.querySelector<HTMLElement>('[tabindex="0"]')?.focus(), [at]);
  const move = (to: string): void => setAt(to > last ? last : to);
  const onKeyDown = (e: KeyboardEvent): void => {
    const days = moves[e.key];
    if (days) move(stepped(at, 8, "day", days));
    else if (e.key === "PageUp" || e.key === "PageDown") move(stepped(at, e.shiftKey ? 0 : 5, "day", e.key === "PageUp" ? -1 : 1));
    else if (e.key === "Escape" || e.key === "Tab") close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const named = (date: string, how: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(spoken(), { timeZone: "UTC", ...how }).format(Date.parse(date + "T12:00Z"));
  const rows = weeks(at),
    turn = (by: number, d: string, word: string) => (
      <button
        type="button"
        tabIndex={-1}
        aria-label={t(word)}
        disabled={by > 0 && at.slice(0, 7) >= last.slice(0, 7)}
        onClick={() => move(stepped(at, 5, "day", by))}>
        <Icon d={d} />
      </button>
    );
  return (
    <div ref={box} class="calendar" role="dialog" aria-label={t("moment.pick")} onKeyDown={onKeyDown}>
      <div class="month">
        {turn(-1, "M10 3 5 8l5 5", "moment.before")}
        <b aria-live="polite">{named(at, { month: "long", year: "numeric" })}</b>
        {turn(1, "M6 3l5 5-5 5", "moment.after")}
      </div>
      <div role="grid" aria-label={named(at, { month: "long", year: "numeric" })}>
        <div role="row" class="week">
          {rows[0].map((date) => (
            <span key={date} role="columnheader" aria-label={named(date, { weekday: "long" })}>
              {named(date, { weekday: "short" }).slice(0, 2)}
            </span>
          ))}
        </div>
        {rows.map((row) => (
          <div role="row" class="week" key={row[0]}>
            {row.map((date) => (
              <span role="gridcell" key={date} aria-selected={date === value}>
                <button
                  type="button"
                  tabIndex={date === at ? 0 : -1}
                  class={date.slice(0, 7) === at.slice(0, 7) ? "" : "other"}
                  aria-current={date === today ? "date" : undefined}
                  aria-pressed={date === value}
                  aria-label={named(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" })}
                  disabled={date > last}
                  onClick={() => pick(date)}>
                  {Number(date.slice(8))}
                </button>
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
