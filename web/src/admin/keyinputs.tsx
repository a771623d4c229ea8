// Editors of settings and filters: a proper input for every key that the server knows, with its unit and help.
import type { App } from "../app";
import { Choice, Field, NumberField, Picker, TextArea, TextField, type Option } from "../ui/form";
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
  if (typeof value === "number") return number(value) + (def.unit ? " " + t("unit." + def.unit) : "");
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
  const common = { label: t(settings ? "set." + def.key : "cond." + def.key), hint, at: `/${set}/${def.key}`, disabled };
  const write = (now: unknown): void => onChange(setKey(keys, def.key, now));
  const list = (now: unknown[]): void => write(now.length > 0 ? now : undefined);
  const texts = (Array.isArray(value) ? value : []) as unknown[];
  switch (def.kind) {
    case "bool":
      return (
        <Choice
          {...common}
          value={value === undefined ? "" : value ? "yes" : "no"}
          onChange={(v) => write(v === "" ? undefined : v === "yes")}
          options={[
            { value: "", label: t("value.none") },
            { value: "yes", label: t("value.yes") },
            { value: "no", label: t("value.no") },
          ]}
        />
      );
    case "word":
      return (
        <Choice
          {...common}
          value={String(value ?? "")}
          onChange={(v) => write(v || undefined)}
          options={[{ value: "", label: t("value.none") }, ...def.options!.map((o) => ({ value: o, label: t("value." + o) }))]}
        />
      );
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
      return (
        <Picker
          {...common}
          wide={false}
          free
          check={(text) => /^\d+$/.test(text) && Number(text) <= (def.most ?? 2 ** 40)}
          options={[]}
          chosen={texts.map(String)}
          onChange={(v) => list(v.map(Number))}
        />
      );
    case "texts":
      return (
        <Picker
          {...common}
          wide={false}
          free
          options={(def.options ?? []).map((o) => ({ value: o, label: o }))}
          chosen={texts.map(String)}
          onChange={list}
        />
      );
    case "words":
      return (
        <Picker
          {...common}
          wide={false}
          options={def.options!.map((o) => ({ value: o, label: t("class." + o) }))}
          chosen={texts.map(String)}
          onChange={list}
        />
      );
    case "feeds":
      return (
        <Picker
          {...common}
          wide={false}
          free
          options={feedOptions(app)}
          chosen={(texts as Ref[]).map((r) => r.name)}
          onChange={(v) => list(v.map((name) => ({ name })))}
        />
      );
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
}

const feedOptions = (app: App): Option[] => app.feeds.list.map((f) => ({ value: f.name, label: f.name }));

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
      wide={false}
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
      wide={false}
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
  min: number;
  max?: number;
  step?: "any";
  value: number;
  disabled: boolean;
  onInput: (value: number) => void;
}

// Amount is a number in a line of several.
const Amount = ({ label, unit, onInput, ...rest }: AmountProps) => (
  <label>
    {label} <input type="number" {...rest} onInput={(e) => onInput(e.currentTarget.valueAsNumber || 0)} /> {unit}
  </label>
);

interface Content {
  dac: number;
  fi: number;
  type?: string;
}

function Contents({ common, value, onChange }: { common: Common; value: Content[]; onChange: (now: Content[]) => void }) {
  const change = (i: number, part: Partial<Content>): void => onChange(value.map((c, k) => (k === i ? { ...c, ...part } : c)));
  return (
    <Field {...common} wide>
      {() => (
        <div class="lines">
          {value.map((c, i) => (
            <div class="line" key={i}>
              <Amount label="DAC" min={0} max={1023} value={c.dac} disabled={common.disabled} onInput={(n) => change(i, { dac: n })} />
              <Amount label="FI" min={0} max={63} value={c.fi} disabled={common.disabled} onInput={(n) => change(i, { fi: n })} />
              <label>
                {t("keys.transport")}{" "}
                <select value={c.type ?? ""} disabled={common.disabled} onChange={(e) => change(i, { type: e.currentTarget.value })}>
                  {["", "addressed", "broadcast"].map((o) => (
                    <option key={o} value={o} selected={o === (c.type ?? "")}>
                      {t("value." + (o || "any"))}
                    </option>
                  ))}
                </select>
              </label>
              <button
                type="button"
                aria-label={t("keys.remove")}
                disabled={common.disabled}
                onClick={() => onChange(value.filter((_, k) => k !== i))}>
                ×
              </button>
            </div>
          ))}
          <button type="button" disabled={common.disabled} onClick={() => onChange([...value, { dac: 1, fi: 0, type: "" }])}>
            {t("keys.addContent")}
          </button>
        </div>
      )}
    </Field>
  );
}

interface RangesValue {
  position: [number, number];
  ranges: { distance: number; interval: number }[];
}

// A new one is around the middle of the map as it stands.
function Ranges({
  app,
  common,
  value,
  onChange,
}: {
  app: App;
  common: Common;
  value: RangesValue | undefined;
  onChange: (now: RangesValue | undefined) => void;
}) {
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
  const place = (at: 0 | 1, degrees: number): void =>
    onChange({ ...value!, position: value!.position.map((v, k) => (k === at ? degrees : v)) as [number, number] });
  return (
    <Field {...common} wide>
      {() => (
        <div class="lines">
          {value && (
            <div class="line">
              <Amount
                label={t("keys.latitude")}
                step="any"
                min={-90}
                max={90}
                unit="°"
                value={value.position[1]}
                disabled={common.disabled}
                onInput={(n) => place(1, n)}
              />
              <Amount
                label={t("keys.longitude")}
                step="any"
                min={-180}
                max={180}
                unit="°"
                value={value.position[0]}
                disabled={common.disabled}
                onInput={(n) => place(0, n)}
              />
            </div>
          )}
          {value?.ranges.map((r, i) => (
            <div class="line" key={i}>
              <Amount
                label={t("keys.within")}
                min={0}
                unit={t("unit.m")}
                value={r.distance}
                disabled={common.disabled}
                onInput={(n) => change(i, { distance: n })}
              />
              <Amount
                label={t("keys.every")}
                min={0}
                unit={t("unit.s")}
                value={r.interval}
                disabled={common.disabled}
                onInput={(n) => change(i, { interval: n })}
              />
              <button type="button" aria-label={t("keys.remove")} disabled={common.disabled} onClick={() => remove(i)}>
                ×
              </button>
            </div>
          ))}
          <button type="button" disabled={common.disabled} onClick={add}>
            {t("keys.addRange")}
          </button>
        </div>
      )}
    </Field>
  );
}
