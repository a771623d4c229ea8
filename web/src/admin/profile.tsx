// The own profile: data, password, open sessions, tokens, and what one may do.
import { useEffect, useState } from "preact/hooks";
import { send } from "../api";
import type { App, Props } from "../app";
import { put } from "../change";
import { TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { NotLoaded, useLoaded } from "../ui/load";
import { Sheet, useUnsaved } from "../ui/sheet";
import { nothingWrong } from "../ui/wrong";
import { dateTime } from "../text/clock";
import { t } from "../text/text";
import { clashWords, Contact } from "./editor";
import { changes, keptOf, type User } from "./model";
import { waitsText } from "./grid";
import { comesWith, sections } from "./rights";
import { Sessions } from "./sessions";
import { Tokens } from "./tokens";

/** Profile is the place of the user who is signed in. */
export function Profile({ app }: Props) {
  const [passwords, setPasswords] = useState(0); // that were changed: each ends the other sessions
  const me = useLoaded(() => send<User>("GET", "config/user/" + encodeURIComponent(app.session.user)));
  return (
    <>
      <Heading app={app} title={t("menu.profile")} />
      <NotLoaded loaded={me} />
      {me.data && (
        <div class="sheet">
          <OwnData key={me.data.uid} app={app} user={me.data} again={me.again} />
          <OwnPassword app={app} user={me.data} onChanged={() => setPasswords((n) => n + 1)} />
          <Sessions key={passwords} app={app} path="session/all" label={t("own.sessions")} />
          <Tokens app={app} path="token" label={t("token.own")} own />
          <OwnRights app={app} />
        </div>
      )}
    </>
  );
}

function OwnData({ app, user, again }: { app: App; user: User; again: () => Promise<void> }) {
  const [draft, setDraft] = useState(user);
  const [wrong, setWrong] = useState(nothingWrong);
  const body = changes(user, draft),
    edited = Object.keys(body).length > 0;
  useUnsaved(app, edited);
  useEffect(() => setDraft(user), [user]);
  const save = async (): Promise<void> => {
    if (!(await put(app, "config/user/" + user.uid, user.name, user, body, clashWords(user, draft)))) return;
    setWrong(nothingWrong);
    app.tell(t("own.saved"));
    await again();
  };
  return (
    <fieldset>
      <legend>{t("own.data")}</legend>
      <Sheet wrong={wrong} onWrong={setWrong} save={t("own.save")} unsaved={edited} onSave={save}>
        <dl class="owned">
          <div>
            <dt>{t("profile.name")}</dt>
            <dd>{user.name}</dd>
          </div>
          {user.groups.length > 0 && (
            <div>
              <dt>{t("own.member")}</dt>
              <dd>{user.groups.map((g) => g.name).join(", ")}</dd>
            </div>
          )}
          <div>
            <dt>{t("users.keeps")}</dt>
            <dd>{keptOf(user)}</dd>
          </div>
          {user.expiration_time && (
            <div>
              <dt>{t("own.expires")}</dt>
              <dd>{dateTime(Date.parse(user.expiration_time))}</dd>
            </div>
          )}
        </dl>
        <div class="fields">
          <Contact of={draft} change={(part) => setDraft({ ...draft, ...part })} own />
        </div>
      </Sheet>
    </fieldset>
  );
}

// A new password ends every session of the user, this one too: the page signs in with it at once.
function OwnPassword({ app, user, onChanged }: { app: App; user: User; onChanged: () => void }) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [wrong, setWrong] = useState(nothingWrong);
  const save = async (): Promise<void> => {
    if (password !== again) return setWrong({ general: "", at: { "/again": t("own.differ") } });
    await app.session.changePassword(current, password);
    if (app.session.problem !== "") return;
    setCurrent("");
    setPassword("");
    setAgain("");
    setWrong(nothingWrong);
    app.tell(t("own.changed"));
    onChanged();
  };
  const field = (at: string, word: string, value: string, onInput: (v: string) => void, autocomplete: string, hint?: string) => (
    <TextField label={t(word)} hint={hint} at={"/" + at} type="password" autocomplete={autocomplete} value={value} onInput={onInput} />
  );
  return (
    <fieldset>
      <legend>{t("own.password")}</legend>
      <Sheet wrong={wrong} onWrong={setWrong} save={t("own.change")} unsaved={password !== "" || current !== ""} onSave={save}>
        <input class="unseen" type="text" autocomplete="username" value={user.name} readOnly tabIndex={-1} aria-hidden="true" />
        <div class="fields">
          {field("current_password", "own.current", current, setCurrent, "current-password")}
          {field("password", "users.newPassword", password, setPassword, "new-password", t("own.passwordHint"))}
          {field("again", "own.again", again, setAgain, "new-password")}
        </div>
      </Sheet>
    </fieldset>
  );
}

function OwnRights({ app }: { app: App }) {
  const mine = sections
    .map((s) => ({ name: s.name, rights: s.rights.filter((right) => app.session.may(right)) }))
    .filter((s) => s.rights.length > 0)
    .map(({ name, rights }) => ({
      name,
      works: rights.filter((right) => !comesWith(right)),
      waits: rights.filter((right) => comesWith(right)),
    }));
  return (
    <fieldset>
      <legend>{t("own.may")}</legend>
      {mine.length === 0 && <p>{t("own.mayNothing")}</p>}
      <dl class="owned">
        {mine.map((s) => (
          <div key={s.name}>
            <dt>{t("section." + s.name)}</dt>
            {s.works.length > 0 && <dd>{s.works.map((right) => t("right." + right)).join("; ")}</dd>}
            {s.waits.map((right) => (
              <dd key={right} class="waits">
                {t("right." + right)} <span class="quiet">({waitsText(right)})</span>
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </fieldset>
  );
}
