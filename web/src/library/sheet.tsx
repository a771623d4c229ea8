// The sheet of what users make, own and share: ship lists, shapes, saved filters and watchdogs.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Refusal } from "../api";
import type { App } from "../app";
import { clashing } from "../change";
import type { ShipList } from "../contract";
import { t, told } from "../text/text";
import { Heading } from "../ui/heading";
import { remove, Sheet, useDraft, useUnsaved, write, type Draft, type Kind } from "../ui/sheet";
import { toolColumn, type ColumnOf } from "../ui/table";
import { wrongOf } from "../ui/wrong";
import { aclOf } from "./acl";
import { filtersNaming, mayChange, mayConfigure, Owner, ownerText, Sharing } from "./sharing";
import { Icon } from "../ui/icon";

/** Thing is what all things of the library have, as the API gives it. */
export type Thing = Pick<ShipList, "revision" | "uid" | "name" | "owner" | "acl">;

/** Fields are what a sheet edits of a thing, named as in the API. */
export interface Fields {
  name: string;
  acl: string[];
}

/** LibraryKind is a kind of things with owners. */
export interface LibraryKind<T, D> extends Kind {
  /** rights is the end of the names of the rights: share_{rights} and admin_{rights}. */
  rights: string;
  /** admin is the right over those of others where it is named otherwise. */
  admin?: string;
  /** needs is a right without which nobody may write. */
  needs?: string;
  /** named tells that filters name such things. */
  named: boolean;
  /** holds tells that a thing takes the right over those of others, even of its owner. */
  holds?: (thing: T) => boolean;
  /** locked tells that nobody writes a thing here. */
  locked?: (thing: T) => boolean;
  fields: (thing: T | undefined) => D;
  /** words are the keys of the words of the fields that two may have changed. */
  words: Partial<Record<keyof D, string>>;
}

type Rights = Pick<LibraryKind<unknown, unknown>, "rights" | "admin" | "needs">;

const adminOf = (kind: Rights): string => kind.admin ?? "admin_" + kind.rights;

/** mayMake tells whether the user may make things of a kind. */
export const mayMake = (app: App, kind: Rights): boolean => mayConfigure(app) && (!kind.needs || app.session.may(kind.needs));

/** mayEdit tells whether the user may change a thing. */
export const mayEdit = <T extends Thing>(app: App, kind: Rights & Pick<LibraryKind<T, never>, "holds" | "locked">, thing: T): boolean =>
  !kind.locked?.(thing) &&
  mayMake(app, kind) &&
  mayChange(app, thing.owner, adminOf(kind)) &&
  (!kind.holds?.(thing) || app.session.may(adminOf(kind)));

/** namesOf returns the names of those a thing is shared with. */
export const namesOf = (thing: Thing | undefined): string[] => thing?.acl.map((r) => r.name) ?? [];

/** ThingDraft is the draft of a thing, with what was read when the sheet was opened; a new thing has none. */
export type ThingDraft<T, D> = Draft<D> & { thing: T | undefined };

/** useThing begins the draft of a thing. */
export function useThing<T extends Thing, D extends Fields>(kind: LibraryKind<T, D>, read?: T, proposed?: Partial<D>): ThingDraft<T, D> {
  const [thing] = useState(read);
  return { thing, ...useDraft(kind.fields(thing), proposed) };
}

interface ThingProps<T, D> {
  app: App;
  kind: LibraryKind<T, D>;
  draft: ThingDraft<T, D>;
  title?: string;
  /** redrawn tells that something changed beside the fields. */
  redrawn?: boolean;
  /** check returns what the server would refuse, by pointer; it is told without asking. */
  check?: () => Record<string, string>;
  /** more returns what is written beside the fields that changed. */
  more?: () => object;
  /** clash gives, in words, what somebody else wrote beside the fields that more would undo. */
  clash?: (theirs: T) => string[];
  redo?: (theirs: T) => object;
  saved?: (name: string) => string;
  /** full is the pointer of the field that is told when a limit is reached. */
  full?: string;
  loses?: (string | false)[];
  /** stays says why the thing can neither be deleted nor shared; nothing where it can. */
  stays?: string;
  above?: ComponentChildren;
  /** acts are further buttons of the heading. */
  acts?: ComponentChildren;
  /** facts are shown in place of the fields where the user may not change them. */
  facts?: ComponentChildren;
  below?: ComponentChildren;
  children: ComponentChildren;
}

