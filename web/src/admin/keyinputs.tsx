// Editors of settings and filters: a proper input for every key that the server knows, with its unit and help.
import type { ComponentChildren } from "preact";
import type { App } from "../app";
import { Choice, Field, NumberField, Picker, TextArea, TextField } from "../ui/form";
import { pointForComma, useTyped } from "../ui/number";
import { known, number, t } from "../text/text";
import { sectionsOf, type Key } from "./keys";
import { inherited, setKey, type Keys, type Profile, type Ref } from "./model";
import type { World } from "./world";

/** KeySet is a set of keys of a user or group, named as in the API. */
export type KeySet = "settings" | "receive_filter" | "transmit_filter";

interface Props {
  app: App;
  set: KeySet;
  keys: Keys;
  world: World;
  disabled: boolean;
  groups: readonly Profile[]; // from which settings come that are not set here
  onChange: (keys: Keys) => void;
}

/** KeysEditor shows all keys of a set. Keys that nobody knows are shown and kept. */
export function KeysEditor(p: Props) {
  const sections = sectionsOf(p.set);
  const known = new Set(sections.flatMap((s) => s.keys.map((k) => k.key)));
  const unknown = Object.keys(p.keys).filter((key) => !known.has(key));
  return (
    <>
      {sections.map((section) => (
        <fieldset key={section.name} disabled={p.disabled}>
          <legend>{t("section." + section.name)}</legend>
          <div class="fields">
            {section.keys.map((k) => (
              <KeyInput key={k.key} {...p} def={k} />
            ))}
          </div>
        </fieldset>
      ))}
      {unknown.length > 0 && (
        <fieldset>
          <legend>{t("keys.unknown")}</legend>
          <dl class="unknown">
            {unknown.map((key) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>
                  <code>{JSON.stringify(p.keys[key])}</code>
                </dd>
              </div>
            ))}
          </dl>
        </fieldset>
      )}
    </>
  );
}

// said writes a value for people.
function said(def: Key, value: unknown): string {
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  if (typeof value === "number") return number(value, 0, 3) + (def.unit ? " " + t("unit." + def.unit) : "");
  if (Array.isArray(value)) return value.map((v) => String((v as Ref)?.name ?? v)).join(", ");
  if (def.kind === "word") return t("value." + String(value));
  return typeof value === "string" ? value : JSON.stringify(value);
}

function KeyInput({ app, set, keys, world, disabled, groups, onChange, def }: Props & { def: Key }) {
  const settings = set === "settings",
    value = keys[def.key],
    from = settings && value === undefined ? inherited(def.key, groups) : undefined;
  const hint = [
    known(settings ? "sethint." + def.key : "condhint." + def.key),
    from && t("keys.inherited", { name: from.from, value: said(def, from.value) }),
  ]
    .filter(Boolean)
    .join(" ");
  const common = { label: t(settings ? "set." + def.key : "cond." + def.key), hint, at: `/${set}/${def.key}`, disabled, wide: false };
  const write = (now: unknown): void => onChange(setKey(keys, def.key, now));
  const list = (now: unknown[]): void => write(now.length > 0 ? now : undefined);
  const texts = (Array.isArray(value) ? value : []) as unknown[];
  const choose = (words: readonly string[], now: string, onChange: (word: string) => void) => (
    <Choice
      {...common}
      value={now}
      onChange={onChange}
      options={["", ...words].map((o) => ({ value: o, label: t("value." + (o || "none")) }))}
    />
  );
  const pick = (more: Partial<Parameters<typeof Picker>[0]>) => (
    <Picker {...common} free options={[]} chosen={texts.map(String)} onChange={list} {...more} />
  );
  switch (def.kind) {
    case "bool":
      return choose(["yes", "no"], value === undefined ? "" : value ? "yes" : "no", (v) => write(v === "" ? undefined : v === "yes"));
    case "word":
      return choose(def.options!, String(value ?? ""), (v) => write(v || undefined));
    case "number":
      return (
        <NumberField
          {...common}
          placeholder={t("value.none")}
          value={value as number | undefined}
          onInput={write}
          max={def.most}
          unit={def.unit && t("unit." + def.unit)}
        />
      );
    case "text":
      return def.key === "expression" ? (
        <TextArea {...common} rows={2} value={String(value ?? "")} onInput={(v) => write(v || undefined)} />
      ) : (
        <TextField {...common} value={String(value ?? "")} onInput={(v) => write(v || undefined)} />
      );
    case "numbers":
      return pick({ check: (text) => /^\d+$/.test(text) && Number(text) <= (def.most ?? 2 ** 40), onChange: (v) => list(v.map(Number)) });
    case "texts":
      return pick({ options: (def.options ?? []).map((o) => ({ value: o, label: o })) });
    case "words":
      return pick({ free: false, options: def.options!.map((o) => ({ value: o, label: t("class." + o) })) });
    case "feeds":
      return pick({
        options: app.feeds.list.map((f) => ({ value: f.name, label: f.name })),
        chosen: (texts as Ref[]).map((r) => r.name),
        onChange: (v) => list(v.map((name) => ({ name }))),
      });
    case "feed":
      return <TextField {...common} value={(value as Ref | undefined)?.name ?? ""} onInput={(v) => write(v ? { name: v } : undefined)} />;
    case "shapes":
    case "lists": {
      const things = def.kind === "lists" ? world.library.shiplist : world.library.shape.filter((s) => def.key !== "regions" || s.region);
      return <Refs common={common} refs={texts as Ref[]} options={things} onChange={list} />;
    }
    case "permissions":
      return <Permissions common={common} value={(value ?? {}) as Verdicts} onChange={write} />;
    case "contents":
      return <Contents common={common} value={texts as Content[]} onChange={list} />;
    case "ranges":
      return <Ranges app={app} common={common} value={value as RangesValue | undefined} onChange={write} />;
  }
}

