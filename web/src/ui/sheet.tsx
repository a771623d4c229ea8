// Sheets are the forms of the client, and what the panels of the things that are written in them have in common.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { equal, put, type Revised } from "../change";
import { t } from "../text/text";
import { Heading } from "./heading";
import type { Loaded } from "./load";
import { Table, type ColumnOf } from "./table";
import { unfinished } from "./unfinished";
import { Errors, generalOf, nothingWrong, stillReferred, wrongOf, type Wrong } from "./wrong";

interface SheetProps {
  wrong: Wrong;
  onWrong: (wrong: Wrong) => void;
  save: string;
  onSave: () => unknown;
  onCancel?: () => void;
  more?: ComponentChildren;
  children: ComponentChildren;
  bad?: boolean;
  unsaved?: boolean;
}

/** Sheet is a form: its fields, what was wrong in general, and the buttons below that stay in sight. What is being saved is not saved a second time, and nothing is while a field is unfinished. */
export function Sheet({ wrong, onWrong, save, onSave, onCancel, more, children, bad, unsaved = true }: SheetProps) {
  const form = useRef<HTMLFormElement>(null);
  const saving = useRef(false); // before the page is drawn anew: a double click is two tries
  const [busy, setBusy] = useState(false);
  const told = useMemo(() => ({ ...wrong, shown: new Set<string>() }), [wrong]),
    [general, setGeneral] = useState("");
  const submit = async (): Promise<void> => {
    if (saving.current || unfinished(form.current!)) return;
    saving.current = true;
    setBusy(true);
    try {
      await onSave();
    } catch (problem) {
      onWrong(wrongOf(problem));
    } finally {
      saving.current = false;
      setBusy(false);
    }
  };
  useLayoutEffect(() => {
    if (wrong !== nothingWrong) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [wrong]);
  useLayoutEffect(() => setGeneral(generalOf(told))); // the fields have said by now what they tell
  return (
    <form
      class="sheet"
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}>
      <Errors.Provider value={told}>{children}</Errors.Provider>
      <div class="save">
        <p class="problem" role="alert">
          {general}
        </p>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t("form.cancel")}
          </button>
        )}
        {more}
        <button class={bad ? "dangerous" : "primary"} disabled={busy || !unsaved}>
          {save}
        </button>
      </div>
    </form>
  );
}

/** Draft is what is written in a sheet. */
export interface Draft<D> {
  /** was is what the server had when the sheet was opened. */
  was: D;
  now: D;
  set: (part: Partial<D>) => void;
  /** changed names what differs from what was. */
  changed: (keyof D)[];
  /** touched tells whether the user wrote something. */
  touched: boolean;
  wrong: Wrong;
  setWrong: (wrong: Wrong) => void;
  /** refuse marks fields, by pointer; "" is the sheet as a whole. */
  refuse: (at: Record<string, string>) => void;
  /** restart begins anew from what was saved. */
  restart: (saved: D) => void;
}

/** useDraft begins a draft with what the server has, and with what is proposed beyond that. */
export function useDraft<D extends object>(read: D, proposed: Partial<D> = {}): Draft<D> {
  const [begun, setBegun] = useState({ was: read, first: { ...read, ...proposed } });
  const [now, setNow] = useState(begun.first);
  const [wrong, setWrong] = useState(nothingWrong);
  const differs = (from: D): (keyof D)[] => (Object.keys({ ...from, ...now }) as (keyof D)[]).filter((key) => !equal(now[key], from[key]));
  return {
    was: begun.was,
    now,
    set: (part) => {
      setNow((draft) => ({ ...draft, ...part }));
      setWrong((before) => without(before, Object.keys(part)));
    },
    changed: useMemo(() => differs(begun.was), [now, begun]),
    touched: useMemo(() => differs(begun.first).length > 0, [now, begun]),
    wrong,
    setWrong,
    refuse: (at) => setWrong({ general: at[""] ?? t("form.look"), at }),
    restart: (saved) => {
      setBegun({ was: saved, first: saved });
      setNow(saved);
      setWrong(nothingWrong);
    },
  };
}

