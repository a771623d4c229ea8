// Statistics as the API has them: what was asked, and how it does.
import { useEffect } from "preact/hooks";
import { send, type Ref, type Sentence } from "../api";
import type { App } from "../app";
import { records, useLoaded, type Loaded } from "../ui/load";

/** path is that of the statistics in the API. */
export const path = "jobserver/stat";

/** Repeat is how often a statistic runs again. */
export type Repeat = "daily" | "weekly" | "monthly";

/** Mail is what became of the mail to a user or an address. */
export interface Mail {
  to: string;
  state: "waiting" | "sent" | "failed" | "refused" | "suppressed";
  time: string;
  error?: string;
}

/** Job is how a statistic does. */
export interface Job {
  id: number;
  type: string;
  name?: string;
  status: "idle" | "running" | "completed" | "aborted";
  progress: number;
  begin: string;
  end: string;
  created: string;
  start?: string;
  /** held tells that it waits until somebody starts it. */
  held?: boolean;
  /** repeat is how often it runs again, and next when. */
  repeat?: Repeat;
  next?: string;
  /** mail_to are the users and addresses that the table is mailed to, for those that may change it. */
  mail_to?: string[];
  /** mails is what became of these mails. It is told of one statistic that is asked for alone. */
  mails?: Mail[];
  finished?: string;
  owner?: string;
  error?: string;
  error_rule?: Sentence;
  warnings: Sentence[];
  /** records is not told to a reader from whom ships are hidden. */
  records?: number;
}

/** Definition is what was asked, as it was posted. */
export interface Definition extends Record<string, unknown> {
  id: number;
  type: string;
  owner?: string;
  created: string;
  begin: string;
  end: string;
  name?: string;
  filter?: string;
  execute: boolean | string;
  repeat?: Repeat;
  acl?: Ref[];
}

const pace = 2e3;

/** going tells whether a statistic waits or runs. */
export const going = (job: Job): boolean => job.status === "idle" || job.status === "running";

/** mayChange tells whether the user may start and delete a statistic. */
export const mayChange = (app: App, job: Job): boolean => job.owner === app.session.user || app.session.may("admin_reports");

/** useJobs reads the statistics, the latest first. While one of them goes on and the page is in sight, it reads them again and again; and with
 * each other key. */
export function useJobs(key: string): Loaded<Job[]> {
  const loaded = useLoaded(async () => (await records<Job>(`${path}/statistic`)).sort((a, b) => b.id - a.id), key);
  const lively = loaded.data?.some((job) => going(job) && !job.held) === true || loaded.problem !== "";
  const { again } = loaded;
  useEffect(() => {
    const look = (): void => void (document.hidden || again());
    const timer = lively ? setInterval(look, pace) : undefined;
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [lively]);
  return loaded;
}

/** definitionOf asks what a statistic asked. */
export const definitionOf = (job: Pick<Job, "id" | "type">): Promise<Definition> =>
  send<Definition>("GET", `${path}/${job.type}/${job.id}`);

/** runAgain asks the same once more, and gives the number of the new statistic. */
export async function runAgain(app: App, job: Job): Promise<number> {
  const { id: _, type, owner, created: __, repeat: ___, mail_to: ____, acl, ...asked } = await definitionOf(job);
  const mine = acl && owner === app.session.user ? { acl: acl.map(({ uid }) => ({ uid })) } : {};
  return (await send<{ id: number }>("POST", `${path}/${type}`, { ...asked, execute: true, ...mine })).id;
}
