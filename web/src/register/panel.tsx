// The register: ships entered by hand, and what is known of ships beyond AIS.
import { Refusal } from "../api";
import type { App, Props } from "../app";
import { clashing } from "../change";
import type { RegisteredShip } from "../contract";
import { imoValid } from "../lists/lists";
import { mmsiText } from "../ship";
import { learn, t, typeName } from "../text/text";
import { Choice, NumberField, Switch, TextArea, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { records, useLoaded, type Loaded } from "../ui/load";
import { Missing, Overview, remove, Sheet, useDraft, useUnsaved, write, type Draft, type Kind } from "../ui/sheet";
import type { ColumnOf } from "../ui/table";
import { wrongOf } from "../ui/wrong";
import de from "./de.json";
import en from "./en.json";
import { PlaceField } from "./place";

learn({ en, de });

/** Entry is an entry of the register as the API gives it, with what the form has of it. */
type Entry = Pick<RegisteredShip, (typeof texts)[number] | (typeof numbers)[number] | "mmsi" | "virtual" | "revision" | "position">;

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

const kind: Kind = { place: "register", path: "portserver/ship/register", say: (key, values) => t("entry." + key, values) };

/** Register is the panel. */
export function Register({ app, path }: Props) {
  const [first] = path;
  const all = useLoaded(() => records<Entry>(kind.path), first);
  if (first === undefined) return <Entries app={app} all={all} />;
  if (first === "new") return <EntrySheet key="new" app={app} begin={{}} />;
  const entry = all.data?.find((e) => e.mmsi === Number(first));
  if (entry) return <EntrySheet key={entry.mmsi} app={app} entry={entry} begin={entry} />;
  const ship = all.data && app.picture.ships.get(Number(first));
  if (!ship || !app.session.may("add_remove_mmsi_entries")) return <Missing app={app} kind={kind} all={all} />;
  const { mmsi, imo, name, callsign, type_code, class: c, length, width } = ship;
  const begin = { mmsi, imo, name, callsign, type_code, class: c === "unknown" ? undefined : c, length, width };
  return <EntrySheet key={"new" + mmsi} app={app} begin={begin} />;
}

const titleOf = (e: Entry): string => e.name || (e.imo ? `IMO ${e.imo}` : mmsiText(e.mmsi));

function Entries({ app, all }: { app: App; all: Loaded<Entry[]> }) {
  const columns: ColumnOf<Entry>[] = [
    {
      key: "name",
      heading: t("col.name"),
      text: (e) => e.name || app.picture.ships.get(e.mmsi)?.name || titleOf(e),
      width: "minmax(110px, 2fr)",
    },
    { key: "mmsi", heading: t("card.mmsi"), text: (e) => (e.mmsi >= ownNumbers ? "" : mmsiText(e.mmsi)), width: "90px" },
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
  return <Overview app={app} kind={kind} all={all} id={(e) => String(e.mmsi)} columns={columns} may={may} />;
}

const typeOf = (e: Entry): string =>
  e.class && e.class !== "A" && e.class !== "B" && e.class !== "unknown" ? t("class." + e.class) : typeName(e.type_code ?? 0);

/** bodyOf returns the fields that differ from what the server has; one that was emptied as empty. */
function bodyOf({ now, changed }: Draft<Partial<Entry>>): Record<string, unknown> {
  const empty = (key: keyof Entry): unknown => (key === "position" ? null : (texts as readonly string[]).includes(key) ? "" : 0);
  return Object.fromEntries(changed.map((key) => [key, typeof now[key] === "string" ? now[key].trim() : (now[key] ?? empty(key))]));
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
  const draft = useDraft<Partial<Entry>>(entry ?? {}, begin);
  const { now, set, wrong } = draft;
  useUnsaved(app, may && draft.touched);

  const save = async (): Promise<void> => {
    if (!entry && !now.mmsi && !now.imo && !now.name?.trim()) return draft.refuse({ "": t("entry.needs") });
    if (now.imo && !imoValid(now.imo)) return draft.refuse({ "/imo": t("entry.imoWrong") });
    const clash = (theirs: Entry): string[] =>
      clashing(draft.was as Entry, now, theirs, [...texts, ...numbers, "virtual", "position"]).map(wordOf);
    try {
      const change = entry && { id: String(entry.mmsi), name: titleOf(entry), was: draft.was as Entry, clash };
      if (await write(app, kind, bodyOf(draft), change)) app.tell(t("entry.saved", { name: now.name || String(now.mmsi ?? now.imo) }));
    } catch (problem) {
      if (problem instanceof Refusal && problem.code === "name_taken") draft.refuse({ "": t("entry.taken") });
      else draft.setWrong(wrongOf(problem));
    }
  };
  const drop = (of: Entry): void => {
    const ship = app.picture.ships.get(of.mmsi);
    void remove(app, kind, String(of.mmsi), titleOf(of), [t(ship && ship.source !== "register" ? "entry.losesFacts" : "entry.losesShip")]);
  };

  const text = (key: "name" | "callsign" | "destination", most: number) => (
    <TextField
      label={t("entry." + key)}
      at={"/" + key}
      value={now[key] ?? ""}
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
      unit={unit}
      max={max}
      step={step}
      disabled={!may}
      value={now[key] || undefined}
      onInput={(v) => set({ [key]: v })}
    />
  );
  const classOptions = classes.filter(
    (c) => c === isClass || c !== "aton" || app.session.may("add_remove_aton") || app.session.may("add_remove_virtual_aton"),
  );
  const typeOptions = now.type_code && !types.includes(now.type_code) ? [...types, now.type_code] : types;
  return (
    <>
      <Heading app={app} title={entry ? titleOf(entry) : t("entry.new")} back={["register"]}>
        {entry && app.picture.ships.get(entry.mmsi)?.lon !== undefined && (
          <button onClick={() => app.selection.select(entry.mmsi, "go")}>{t("entry.show")}</button>
        )}
        {mayDelete && <button onClick={() => drop(entry)}>{t("form.delete")}</button>}
      </Heading>
      <div class="sheetbox">
        {!may && <p class="quiet">{t("entry.readOnly")}</p>}
        <Sheet
          wrong={wrong}
          onWrong={draft.setWrong}
          save={t("form.save")}
          unsaved={may && draft.changed.length > 0}
          onSave={save}
          onCancel={() => void app.navigation.go("register")}>
          <div class="fields pairs">
            {text("name", 64)}
            <NumberField
              label={t("card.mmsi")}
              hint={!entry ? t("entry.mmsiHint") : entry.mmsi >= ownNumbers ? t("entry.ownNumber") : undefined}
              at="/mmsi"
              value={now.mmsi}
              disabled={!may || entry !== undefined || begin.mmsi !== undefined}
              onInput={(mmsi) => set({ mmsi })}
            />
            {amount("imo")}
            {text("callsign", 16)}
            <Choice
              label={t("entry.class")}
              at="/class"
              value={now.class === "unknown" ? "" : (now.class ?? "")}
              disabled={!may}
              options={[{ value: "", label: "–" }, ...classOptions.map((c) => ({ value: c, label: t("class." + c) }))]}
              onChange={(v) => set({ class: v })}
            />
            {now.class !== "aton" && now.class !== "base" && (
              <Choice
                label={t("entry.type_code")}
                at="/type_code"
                value={String(now.type_code || "")}
                disabled={!may}
                options={[
                  { value: "", label: "–" },
                  ...typeOptions.map((c) => ({ value: String(c), label: types.includes(c) ? typeName(c) : `${typeName(c)} (${c})` })),
                ]}
                onChange={(v) => set({ type_code: v === "" ? undefined : Number(v) })}
              />
            )}
            {now.class === "aton" && (
              <Switch
                label={t("entry.virtual")}
                hint={t("entry.virtualHint")}
                at="/virtual"
                on={now.virtual ?? false}
                disabled={!may || !app.session.may("add_remove_virtual_aton")}
                onChange={(virtual) => set({ virtual })}
              />
            )}
          </div>
          <PlaceField app={app} may={may} position={now.position} onChange={(position) => set({ position })} />
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
          <TextArea label={t("card.note")} at="/note" value={now.note ?? ""} disabled={!may} onInput={(note) => set({ note })} />
        </Sheet>
      </div>
    </>
  );
}
