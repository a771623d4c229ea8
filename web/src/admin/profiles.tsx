// What the pages of users and of groups have in common: the place, the editor, and the table of owned things.
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { send } from "../api";
import type { App, Props } from "../app";
import type { UID } from "../contract";
import { put } from "../change";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, useLoaded, type Loaded } from "../ui/load";
import { Sheet, useDraft, useUnsaved, type Draft } from "../ui/sheet";
import { Table, type ColumnOf } from "../ui/table";
import { wrongOf } from "../ui/wrong";
import { clashWords, marksOf, SideBody, sideOf, sideWith, Tabs, type Side } from "./editor";
import { Copy, HandOver, type ProfileKind } from "./handover";
import { changes, type Group, type Profile } from "./model";
import { libraryKinds, loadWorld, type Owned, type World } from "./world";

type Act = "clone" | "reassign" | "delete";

interface PlaceProps<P> extends Props {
  kind: ProfileKind;
  blank: P;
  all: (world: World) => P[];
  list: (world: World) => JSX.Element;
  belongings: (of: P, world: World) => ComponentChildren;
  remove: (of: P, world: Loaded<World>) => JSX.Element;
  edit: (of: P, world: Loaded<World>, side: Side) => JSX.Element;
}

/** Profiles is the place of users or groups: the list, or what the path names. */
export function Profiles<P extends Profile>({ app, path, kind, blank, all, list, belongings, remove, edit }: PlaceProps<P>) {
  const place = `${kind}s`;
  const world = useLoaded(() => loadWorld(app));
  const [ref, act] = path;
  useEffect(() => {
    if (!ref && world.data) void world.again();
  }, [ref]);
  if (!world.data) return <NotLoaded loaded={world} />;
  if (!ref) return list(world.data);
  const of = ref === "new" ? blank : all(world.data).find((p) => p.uid === ref || p.name === ref);
  if (!of)
    return (
      <>
        <Heading app={app} title={t("menu." + place)} back={[place]} />
        <p class="empty">{t("gone." + place)}</p>
      </>
    );
  if (act === "clone") return <Copy app={app} kind={kind} of={of} again={world.again} />;
  if (act === "reassign")
    return (
      <HandOver app={app} kind={kind} of={of} all={all(world.data)} again={world.again}>
        {belongings(of, world.data)}
      </HandOver>
    );
  return act === "delete" ? remove(of, world) : edit(of, world, sideOf(act));
}

interface ListProps<P> {
  app: App;
  kind: ProfileKind;
  /** right is needed to make a new one. */
  right: string;
  columns: ColumnOf<P>[];
  rows: readonly P[];
}

/** ProfileList is the table of users or groups. */
export function ProfileList<P extends Profile>({ app, kind, right, columns, rows }: ListProps<P>) {
  const place = `${kind}s`,
    title = t("menu." + place);
  const open = (ref: string): void => void app.navigation.go(place, ref);
  return (
    <>
      <Heading app={app} title={title}>
        {app.session.may(right) && (
          <button class="primary" onClick={() => open("new")}>
            {t("new." + place)}
          </button>
        )}
      </Heading>
      <Table label={title} columns={columns} rows={rows} id={(p) => p.uid} onOpen={(p) => open(p.uid)} empty={t("empty." + place)} />
    </>
  );
}

/** ProfileDraft is the draft of a user or group. */
export interface ProfileDraft<P> extends Draft<P> {
  fresh: boolean;
  edited: boolean;
  save: () => Promise<void>;
}

interface DraftProps<P> {
  app: App;
  kind: ProfileKind;
  original: P;
  world: Loaded<World>;
  side: Side;
  /** from returns what a new one differs from, where that is not a blank one. */
  from?: (now: P) => P;
  /** password is written beside the fields. */
  password?: string;
  saved?: () => void;
}

