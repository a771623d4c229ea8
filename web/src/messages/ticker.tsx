import { useState } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { t } from "../text/text";
import { Later } from "../ui/later";
import { isText, senderOf, wordsOf, type Message } from "./message";

/** Ticker is a line below the map with the latest message. It opens to the list of them, and covers nothing. */
export function Ticker({ app }: { app: App }) {
  const [open, setOpen] = useState(false);
  const { all, said } = app.messages,
    latest = app.messages.latest(app.picture.now());
  const may = app.session.may("send_messages");
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
        {!open && latest && <Said app={app} message={latest} />}
      </div>
      {open && may && <Later load={() => import("./compose").then((m) => m.Compose)} props={{ app, label: t("messages.writeAll") }} />}
      {open && (
        <ul tabIndex={0} aria-label={t("messages.list")}>
          {all.map((m) => (
            <li key={m.id} class={isText(m) ? "" : "change"}>
              <Sender app={app} message={m} />
              <Said app={app} message={m} nameless />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

// Sender leads to the ship that a message is of, or that a text of ours is for.
function Sender({ app, message: m }: { app: App; message: Message }) {
  const ship = m.mmsi || m.to?.mmsi;
  if (!ship) return <span class="ours">{senderOf(m)}</span>;
  return <button onClick={() => app.selection.select(ship, "go")}>{senderOf(m)}</button>;
}

// Said is one message as a line: when, which ship, and what.
function Said({ app, message, nameless }: { app: App; message: Message; nameless?: boolean }) {
  return (
    <span class={"said " + message.kind}>
      <span class="when">{when(message.time, app.picture.now(), false)}</span> {!nameless && <b>{senderOf(message)}</b>}{" "}
      <span class="words">{wordsOf(message)}</span>{" "}
      {message.count > 1 && <span class="when">{t("messages.times", { n: message.count })}</span>}
    </span>
  );
}
