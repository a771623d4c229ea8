// The text that a watchdog sends to the ship itself, by radio.
import type { App } from "../app";
import { t } from "../text/text";
import { Switch, TextField } from "../ui/form";
import type { Wrong } from "../ui/wrong";
import { Fold } from "./fold";
import type { Draft } from "./kind";
import { Preview } from "./preview";
import { lengthOnAir, mostOnAir, notOnAir } from "./sixbit";
import type { Type } from "./watchdogs";

interface Props {
  app: App;
  type: Type;
  /** mmsi is the ship of the preview, 0 for an example. */
  mmsi: number;
  now: Draft;
  set: (part: Partial<Draft>) => void;
  wrong: Wrong;
}

const own = /^\/(send_)?ship_notification/;

/** hailProblem tells why a text cannot go on air, "" where it can. */
export function hailProblem(text: string, broadcast: boolean): string {
  const bad = notOnAir(text),
    most = mostOnAir(broadcast),
    over = lengthOnAir(text) - most;
  if (bad.length > 0) return t("dog.hailBad", { characters: bad.slice(0, 10).join(" ") });
  return over > 0 ? t("dog.hailOver", { n: over, most }) : "";
}

/** Hail asks for the text. Without the right to send it only says what is set. */
export function Hail({ app, type, mmsi, now, set, wrong }: Props) {
  const { send_ship_notification: on, ship_notification_text: text, ship_notification_broadcast: all } = now;
  const may = app.session.may("send_messages");
  if (!may && !on) return null;
  const said = on ? t(all ? "dog.hailSaidAll" : "dog.hailSaid", { text }) : t("dog.hailNone"),
    most = mostOnAir(all),
    problem = hailProblem(text, all);
  return (
    <Fold label={t("dog.hail")} said={said} wrong={wrong} own={own}>
      <Switch
        wide
        disabled={!may}
        label={t("dog.hailOn")}
        at="/send_ship_notification"
        on={on}
        onChange={(to) => set({ send_ship_notification: to })}
      />
      {on && (
        <>
          <TextField
            wide
            label={t("dog.hailText")}
            hint={
              <>
                <b class="left">{t("dog.hailLeft", { n: Math.max(0, most - lengthOnAir(text)), most })}</b> {t("dog.hailHint")}
              </>
            }
            at="/ship_notification_text"
            error={problem}
            value={text}
            disabled={!may}
            spellcheck={false}
            onInput={(to) => set({ ship_notification_text: to })}
          />
          <Switch
            wide
            disabled={!may}
            label={t("dog.hailAll")}
            at="/ship_notification_broadcast"
            on={all}
            onChange={(to) => set({ ship_notification_broadcast: to })}
          />
          {text.trim() !== "" && problem === "" && (
            <Preview
              app={app}
              type={type}
              mmsi={mmsi}
              now={now}
              part={{ ship_notification_text: text, ship_notification_broadcast: all }}
            />
          )}
        </>
      )}
    </Fold>
  );
}
