// The form of a statistic: where, when, which ships, and what else its kind asks.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import type { JobID, ShipList } from "../contract";
import { Sharing } from "../library/sharing";
import { fold } from "../letters";
import { numberOf, readNumbers } from "../lists/lists";
import { usePorts } from "../planner/typed";
import { title } from "../ship";
import { complete } from "../geometry";
import { timeOf, zone } from "../text/clock";
import { t } from "../text/text";
import { Moment } from "../moment/field";
import { portName } from "../tracked/words";
import { Checks, Choice, Field as FormField, NumberField, Picker, Switch, TextArea, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { records, useLoaded } from "../ui/load";
import { Sheet, useUnsaved } from "../ui/sheet";
import { nothingWrong, type Wrong } from "../ui/wrong";
import { kindText } from "./cards";
import { asks, asksPlace, begun, bodyOf, isDrawn, notNumbers, portWords, times, type Draft, type Period, type Spot } from "./draft";
import { path } from "./job";
import { Estimate } from "./estimate";
import { kinds, type Field } from "./kinds";
import { Picture } from "./pictures";
import { Mailed, Repeats } from "./repeat";
import { Where } from "./where";

interface Props {
  app: App;
  kind: string;
  /** like is the draft of a statistic that this one is like. */
  like?: Draft;
  asked: () => Promise<void>;
}

/** StatForm asks for a statistic. */
export function StatForm({ app, kind, like, asked }: Props) {
  const of = kinds[kind],
    [first] = useState(() => like ?? begun(kind, app.picture.now()));
  const [draft, setDraft] = useState(first),
    [wrong, setWrong] = useState<Wrong>(nothingWrong);
  useUnsaved(app, draft !== first);
  const set = (part: Partial<Draft>): void => {
    setDraft((was) => ({ ...was, ...part }));
    setWrong(nothingWrong);
  };
  const wholeDays = of.calls === true && !app.session.may("view_ata_atd");
  const now = app.picture.now(),
    whole = Object.keys(missing(kind, draft, now)).length === 0;
  const ask = async (): Promise<void> => {
    const at = missing(kind, draft, app.picture.now());
    if (Object.keys(at).length > 0) return setWrong({ general: t("stat.look"), at });
    const { id } = await send<JobID>("POST", `${path}/${kind}`, bodyOf(kind, draft, app.picture.now(), wholeDays));
    app.unsaved = false;
    await asked();
    app.navigation.goInstead("statistics", String(id));
  };
  return (
    <>
      <Heading app={app} title={kindText(kind)} back={["statistics", "new"]} />
      <div class="sheetbox">
        <p class="statabout">
          <Picture kind={kind} /> <span class="quiet">{t("statabout." + kind)}</span>
        </p>
        <Sheet
          wrong={wrong}
          onWrong={(refused) => setWrong(refused.general === t("form.look") ? { ...refused, general: t("stat.look") } : refused)}
          save={t(saves[draft.run])}
          onSave={ask}
          onCancel={() => void app.navigation.go("statistics")}>
          {of.who[0] !== "all" && <WhoFields app={app} kind={kind} draft={draft} set={set} />}
          {asksPlace(of, draft) && <Where app={app} place={of.place!} spots={draft.spots} onChange={(spots) => set({ spots })} />}
          <When period={draft.period} now={app.picture.now()} onChange={(period) => set({ period })} />
          {wholeDays && <p class="quiet">{t("stat.wholeDays")}</p>}
          {of.who[0] === "all" && of.who.length > 1 && <WhoFields app={app} kind={kind} draft={draft} set={set} />}
          {of.fields
            .filter((field) => asks(field, draft))
            .map((field) => (
              <OneField key={field.key} field={field} draft={draft} set={set} />
            ))}
          <TextArea
            label={t("stat.filter")}
            hint={t("stat.filterHint")}
            at="/filter"
            rows={2}
            value={draft.filter}
            onInput={(filter) => set({ filter })}
          />
          <TextField label={t("stat.name")} at="/name" value={draft.name} maxLength={64} onInput={(name) => set({ name })} />
          <Seen app={app} draft={draft} set={set} />
          <Estimate kind={kind} body={whole ? bodyOf(kind, { ...draft, name: "", seen: "groups" }, now, wholeDays) : undefined} />
          <Runs now={app.picture.now()} draft={draft} set={set} />
          <Mailed app={app} draft={draft} set={set} />
        </Sheet>
      </div>
    </>
  );
}

// missing returns what the server would refuse, by pointer; it is told without asking.
function missing(kind: string, draft: Draft, now: number): Record<string, string> {
  const of = kinds[kind],
    [begin, end] = times(draft.period, now, false),
    at: Record<string, string> = {};
  if (!(begin < end)) at["/end"] = t("stat.order");
  if (Number.isNaN(begin)) at["/begin"] = t("form.missing");
  if (Number.isNaN(end)) at["/end"] = t("form.missing");
  if (draft.run === "at" && Number.isNaN(timeOf(draft.at))) at["/execute"] = t("form.missing");
  const lacking = draft.spots.find((spot) => !(spot.form && complete(spot.form)));
  if (of.place && asksPlace(of, draft)) {
    const { key, least } = of.place;
    if (lacking) at["/" + key] = lackText(lacking);
    else if (draft.spots.length < Math.max(least, draft.who === "there" ? 1 : 0))
      at["/" + key] = least > 1 ? t("stat.fewPlaces", { n: least }) : t("form.missing");
  }
  if (draft.who === "numbers") {
    const wrong = notNumbers(draft.numbers, of.numbers === "ships");
    if (wrong.length > 0) at["/" + of.numbers] = wrongNumbers(wrong);
    else if (readNumbers(draft.numbers).ships.length === 0) at["/" + of.numbers] = t("stat.noNumbers");
  }
  if (draft.who === "ports" && draft.ports.trim() === "") at["/ports"] = t("form.missing");
  if (draft.who === "list") at["/shiplist"] = t("form.missing");
  for (const { key, must, type } of of.fields.filter((field) => asks(field, draft))) {
    const pointer = "/" + key.replace(".", "/"),
      wrong = type === "ships" ? notNumbers(String(draft.values[key] ?? ""), false) : [];
    if (must && draft.values[key] === undefined) at[pointer] = t("form.missing");
    else if (wrong.length > 0) at[pointer] = wrongNumbers(wrong);
  }
  return at;
}

const wrongNumbers = (words: string[]): string =>
  t("stat.wrongNumbers", { words: words.slice(0, 5).join(" ") + (words.length > 5 ? " …" : "") });

const lackText = (spot: Spot): string =>
  spot.how === "point" ? t("form.missing") : t(isDrawn(spot) ? "shape.incomplete." + spot.how : "shape.gone");

// When chooses the period.
function When({ period, now, onChange }: { period: Period; now: number; onChange: (period: Period) => void }) {
  const hows = ["day", "week", "month", "own"] as const;
  const moment = (key: "from" | "to", at: string) => (
    <FormField label={t("statperiod." + key, { zone: zone(now) })} at={at}>
      {(aria) => (
        <Moment
          aria={aria}
          end={key === "to"}
          now={() => now}
          value={period[key]}
          onChange={(value) => onChange({ ...period, [key]: value })}
        />
      )}
    </FormField>
  );
  return (
    <>
      <Choice
        label={t("stat.period")}
        value={period.how}
        options={hows.map((value) => ({ value, label: t("statperiod." + value) }))}
        onChange={(how) => onChange({ ...period, how: how as Period["how"] })}
      />
      {period.how === "own" && (
        <div class="fields pairs">
          {moment("from", "/begin")}
          {moment("to", "/end")}
        </div>
      )}
    </>
  );
}

interface PartProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
}

