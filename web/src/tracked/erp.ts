// The ERP information of a track, as far as the client understands it. The port keeps it as it likes: nothing in it is an error.
import { sendText } from "../api";
import { replaced, textAt } from "./lossless";

/** Kind is how the value of an attribute is written. */
type Kind = "text" | "number" | "truth" | "choice";

/** Attribute is a value with a name of the port's own. */
export interface Attribute {
  at: number; // its place in the list
  key: string;
  value: unknown;
  kind: Kind;
  edit: boolean;
  options: unknown[];
}

/** Plan is what the ERP information says of a call. Times are in Unix milliseconds. */
export interface Plan {
  eta?: number;
  etd?: number;
  quay: string; // quay_id of the first berth, "" of none
  colour: string; // #rrggbb, or ""
  attributes: Attribute[];
}

type Keys = Record<string, unknown>;
const keysOf = (value: unknown): Keys => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Keys) : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

// timeOf reads a time; one without a zone is UTC.
function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const time = Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[-\d]{10}$/i.test(value) ? value : value + "Z");
  return Number.isFinite(time) ? time : undefined;
}

/** planOf reads ERP information. */
export function planOf(erp: unknown): Plan {
  const keys = keysOf(erp),
    warps = listOf(keys.warp).map(keysOf),
    quay = warps[0]?.quay_id,
    { color } = keys;
  return {
    eta: timeOf(keys.eta) ?? timeOf(warps[0]?.eta),
    etd: timeOf(keys.etd) ?? timeOf(warps[warps.length - 1]?.etd),
    quay: typeof quay === "number" || typeof quay === "string" ? String(quay) : "",
    colour: typeof color === "string" && /^#[\da-f]{6}$/i.test(color) ? color : "",
    attributes: listOf(keys.attributes).flatMap((one, at) => attributeOf(keysOf(one), at) ?? []),
  };
}

function attributeOf({ key, value, datatype, edit, options }: Keys, at: number): Attribute | undefined {
  if (typeof key !== "string" || key === "") return undefined;
  const choices = listOf(options);
  const kind: Kind =
    datatype === "enum" && choices.length > 0
      ? "choice"
      : typeof value === "boolean" || /^bool/.test(String(datatype))
        ? "truth"
        : typeof value === "number" || /^(int|float|double|number|decimal)/.test(String(datatype))
          ? "number"
          : "text";
  const plain = typeof value !== "object" || value === null;
  return { at, key, value, kind, edit: edit === true && plain, options: choices };
}

/** isNumber tells whether a text is a number of JSON. */
export const isNumber = (text: string): boolean => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);

/** Changed is what came of an edit: stale when somebody else had changed the attribute before. */
export type Changed = "saved" | "stale";

/** saveAttribute writes one value of the ERP information of a track, as the JSON text that is given, or the one of its options with a number.
 * Nothing else of it changes. */
export async function saveAttribute(track: number, was: Attribute, value: string | { option: number }): Promise<Changed> {
  const path = `portserver/ship/track/${track}`,
    erp = textAt(await sendText("GET", `${path}?tracks=false&route=false`), ["erp"]);
  const at = ["attributes", was.at],
    now = erp === "" ? undefined : planOf(JSON.parse(erp)).attributes.find((one) => one.at === was.at);
  if (!now?.edit || now.key !== was.key || JSON.stringify(now.value) !== JSON.stringify(was.value)) return "stale";
  const text = typeof value === "string" ? value : textAt(erp, [...at, "options", value.option]);
  const changed = replaced(erp, [...at, "value"], text) ?? withValue(erp, at, text);
  await sendText("PUT", path, `{"erp":${changed}}`);
  return "saved";
}

// withValue gives an attribute that had none its value.
function withValue(erp: string, at: (string | number)[], value: string): string {
  const text = textAt(erp, at);
  return replaced(erp, at, `${text.slice(0, text.lastIndexOf("}"))},"value":${value}}`)!;
}
