// The pages of users: the list, one user with all sides, copying, handing over and deleting.
import { useState } from "preact/hooks";
import type { App, Props } from "../app";
import { send } from "../api";
import { Field, NumberField, Picker, Switch, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import type { Loaded } from "../ui/load";
import type { ColumnOf } from "../ui/table";
import { t } from "../text/text";
import { Identity, type Side } from "./editor";
import { handOver, Other, Step } from "./handover";
import { isPowerless, keptOf, groupsOf, newUser, stateOf, typeOf, type Group, type State, type User } from "./model";
import { ownedOf, OwnedList, ProfileEditor, ProfileList, Profiles, useProfile } from "./profiles";
import { Sessions } from "./sessions";
import { Tokens } from "./tokens";
import type { World } from "./world";

/** Users is the place of users. */
export const Users = ({ app, path }: Props) => (
  <Profiles
    app={app}
    path={path}
    kind="user"
    blank={newUser}
    all={(world) => world.users}
    list={(world) => <UserList app={app} world={world} />}
    belongings={(user, world) => <Belongings user={user} world={world} />}
    remove={(user, world) => <DeleteUser app={app} user={user} world={world} />}
    edit={(user, world, side) => <UserEditor key={user.uid} app={app} original={user} world={world} side={side} />}
  />
);

const stateSigns: Record<State, string> = { active: "●", disabled: "■", expired: "✕", soon: "▲" };

/** StateText says whether a user may sign in. */
export function StateText({ app, user }: { app: App; user: User }) {
  const state = stateOf(user, app.picture.now());
  return (
    <span class={"state " + state}>
      <i aria-hidden="true">{stateSigns[state]}</i>{" "}
      {t("state." + state, { date: user.expiration_time?.slice(innerWidth < 600 ? 5 : 0, 10) ?? "" })}
    </span>
  );
}

function UserList({ app, world }: { app: App; world: World }) {
  const of = (u: User): Group[] => groupsOf(u.groups, world.groups);
  const narrow = innerWidth < 600;
  const columns: ColumnOf<User>[] = [
    { key: "name", heading: t(narrow ? "col.name" : "profile.name"), text: (u) => u.name, width: "minmax(90px, 1.2fr)" },
    { key: "common", heading: t("profile.common"), text: (u) => u.common_name, width: "minmax(110px, 1.4fr)", from: 480 },
    { key: "groups", heading: t("users.groups"), text: (u) => u.groups.map((g) => g.name).join(", "), width: "minmax(60px, 1fr)" },
    { key: "type", heading: t("users.type"), text: (u) => t("value." + typeOf(u, of(u))), width: "64px", from: 640 },
    { key: "rights", heading: t("users.rights"), text: (u) => u.effective_rights.length, width: "60px", right: true, from: 760 },
    {
      key: "state",
      heading: t("users.state"),
      text: (u) => t("state." + stateOf(u, app.picture.now()), { date: u.expiration_time?.slice(0, 10) ?? "" }),
      cell: (u) => <StateText app={app} user={u} />,
      width: narrow ? "116px" : "158px",
    },
    { key: "email", heading: t("profile.email"), text: (u) => u.email, from: 1000 },
  ];
  return <ProfileList app={app} kind="user" right="add_remove_users" columns={columns} rows={world.users} />;
}

function UserEditor({ app, original, world, side }: { app: App; original: User; world: Loaded<World>; side: Side }) {
  const [password, setPassword] = useState("");
  // The warning before the end is written with the end.
  const from = (now: User): User => ({ ...newUser, period_before_expire: now.expiration_time ? 0 : now.period_before_expire });
  const saved = (): void => setPassword("");
  const editor = useProfile({ app, kind: "user", original, world, side, from, password, saved });
  const { was, now: draft, set: change, fresh } = editor;
  const self = original.name === app.session.user,
    groups = groupsOf(draft.groups, world.data!.groups);
  const stronger = !self && was.effective_rights.some((right) => !app.session.may(right));
  const fixed = fresh ? false : stronger || !app.session.may("change_user");
  const notes = (
    <>
      {stronger ? (
        <p class="lead problem">{t("users.stronger", { name: was.name })}</p>
      ) : (
        fixed && <p class="lead quiet">{t("users.takes", { right: "change_user" })}</p>
      )}
      {!fresh && isPowerless(was) && (
        <p class="lead problem" role="alert">
          {t("users.powerless", { name: was.name })}
        </p>
      )}
    </>
  );
  return (
    <ProfileEditor
      app={app}
      kind="user"
      draft={editor}
      title={fresh ? t("new.users") : was.common_name ? `${was.name} · ${was.common_name}` : was.name}
      acts={!app.session.may("add_remove_users") ? [] : self ? ["clone", "reassign"] : ["clone", "reassign", "delete"]}
      notes={notes}
      side={side}
      fixed={stronger}
      world={world.data!}
      groups={groups}>
      <Identity app={app} draft={draft} change={change} fixed={fixed} named="user">
        <Picker
          label={t("users.groups")}
          hint={t("users.groupsHint")}
          at="/groups"
          disabled={fixed}
          chosen={draft.groups.map((g) => g.uid!)}
          options={world.data!.groups.map((g) => ({ value: g.uid, label: g.name }))}
          onChange={(uids) => change({ groups: uids.map((uid) => ({ uid, name: world.data!.groups.find((g) => g.uid === uid)!.name })) })}
        />
      </Identity>
      {self ? (
        <OwnPasswordElsewhere app={app} />
      ) : (
        <Password
          fresh={fresh}
          value={password}
          onInput={setPassword}
          disabled={stronger || (!fresh && !app.session.may("reset_passwords"))}
        />
      )}
      <fieldset disabled={fixed}>
        <legend>{t("users.access")}</legend>
        <div class="fields">
          <Switch
            label={t("users.disabled")}
            hint={t("users.disabledHint")}
            at="/disabled"
            on={draft.disabled}
            onChange={(on) => change({ disabled: on })}
          />
          <TextField
            label={t("users.expires")}
            hint={t("users.expiresHint")}
            at="/expiration_time"
            autocomplete="off"
            value={dateText(draft.expiration_time)}
            onInput={(v) => change({ expiration_time: dateOf(v) })}
          />
          {draft.expiration_time && (
            <NumberField
              label={t("users.warnBefore")}
              unit={t("unit.days")}
              at="/period_before_expire"
              max={3650}
              value={draft.period_before_expire}
              onInput={(v) => change({ period_before_expire: v ?? 0 })}
            />
          )}
          <Switch
            label={t("users.direct")}
            hint={t("users.directHint")}
            at={draft.direct_access.enabled ? undefined : "/direct_access"}
            wide
            on={draft.direct_access.enabled}
            onChange={(enabled) => change({ direct_access: { ...draft.direct_access, enabled } })}
          />
          {(draft.direct_access.enabled || draft.direct_access.hosts.length > 0) && (
            <Picker
              label={t("users.hosts")}
              hint={t("users.hostsHint")}
              at="/direct_access"
              free
              options={[]}
              disabled={fixed}
              chosen={draft.direct_access.hosts}
              onChange={(hosts) => change({ direct_access: { ...draft.direct_access, hosts } })}
            />
          )}
        </div>
      </fieldset>
      {!fresh && (
        <fieldset>
          <legend>{t("users.keeps")}</legend>
          <p>{keptOf(was)}</p>
        </fieldset>
      )}
      {!fresh && app.session.may("change_user") && !stronger && (
        <>
          <Sessions app={app} path={`config/user/${was.uid}/sessions`} label={t("users.sessions")} />
          <Tokens app={app} path={`config/user/${was.uid}/tokens`} label={t("users.tokens")} />
        </>
      )}
    </ProfileEditor>
  );
}

// The browser's own input would show a date in the order of its language, and a time of twelve hours.
const dateText = (time: string | undefined): string => (time?.endsWith("Z") ? time.slice(0, 16).replace("T", " ") : (time ?? ""));
const dateOf = (text: string): string | undefined =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text) ? text.replace(" ", "T") + ":00Z" : text || undefined;

