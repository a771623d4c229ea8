import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { isHollow, mmsiText, title, type Ship } from "../ship";
import { flag, t, typeText } from "../text/text";
import { leftText } from "../card/left";
import { Icon } from "../ui/icon";
import { Kind } from "../map/kind";
import { Later } from "../ui/later";

const chips = () => import("../read/chips").then((m) => m.Chips);

/** Search is the one box that finds ships and filters map and list. */
export function Search({ app }: { app: App }) {
  const [focused, setFocused] = useState(false);
  const [active, setActive] = useState(-1);
  const [closed, setClosed] = useState(false); // by Enter, until something else is typed
  const open = focused && (!closed || app.search.problem !== undefined) && app.search.text.trim() !== "";
  const found: Ship[] = open ? app.search.suggestions(8) : [];
  const ports = open && !app.search.problem ? app.ports.hits(app.search.text) : [];
  useEffect(() => app.ports.seek(focused ? app.search.text : ""), [focused, app.search.text]);
  const offers = open && !app.search.problem ? app.search.offers() : [];
  const at = Math.min(active, found.length + ports.length - 1), // ships first, then ports
    chosen = found[at],
    port = ports[at - found.length];
  const go = (ship?: Ship): void => {
    app.search.enter(ship);
    setClosed(true);
    setActive(-1);
    if (app.search.text === "") document.getElementById("map")?.focus();
  };
  const enterPort = (id: number): void => {
    app.search.setText("");
    setActive(-1);
    void app.navigation.go("port", String(id));
  };
  const read = app.search.reading?.text === app.search.text ? app.search.reading : undefined;
  const inside = read !== undefined && read.count > 0 && (!focused || closed) && !open;
  const key = (e: KeyboardEvent): void => {
    if (!["Enter", "Escape", "Tab", "Shift"].includes(e.key)) setClosed(false);
    if (e.key === "ArrowUp" && active < 0 && open) {
      e.preventDefault();
      chipsIn(e.currentTarget as HTMLElement)
        .at(-1)
        ?.focus();
    } else if (e.key === "Backspace" && read && atEmptyEnd(e.currentTarget as HTMLInputElement)) {
      e.preventDefault();
      app.search.reading = read.without(read.count - 1, true);
      app.search.setText(app.search.reading.text, true);
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      setClosed(false);
      setActive(Math.max(-1, Math.min(found.length + ports.length - 1, active + (e.key === "ArrowDown" ? 1 : -1))));
    } else if (e.key === "Enter") {
      e.preventDefault();
      const only = active < 0 && found.length === 0 && app.search.shown === 0 ? ports[0] : undefined;
      if (port ?? only) enterPort((port ?? only).id);
      else go(chosen);
    } else if (e.key === "Escape") {
      e.stopPropagation();
      if (app.search.text !== "") app.search.setText("");
      else (e.currentTarget as HTMLElement).blur();
    }
  };
  return (
    <div
      class={inside ? "search read" : "search"}
      role="search"
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node)) setFocused(false);
      }}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="M10.5 10.5 14 14" />
      </svg>
      <input
        id="search"
        type="text"
        inputMode="search"
        enterkeyhint="go"
        autocomplete="off"
        spellcheck={false}
        role="combobox"
        aria-label={t("search.label")}
        aria-expanded={open && found.length + ports.length > 0}
        aria-controls="found"
        aria-autocomplete="list"
        placeholder={innerWidth < 900 ? t("search.short") : t("search.label")}
        aria-activedescendant={chosen ? "found-" + chosen.mmsi : port ? "found-port-" + port.id : undefined}
        aria-invalid={app.search.problem !== undefined}
        value={app.search.text}
        onFocus={() => {
          setFocused(true);
          setClosed(false);
        }}
        onInput={(e) => {
          setActive(-1);
          setClosed(false);
          app.search.setText(e.currentTarget.value);
        }}
        onKeyDown={key}
        onClick={() => setClosed(false)}
      />
      {app.search.text.trim() !== "" && <Later load={() => import("../read/chips").then((m) => m.Reader)} props={{ app }} />}
      {inside && <Later load={chips} props={{ app, inside }} />}
      {app.search.text === "" ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <button
          class="clear"
          aria-label={t("search.clear")}
          onClick={() => {
            app.search.setText("");
            document.getElementById("search")?.focus();
          }}>
          ×
        </button>
      )}
      {open && (
        <div class="found">
          <Later load={chips} props={{ app }} />
          {(app.search.problem || app.search.shown > 0 || found.length === 0) && (
            <p class={app.search.problem ? "problem" : "count"}>{app.search.result()}</p>
          )}
          {offers.length > 0 && (
            <p class="offers">
              {t("search.meant")}{" "}
              {offers.map((text) => (
                <button
                  key={text}
                  onPointerDown={(e) => e.preventDefault()}
                  onClick={() => {
                    app.search.setText(text);
                    document.getElementById("search")?.focus();
                  }}>
                  {text}
                </button>
              ))}
            </p>
          )}
          <ul id="found" role="listbox" aria-label={t("search.results")}>
            {found.map((ship, i) => (
              <li
                key={ship.mmsi}
                class={ship.signal === "removed" ? "left" : ""}
                id={"found-" + ship.mmsi}
                role="option"
                aria-selected={i === at}
                onPointerDown={(e) => {
                  e.preventDefault();
                  go(ship);
                  (document.activeElement as HTMLElement | null)?.blur();
                }}>
                <Kind group={ship.group} palette={app.settings.palette} degrees={0} size={18} empty={isHollow(ship)} />
                <b>{title(ship)}</b>
                <span>
                  {[leftText(app, ship), typeText(ship), flag(ship), ship.name ? mmsiText(ship.mmsi) : undefined]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </li>
            ))}
            {ports.map((one, i) => (
              <li
                key={"port" + one.id}
                id={"found-port-" + one.id}
                role="option"
                aria-selected={found.length + i === at}
                onPointerDown={(e) => {
                  e.preventDefault();
                  enterPort(one.id);
                  (document.activeElement as HTMLElement | null)?.blur();
                }}>
                <Icon d="M3 3h10v10H3zM6 6h4M8 6v4" />
                <b>{one.name}</b>
                <span>{[t("search.ports"), one.locode, flag(one)].filter(Boolean).join(" · ")}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const chipsIn = (input: HTMLElement): HTMLElement[] => [
  ...(input.parentElement?.querySelectorAll<HTMLElement>(".found .chips button") ?? []),
];

// atEmptyEnd tells whether nothing is typed after the last condition but a blank.
const atEmptyEnd = ({ value, selectionStart, selectionEnd }: HTMLInputElement): boolean =>
  value.trim() !== "" && value.endsWith(" ") && selectionStart === value.length && selectionEnd === value.length;
