import { useState } from "preact/hooks";
import type { App } from "../app";
import { title } from "../ship";
import { when } from "../text/clock";
import { t } from "../text/text";
import { isText, wordsOf, type Message } from "./message";

/** Ticker is a line below the map with the latest message. It opens to the list of them, and covers nothing. */
export function Ticker({ app }: { app: App }) {
  const [open, setOpen] = useState(false);
  const { all, said } = app.messages,
    latest = app.messages.latest(app.picture.now());
  if (!app.settings.ticker || !latest) return null;
  return (
    <section class="ticker" aria-label={t("messages.heading")}>
      <div class="unseen" role="status" aria-live="polite">
        {said}
      </div>
      <div class="line">
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "▾" : "▴"} {t("messages.heading")} ({all.length})
        </button>
        {!open && <Said app={app} message={latest} />}
      </div>
      {open && (
        <ul tabIndex={0} aria-label={t("messages.list")}>
          {all.map((m) => (
            <li key={m.id} class={isText(m) ? "" : "change"}>
              <button onClick={() => app.selection.select(m.mmsi, "go")}>{title(m)}</button>
              <Said app={app} message={m} nameless />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

// Said is one message as a line: when, which ship, and what.
function Said({ app, message, nameless }: { app: App; message: Message; nameless?: boolean }) {
  return (
    <span class={"said " + message.kind}>
      <span class="when">{when(message.time, app.picture.now(), false)}</span> {!nameless && <b>{title(message)}</b>}{" "}
      <span class="words">{wordsOf(message)}</span>{" "}
      {message.count > 1 && <span class="when">{t("messages.times", { n: message.count })}</span>}
    </span>
  );
}