const letters = "abcdefghijkmnpqrstuvwxyz23456789"; // without those that look alike; 32 of them, so that none is likelier

/** invent makes a password of 80 random bits that can be read out. */
function invent(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b, i) => (i > 0 && i % 4 === 0 ? "-" : "") + letters[b % 32]).join("");
}

// The own password takes the current one, which the profile asks for.
function OwnPasswordElsewhere({ app }: { app: App }) {
  return (
    <fieldset>
      <legend>{t("users.password")}</legend>
      <p>
        <button type="button" onClick={() => void app.navigation.go("profile")}>
          {t("users.ownPassword")}
        </button>
      </p>
    </fieldset>
  );
}

function Password({ fresh, value, onInput, disabled }: { fresh: boolean; value: string; onInput: (v: string) => void; disabled: boolean }) {
  const [seen, setSeen] = useState(false);
  return (
    <fieldset>
      <legend>{t("users.password")}</legend>
      <div class="fields">
        <Field
          label={t(fresh ? "users.password" : "users.newPassword")}
          hint={t(fresh ? "users.passwordHint" : "users.newPasswordHint")}
          at="/password"
          wide>
          {(aria) => (
            <span class="entry secret">
              <input
                {...aria}
                type={(seen ? "text" : "password") as "text"}
                autocomplete="new-password"
                autocapitalize="none"
                spellcheck={false}
                value={value}
                disabled={disabled}
                onInput={(e) => onInput(e.currentTarget.value)}
              />
              <button type="button" disabled={disabled} aria-pressed={seen} onClick={() => setSeen(!seen)}>
                {t(seen ? "users.hide" : "users.show")}
              </button>
              <button
                type="button"
                disabled={disabled}
                onClick={() => {
                  onInput(invent());
                  setSeen(true);
                }}>
                {t("users.invent")}
              </button>
            </span>
          )}
        </Field>
      </div>
    </fieldset>
  );
}

