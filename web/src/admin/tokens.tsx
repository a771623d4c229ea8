// The tokens of a user: by each a program calls the interface, without the password.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import type { Token } from "../contract";
import { ageText, t } from "../text/text";
import { Picker, TextField } from "../ui/form";
import { NotLoaded, records, useLoaded } from "../ui/load";
import { whyOf } from "../why";
import { Sheet } from "../ui/sheet";
import { nothingWrong } from "../ui/wrong";
import { sections } from "./rights";

const always = "allow_web_service"; // each token has it

/** Tokens lists tokens and revokes them; path is where the API has them. For the own ones there is a form that makes another. */
export function Tokens({ app, path, label, own }: { app: App; path: string; label: string; own?: boolean }) {
  const tokens = useLoaded(() => records<Token>(path), path);
  const revoke = async (token: Token): Promise<void> => {
    const { name } = token,
      lines = [t("token.revokeLose"), t("form.forGood")];
    if (!(await app.ask({ title: t("token.revokeAsk", { name }), lines, yes: t("token.revoke"), bad: true }))) return;
    try {
      await send("DELETE", `${path}/${token.id}`);
      app.tell(t("token.revoked", { name }));
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
    await tokens.again();
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      {own && <p class="quiet">{t("token.what")}</p>}
      <NotLoaded loaded={tokens} />
      <ul class="sessions">
        {tokens.data?.map((token) => (
          <li key={token.id}>
            <span>
              <b>{token.name}</b> {token.link && <span>{t("token.link")}</span>} <span class="quiet">{stateOf(app, token)}</span>
              <br />
              <span class="quiet">{rightsOf(token)}</span>
            </span>
            <button type="button" aria-label={t("token.revokeOne", { name: token.name })} onClick={() => void revoke(token)}>
              {t("token.revoke")}
            </button>
          </li>
        ))}
      </ul>
      {tokens.data?.length === 0 && <p class="quiet">{t("own.noSessions")}</p>}
      {own && (app.session.may(always) ? <NewToken app={app} onMade={tokens.again} /> : <p>{t("token.mayNot")}</p>)}
    </fieldset>
  );
}

const rightsOf = (token: Token): string =>
  token.rights
    .filter((right) => right !== always && right !== "web_online_access")
    .map((right) => t("right." + right))
    .join("; ") || t("token.noRight");

function stateOf(app: App, token: Token): string {
  const until = token.expired ? t("token.expired") : t("token.until", { date: token.expiration_time.slice(0, 10) });
  if (!token.last_used) return until + " · " + t("token.unused");
  const age = ageText(app.picture.now() - Date.parse(token.last_used));
  return until + " · " + t("token.used", { age, address: token.address ?? "" });
}

// The text of a new token is shown this once.
function NewToken({ app, onMade }: { app: App; onMade: () => Promise<void> }) {
  const inAYear = new Date(app.picture.now() + 365 * 86400e3).toISOString().slice(0, 10);
  const empty = { name: "", expires: inAYear, rights: [] as string[], password: "" };
  const [draft, setDraft] = useState(empty);
  const [made, setMade] = useState({ name: "", token: "" });
  const [wrong, setWrong] = useState(nothingWrong);
  const change = (part: Partial<typeof empty>): void => setDraft({ ...draft, ...part });
  const options = sections
    .flatMap((s) => s.rights)
    .filter((right) => right !== always && app.session.may(right))
    .map((right) => ({ value: right, label: t("right." + right) }));
  const make = async (): Promise<void> => {
    const { name, expires, rights, password } = draft;
    setMade(await send("POST", "token", { name, expiration_time: expires, rights, current_password: password }));
    setDraft(empty);
    setWrong(nothingWrong);
    await onMade();
  };
  return (
    <>
      {made.token !== "" && (
        <div class="fields">
          <TextField
            label={t("token.text", { name: made.name })}
            hint={t("token.once")}
            wide
            value={made.token}
            onInput={() => {}}
            readOnly
          />
        </div>
      )}
      <Sheet wrong={wrong} onWrong={setWrong} save={t("token.make")} unsaved={draft.name !== ""} onSave={make}>
        <div class="fields">
          <TextField
            label={t("token.name")}
            hint={t("token.nameHint")}
            at="/name"
            maxLength={64}
            value={draft.name}
            onInput={(name) => change({ name })}
          />
          <TextField
            label={t("token.expires")}
            hint={t("token.expiresHint")}
            at="/expiration_time"
            value={draft.expires}
            onInput={(expires) => change({ expires })}
          />
          <Picker
            label={t("token.rights")}
            hint={t("token.rightsHint")}
            at="/rights"
            options={options}
            chosen={draft.rights}
            onChange={(rights) => change({ rights })}
          />
          <TextField
            label={t("token.password")}
            at="/current_password"
            type="password"
            autocomplete="current-password"
            value={draft.password}
            onInput={(password) => change({ password })}
          />
        </div>
      </Sheet>
    </>
  );
}