// WhoFields chooses of which ships or ports is asked.
function WhoFields({ app, kind, draft, set }: PartProps & { app: App; kind: string }) {
  const of = kinds[kind],
    may = of.who.includes("list") && app.session.may("view_shiplist");
  const { data = [] } = useLoaded(() => (may ? records<ShipList>("config/shiplist") : Promise.resolve([])), String(may));
  const chosen = draft.who.startsWith("list:") ? [draft.who.slice(5)] : [];
  const lists = [...new Set([...chosen, ...data.map((list) => list.name)])];
  const options = of.who.flatMap((who) =>
    who === "list"
      ? lists.map((name) => ({ value: "list:" + name, label: t("statwho.list", { name }) }))
      : [{ value: who as string, label: t("statwho." + who) }],
  );
  const choose = (who: string): void =>
    set({ who, spots: (who === "area" || who === "there") && draft.spots.length === 0 ? [{ how: "polygon" }] : draft.spots });
  const { selection } = app,
    add = selection.mmsi && !draft.numbers.includes(String(selection.mmsi)) ? selection.mmsi : 0;
  return (
    <>
      <Choice label={t("stat.who")} at="/shiplist" value={draft.who} options={options} onChange={choose} />
      {draft.who === "numbers" && (
        <TextArea
          label={t("stat.numbers")}
          hint={t(of.numbers === "ships" ? "stat.numbersHint.imo" : "stat.numbersHint")}
          at={"/" + of.numbers}
          each={readNumbers(draft.numbers).ships.map(numberOf)}
          rows={2}
          value={draft.numbers}
          onInput={(numbers) => set({ numbers })}
        />
      )}
      {draft.who === "numbers" && add !== 0 && (
        <p>
          <button type="button" onClick={() => set({ numbers: `${draft.numbers} ${add}`.trim() })}>
            {t("stat.addShip", { name: title(selection.ship ?? { mmsi: add }) })}
          </button>
        </p>
      )}
      {draft.who === "ports" && <PortsField app={app} ports={draft.ports} onChange={(ports) => set({ ports })} />}
    </>
  );
}

