// The saved filters: their overview, and the sheet of one.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Refusal, send } from "../api";
import type { App, Props } from "../app";
import { clashing, put } from "../change";
import type { Ref } from "../shapes/library";
import { aclOf, mayChange, mayConfigure, Owner, ownerText, sameNames, Sharing } from "../shapes/sharing";
import { learn, t } from "../text/text";
import { nothingWrong, Sheet, stillReferred, Table, TextArea, TextField, wrongOf, type ColumnOf, type Wrong } from "../ui/form";
import { Heading } from "../ui/heading";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Saved is a filter as the API gives it. */
interface Saved {
  uid: string;
  revision: string;
  name: string;
  filter: string;
  acl: Ref[];
  owner?: Ref;
}

/** Filters is the panel. */
export function Filters({ app, path }: Props) {
  const [all, setAll] = useState<Saved[]>();
  const [failed, setFailed] = useState("");
  const load = useCallback(
    () =>
      send<{ records: Saved[] }>("GET", "config/filter").then(
        (a) => {
          setAll(a.records);
          setFailed("");
        },
        (problem) => setFailed(wrongOf(problem).general),
      ),
    [],
  );
  const [first] = path;
  useEffect(() => {
    void load();
  }, [first]);
  if (first === "new") return <FilterSheet key="new" app={app} />;
  const saved = all?.find((f) => f.uid === first);
  if (saved) return <FilterSheet key={saved.uid} app={app} saved={saved} />;
  if (first !== undefined)
    return (
      <>
        <Heading app={app} title={t("menu.filters")} back={["filters"]} />
        <p class="empty">{failed || t(all ? "sieve.gone" : "place.loading")}</p>
      </>
    );
  return <Overview app={app} all={all} failed={failed} />;
}

function Overview({ app, all, failed }: { app: App; all: Saved[] | undefined; failed: string }) {
  const columns: ColumnOf<Saved>[] = [
    { key: "name", heading: t("col.name"), text: (f) => f.name, width: "minmax(100px, 1fr)" },
    { key: "filter", heading: t("sieve.filter"), text: (f) => f.filter, width: "minmax(80px, 1.2fr)" },
    {
      key: "owner",
      heading: t("share.owner"),
      text: (f) => ownerText(app, f),
      width: "minmax(60px, 0.6fr)",
      cell: (f) => <Owner app={app} of={f} />,
    },
    {
      key: "show",
      heading: "",
      text: () => undefined,
      width: innerWidth < 900 ? "48px" : "34px",
      cell: (f) => (
        <button
          class="eye"
          aria-label={t("sieve.useNamed", { name: f.name })}
          title={t("sieve.use")}
          onClick={(e) => {
            e.stopPropagation();
            app.search.showFilter(f.filter);
          }}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 3h12L9.5 8.5V13l-3 1V8.5z" />
          </svg>
        </button>
      ),
    },
  ];
  const may = mayConfigure(app);
  return (
    <>
      <Heading app={app} title={t("menu.filters")}>
        {may && <button onClick={() => void app.navigation.go("filters", "new")}>{t("sieve.new")}</button>}
      </Heading>
      <Table
        label={t("menu.filters")}
        columns={columns}
        rows={all ?? []}
        id={(f) => f.uid}
        onOpen={(f) => void app.navigation.go("filters", f.uid)}
        searchable={(all?.length ?? 0) > 8}
        empty={<p>{failed || t(!all ? "place.loading" : may ? "sieve.none" : "sieve.noneShared")}</p>}
      />
    </>
  );
}