interface Common {
  label: string;
  hint: string;
  at: string;
  disabled: boolean;
  wide: boolean;
}

interface RefsProps {
  common: Common;
  refs: Ref[];
  options: readonly { uid: string; name: string }[];
  onChange: (refs: Ref[]) => void;
}

function Refs({ common, refs, options, onChange }: RefsProps) {
  const all = new Map<string, string>([...options.map((o) => [o.uid, o.name] as const), ...refs.map((r) => [r.uid!, r.name] as const)]);
  return (
    <Picker
      {...common}
      chosen={refs.map((r) => r.uid!)}
      options={[...all].map(([value, label]) => ({ value, label }))}
      onChange={(uids) => onChange(uids.map((uid) => ({ name: all.get(uid)!, uid })))}
    />
  );
}

type Verdicts = Record<string, string>;

function Permissions({ common, value, onChange }: { common: Common; value: Verdicts; onChange: (now?: Verdicts) => void }) {
  const of = (verdict: string): string[] => Object.keys(value).filter((kind) => value[kind] === verdict);
  const write = (verdict: string, kinds: string[]): void => {
    const now = Object.fromEntries([
      ...Object.entries(value).filter(([kind, v]) => v !== verdict && !kinds.includes(kind)),
      ...kinds.map((kind) => [kind, verdict] as const),
    ]);
    onChange(Object.keys(now).length > 0 ? now : undefined);
  };
  const picker = (verdict: string, word: string, hint: string) => (
    <Picker
      {...common}
      label={`${common.label}: ${word}`}
      hint={hint}
      free
      options={[]}
      chosen={of(verdict)}
      onChange={(v) => write(verdict, v)}
    />
  );
  return (
    <>
      {picker("allow", t("keys.allowed"), common.hint)}
      {picker("deny", t("keys.denied"), "")}
    </>
  );
}

interface AmountProps {
  label: string;
  unit?: string;
  min?: number;
  max?: number;
  step?: "any";
  value: number;
  onInput: (value: number) => void;
}

// Amount is a number in a line of several.
function Amount({ label, unit, onInput, min = 0, value, ...rest }: AmountProps) {
  const [text, type] = useTyped(value);
  const read = (input: HTMLInputElement): void => {
    type(input.value);
    onInput(input.valueAsNumber || 0);
  };
  return (
    <label>
      {label} <input type="number" min={min} {...rest} value={text} onBeforeInput={pointForComma} onInput={(e) => read(e.currentTarget)} />{" "}
      {unit}
    </label>
  );
}

