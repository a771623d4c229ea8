// How often a statistic runs again, and to whom its table is mailed. Both can be said at the beginning and later.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { t } from "../text/text";
import { Trial } from "../trial/trial";
import { Choice, Picker } from "../ui/form";
import { Sheet } from "../ui/sheet";
import { nothingWrong, type Wrong } from "../ui/wrong";
import type { Draft } from "./draft";
import { going, path, type Job } from "./job";

type Part = Pick<Draft, "repeat" | "mail_to">;

interface PartProps {
  app: App;
  draft: Part;
  set: (part: Partial<Part>) => void;
}

/** Repeats chooses how often it runs again. */
export const Repeats = ({ draft, set }: Omit<PartProps, "app">) => (
  <>
    <Choice
      label={t("stat.repeat")}
      at="/repeat"
      value={draft.repeat}
      options={(["never", "daily", "weekly", "monthly"] as const).map((value) => ({ value, label: t("statrepeat." + value) }))}
      onChange={(repeat) => set({ repeat: repeat as Part["repeat"] })}
    />
    {draft.repeat !== "never" && <p class="quiet">{t("stat.repeatHint")}</p>}
  </>
);

/** Mailed chooses to whom the table is mailed. */
export function Mailed({ app, draft, set }: PartProps) {
  if (!app.session.may("send_mail") || !app.session.may("allow_mail_attachments")) return null;
  const me = app.session.user === "" ? [] : [{ value: app.session.user, label: app.session.user }];
  return (
    <>
      <Picker
        label={t("stat.mailTo")}
        hint={t("stat.mailToHint")}
        at="/mail_to"
        chosen={draft.mail_to}
        options={me}
        onChange={(mail_to) => set({ mail_to })}
        free
      />
      <Trial targets={{ mail_to: draft.mail_to }} />
    </>
  );
}

interface LaterProps {
  app: App;
  job: Job;
  again: () => Promise<void>;
}

/** RepeatLater is a button that opens to both, for a statistic that there is. One that has ended has a table to mail when it runs again. */
export function RepeatLater({ app, job, again }: LaterProps) {
  const [draft, setDraft] = useState<Part>(),
    [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const was: Part = { repeat: job.repeat ?? "never", mail_to: job.mail_to ?? [] };
  const close = (): void => {
    setDraft(undefined);
    setWrong(nothingWrong);
  };
  const save = async (): Promise<void> => {
    const { repeat, mail_to } = draft!,
      body: Partial<Part> = {};
    if (repeat !== was.repeat) body.repeat = repeat;
    if (mail_to.join() !== was.mail_to.join()) body.mail_to = mail_to;
    if (Object.keys(body).length > 0) await send("PUT", `${path}/statistic/${job.id}`, body);
    close();
    await again();
  };
  if (!draft)
    return (
      <p class="acts">
        <button onClick={() => setDraft(was)}>{t("stat.repeatLater")}</button>
      </p>
    );
  const set = (part: Partial<Part>): void => {
    setDraft({ ...draft, ...part });
    setWrong(nothingWrong);
  };
  return (
    <Sheet wrong={wrong} onWrong={setWrong} save={t("stat.repeatSave")} onSave={save} onCancel={close}>
      <Repeats draft={draft} set={set} />
      {(going(job) || draft.repeat !== "never") && <Mailed app={app} draft={draft} set={set} />}
    </Sheet>
  );
}
