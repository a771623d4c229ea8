// The people and programs that a watchdog tells what it raises, beside the board.
import type { App } from "../app";
import { number, t } from "../text/text";
import { Trial } from "../trial/trial";
import { Picker, Switch, TextArea } from "../ui/form";
import type { Wrong } from "../ui/wrong";
import { Fold } from "./fold";
import type { Draft } from "./kind";
import { kinds } from "./kinds";
import { Preview } from "./preview";
import type { Type } from "./watchdogs";

interface Props {
  app: App;
  /** type is that of a watchdog whose texts are previewed. */
  type?: Type;
  /** mmsi is the ship of the preview, 0 for an example. */
  mmsi?: number;
  now: Draft;
  set: (part: Partial<Draft>) => void;
  wrong: Wrong;
  /** refuse takes what is wrong with targets that get a test. */
  refuse: (wrong: Wrong) => void;
}

const own = /^\/(mail_|sms_|webhooks|mqtt)/;
const mostSMS = 459; // characters that an SMS may have once its keywords are filled in

/** Notices chooses targets and texts. What the box has no channel for, or the rights do not allow, the server refuses in words. */
export function Notices({ app, type, mmsi = 0, now, set, wrong, refuse }: Props) {
  const me = app.session.user === "" ? [] : [{ value: app.session.user, label: app.session.user }];
  const targets = [...now.mail_to, ...now.sms_to, ...now.webhooks, ...(now.mqtt ? ["MQTT"] : [])];
  if (!app.session.may("send_mail") && targets.length === 0) return null;
  return (
    <Fold label={t("dog.tell")} said={targets.length > 0 ? targets.join(", ") : t("dog.tellNobody")} wrong={wrong} own={own}>
      <Picker
        label={t("dog.mailTo")}
        hint={t("dog.mailToHint")}
        at="/mail_to"
        chosen={now.mail_to}
        options={me}
        onChange={(mail_to) => set({ mail_to })}
        free
      />
      <Picker
        label={t("dog.smsTo")}
        hint={t("dog.smsToHint")}
        at="/sms_to"
        chosen={now.sms_to}
        options={me}
        onChange={(sms_to) => set({ sms_to })}
        free
      />
      <Picker
        label={t("dog.webhooks")}
        hint={t("dog.webhooksHint")}
        at="/webhooks"
        chosen={now.webhooks}
        options={[]}
        onChange={(webhooks) => set({ webhooks })}
        free
      />
      <Switch label={t("dog.mqtt")} at="/mqtt" on={now.mqtt} onChange={(mqtt) => set({ mqtt })} />
      {app.session.may("send_mail") && (
        <Trial targets={{ mail_to: now.mail_to, sms_to: now.sms_to, webhooks: now.webhooks, mqtt: now.mqtt }} onWrong={refuse} />
      )}
      {now.mail_to.length > 0 && (
        <TextArea
          label={t("dog.mailTemplate")}
          hint={t("dog.templateHint")}
          at="/mail_template"
          rows={4}
          value={now.mail_template}
          onInput={(text) => set({ mail_template: text })}
        />
      )}
      {now.sms_to.length > 0 && (
        <TextArea
          label={t("dog.smsTemplate")}
          hint={`${t("dog.smsHint")} ${number(now.sms_template.length)}/${number(mostSMS)}`}
          at="/sms_template"
          rows={2}
          value={now.sms_template}
          onInput={(text) => set({ sms_template: text })}
        />
      )}
      {type && !kinds[type].shipless && (now.mail_to.length > 0 || now.sms_to.length > 0) && (
        <Preview
          app={app}
          type={type}
          mmsi={mmsi}
          now={now}
          part={{
            ...(now.mail_to.length > 0 && { mail_template: now.mail_template }),
            ...(now.sms_to.length > 0 && { sms_template: now.sms_template }),
          }}
        />
      )}
    </Fold>
  );
}
