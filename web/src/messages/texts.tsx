import type { App } from "../app";
import type { Ship } from "../ship";
import { when } from "../text/clock";
import { t } from "../text/text";
import { senderOf, wordsOf } from "./message";

const most = 5;

/** TextsOf are the texts of a ship on its card, and those that are for it, the latest first. */
export function TextsOf({ app, ship }: { app: App; ship: Ship }) {
  const texts = app.messages.of(ship.mmsi);
  if (texts.length === 0) return null;
  return (
    <div class="texts">
      <h3>{t("messages.texts")}</h3>
      <ul>
        {texts.slice(0, most).map((m) => (
          <li key={m.id}>
            <span class="when">
              {when(m.time, app.picture.now(), false)}
              {m.count > 1 && ` · ${t("messages.times", { n: m.count })}`}
            </span>
            <span class="words">
              {m.mmsi !== ship.mmsi && <b>{t("messages.from", { name: senderOf(m) })} </b>}
              {wordsOf(m)}
            </span>
          </li>
        ))}
      </ul>
      {texts.length > most && <p class="quiet">{t("messages.more", { n: texts.length - most })}</p>}
    </div>
  );
}
