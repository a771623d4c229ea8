// Alarm is the client's copy of one alarm of distress, and its words.
import type { Alarm as AlarmOfAPI } from "../contract";
import { title } from "../ship";
import { learn, t } from "../text/text";
import { parseTime } from "../time";
import en from "./en.json";

learn({ en });

/** Alarm is one person, boat or ship in distress, or a device under test. Times are in Unix milliseconds. */
export interface Alarm {
  mmsi: number;
  name?: string;
  class?: string;
  test: boolean;
  reports: number;
  since: number;
  heard: number;
  lon?: number;
  lat?: number;
  seen?: { time: number; by?: string }; // acknowledged
}

/** alarmOf reads a record of the server. */
export const alarmOf = (r: AlarmOfAPI): Alarm => ({
  mmsi: r.mmsi,
  name: r.name?.trim() || undefined,
  class: r.class,
  test: r.test === true,
  reports: r.reports,
  since: parseTime(r.since),
  heard: parseTime(r.heard),
  lon: r.position?.coordinates[0],
  lat: r.position?.coordinates[1],
  seen: r.acknowledged && { time: parseTime(r.acknowledged.time), by: r.acknowledged.by },
});

/** whatOf says what kind of alarm it is. */
export function whatOf(alarm: Alarm): string {
  const what = t("distress." + (["mob", "sart", "epirb"].includes(alarm.class ?? "") ? alarm.class : "ship"));
  return alarm.test ? t("distress.test", { what }) : what;
}

/** whoOf returns the name, or else the number. */
export const whoOf = (alarm: Alarm): string => title(alarm);

/** inOrder returns alarms as they are seen: those that nobody has acknowledged, then tests, then the others; each as the server has them. */
export const inOrder = (alarms: readonly Alarm[]): Alarm[] => [...alarms].sort((a, b) => rank(a) - rank(b));
const rank = (alarm: Alarm): number => (alarm.seen ? 2 : alarm.test ? 1 : 0);

/** keyOf tells an alarm from others, also of the same number. */
export const keyOf = (alarm: Alarm): string => `${alarm.mmsi} ${alarm.since} ${alarm.test}`;
