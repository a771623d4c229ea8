// The saved filters: their overview, and the sheet of one.
import type { App, Props } from "../app";
import type { SavedFilter as Saved } from "../contract";
import { filterColumn, mayMake, namesOf, ownerColumn, ThingSheet, useThing, type Fields, type LibraryKind } from "../library/sheet";
import { learn, t } from "../text/text";
import { TextArea, TextField } from "../ui/form";
import { records, useLoaded } from "../ui/load";
import { Missing, Overview } from "../ui/sheet";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

const kind: LibraryKind<Saved, Fields & { filter: string }> = {
  place: "filters",
  path: "config/filter",
  rights: "filters",
  named: false,
  say: (key, values) => t("sieve." + key, values),
  fields: (saved) => ({ name: saved?.name ?? "", filter: saved?.filter ?? "", acl: namesOf(saved) }),
  words: { name: "col.name", filter: "sieve.filter", acl: "share.with" },
};

/** Filters is the panel. */
export function Filters({ app, path }: Props) {
  const [first] = path;
  const all = useLoaded(() => records<Saved>(kind.path), first);
  if (first === undefined) {
    const columns = [
      { key: "name", heading: t("col.name"), text: (f: Saved) => f.name, width: "minmax(100px, 1fr)" },
      { key: "filter", heading: t("sieve.filter"), text: (f: Saved) => f.filter, width: "minmax(80px, 1.2fr)" },
      ownerColumn(app, "minmax(60px, 0.6fr)"),
      filterColumn<Saved>(app, (f) => f.filter),
    ];
    return <Overview app={app} kind={kind} all={all} id={(f) => f.uid} columns={columns} may={mayMake(app, kind)} />;
  }
  const saved = all.data?.find((f) => f.uid === first);
  return saved || first === "new" ? <FilterSheet key={first} app={app} read={saved} /> : <Missing app={app} kind={kind} all={all} />;
}

/** FilterSheet saves a filter, at first that of the map, or changes one. */
function FilterSheet({ app, read }: { app: App; read?: Saved }) {
  const draft = useThing(kind, read, !read && app.search.query.kind !== "none" ? { filter: app.search.text.trim() } : {});
  const { now, set } = draft,
    filter = now.filter.trim();
  const use = (
    <p>
      <button type="button" disabled={filter === ""} onClick={() => app.search.showFilter(filter)}>
        {t("share.use")}
      </button>
    </p>
  );
  const facts = (
    <>
      <TextArea label={t("sieve.filter")} value={now.filter} onInput={() => undefined} disabled />
      {use}
    </>
  );
  return (
    <ThingSheet
      app={app}
      kind={kind}
      draft={draft}
      facts={facts}
      check={(): Record<string, string> => (filter === "" ? { "/filter": t("form.missing") } : {})}>
      <TextField label={t("col.name")} at="/name" value={now.name} maxLength={64} onInput={(name) => set({ name })} />
      <TextArea label={t("sieve.filter")} hint={t("sieve.hint")} at="/filter" value={now.filter} onInput={(filter) => set({ filter })} />
      {use}
    </ThingSheet>
  );
}