// without forgets what was wrong with fields that somebody changes now.
function without(wrong: Wrong, keys: string[]): Wrong {
  const of = (pointer: string): boolean => keys.some((key) => pointer === "/" + key || pointer.startsWith(`/${key}/`));
  const left = Object.entries(wrong.at).filter(([pointer]) => !of(pointer));
  if (left.length === Object.keys(wrong.at).length) return wrong;
  return left.length > 0 ? { ...wrong, at: Object.fromEntries(left) } : nothingWrong;
}

/** useUnsaved tells the page that something is edited, for as long as it is. */
export function useUnsaved(app: App, edited: boolean): void {
  useEffect(() => {
    app.unsaved = edited;
    return () => {
      app.unsaved = false;
    };
  }, [edited]);
}

/** Kind is a kind of things that a panel shows: its place in the client, its path in the API, and its words. */
export interface Kind {
  place: string;
  path: string;
  say: (key: string, values?: Record<string, string | number>) => string;
  /** changed is done after a thing was written or deleted. */
  changed?: (app: App) => Promise<void>;
}

interface OverviewProps<T> {
  app: App;
  kind: Kind;
  all: Pick<Loaded<readonly T[]>, "data" | "problem">;
  id: (thing: T) => string;
  columns: ColumnOf<T>[];
  may: boolean;
  acts?: ComponentChildren;
  children?: ComponentChildren;
}

/** Overview is the table of all things of a kind. */
export function Overview<T>({ app, kind, all, id, columns, may, acts, children }: OverviewProps<T>) {
  const rows = all.data ?? [],
    label = t("menu." + kind.place);
  return (
    <>
      <Heading app={app} title={label}>
        {may && (acts ?? <button onClick={() => void app.navigation.go(kind.place, "new")}>{kind.say("new")}</button>)}
      </Heading>
      {children}
      <Table
        label={label}
        columns={columns}
        rows={rows}
        id={id}
        onOpen={(thing) => void app.navigation.go(kind.place, id(thing))}
        searchable={rows.length > 8}
        empty={<p>{all.problem || (all.data ? kind.say(may ? "none" : "noneShared") : t("place.loading"))}</p>}
      />
    </>
  );
}

/** Missing stands in the place of a thing that is not there, or not yet. */
export function Missing({ app, kind, all }: { app: App; kind: Kind; all: Pick<Loaded<unknown>, "data" | "problem"> }) {
  return (
    <>
      <Heading app={app} title={t("menu." + kind.place)} back={[kind.place]} />
      <p class="empty">{all.problem || (all.data ? kind.say("gone") : t("place.loading"))}</p>
    </>
  );
}

/** Change is the change of a thing from what it was when it was read; see put. */
export interface Change<T> {
  id: string;
  name: string;
  was: T;
  clash: (theirs: T) => string[];
  redo?: (theirs: T) => object;
}

/** write makes a thing, or changes one, and goes back to the overview; it is false where nothing was written. */
export async function write<T extends Revised>(app: App, kind: Kind, body: object, change?: Change<T>): Promise<boolean> {
  if (!change) await send("POST", kind.path, body);
  else if (!(await put(app, `${kind.path}/${change.id}`, change.name, change.was, body, change.clash, change.redo))) return false;
  await left(app, kind);
  return true;
}

/** remove deletes a thing when the user says yes to what goes along with it. */
export async function remove(app: App, kind: Kind, id: string, name: string, along: (string | false)[]): Promise<void> {
  const lines = [...along.filter((line) => line !== false), t("form.forGood")];
  if (!(await app.ask({ title: kind.say("deleteAsk", { name }), lines, yes: t("form.delete"), bad: true }))) return;
  try {
    await send("DELETE", `${kind.path}/${id}`);
    await left(app, kind);
    app.tell(kind.say("deleted", { name }));
  } catch (problem) {
    const why = stillReferred(problem);
    app.tell(why ? t("refers.not", { name, why }) : generalOf(wrongOf(problem)), true);
  }
}

async function left(app: App, kind: Kind): Promise<void> {
  app.unsaved = false;
  await kind.changed?.(app);
  await app.navigation.go(kind.place);
}
