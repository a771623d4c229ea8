// The keys of settings and filters that the server knows (docs/api.md), in the order in which a person asks for
// them. Their words are set.{key} and cond.{key}, what helps with them sethint.{key} and condhint.{key}.

/** Kind is which input a key has. */
export type Kind =
  | "bool"
  | "number"
  | "text"
  | "word"
  | "numbers"
  | "texts"
  | "words"
  | "shapes"
  | "lists"
  | "feeds"
  | "feed"
  | "permissions"
  | "contents"
  | "ranges";

/** Key is a setting or a condition of a filter. */
export interface Key {
  key: string;
  kind: Kind;
  unit?: string; // its word is unit.{unit}
  options?: readonly string[]; // their words are value.{option}
  most?: number;
  receive?: boolean; // a condition of the receive filter only
}

/** Section is a group of keys under one heading. */
export interface Section {
  name: string;
  keys: readonly Key[];
}

const levels = ["low", "normal", "high"];

/** settings are the keys of the settings, in the order of the form. */
export const settings: readonly Section[] = [
  { name: "kind", keys: [{ key: "user_type", kind: "word", options: ["user", "client", "proxy", "admin"] }] },
  {
    name: "limits",
    keys: [
      { key: "allowed_pss_list", kind: "feeds" },
      { key: "default_pss_list", kind: "feeds" },
      { key: "web_max_lookback_time", kind: "number", unit: "h" },
      { key: "priority", kind: "word", options: levels },
      { key: "report_max_job_size", kind: "number", unit: "records" },
      { key: "report_priority", kind: "word", options: levels },
      { key: "report_permission_allow_all", kind: "bool" },
      { key: "report_permissions", kind: "permissions" },
    ],
  },
  {
    name: "own",
    keys: [
      { key: "mmsi_list", kind: "numbers" },
      { key: "default_mmsi", kind: "number", most: 2 ** 40 },
      { key: "origin_country", kind: "number", most: 999 },
      { key: "origin_region", kind: "number" },
      { key: "region_mask", kind: "text" },
    ],
  },
  {
    name: "stream",
    keys: [
      { key: "output_format", kind: "word", options: ["nmea", "nmea_tag", "nmea_comment", "nmea_pghp", "oth_gold", "xml"] },
      { key: "use_timestamp", kind: "bool" },
      { key: "time_stamp_method", kind: "word", options: ["none", "tag", "comment", "pghp"] },
      { key: "clock_sync_interval", kind: "number", unit: "s" },
      { key: "include_external_id", kind: "bool" },
      { key: "custom_tag_info", kind: "text" },
      { key: "forward_cached_static_voyage_data", kind: "bool" },
      { key: "receive_system_status", kind: "bool" },
      { key: "include_peep", kind: "bool" },
      { key: "lss_group", kind: "feed" },
      { key: "is_gad_user", kind: "bool" },
    ],
  },
  {
    name: "rate",
    keys: [
      { key: "down_sample_interval", kind: "number", unit: "s" },
      { key: "fixed_downsampling_interval", kind: "number", unit: "s" },
      { key: "max_message_rate", kind: "number", unit: "perSecond" },
      { key: "congestion_adjustment_factor", kind: "number", unit: "percent" },
      { key: "max_congestion_adjustment_factor", kind: "number", unit: "percent" },
      { key: "time_between_congestion_adjustments", kind: "number", unit: "s" },
    ],
  },
];

const classes = ["A", "B", "base", "aton", "sar", "sart", "mob", "epirb", "group", "coast", "unknown"];
const shipTypes = "cargo tanker passenger hsc fishing tug pilot sar military law sailing pleasure dredger diving".split(" ");

/** conditions are those of a receive filter; a transmit filter has all but the ones marked receive. */
export const conditions: readonly Section[] = [
  {
    name: "where",
    keys: [
      { key: "areas", kind: "shapes", receive: true },
      { key: "regions", kind: "shapes", receive: true },
      { key: "countries", kind: "numbers", receive: true },
    ],
  },
  {
    name: "source",
    keys: [
      { key: "psss", kind: "feeds", receive: true },
      { key: "source_tags", kind: "texts", receive: true },
      { key: "source_mode_is_and", kind: "bool", receive: true },
    ],
  },
  {
    name: "ships",
    keys: [
      { key: "include_predefined_ship_list", kind: "bool" },
      { key: "predefined_ship_list", kind: "lists" },
      { key: "include_user_defined_ship_list", kind: "bool" },
      { key: "user_defined_ship_list_mmsi", kind: "numbers" },
      { key: "user_defined_ship_list_imo", kind: "numbers" },
      { key: "user_defined_ship_list_callsign", kind: "texts" },
      { key: "mobile_types", kind: "words", options: classes },
      { key: "unsupported_mobile_types", kind: "bool" },
      { key: "types_of_ship", kind: "texts", options: shipTypes },
      { key: "unsupported_ship_types", kind: "bool" },
      { key: "expression", kind: "text" },
    ],
  },
  {
    name: "ais",
    keys: [
      { key: "message_types", kind: "numbers", most: 27 },
      { key: "unsupported_message_types", kind: "bool" },
      { key: "allow_addressed_messages", kind: "bool", receive: true },
      { key: "binary_message_content", kind: "contents" },
    ],
  },
  {
    name: "pace",
    keys: [
      { key: "delay", kind: "number", unit: "s", most: 86400, receive: true },
      { key: "update_interval", kind: "number", unit: "s", most: 86400, receive: true },
      { key: "range_dependant_update", kind: "ranges", receive: true },
    ],
  },
];

/** sectionsOf returns the sections of a set of keys. */
export function sectionsOf(set: "settings" | "receive_filter" | "transmit_filter"): readonly Section[] {
  if (set === "settings") return settings;
  if (set === "receive_filter") return conditions;
  return conditions.map((s) => ({ ...s, keys: s.keys.filter((k) => !k.receive) })).filter((s) => s.keys.length > 0);
}
