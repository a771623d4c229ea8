// Statistics as the API has them: what was asked, and how it does.
import { useEffect } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import type { JobID, Reference, Statistic, StatisticDefinition } from "../contract";
import { records, useLoaded, type Loaded } from "../ui/load";

/** path is that of the statistics in the API. */
export const path = "jobserver/stat";

/** Job is how a statistic does, Mail what became of the mail to a user or an address, Repeat how often it runs again. */
export type Job = Statistic;
export type Mail = NonNullable<Statistic["mails"]>[number];
export type Repeat = NonNullable<Statistic["repeat"]>;

/** Definition is what was asked, as it was posted, but with the names of those that share it. The kinds read its fields by their keys. */
export type Definition = Omit<StatisticDefinition, "acl"> & { acl?: Reference[] } & Record<string, unknown>;

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
  return (await send<JobID>("POST", `${path}/${type}`, { ...asked, execute: true, ...mine })).id;
}
