// The register: ships entered by hand, and what is known of ships beyond AIS.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Refusal, send } from "../api";
import type { App, Props } from "../app";
import { clashing, equal, put } from "../change";
import { Pen } from "../map/pen";
import { parse, write, type Form } from "../shapes/geometry";
import { imoValid } from "../lists/lists";
import { learn, t } from "../text/text";
import {
  Choice,
  Field,
  NumberField,
  nothingWrong,
  Sheet,
  Switch,
  Table,
  TextArea,
  TextField,
  wrongOf,
  type ColumnOf,
  type Wrong,
} from "../ui/form";
import { Heading } from "../ui/heading";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Entry is an entry of the register as the API gives it. */
interface Entry {
  mmsi: number;
  revision: string;
  imo?: number;
  name?: string;
  callsign?: string;
  type_code?: number;
  type?: string;
  class?: string;
  length?: number;
  width?: number;
  dim_a?: number;
  dim_b?: number;
  dim_c?: number;
  dim_d?: number;
  draught?: number;
  destination?: string;
  dwt?: number;
  gt?: number;
  displacement?: number;
  virtual?: boolean;
  note?: string;
  position?: { type: string; coordinates: [number, number] };
}

const texts = ["name", "callsign", "destination", "note", "class"] as const;
const numbers = [
  "imo",
  "type_code",
  "length",
  "width",
  "dim_a",
  "dim_b",
  "dim_c",
  "dim_d",
  "draught",
  "dwt",
  "gt",
  "displacement",
] as const;
const ownNumbers = 9900000001; // from here on the server numbers ships without an MMSI
const classes = ["A", "B", "base", "aton", "sar", "sart", "mob", "epirb", "coast"];
const types = [30, 31, 33, 34, 35, 36, 37, 40, 50, 51, 52, 53, 54, 55, 58, 60, 70, 80, 90];

