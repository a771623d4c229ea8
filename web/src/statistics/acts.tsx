// What can be done with a statistic: run it, run it again, change a copy, delete it.
import { send } from "../api";
import type { App } from "../app";
import { t } from "../text/text";
import { whyOf } from "../why";
import { kindText } from "./cards";
import { going, mayChange, path, runAgain, type Job } from "./job";
import { kinds } from "./kinds";

interface Props {
  app: App;
  job: Job;
  again: () => Promise<void>;
}

/** nameOf names a statistic. */
export const nameOf = (job: Pick<Job, "name" | "type">): string => job.name || kindText(job.type);

/** Acts are the buttons of a statistic. */
export function Acts({ app, job, again }: Props) {
  const name = nameOf(job),
    mine = mayChange(app, job);
  const tried = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
    await again();
  };
  const stop = (): Promise<void> =>
    tried(async () => {
      await send("PUT", `${path}/statistic/${job.id}`, { repeat: "never" });
      app.tell(t("stat.repeatStopped", { name }));
    });
  const remove = async (): Promise<void> => {
    const lines = [
      ...(job.status === "running" ? [t("stat.deleteRuns")] : []),
      ...(job.repeat ? [t("stat.deleteRepeats")] : []),
      t("form.forGood"),
    ];
    if (!(await app.ask({ title: t("stat.deleteAsk", { name }), lines, yes: t("form.delete"), bad: true }))) return;
    await tried(async () => {
      await send("DELETE", `${path}/statistic/${job.id}`);
      app.tell(t("stat.deleted", { name }));
      if (app.navigation.path[1] === String(job.id)) app.navigation.goInstead("statistics");
    });
  };
  return (
    <>
      {job.status === "idle" && mine && (
        <button onClick={() => void tried(() => send("PUT", `${path}/statistic/${job.id}`, { execute: true }).then(() => undefined))}>
          {t(job.held ? "stat.ask" : "stat.runNow")}
        </button>
      )}
      {!going(job) && (
        <button
          onClick={() =>
            void tried(async () => {
              const id = await runAgain(app, job);
              app.tell(t("stat.asked", { name }));
              if (app.navigation.path[1] === String(job.id)) await app.navigation.go("statistics", String(id));
            })
          }>
          {t("stat.again")}
        </button>
      )}
      {kinds[job.type] && <button onClick={() => void app.navigation.go("statistics", "like", String(job.id))}>{t("stat.like")}</button>}
      {mine && job.repeat && <button onClick={() => void stop()}>{t("stat.stopRepeat")}</button>}
      {mine && (
        <button aria-label={t("stat.deleteNamed", { name })} onClick={() => void remove()}>
          {t("form.delete")}
        </button>
      )}
    </>
  );
}