const typing = 150; // milliseconds of rest before the server is asked

// PortsField takes ports by code or name, and offers those that the text may mean.
function PortsField({ app, ports, onChange }: { app: App; ports: string; onChange: (ports: string) => void }) {
  const found = usePorts(app);
  const options = found.ports.map((port) => {
    const label = portName(port);
    return { value: port.locode ?? port.name, label, also: fold(label).includes(fold(found.of)) ? undefined : found.of };
  });
  return (
    <Picker
      label={t("stat.ports")}
      hint={t("stat.portsHint")}
      at="/ports"
      chosen={portWords(ports)}
      options={options}
      onChange={(all) => onChange(all.join(", "))}
      onType={(text) => void found.ask(text, typing)}
      free
    />
  );
}

const saves = { now: "stat.ask", at: "stat.keepUntil", held: "stat.keep" };

// Runs chooses when it runs, and how often again.
function Runs({ now, draft, set }: PartProps & { now: number }) {
  return (
    <>
      <Choice
        label={t("stat.run")}
        at={draft.run === "at" ? undefined : "/execute"}
        value={draft.run}
        options={(["now", "at", "held"] as const).map((value) => ({ value, label: t("statrun." + value) }))}
        onChange={(run) => set({ run: run as Draft["run"] })}
      />
      {draft.run === "at" && (
        <FormField label={t("stat.runAt", { zone: zone(now) })} at="/execute">
          {(aria) => <Moment aria={aria} now={() => now} value={draft.at} onChange={(at) => set({ at })} />}
        </FormField>
      )}
      <Repeats draft={draft} set={set} />
    </>
  );
}

// Seen chooses who else sees the statistic. Without the right to share, that is the user's groups or nobody.
function Seen({ app, draft, set }: PartProps & { app: App }) {
  const may = app.session.may("share_reports") || app.session.may("admin_reports"),
    seens = ["groups", "nobody", ...(may || draft.seen === "named" ? ["named"] : [])];
  return (
    <>
      <Choice
        label={t("stat.seen")}
        value={draft.seen}
        options={seens.map((value) => ({ value, label: t("statseen." + value) }))}
        onChange={(seen) => set({ seen: seen as Draft["seen"] })}
      />
      {draft.seen === "named" && <Sharing app={app} names={draft.names} may={may} onChange={(names) => set({ names })} />}
    </>
  );
}

// OneField is a field of a kind.
function OneField({ field, draft, set }: PartProps & { field: Field }) {
  const { key, word, type, unit, max, of = [] } = field,
    value = draft.values[key],
    at = "/" + key.replace(".", "/"),
    label = t("statfield." + word),
    hint = field.hint && t("statfield." + field.hint),
    options = of.map((each) => ({ value: each, label: key === "domain" ? t("statdomain." + each) : t("statmeeting." + each) }));
  const put = (next: number | boolean | string | undefined): void => set({ values: { ...draft.values, [key]: next } });
  if (type === "switch") return <Switch label={label} at={at} on={value === true} onChange={put} />;
  if (type === "period")
    return (
      <Choice
        label={label}
        at={at}
        value={String(value)}
        options={["day", "week", "month", "quarter", "year"].map((each) => ({ value: each, label: t("stateach." + each) }))}
        onChange={put}
      />
    );
  if (type === "choice") return <Choice label={label} hint={hint} at={at} value={String(value)} options={options} onChange={put} />;
  if (type === "checks")
    return (
      <Checks
        label={label}
        hint={hint}
        at={at}
        chosen={String(value).split(" ").filter(Boolean)}
        options={options}
        onChange={(all) => put(all.join(" "))}
      />
    );
  if (type === "ships")
    return (
      <TextField
        label={label}
        hint={t(field.must ? "stat.numbersHint" : "stat.teamHint")}
        at={at}
        value={String(value ?? "")}
        onInput={(text) => put(text || undefined)}
      />
    );
  return (
    <NumberField label={label} hint={hint} at={at} unit={unit} max={max} step="any" value={value as number | undefined} onInput={put} />
  );
}