/** Register is the panel. */
export function Register({ app, path }: Props) {
  const [entries, setEntries] = useState<Entry[]>();
  const [failed, setFailed] = useState("");
  const load = useCallback(
    () =>
      send<{ records: Entry[] }>("GET", "portserver/ship/register").then(
        (a) => {
          setEntries(a.records);
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
  if (first === undefined) return <Overview app={app} entries={entries} failed={failed} />;
  if (first === "new") return <EntrySheet key="new" app={app} begin={{}} />;
  const entry = entries?.find((e) => e.mmsi === Number(first));
  if (entry) return <EntrySheet key={entry.mmsi} app={app} entry={entry} begin={entry} />;
  const ship = entries && app.picture.ships.get(Number(first));
  if (ship && app.session.may("add_remove_mmsi_entries")) {
    const { mmsi, imo, name, callsign, type_code, class: c, length, width } = ship;
    return (
      <EntrySheet
        key={"new" + mmsi}
        app={app}
        begin={{ mmsi, imo, name, callsign, type_code, class: c === "unknown" ? undefined : c, length, width }}
      />
    );
  }
  return (
    <>
      <Heading app={app} title={t("menu.register")} back={["register"]} />
      <p class="empty">{failed || t(entries ? "entry.gone" : "entry.loading")}</p>
    </>
  );
}

const titleOf = (e: Entry): string => e.name || (e.imo ? `IMO ${e.imo}` : String(e.mmsi));

function Overview({ app, entries, failed }: { app: App; entries: Entry[] | undefined; failed: string }) {
  const columns: ColumnOf<Entry>[] = [
    {
      key: "name",
      heading: t("col.name"),
      text: (e) => e.name || app.picture.ships.get(e.mmsi)?.name || titleOf(e),
      width: "minmax(110px, 2fr)",
    },
    { key: "mmsi", heading: t("card.mmsi"), text: (e) => (e.mmsi >= ownNumbers ? "" : e.mmsi), width: "90px" },
    { key: "type", heading: t("col.type"), text: (e) => typeOf(e), width: "minmax(60px, 1fr)" },
    {
      key: "place",
      heading: "",
      text: (e) => (e.position ? t("entry.placed") : ""),
      width: "24px",
      cell: (e) =>
        e.position && (
          <svg viewBox="0 0 16 16" role="img" aria-label={t("entry.placed")}>
            <path d="M8 2v4M8 10v4M2 8h4M10 8h4" />
          </svg>
        ),
    },
  ];
  const may = app.session.may("add_remove_mmsi_entries");
  return (
    <>
      <Heading app={app} title={t("menu.register")}>
        {may && <button onClick={() => void app.navigation.go("register", "new")}>{t("entry.new")}</button>}
      </Heading>
      <Table
        label={t("menu.register")}
        columns={columns}
        rows={entries ?? []}
        id={(e) => String(e.mmsi)}
        onOpen={(e) => void app.navigation.go("register", String(e.mmsi))}
        searchable={(entries?.length ?? 0) > 8}
        empty={<p>{failed || t(!entries ? "entry.loading" : may ? "entry.none" : "entry.noneYet")}</p>}
      />
    </>
  );
}

const typeOf = (e: Entry): string =>
  e.class && e.class !== "A" && e.class !== "B" && e.class !== "unknown"
    ? t("class." + e.class)
    : e.type_code
      ? types.includes(e.type_code)
        ? t("aistype." + e.type_code)
        : (e.type ?? String(e.type_code))
      : "";

/** bodyOf gives the fields that differ from what the server has; one that was emptied as empty. */
function bodyOf(draft: Partial<Entry>, was: Partial<Entry>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const key of texts) if (!equal(draft[key], was[key])) body[key] = (draft[key] ?? "").trim();
  for (const key of numbers) if (!equal(draft[key], was[key])) body[key] = draft[key] ?? 0;
  if (!equal(draft.virtual ?? false, was.virtual ?? false)) body.virtual = draft.virtual;
  if (!equal(draft.position, was.position)) body.position = draft.position ?? null;
  return body;
}

const wordOf = (key: keyof Entry): string =>
  key === "note" ? t("card.note") : key === "position" ? t("card.position") : t("entry." + key);

/** EntrySheet is the form of an entry, or what it says where it is not the user's to change. */
function EntrySheet({ app, entry, begin }: { app: App; entry?: Entry; begin: Partial<Entry> }) {
  const isClass = entry?.class ?? begin.class;
  const mayClass = (c: string | undefined, virtual: boolean | undefined): boolean =>
    c !== "aton" || app.session.may(virtual ? "add_remove_virtual_aton" : "add_remove_aton");
  const may = app.session.may(entry ? "change_mmsi_entries" : "add_remove_mmsi_entries") && mayClass(isClass, entry?.virtual);
  const mayDelete = entry !== undefined && app.session.may("add_remove_mmsi_entries") && mayClass(isClass, entry.virtual);
  const begun = useRef(begin);
  const [draft, setDraft] = useState<Partial<Entry>>({ ...begin });
  const [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const set = (part: Partial<Entry>): void => setDraft((d) => ({ ...d, ...part }));
  const dirty = entry ? Object.keys(bodyOf(draft, begun.current)).length > 0 : !equal(draft, begun.current) || begin.mmsi !== undefined;
  const lose = entry ? dirty : !equal(draft, begun.current);
  useEffect(() => {
    app.unsaved = may && lose;
  }, [lose, may]);
  useEffect(
    () => () => {
      app.unsaved = false;
    },
    [],
  );

  const save = async (): Promise<void> => {
    if (!entry && !draft.mmsi && !draft.imo && !draft.name?.trim()) return setWrong({ general: t("entry.needs"), at: {} });
    if (draft.imo && !imoValid(draft.imo)) return setWrong({ general: t("form.look"), at: { "/imo": t("entry.imoWrong") } });
    try {
      if (entry) {
        const now = await put(
          app,
          "portserver/ship/register/" + entry.mmsi,
          titleOf(entry),
          begun.current as Entry,
          bodyOf(draft, begun.current),
          (theirs) => clashing(begun.current as Entry, draft, theirs, [...texts, ...numbers, "virtual", "position"]).map(wordOf),
        );
        if (!now) return;
      } else await send("POST", "portserver/ship/register", { ...bodyOf(draft, {}), ...(draft.mmsi ? { mmsi: draft.mmsi } : {}) });
      app.unsaved = false;
      await app.navigation.go("register");
      app.tell(t("entry.saved", { name: draft.name || String(draft.mmsi ?? draft.imo) }));
    } catch (problem) {
      setWrong(problem instanceof Refusal && problem.code === "name_taken" ? { general: t("entry.taken"), at: {} } : wrongOf(problem));
    }
  };

  const heading = (
    <Heading app={app} title={entry ? titleOf(entry) : t("entry.new")} back={["register"]}>
      {entry && app.picture.ships.get(entry.mmsi)?.lon !== undefined && (
        <button onClick={() => app.selection.select(entry.mmsi, "go")}>{t("entry.show")}</button>
      )}
      {mayDelete && <button onClick={() => void remove(app, entry)}>{t("entry.delete")}</button>}
    </Heading>
  );
  const text = (key: "name" | "callsign" | "destination", most: number) => (
    <TextField
      label={t("entry." + key)}
      at={"/" + key}
      wrong={wrong}
      value={draft[key] ?? ""}
      maxLength={most}
      disabled={!may}
      spellcheck={false}
      onInput={(v) => set({ [key]: v })}
    />
  );
  const amount = (key: (typeof numbers)[number], unit?: string, max?: number, step: number | "any" = 1) => (
    <NumberField
      label={t("entry." + key)}
      at={"/" + key}
      wrong={wrong}
      unit={unit}
      max={max}
      step={step}
      disabled={!may}
      value={draft[key] || undefined}
      onInput={(v) => set({ [key]: v })}
    />
  );
  const classOptions = classes.filter(
    (c) => c === isClass || c !== "aton" || app.session.may("add_remove_aton") || app.session.may("add_remove_virtual_aton"),
  );
  const typeOptions = draft.type_code && !types.includes(draft.type_code) ? [...types, draft.type_code] : types;
  return (
    <>
      {heading}
      <div class="sheetbox">
        {!may && <p class="quiet">{t("entry.readOnly")}</p>}
        <Sheet
          wrong={wrong}
          save={t("entry.save")}
          unsaved={may && dirty}
          onSave={save}
          onCancel={() => void app.navigation.go("register")}>
          <div class="fields pairs">
            {text("name", 64)}
            <NumberField
              label={t("card.mmsi")}
              hint={!entry ? t("entry.mmsiHint") : entry.mmsi >= ownNumbers ? t("entry.ownNumber") : undefined}
              at="/mmsi"
              wrong={wrong}
              value={draft.mmsi}
              disabled={!may || entry !== undefined || begin.mmsi !== undefined}
              onInput={(mmsi) => set({ mmsi })}
            />
            {amount("imo")}
            {text("callsign", 16)}
            <Choice
              label={t("entry.class")}
              at="/class"
              wrong={wrong}
              value={draft.class === "unknown" ? "" : (draft.class ?? "")}
              disabled={!may}
              options={[{ value: "", label: "–" }, ...classOptions.map((c) => ({ value: c, label: t("class." + c) }))]}
              onChange={(v) => set({ class: v })}
            />
            {draft.class !== "aton" && draft.class !== "base" && (
              <Choice
                label={t("entry.type_code")}
                at="/type_code"
                wrong={wrong}
                value={String(draft.type_code || "")}
                disabled={!may}
                options={[
                  { value: "", label: "–" },
                  ...typeOptions.map((c) => ({
                    value: String(c),
                    label: types.includes(c) ? t("aistype." + c) : `${entry?.type ?? ""} (${c})`,
                  })),
                ]}
                onChange={(v) => set({ type_code: v === "" ? undefined : Number(v) })}
              />
            )}
            {draft.class === "aton" && (
              <Switch
                label={t("entry.virtual")}
                hint={t("entry.virtualHint")}
                at="/virtual"
                wrong={wrong}
                on={draft.virtual ?? false}
                disabled={!may || !app.session.may("add_remove_virtual_aton")}
                onChange={(virtual) => set({ virtual })}
              />
            )}
          </div>
          <PlaceField app={app} may={may} position={draft.position} onChange={(position) => set({ position })} wrong={wrong} />
          <div class="fields pairs">
            {amount("length", "m", 1022)}
            {amount("width", "m", 126)}
            {amount("draught", "m", 25.5, "any")}
            {text("destination", 64)}
            {amount("dwt", "t")}
            {amount("gt")}
            {amount("displacement", "t", undefined, "any")}
          </div>
          <details class="antenna" open={Object.keys(wrong.at).some((pointer) => pointer.startsWith("/dim_"))}>
            <summary>{t("entry.antenna")}</summary>
            <p class="hint">{t("entry.antennaHint")}</p>
            <div class="fields pairs">
              {amount("dim_a", "m", 511)}
              {amount("dim_b", "m", 511)}
              {amount("dim_c", "m", 63)}
              {amount("dim_d", "m", 63)}
            </div>
          </details>
          <TextArea
            label={t("card.note")}
            at="/note"
            wrong={wrong}
            value={draft.note ?? ""}
            disabled={!may}
            onInput={(note) => set({ note })}
          />
        </Sheet>
      </div>
    </>
  );
}

/** PlaceField is where a ship without a transponder lies: typed, or picked on the map. */
function PlaceField({
  app,
  may,
  position,
  onChange,
  wrong,
}: {
  app: App;
  may: boolean;
  position: Entry["position"];
  onChange: (position: Entry["position"]) => void;
  wrong: Wrong;
}) {
  const [typed, setTyped] = useState<string>();
  const [picking, setPicking] = useState(false);
  const pen = useRef<Pen | undefined>(undefined);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    const { chart } = app;
    if (!picking || !chart) return;
    const begin: Form = { kind: "point", chains: position ? [[position.coordinates]] : [], radius: 0 };
    let last = begin;
    const made = (pen.current = new Pen(begin, () => {
      chart.redraw();
      if (made.form === last || !made.form.chains[0]) return;
      last = made.form;
      setTyped(undefined);
      const place = parse(write(made.form.chains[0][0]))!;
      tell.current({ type: "Point", coordinates: [Number(place[0].toFixed(6)), Number(place[1].toFixed(6))] });
    }));
    chart.shapes.penColour = "";
    chart.take(made);
    const keys = (e: KeyboardEvent): void => {
      if (e.key !== "Escape" || app.question) return;
      e.stopPropagation();
      setPicking(false);
    };
    addEventListener("keydown", keys, true);
    return () => {
      removeEventListener("keydown", keys, true);
      chart.take(undefined);
    };
  }, [picking]);
  const text = typed ?? (position ? write(position.coordinates) : "");
  const type = (v: string): void => {
    setTyped(v);
    const place = parse(v);
    if (place) onChange({ type: "Point", coordinates: [place[0], place[1]] });
    else if (v.trim() === "") onChange(undefined);
  };
  const unread = typed !== undefined && typed.trim() !== "" && !parse(typed);
  return (
    <Field
      label={t("card.position")}
      hint={t(picking ? "entry.picking" : "entry.placeHint")}
      at="/position"
      wrong={unread ? { general: "", at: { "/position": t("entry.unread") } } : wrong}
      wide>
      {(aria) => (
        <span class="entry">
          <input
            {...aria}
            type="text"
            spellcheck={false}
            autocomplete="off"
            disabled={!may}
            value={text}
            onInput={(e) => type(e.currentTarget.value)}
          />
          {may && (
            <button type="button" aria-pressed={picking} onClick={() => setPicking(!picking)}>
              {t("entry.pick")}
            </button>
          )}
        </span>
      )}
    </Field>
  );
}

async function remove(app: App, entry: Entry): Promise<void> {
  const ship = app.picture.ships.get(entry.mmsi);
  const lines = [t(ship && ship.source !== "register" ? "entry.losesFacts" : "entry.losesShip"), t("entry.forGood")];
  if (!(await app.ask({ title: t("entry.deleteAsk", { name: titleOf(entry) }), lines, yes: t("entry.delete"), bad: true }))) return;
  try {
    await send("DELETE", "portserver/ship/register/" + entry.mmsi);
    app.unsaved = false;
    await app.navigation.go("register");
    app.tell(t("entry.deleted", { name: titleOf(entry) }));
  } catch (problem) {
    app.tell(wrongOf(problem).general, true);
  }
}
