// A watchdog as a thing of the library: its fields, its words and its rights.
import { escalationOf, type Escalation } from "../library/escalation";
import { namesOf, type Fields, type LibraryKind } from "../library/sheet";
import { learn, t } from "../text/text";
import de from "./words/de.json";
import en from "./words/en.json";
import type { Calendar } from "./calendar";
import type { Severity } from "./event";
import type { Watchdog } from "./watchdogs";

learn({ en, de });

/** Draft is what the sheet edits beside what is watched, named as in the API. */
export interface Draft extends Fields, Escalation {
  severity: Severity;
  enabled: boolean;
  filter: string;
  draught: number | undefined;
  check_direction: boolean;
  min_cog: number | undefined;
  max_cog: number | undefined;
  min_sog: number | undefined;
  max_sog: number | undefined;
  window: string;
  any_type: boolean;
  samples_to_activate: number | undefined;
  samples_to_deactivate: number | undefined;
  samples_between_trigger: number | undefined;
  time_between_triggers: number | undefined;
  inactivity_timeout: string;
  create_shiplist: boolean;
  shiplist_timeout: string; // of a line
  calendar: Calendar | null;
  mail_to: string[];
  sms_to: string[];
  webhooks: string[];
  mqtt: boolean;
  mail_template: string;
  sms_template: string;
  test_mode: boolean; // of the built-in one
  send_ship_notification: boolean;
  ship_notification_text: string;
  ship_notification_broadcast: boolean;
}

/** kind is that of watchdogs. */
export const kind: LibraryKind<Watchdog, Draft> = {
  place: "watchdogs",
  path: "watchdog/definition",
  rights: "watchdogs",
  admin: "admin_watchdog_definitions",
  needs: "configure_watchdog_definitions",
  named: false,
  say: (key, values) => t("dog." + key, values),
  changed: (app) => app.watchdogs.load(),
  fields: (dog) => ({
    name: dog?.name ?? "",
    severity: dog?.severity ?? "note",
    enabled: dog?.enabled ?? true,
    filter: dog?.filter ?? "",
    draught: dog?.draught,
    check_direction: dog?.check_direction ?? false,
    min_cog: dog?.min_cog,
    max_cog: dog?.max_cog,
    min_sog: dog?.min_sog,
    max_sog: dog?.max_sog,
    window: dog?.window ?? "",
    any_type: dog?.any_type ?? false,
    samples_to_activate: dog?.samples_to_activate ?? 1,
    samples_to_deactivate: dog?.samples_to_deactivate ?? 1,
    samples_between_trigger: dog?.samples_between_trigger ?? 0,
    time_between_triggers: dog?.time_between_triggers ?? 0,
    inactivity_timeout: dog?.inactivity_timeout ?? "",
    create_shiplist: dog?.create_shiplist ?? false,
    shiplist_timeout: dog?.shiplist_timeout ?? "",
    calendar: dog?.calendar ?? null,
    mail_to: dog?.mail_to ?? [],
    sms_to: dog?.sms_to ?? [],
    webhooks: dog?.webhooks ?? [],
    mqtt: dog?.mqtt ?? false,
    mail_template: dog?.mail_template ?? "",
    sms_template: dog?.sms_template ?? "",
    test_mode: dog?.test_mode ?? false,
    send_ship_notification: dog?.send_ship_notification ?? false,
    ship_notification_text: dog?.ship_notification_text ?? "",
    ship_notification_broadcast: dog?.ship_notification_broadcast ?? false,
    ...escalationOf(dog),
    acl: namesOf(dog),
  }),
  words: {
    name: "col.name",
    severity: "dog.severity",
    enabled: "dog.enabled",
    filter: "dog.filter",
    draught: "dog.draught",
    check_direction: "dog.course",
    min_cog: "dog.course",
    max_cog: "dog.course",
    min_sog: "dog.minSpeed",
    max_sog: "dog.maxSpeed",
    window: "dog.window",
    any_type: "dog.anyType",
    samples_to_activate: "dog.samples",
    samples_to_deactivate: "dog.samplesOff",
    samples_between_trigger: "dog.samplesBetween",
    time_between_triggers: "dog.timeBetween",
    inactivity_timeout: "dog.timeout",
    create_shiplist: "dog.list",
    shiplist_timeout: "dog.listTimeout",
    calendar: "dog.hours",
    mail_to: "dog.mailTo",
    sms_to: "dog.smsTo",
    webhooks: "dog.webhooks",
    mqtt: "dog.mqtt",
    mail_template: "dog.mailTemplate",
    sms_template: "dog.smsTemplate",
    test_mode: "dog.testMode",
    send_ship_notification: "dog.hail",
    ship_notification_text: "dog.hailText",
    ship_notification_broadcast: "dog.hailAll",
    escalate_after: "escalate.after",
    escalate_to: "escalate.to",
    acl: "share.with",
  },
};

/** filterOf is the filter for one ship. */
export const filterOf = (mmsi: number): string => `mmsi = ${mmsi}`;

/** shipOf returns the one ship that a filter lets pass, 0 where it is another filter. */
export const shipOf = (filter: string): number => Number(/^\s*mmsi\s*=\s*(\d{1,9})\s*$/i.exec(filter)?.[1] ?? 0);
