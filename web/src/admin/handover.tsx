// What can be done to users and groups alike: copy one, and put another in the place of one.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import type { UID } from "../contract";
import { Choice, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { Sheet } from "../ui/sheet";
import { nothingWrong } from "../ui/wrong";
import { t } from "../text/text";
import type { Profile } from "./model";

/** ProfileKind is what the API and the places of the client are named by. */
export type ProfileKind = "user" | "group";

/** Props are the user or group, all of its kind, and how they are read again. */
interface Props {
  app: App;
  kind: ProfileKind;
  of: Profile;
  all: readonly Profile[];
  again: () => Promise<void>;
}

/** NameField is the field of the name of a user or group. */
export const NameField = ({ kind, ...field }: Omit<Parameters<typeof TextField>[0], "label"> & { kind: ProfileKind }) => (
  <TextField
    label={t(kind === "user" ? "profile.name" : "profile.groupName")}
    hint={kind === "user" ? t("profile.nameHint") : undefined}
    at="/name"
    autocomplete="off"
    autocapitalize="none"
    spellcheck={false}
    maxLength={64}
    {...field}
  />
);

interface StepProps {
  app: App;
  kind: ProfileKind;
  of: Profile;
  title: string;
  save: string;
  onSave: () => Promise<void>;
  bad?: boolean;
  unsaved?: boolean;
  more?: ComponentChildren;
  children: ComponentChildren;
}

/** Step is a page on which one thing is done to a user or group, and from which the way leads back to it. */
export function Step({ app, kind, of, title, children, ...sheet }: StepProps) {
  const [wrong, setWrong] = useState(nothingWrong);
  const back = [`${kind}s`, of.uid];
  return (
    <>
      <Heading app={app} title={title} back={back} />
      <Sheet wrong={wrong} onWrong={setWrong} onCancel={() => void app.navigation.go(...back)} {...sheet}>
        <fieldset class="stack">{children}</fieldset>
      </Sheet>
    </>
  );
}

/** Copy makes another with the same rights, settings and filters. */
export function Copy({ app, kind, of, again }: Omit<Props, "all">) {
  const [name, setName] = useState("");
  const save = async (): Promise<void> => {
    const { uid } = await send<UID>("POST", `config/${kind}/${of.uid}/clone`, { name });
    app.tell(t("users.made", { name }));
    await again();
    app.navigation.goInstead(`${kind}s`, uid);
  };
  const title = t("users.cloneTitle", { name: of.name });
  return (
    <Step app={app} kind={kind} of={of} title={title} save={t("users.clone")} unsaved={name !== ""} onSave={save}>
      <p class="quiet lead">{t(kind === "user" ? "users.cloneLead" : "groups.cloneLead")}</p>
      <NameField kind={kind} autofocus value={name} onInput={setName} />
    </Step>
  );
}

/** handOver returns what is a user's or group's to another and says in a sentence what that was. */
export async function handOver(kind: ProfileKind, uid: string, to: string): Promise<string> {
  const { reassigned } = await send<{ reassigned: Record<string, number> }>("POST", `config/${kind}/${uid}/reassign`, { name: to });
  const parts = Object.entries(reassigned)
    .filter(([, n]) => n > 0)
    .map(([thing, n]) => t("moved." + thing, { n }));
  return t("users.reassigned", { what: parts.join(", ") || t("users.nothing") });
}

/** Other chooses another user or group; nobody is the word for none. */
export function Other({
  kind,
  all,
  but,
  to,
  onChange,
  nobody = "",
}: {
  kind: ProfileKind;
  all: readonly Profile[];
  but: Profile;
  to: string;
  onChange: (uid: string) => void;
  nobody?: string;
}) {
  const options = all
    .filter((p) => p.uid !== but.uid)
    .map((p) => ({ value: p.uid, label: kind === "user" && p.common_name ? `${p.name} · ${p.common_name}` : p.name }));
  return (
    <Choice
      label={t(kind === "user" ? "users.reassignTo" : "groups.other")}
      at="/name"
      value={to}
      options={[{ value: "", label: nobody }, ...options]}
      onChange={onChange}
    />
  );
}

/** HandOver puts another user or group in the place of one; the children say where that is. */
export function HandOver({ app, kind, of, all, again, children }: Props & { children: ComponentChildren }) {
  const [to, setTo] = useState("");
  const save = async (): Promise<void> => {
    app.tell(await handOver(kind, of.uid, to));
    await again();
    await app.navigation.go(`${kind}s`, of.uid);
  };
  const title = t(kind === "user" ? "users.reassignTitle" : "groups.reassignTitle", { name: of.name });
  const word = t(kind === "user" ? "users.reassign" : "groups.replace");
  return (
    <Step app={app} kind={kind} of={of} title={title} save={word} unsaved={to !== ""} onSave={save}>
      {children}
      <Other kind={kind} all={all} but={of} to={to} onChange={setTo} />
    </Step>
  );
}
