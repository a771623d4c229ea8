import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { App } from "../app";
import { plain } from "../letters";
import { unknownTerms } from "../nearest";
import { learn, t, told } from "../text/text";
import de from "./de.json";
import en from "./en.json";
import { read, Reading, takeOut, type Condition } from "./reading";
import "./style.css";

learn({ en, de });

const resting = 250; // milliseconds of rest before the server is asked how it reads what was typed

/** Reader has the server read what stands in the search box when the typing rests. */
export function Reader({ app }: { app: App }) {
  const { text, reading } = app.search;
  const sure = reading instanceof Reading && reading.sure && reading.text === text;
  useEffect(() => {
    if (sure || text.trim() === "") return;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const answer = await read(text, abort.signal);
        if (app.search.text !== text) return;
        app.search.reading = answer;
        app.changed();
      } catch {
        // the box filters all the same
      }
    };
    const timer = setTimeout(() => void ask(), resting);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, sure]);
  return null;
}

// about says what a condition is about, where its own words do not.
const about = ({ says }: Condition): string => (says !== undefined && "read." + says in en ? t("read." + says) : "");

// strangers returns the names among the conditions that no ship has, of those that left either: it waits for the store. Of a filter at the server the page
// has not all ships, and does not know. While the reading is that of an older text it tells of none.
function strangers(app: App, reading: Reading): Set<Condition> {
  const { query, left, text } = app.search;
  if (reading.text !== text) return new Set();
  const names = reading.conditions.filter((each) => each.says === "name" && !/["'*?]/.test(each.text));
  if (query.kind !== "words" || names.length === 0 || left.text !== query.name.trim()) return new Set();
  const known = left.ships.map((ship) => plain([ship.name, ship.callsign, ship.mmsi, ship.imo].join(" ")));
  const unknown = unknownTerms(
    names.map((each) => each.text),
    app.picture.ships.values(),
  )
    .map(plain)
    .filter((name) => !known.some((text) => text.includes(name.trim())));
  return new Set(names.filter((each) => unknown.includes(plain(each.text))));
}

/** Chips are the conditions that the search box was read as. Each can be taken out: by its cross, and by Backspace or Delete. */
export function Chips({ app, inside }: { app: App; inside?: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const next = useRef(-1); // which chip has the focus when the list is drawn anew
  const { reading, text } = app.search;
  useLayoutEffect(() => {
    if (next.current < 0) return;
    const all = list.current?.querySelectorAll("button") ?? [];
    all[Math.min(next.current, all.length - 1)]?.focus();
    next.current = -1;
  });
  if (!(reading instanceof Reading) || text.trim() === "" || reading.count === 0) return null;
  const { conditions } = reading;
  const strange = strangers(app, reading);
  const remove = (at: number, stay: boolean): void => {
    const gone = conditions[at].text;
    if (stay && conditions.length > 1) next.current = Math.min(at, conditions.length - 2);
    else if (stay) document.getElementById("search")?.focus();
    takeOut(app, at);
    app.say(t("read.removed", { text: gone }));
  };
  const key = (e: KeyboardEvent, at: number): void => {
    const all = [...list.current!.querySelectorAll("button")];
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[e.key];
    if (to !== undefined) all[Math.max(0, Math.min(all.length - 1, to))].focus();
    else if (e.key === "Backspace" || e.key === "Delete") remove(at, true);
    else if (e.key === "ArrowDown" || e.key === "Escape") document.getElementById("search")?.focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const wrong = conditions.filter((each) => each.wrong);
  return (
    <div class={inside ? "chips inside" : "chips"} aria-hidden={inside}>
      <ul ref={list} aria-label={t("read.label")}>
        {conditions.map((each, at) => {
          const kind = about(each);
          const why = each.wrong ? told(each.wrong) : strange.has(each) ? t("search.called", { name: each.text }) : "";
          const words = kind ? `${kind}: ${each.text}` : each.text;
          return (
            <li key={at} class={why ? "odd" : ""} title={why || undefined}>
              {reading.any && at > 0 && <em>{t("read.or")}</em>}
              {why && <i aria-hidden="true">?</i>}
              {kind && <span class="quiet">{kind}</span>}
              <b>{each.text}</b>
              <button
                tabIndex={inside ? -1 : 0}
                aria-label={why ? t("read.removeOdd", { words, why }) : t("read.remove", { words })}
                onPointerDown={(e) => e.preventDefault()}
                onClick={(e) => remove(at, !inside && e.detail === 0)}
                onKeyDown={(e) => key(e, at)}>
                ×
              </button>
            </li>
          );
        })}
      </ul>
      {!inside &&
        wrong.slice(1).map((each) => (
          <p key={each.start} class="problem">
            {each.text}: {told(each.wrong!)}
          </p>
        ))}
    </div>
  );
}
