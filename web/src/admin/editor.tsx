// What the pages of a user and of a group have in common: the tabs, the names, and the sides with rights, settings and filters.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app";
import { known, t } from "../text/text";
import { TextArea, TextField } from "../ui/form";
import { unfinished } from "../ui/unfinished";
import type { Wrong } from "../ui/wrong";
import { RightsGrid } from "./grid";
import { NameField, type ProfileKind } from "./handover";
import { KeysEditor, type KeySet } from "./keyinputs";
import { clashes, typeOf, type Group, type Profile } from "./model";
import type { World } from "./world";

/** sides are the tabs of a user or group; type and reader of the one in an address. */
export const sides = ["details", "rights", "settings", "receive", "transmit"] as const;
export type Side = (typeof sides)[number];
export const sideOf = (text: string | undefined): Side => sides.find((s) => s === text) ?? "details";

const sets: Record<Exclude<Side, "details" | "rights">, KeySet> = {
  settings: "settings",
  receive: "receive_filter",
  transmit: "transmit_filter",
};

/** sideWith returns the side of the first field that was refused, so that it can be shown. */
export function sideWith(wrong: Wrong): Side | undefined {
  const pointer = Object.keys(wrong.at)[0];
  if (pointer === undefined) return undefined;
  if (pointer.startsWith("/access_rights")) return "rights";
  return (Object.keys(sets) as (keyof typeof sets)[]).find((side) => pointer.startsWith("/" + sets[side])) ?? "details";
}

/** Tabs are the sides of what is open; arrow keys move among them. Each has an address. A side with an unfinished field stays: it would be forgotten. */
export function Tabs({ app, name, side, marks }: { app: App; name: string; side: Side; marks: Record<Side, string> }) {
  const box = useRef<HTMLDivElement>(null);
  const open = (to: Side): boolean => {
    if (app.unfinished?.()) return false;
    void app.navigation.go(app.navigation.path[0], app.navigation.path[1], ...(to === "details" ? [] : [to]));
    return true;
  };
  useEffect(() => {
    app.unfinished = () => unfinished(box.current!.parentElement!);
    return () => {
      app.unfinished = undefined;
    };
  }, []);
  useEffect(() => {
    box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [side]);
  const key = (e: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by === undefined) return;
    e.preventDefault();
    const to = (sides.indexOf(side) + by + sides.length) % sides.length;
    if (open(sides[to])) box.current?.querySelectorAll("button")[to].focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("tab.label", { name })} ref={box} onKeyDown={key}>
      {sides.map((s) => (
        <button key={s} type="button" role="tab" aria-selected={s === side} tabIndex={s === side ? 0 : -1} onClick={() => open(s)}>
          {t("tab." + s)}
          {marks[s] && <span class="mark">{marks[s]}</span>}
        </button>
      ))}
    </div>
  );
}

/** marksOf counts what is set on each side. */
export function marksOf(profile: Profile): Record<Side, string> {
  const count = (keys: object): string => String(Object.keys(keys).length || "");
  return {
    details: "",
    rights: count(profile.access_rights),
    settings: count(profile.settings),
    receive: count(profile.receive_filter),
    transmit: count(profile.transmit_filter),
  };
}

interface EditProps<P extends Profile> {
  app: App;
  draft: P;
  change: (part: Partial<P>) => void;
  fixed: boolean;
}

type Person = Pick<Profile, "common_name" | "email" | "phone">;

interface ContactProps {
  of: Person;
  change: (part: Partial<Person>) => void;
  disabled?: boolean;
  /** own tells that the browser may fill in what it knows of its user. */
  own?: boolean;
}

/** Contact is the fields of the person behind a name. */
export function Contact({ of, change, disabled, own }: ContactProps) {
  const field = (key: keyof Person, label: string, type: "text" | "email" | "tel", fill: string) => (
    <TextField
      label={label}
      at={"/" + key}
      type={type}
      autocomplete={own ? fill : "off"}
      disabled={disabled}
      value={of[key]}
      onInput={(v) => change({ [key]: v })}
    />
  );
  return (
    <>
      {field("common_name", t("profile.common"), "text", "name")}
      {field("email", t("profile.email"), "email", "email")}
      {field("phone", t("profile.phone"), "tel", "tel")}
    </>
  );
}

type IdentityProps<P extends Profile> = EditProps<P> & { named: ProfileKind; children?: ComponentChildren };

/** Identity is the fieldset of names and addresses. */
export function Identity<P extends Profile>({ draft, change, fixed, named, children }: IdentityProps<P>) {
  return (
    <fieldset>
      <legend>{t("profile.identity")}</legend>
      <div class="fields">
        <NameField
          kind={named}
          required
          disabled={fixed}
          autofocus={draft.uid === ""}
          value={draft.name}
          onInput={(name) => change({ name } as Partial<P>)}
        />
        <Contact of={draft} change={(part) => change(part as Partial<P>)} disabled={fixed} />
        <TextArea
          label={t("profile.description")}
          at="/description"
          disabled={fixed}
          rows={2}
          value={draft.description}
          onInput={(v) => change({ description: v } as Partial<P>)}
        />
        {children}
      </div>
    </fieldset>
  );
}

/** SideBody is what stands on the sides other than the details. */
export function SideBody<P extends Profile>({
  app,
  was,
  draft,
  change,
  fixed,
  side,
  world,
  groups,
}: EditProps<P> & { was: P; side: Exclude<Side, "details">; world: World; groups?: readonly Group[] }) {
  const proxy = groups !== undefined && typeOf(draft, groups) === "proxy";
  const right =
    side === "rights"
      ? "change_access_rights"
      : side === "settings"
        ? "change_settings"
        : proxy
          ? "change_proxy_filters"
          : "change_filter_settings";
  const disabled = fixed || !app.session.may(right);
  const note = !app.session.may(right) && <p class="quiet">{t("users.takes", { right })}</p>;
  if (side === "rights") {
    return (
      <>
        {note}
        <RightsGrid
          app={app}
          own={draft.access_rights}
          saved={was.access_rights}
          groups={groups}
          disabled={disabled}
          onChange={(now) => change({ access_rights: now } as Partial<P>)}
        />
      </>
    );
  }
  const set = sets[side];
  const lead =
    side === "settings"
      ? groups
        ? "keys.settingsLead"
        : ""
      : side === "transmit"
        ? "keys.transmitLead"
        : groups
          ? "keys.receiveLead"
          : "keys.receiveGroupLead";
  return (
    <>
      {note}
      {lead && <p class="quiet">{t(lead)}</p>}
      <KeysEditor
        app={app}
        set={set}
        keys={draft[set]}
        world={world}
        disabled={disabled}
        groups={groups ?? []}
        onChange={(now) => change({ [set]: now } as unknown as Partial<P>)}
      />
    </>
  );
}

/** wordOf returns the word of a form for a field of the API. */
export const wordOf = (key: string): string =>
  known("field." + key) || (["right.", "set.", "cond."].map((family) => known(family + key)).find((text) => text !== "") ?? key);

/** clashWords gives, for what somebody else wrote meanwhile, the fields in words that would be written over. */
export const clashWords =
  <P extends Profile>(was: P, mine: P) =>
  (theirs: P): string[] =>
    clashes(was, mine, theirs).map(wordOf);
