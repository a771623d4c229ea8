// What a box without a feed opens on: the last place of each ship of its store.
import { send } from "./api";
import type { JobID } from "./contract";
import type { RecordOfAPI } from "./picture";
import { parseTime } from "./time";

const most = 20_000; // ships; of more those that were heard last
const ever = "999999:00:00"; // 114 years, so that no report is too old
const world = [
  [-180, -90],
  [180, -90],
  [180, 90],
  [-180, 90],
  [-180, -90],
];
const path = "portserver/ship/area";

/** Stored are ships as the store knows them, and the time of the newest report; Unix milliseconds. */
export interface Stored {
  records: RecordOfAPI[];
  newest: number;
}

/** loadStored returns the last places in the store; undefined of an empty one. */
export async function loadStored(): Promise<Stored | undefined> {
  const { id } = await send<JobID>("POST", path, { duration: ever, area: { type: "Polygon", coordinates: [world] } });
  let records: RecordOfAPI[] | undefined;
  while (!records) ({ records } = await send<{ records?: RecordOfAPI[] }>("GET", `${path}/${id}`)); // it waits two seconds for the job
  if (records.length === 0) return undefined;
  const timed = records.map((record) => ({ record, heard: typeof record.heard === "string" ? parseTime(record.heard) : 0 }));
  timed.sort((a, b) => b.heard - a.heard);
  return { records: timed.slice(0, most).map(({ record }) => record), newest: timed[0].heard };
}
