import { useState } from "preact/hooks";
import type { App } from "../app";
import { learn, t } from "../text/text";
import { InClear } from "./clear";
import { LanguageButtons } from "../ui/language";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

const shortest = 12; // characters of a password

/** FirstPassword is the form behind the link of the first start: the first administrator chooses a password, and is signed in. */
export function FirstPassword({ app }: { app: App }) {
  const [busy, setBusy] = useState(false);
  const [differ, setDiffer] = useState(false);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const form = new FormData(e.currentTarget as HTMLFormElement);
    const password = String(form.get("password"));
    setDiffer(password !== form.get("again"));
    if (password !== form.get("again")) return;
    setBusy(true);
    await app.session.choosePassword(password);
    setBusy(false);
  };
  const field = (name: string, word: string) => (
    <label>
      {t(word)}
      <input name={name} type="password" required minLength={shortest} autocomplete="new-password" autofocus={name === "password"} />
    </label>
  );
  return (
    <form onSubmit={(e) => void submit(e)}>
      <h1>{t("first.heading")}</h1>
      <p>{t("first.lead")}</p>
      <input name="name" value="admin" autocomplete="username" readOnly hidden />
      {field("password", "first.password")}
      {field("again", "first.again")}
      <p class="problem" role="alert">
        {differ ? t("first.differ") : app.session.problem}
      </p>
      {app.encryption.clear && <InClear app={app} />}
      <button class="primary" disabled={busy || app.encryption.refused}>
        {t("first.go")}
      </button>
      <p class="hint">{t("first.hint", { n: shortest })}</p>
      <button type="button" onClick={() => app.session.disinvite()}>
        {t("first.other")}
      </button>
      <p class="languages" role="group" aria-label={t("menu.language")}>
        <LanguageButtons app={app} />
      </p>
    </form>
  );
}