/** FilterSheet saves a filter, at first that of the map, or changes one; one of others is shown as it is. */
function FilterSheet({ app, saved }: { app: App; saved?: Saved }) {
  const may = saved ? mayChange(app, saved.owner, "admin_filters") : mayConfigure(app);
  const begun = useRef({ name: saved?.name ?? "", filter: saved?.filter ?? "", acl: saved?.acl.map((r) => r.name) ?? ([] as string[]) });
  const first = useRef(!saved && app.search.query.kind === "filter" ? { ...begun.current, filter: app.search.text } : begun.current);
  const [draft, setDraft] = useState(first.current);
  const [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const set = (part: Partial<typeof draft>): void => setDraft((d) => ({ ...d, ...part }));
  const was = begun.current,
    dirty = draft.name !== was.name || draft.filter !== first.current.filter || !sameNames(draft.acl, was.acl);
  useEffect(() => {
    app.unsaved = may && dirty;
  }, [dirty, may]);
  useEffect(
    () => () => {
      app.unsaved = false;
    },
    [],
  );

  const save = async (): Promise<void> => {
    const name = draft.name.trim(),
      filter = draft.filter.trim();
    const missing = [name === "" && "/name", filter === "" && "/filter"].filter((at) => at !== false);
    if (missing.length > 0)
      return setWrong({ general: t("form.look"), at: Object.fromEntries(missing.map((at) => [at, t("sieve.missing")])) });
    const body = {
      ...(name !== was.name ? { name } : {}),
      ...(filter !== was.filter ? { filter } : {}),
      ...(sameNames(draft.acl, was.acl) ? {} : { acl: aclOf(draft.acl, saved?.acl ?? []) }),
    };
    try {
      if (saved) {
        const words = { name: t("col.name"), filter: t("sieve.filter"), acl: t("share.with") };
        const flat = (f: Saved): typeof was => ({ name: f.name, filter: f.filter, acl: f.acl.map((r) => r.name) });
        const now = await put(app, "config/filter/" + saved.uid, saved.name, saved, body, (theirs) =>
          clashing(was, { name, filter, acl: draft.acl }, flat(theirs), ["name", "filter", "acl"]).map((key) => words[key]),
        );
        if (!now) return;
      } else await send("POST", "config/filter", body);
      app.unsaved = false;
      await app.navigation.go("filters");
      app.tell(t("sieve.saved", { name }));
    } catch (problem) {
      setWrong(
        problem instanceof Refusal && problem.code === "name_taken"
          ? { general: t("form.look"), at: { "/name": t("sieve.taken") } }
          : wrongOf(problem),
      );
    }
  };

  const heading = (
    <Heading app={app} title={saved?.name ?? t("sieve.new")} back={["filters"]}>
      {saved && may && <button onClick={() => void remove(app, saved)}>{t("sieve.delete")}</button>}
    </Heading>
  );
  const use = (
    <p>
      <button type="button" disabled={draft.filter.trim() === ""} onClick={() => app.search.showFilter(draft.filter.trim())}>
        {t("sieve.use")}
      </button>
    </p>
  );
  if (!may) {
    return saved ? (
      <>
        {heading}
        <div class="sheetbox facts">
          <p class="quiet">{t("share.readOnly", { owner: saved.owner?.name ?? t("share.noOwner") })}</p>
          <TextArea label={t("sieve.filter")} value={saved.filter} onInput={() => undefined} disabled />
          {use}
        </div>
      </>
    ) : (
      <>
        {heading}
        <p class="empty">{t("sieve.mayNot")}</p>
      </>
    );
  }
  return (
    <>
      {heading}
      <div class="sheetbox">
        <Sheet
          wrong={wrong}
          save={t("sieve.save")}
          unsaved={!saved || dirty}
          onSave={save}
          onCancel={() => void app.navigation.go("filters")}>
          <TextField label={t("col.name")} at="/name" wrong={wrong} value={draft.name} maxLength={64} onInput={(name) => set({ name })} />
          <TextArea
            label={t("sieve.filter")}
            hint={t("sieve.hint")}
            at="/filter"
            wrong={wrong}
            value={draft.filter}
            onInput={(filter) => set({ filter })}
          />
          {use}
          <Sharing
            app={app}
            names={draft.acl}
            onChange={(acl) => set({ acl })}
            may={app.session.may("share_filters") || app.session.may("admin_filters")}
            wrong={wrong}
          />
        </Sheet>
      </div>
    </>
  );
}

async function remove(app: App, saved: Saved): Promise<void> {
  const lines = [saved.acl.length > 0 && t("share.lose", { names: saved.acl.map((r) => r.name).join(", ") }), t("share.forGood")].filter(
    (line) => line !== false,
  );
  if (!(await app.ask({ title: t("sieve.deleteAsk", { name: saved.name }), lines, yes: t("sieve.delete"), bad: true }))) return;
  try {
    await send("DELETE", "config/filter/" + saved.uid);
    app.unsaved = false;
    await app.navigation.go("filters");
    app.tell(t("sieve.deleted", { name: saved.name }));
  } catch (problem) {
    app.tell(stillReferred(problem) || wrongOf(problem).general, true);
  }
}
