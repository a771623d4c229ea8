import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { InClear } from "./clear";
import { LanguageButtons } from "../ui/language";
import { Later } from "../ui/later";

/** SignIn is the form in front of all until a user is signed in. By the link of the first start it asks for the first password. */
export function SignIn({ app }: { app: App }) {
  return (
    <main class="signin">
      {app.session.invited === "" ? (
        <NameAndPassword app={app} />
      ) : (
        <Later load={() => import("./first").then((m) => m.FirstPassword)} props={{ app }} />
      )}
    </main>
  );
}

function NameAndPassword({ app }: { app: App }) {
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // After a session has ended its user is known by name. The browser heeds autofocus once a page only.
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLInputElement>(app.session.held === "" ? "[name=name]" : "[name=password]")?.focus();
  }, []);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const form = new FormData(e.currentTarget as HTMLFormElement);
    setBusy(true);
    await app.session.signIn(String(form.get("name")), String(form.get("password")));
    setBusy(false);
  };
  return (
    <form ref={form} onSubmit={(e) => void submit(e)}>
      <h1>{t("signin.heading")}</h1>
      {app.session.held !== "" && <p>{t("signin.held", { name: app.session.held })}</p>}
      <label>
        {t("signin.name")}
        <input name="name" defaultValue={app.session.held} required autocomplete="username" autocapitalize="none" spellcheck={false} />
      </label>
      <label>
        {t("signin.password")}
        <input name="password" type="password" required autocomplete="current-password" />
      </label>
      <p class="problem" role="alert">
        {app.session.problem}
      </p>
      {app.encryption.clear && <InClear app={app} />}
      <button class="primary" disabled={busy || app.encryption.refused}>
        {t("signin.go")}
      </button>
      <p class="hint">{t("signin.hint")}</p>
      <p class="languages" role="group" aria-label={t("menu.language")}>
        <LanguageButtons app={app} />
      </p>
    </form>
  );
}
