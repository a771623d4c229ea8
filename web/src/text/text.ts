// The words of the client in the user's language: one flat JSON catalogue a language, English where a key is missing.
import type { Sentence } from "../api";
import en from "./en.json";
import type { Ship } from "../ship";

/** Language is one of languages, which the settings offer. */
export type Language = "en" | "de";
export const languages: readonly { code: Language; name: string }[] = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
];
const catalogues: Record<Language, Record<string, string>> = { en: { ...en }, de: {} };
let language: Language = "en";

/** learn adds the words of a part of the client. Those that are loaded at the start bring no German: german.ts has it. */
export function learn(words: { en: Record<string, string>; de?: Record<string, string> }): void {
  for (const each of languages) Object.assign(catalogues[each.code], words[each.code]);
}

/** speak chooses the language of all that follows. German is loaded when it is first spoken, with the sentences of the server; until it is
 * there, all stays as it was. */
export async function speak(code: Language): Promise<void> {
  if (code === "de") {
    const loaded = await import("./german");
    learn({ en: {}, de: loaded.words });
    german = loaded.rules;
  }
  language = code;
  document.documentElement.lang = code;
}

/** t returns the text of a key with its {places} filled in; a value that is a number gets its separators. */
export const t = (key: string, values: Record<string, string | number> = {}): string =>
  fill(catalogues[language][key] ?? catalogues.en[key] ?? key, values);

const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? whole;
    return typeof value === "number" ? number(value, 0, 3) : value;
  });

/** known returns a text that not everything has; "" is none. */
export const known = (key: string): string => {
  const text = t(key);
  return text === key ? "" : text;
};

let german: Record<string, string> = {}; // the sentences of the server, by their rules

/** told returns a sentence of the server in the user's language; a rule without words in that language stays English. */
export function told({ detail, rule = "", params = {} }: Sentence): string {
  if (language === "en" || !Object.hasOwn(german, rule)) return detail;
  return fill(german[rule], Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toldValue(value)])));
}

/** toldValue writes a value of a sentence. A fraction gets the sign of the language; a whole number may be an MMSI and gets no separators. */
function toldValue(value: unknown): string {
  if (isSentence(value)) return told(value);
  return typeof value === "number" && !Number.isInteger(value) ? number(value, 0, 10) : String(value);
}

const isSentence = (value: unknown): value is Sentence => typeof value === "object" && value !== null && "detail" in value;

/** spoken is the language in the forms that the browser knows, with a day before a month and 24 hours. */
export const spoken = (): string => (language === "de" ? "de-DE" : "en-GB");

const formats = new Map<string, Intl.NumberFormat>();

/** number writes a number in the user's way with so many decimals, or up to most of them. */
export function number(value: number, decimals = 0, most = decimals): string {
  const key = `${language} ${decimals} ${most}`;
  let format = formats.get(key);
  if (!format) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: most };
    format = new Intl.NumberFormat(spoken(), digits);
    formats.set(key, format);
  }
  return format.format(value);
}

/** ageText writes a span of milliseconds as one unit. */
export function ageText(milliseconds: number): string {
  const s = Math.max(0, Math.round(milliseconds / 1000));
  if (s < 120) return t("age.s", { n: s });
  if (s < 7200) return t("age.min", { n: Math.round(s / 60) });
  if (s < 172800) return t("age.h", { n: Math.round(s / 3600) });
  return t("age.d", { n: Math.round(s / 86400) });
}

let regions: { language: Language; long: Intl.DisplayNames; short: Intl.DisplayNames } | undefined;

const longName = 18; // letters of the name of a country from which on a short one is looked for: "Hong Kong SAR China"

/** flag is the name of a country as people call it. That of the server is the one of the United Nations: it stands where there is no other. */
export function flag({ country, country_code }: { country?: string; country_code?: string }): string | undefined {
  if (!country_code) return country;
  if (regions?.language !== language) {
    const of = (style: "long" | "short") => new Intl.DisplayNames(spoken(), { type: "region", style });
    regions = { language, long: of("long"), short: of("short") };
  }
  try {
    const name = regions.long.of(country_code) ?? country;
    return name && name.length > longName ? regions.short.of(country_code) : name;
  } catch {
    return country;
  }
}

const hazards = "ABCD";

/** typeName is an AIS code of ship type in words (ITU-R M.1371-5, table 53), with the hazardous category of the cargo; "" of 0. Brief is
 * for a narrow column. */
export function typeName(code: number, brief = false): string {
  if (code === 0) return "";
  if (code < 20 || code > 99) return t("type.reserved");
  const group = code - (code % 10),
    single = group === 30 || group === 50, // each of these is a type of its own
    key = single ? code : group;
  const type = (brief && known("brief." + key)) || known("type." + key) || t("type.reserved"),
    letter = single ? undefined : hazards[(code % 10) - 1];
  return letter ? t(brief ? "type.letter" : "type.hazard", { type, letter }) : type;
}

/** typeText is what a ship or station is, in words; brief for a narrow column. */
export function typeText(ship: Ship, brief = false): string | undefined {
  if (ship.group === "aton")
    return [ship.aid_type ? t("aid." + ship.aid_type) : t("group.aton"), ship.virtual && t("aid.virtual")].filter(Boolean).join(", ");
  if (ship.group === "base" || ship.group === "aircraft" || ship.group === "distress")
    return (brief && known("brief." + ship.class)) || t("class." + ship.class);
  return typeName(ship.type_code ?? 0, brief) || undefined;
}

/** statusText is a ship's navigational status, if it is one that says something. */
export function statusText(ship: Ship): string | undefined {
  if (ship.nav_status === undefined || ship.nav_status === 15) return undefined;
  return language === "en" && ship.nav_status_text ? ship.nav_status_text : t("status." + ship.nav_status);
}