/** ThingSheet makes a thing or changes one; one of others is shown as it is. */
export function ThingSheet<T extends Thing, D extends Fields>(props: ThingProps<T, D>) {
  const { app, kind, draft, redrawn = false, above, children } = props;
  const { thing, now, was, wrong } = draft,
    title = props.title ?? thing?.name ?? kind.say("new");
  const may = thing ? mayEdit(app, kind, thing) : mayMake(app, kind);
  useUnsaved(app, may && (draft.touched || redrawn));
  const save = async (): Promise<void> => {
    const mine = trimmed(now),
      { name } = mine;
    const bad = { ...(name === "" ? { "/name": t("form.missing") } : {}), ...props.check?.() };
    if (Object.keys(bad).length > 0) return draft.refuse(bad);
    const values = Object.fromEntries(draft.changed.map((key) => [key, mine[key] === undefined ? 0 : mine[key]]));
    const body = { ...values, ...(values.acl ? { acl: aclOf(now.acl, thing?.acl ?? []) } : {}), ...props.more?.() };
    const clash = (theirs: T): string[] => [
      ...clashing(was, mine, kind.fields(theirs), Object.keys(kind.words) as (keyof D)[]).map((key) => t(kind.words[key]!)),
      ...(props.clash?.(theirs) ?? []),
    ];
    const redo = props.redo && ((theirs: T): object => ({ ...body, ...props.redo!(theirs) }));
    try {
      if (await write(app, kind, body, thing && { id: thing.uid, name: thing.name, was: thing, clash, redo }))
        app.tell(props.saved?.(name) ?? kind.say("saved", { name }));
    } catch (problem) {
      const code = problem instanceof Refusal ? problem.code : "";
      if (code === "name_taken") draft.refuse({ "/name": kind.say("taken") });
      else if (code === "limit_reached" && props.full) draft.refuse({ [props.full]: told((problem as Refusal).said) });
      else draft.setWrong(wrongOf(problem));
    }
  };
  const drop = async (of: T): Promise<void> => {
    const filters = kind.named ? await filtersNaming(of.name) : [];
    const shared = of.acl.length > 0 && t("share.lose", { names: namesOf(of).join(", ") });
    const named = filters.length > 0 && t("share.filters", { names: filters.join(", ") });
    await remove(app, kind, of.uid, of.name, [...(props.loses ?? []), shared, named]);
  };
  return (
    <>
      <Heading app={app} title={title} back={[kind.place]}>
        {props.acts}
        {thing && may && !props.stays && <button onClick={() => void drop(thing)}>{t("form.delete")}</button>}
      </Heading>
      {(may || thing) && above}
      {may ? (
        <div class="sheetbox">
          <Sheet
            wrong={wrong}
            onWrong={draft.setWrong}
            save={t("form.save")}
            unsaved={draft.changed.length > 0 || redrawn}
            onSave={save}
            onCancel={() => void app.navigation.go(kind.place)}>
            {children}
            {props.stays ? (
              <p class="quiet">{props.stays}</p>
            ) : (
              <Sharing
                app={app}
                names={now.acl}
                onChange={(acl) => draft.set({ acl } as Partial<D>)}
                may={app.session.may("share_" + kind.rights) || app.session.may(adminOf(kind))}
              />
            )}
          </Sheet>
        </div>
      ) : thing ? (
        <>
          <div class="sheetbox facts">
            <p class="quiet">
              {thing.owner?.name === app.session.user && kind.holds?.(thing)
                ? kind.say("held")
                : (props.stays ?? t("share.readOnly", { owner: thing.owner?.name ?? t("share.noOwner") }))}
            </p>
            {props.facts}
          </div>
          {props.below}
        </>
      ) : (
        <p class="empty">{kind.say("mayNot")}</p>
      )}
    </>
  );
}

const trimmed = <D extends object>(fields: D): D =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.trim() : value])) as D;

/** Told is a fact in a line: its word and its value. */
export const Told = ({ word, children }: { word: string; children: ComponentChildren }) => (
  <p class="told">
    <span class="quiet">{word}</span> {children}
  </p>
);

/** ownerColumn names the owner of a thing. */
export const ownerColumn = (app: App, width: string): ColumnOf<Thing> => ({
  key: "owner",
  heading: t("share.owner"),
  text: (thing) => ownerText(app, thing),
  width,
  from: 320,
  cell: (thing) => <Owner app={app} of={thing} />,
});

/** filterColumn is the button that filters the map by a thing. */
export const filterColumn = <T extends Thing>(app: App, filterOf: (thing: T) => string): ColumnOf<T> =>
  toolColumn("show", innerWidth < 900 ? 48 : 34, (thing) => (
    <button
      class="eye"
      aria-label={t("share.useNamed", { name: thing.name })}
      title={t("share.use")}
      onClick={(e) => {
        e.stopPropagation();
        app.search.showFilter(filterOf(thing));
      }}>
      <Icon d="M2 3h12L9.5 8.5V13l-3 1V8.5z" />
    </button>
  ));