/** useProfile is the draft of a user or group, and how it is saved. */
export function useProfile<P extends Profile>({ app, kind, original, world, side, from, password, saved }: DraftProps<P>): ProfileDraft<P> {
  const draft = useDraft(original);
  const { was, now } = draft,
    fresh = original.uid === "",
    place = `${kind}s`;
  const body = changes(fresh && from ? from(now) : was, now);
  const edited = Object.keys(body).length > 0 || !!password;
  useUnsaved(app, edited);
  const save = async (): Promise<void> => {
    try {
      if (fresh) {
        const secret = password === undefined ? {} : { password };
        const { uid } = await send<UID>("POST", `config/${kind}`, { ...body, name: now.name, ...secret });
        app.tell(t("users.made", { name: now.name.trim() }));
        await world.again();
        app.navigation.goInstead(place, uid);
        return;
      }
      const all = { ...body, ...(password ? { password } : {}) };
      const kept = await put(app, `config/${kind}/${was.uid}`, was.name, was, all, clashWords(was, now));
      if (!kept) return;
      draft.restart(kept);
      saved?.();
      app.tell(t("users.changed", { name: kept.name }));
      void app.session.refresh();
      await world.again();
    } catch (problem) {
      const what = wrongOf(problem),
        to = sideWith(what);
      draft.setWrong(what);
      if (to && to !== side) void app.navigation.go(place, app.navigation.path[1], ...(to === "details" ? [] : [to]));
    }
  };
  return { ...draft, fresh, edited, save };
}

interface EditorProps<P> {
  app: App;
  kind: ProfileKind;
  draft: ProfileDraft<P>;
  title: string;
  /** acts are what can be done to one that is there. */
  acts: Act[];
  /** notes say why something cannot be changed. */
  notes: ComponentChildren;
  side: Side;
  fixed: boolean;
  world: World;
  groups?: readonly Group[];
  /** children are the side of the details. */
  children: ComponentChildren;
}

/** ProfileEditor is one user or group with all sides. */
export function ProfileEditor<P extends Profile>({
  app,
  kind,
  draft,
  title,
  acts,
  notes,
  side,
  fixed,
  world,
  groups,
  children,
}: EditorProps<P>) {
  const place = `${kind}s`;
  const { was, now, set, wrong, fresh, edited } = draft;
  return (
    <>
      <Heading app={app} title={title} back={[place]}>
        {!fresh &&
          acts.map((act) => (
            <button key={act} disabled={edited} onClick={() => void app.navigation.go(place, was.uid, act)}>
              {t(kind === "group" && act === "reassign" ? "groups.replace" : "users." + act)}
            </button>
          ))}
      </Heading>
      {notes}
      <Tabs app={app} name={now.name || title} side={side} marks={marksOf(now)} />
      <Sheet
        wrong={wrong}
        onWrong={draft.setWrong}
        save={fresh ? t("create." + place) : t("save." + place)}
        unsaved={edited}
        onSave={draft.save}
        onCancel={() => void app.navigation.go(place)}>
        {side === "details" ? (
          children
        ) : (
          <SideBody app={app} was={was} draft={now} change={set} fixed={fixed} side={side} world={world} groups={groups} />
        )}
      </Sheet>
    </>
  );
}

/** ownedOf returns the names of the things of the library that fit, by kind. */
export const ownedOf = (world: World, fits: (thing: Owned) => boolean): { kind: string; names: string[] }[] =>
  libraryKinds.map((kind) => ({ kind, names: world.library[kind].filter(fits).map((r) => r.name) })).filter((k) => k.names.length > 0);

/** OwnedList shows such things. */
export const OwnedList = ({ owned }: { owned: { kind: string; names: string[] }[] }) => (
  <dl class="owned">
    {owned.map((k) => (
      <div key={k.kind}>
        <dt>{t("owned." + k.kind)}</dt>
        <dd>{k.names.join(", ")}</dd>
      </div>
    ))}
  </dl>
);