interface LinesProps {
  common: Common;
  /** first is a line above the others, which stays. */
  first?: ComponentChildren;
  lines: ComponentChildren[];
  add: string;
  onAdd: () => void;
  onRemove: (i: number) => void;
}

// Lines is a field of several lines, each of which can be removed. The fieldset around it disables it.
const Lines = ({ common, first, lines, add, onAdd, onRemove }: LinesProps) => (
  <Field {...common} wide>
    {() => (
      <div class="lines">
        {first && <div class="line">{first}</div>}
        {lines.map((line, i) => (
          <div class="line" key={i}>
            {line}
            <button type="button" aria-label={t("keys.remove")} onClick={() => onRemove(i)}>
              ×
            </button>
          </div>
        ))}
        <button type="button" onClick={onAdd}>
          {add}
        </button>
      </div>
    )}
  </Field>
);

interface Content {
  dac: number;
  fi: number;
  type?: string;
}

function Contents({ common, value, onChange }: { common: Common; value: Content[]; onChange: (now: Content[]) => void }) {
  const change = (i: number, part: Partial<Content>): void => onChange(value.map((c, k) => (k === i ? { ...c, ...part } : c)));
  return (
    <Lines
      common={common}
      lines={value.map((c, i) => (
        <>
          <Amount label="DAC" max={1023} value={c.dac} onInput={(n) => change(i, { dac: n })} />
          <Amount label="FI" max={63} value={c.fi} onInput={(n) => change(i, { fi: n })} />
          <label>
            {t("keys.transport")}{" "}
            <select value={c.type ?? ""} onChange={(e) => change(i, { type: e.currentTarget.value })}>
              {["", "addressed", "broadcast"].map((o) => (
                <option key={o} value={o} selected={o === (c.type ?? "")}>
                  {t("value." + (o || "any"))}
                </option>
              ))}
            </select>
          </label>
        </>
      ))}
      add={t("keys.addContent")}
      onAdd={() => onChange([...value, { dac: 1, fi: 0, type: "" }])}
      onRemove={(i) => onChange(value.filter((_, k) => k !== i))}
    />
  );
}

interface RangesValue {
  position: [number, number];
  ranges: { distance: number; interval: number }[];
}

interface RangesProps {
  app: App;
  common: Common;
  value?: RangesValue;
  onChange: (now?: RangesValue) => void;
}

// A new range is around the middle of the map as it stands.
function Ranges({ app, common, value, onChange }: RangesProps) {
  const add = (): void => {
    const { centre } = app,
      ranges = value?.ranges ?? [];
    const last = ranges.at(-1);
    onChange({
      position: value?.position ?? [Number(centre.lon.toFixed(5)), Number(centre.lat.toFixed(5))],
      ranges: [...ranges, { distance: last ? last.distance * 2 : 5000, interval: last ? last.interval * 2 : 10 }],
    });
  };
  const change = (i: number, part: Partial<RangesValue["ranges"][number]>): void =>
    onChange({ ...value!, ranges: value!.ranges.map((r, k) => (k === i ? { ...r, ...part } : r)) });
  const remove = (i: number): void =>
    onChange(value!.ranges.length > 1 ? { ...value!, ranges: value!.ranges.filter((_, k) => k !== i) } : undefined);
  const place = (at: 0 | 1, label: string, most: number) => (
    <Amount
      label={label}
      step="any"
      min={-most}
      max={most}
      unit="°"
      value={value!.position[at]}
      onInput={(n) => onChange({ ...value!, position: value!.position.map((v, k) => (k === at ? n : v)) as [number, number] })}
    />
  );
  return (
    <Lines
      common={common}
      first={value && [place(1, t("keys.latitude"), 90), place(0, t("keys.longitude"), 180)]}
      lines={(value?.ranges ?? []).map((r, i) => (
        <>
          <Amount label={t("keys.within")} unit={t("unit.m")} value={r.distance} onInput={(n) => change(i, { distance: n })} />
          <Amount label={t("keys.every")} unit={t("unit.s")} value={r.interval} onInput={(n) => change(i, { interval: n })} />
        </>
      ))}
      add={t("keys.addRange")}
      onAdd={add}
      onRemove={remove}
    />
  );
}