/** Belongings lists what a user owns, as far as the caller sees it. */
function Belongings({ user, world }: { user: User; world: World }) {
  const owned = ownedOf(world, (r) => r.owner?.uid === user.uid);
  if (owned.length === 0) return <p>{t("users.ownsNone", { name: user.name })}</p>;
  return (
    <>
      <p>{t("users.owns", { name: user.name })}</p>
      <OwnedList owned={owned} />
    </>
  );
}

// DeleteUser names what goes along before it is done, and offers to hand over first.
function DeleteUser({ app, user, world }: { app: App; user: User; world: Loaded<World> }) {
  const [to, setTo] = useState("");
  const owns = ownedOf(world.data!, (r) => r.owner?.uid === user.uid).length > 0;
  const mayMore = user.effective_rights.some((right) => /^(admin|share)_/.test(right)); // see warn_on_deletion
  const act = async (): Promise<void> => {
    try {
      const moved = to === "" ? "" : await handOver("user", user.uid, to);
      await send("DELETE", "config/user/" + user.uid);
      app.tell([moved, t("users.deleted", { name: user.name })].filter(Boolean).join(" "));
      app.navigation.goInstead("users");
      await world.again();
    } catch (problem) {
      if (to) await world.again();
      throw problem;
    }
  };
  const title = t("users.deleteTitle", { name: user.name });
  if (user.name === app.session.user)
    return (
      <>
        <Heading app={app} title={title} back={["users", user.uid]} />
        <p class="empty">{t("users.self")}</p>
      </>
    );
  return (
    <Step app={app} kind="user" of={user} title={title} bad save={t("users.deleteYes", { name: user.name })} onSave={act}>
      <Belongings user={user} world={world.data!} />
      {(owns || user.warn_on_deletion) && (
        <Other kind="user" all={world.data!.users} but={user} to={to} onChange={setTo} nobody={t("users.keepOrphans")} />
      )}
      <ul class="along">
        {(owns || user.warn_on_deletion) && to === "" && <li>{t("users.orphans")}</li>}
        {mayMore && <li>{t("users.warn", { name: user.name })}</li>}
        {user.warn_on_deletion && !mayMore && !owns && <li>{t("users.ownsMore", { name: user.name })}</li>}
        <li>{t("users.deleteEnds", { name: user.name })}</li>
        <li>{t("users.deleteForever")}</li>
      </ul>
    </Step>
  );
}
