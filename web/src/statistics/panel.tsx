// The statistics: questions to the past, their forms, and their results.
import "./style.css";
import { useEffect } from "preact/hooks";
import type { App, Props } from "../app";
import { learn, t } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, useLoaded } from "../ui/load";
import { Cards } from "./cards";
import de from "./de.json";
import { draftOf } from "./draft";
import en from "./en.json";
import { StatForm } from "./form";
import { definitionOf, useJobs, type Job } from "./job";
import { kinds } from "./kinds";
import { List } from "./list";
import { Result } from "./result";

learn({ en, de });

/** Panel is the panel of statistics. */
export function Panel({ app, path: [first, second, third] }: Props) {
  useEffect(() => void app.shapes.load(), []);
  const jobs = useJobs(first ?? "");
  if (first === undefined) return <List app={app} jobs={jobs} />;
  if (first === "new")
    return second && kinds[second] ? <StatForm key={second} app={app} kind={second} asked={jobs.again} /> : <Cards app={app} />;
  const id = first === "like" ? second : first,
    job = jobs.data?.find((each) => String(each.id) === id);
  if (!job)
    return (
      <>
        <Heading app={app} title={t("menu.statistics")} back={["statistics"]} />
        {jobs.data && jobs.problem === "" ? <p class="empty">{t("stat.gone")}</p> : <NotLoaded loaded={jobs} />}
      </>
    );
  if (first === "like") return <Like key={id} app={app} job={job} asked={jobs.again} />;
  return <Result key={id} app={app} job={job} order={second} row={third} again={jobs.again} />;
}

// Like is the form of a statistic that is like another.
function Like({ app, job, asked }: { app: App; job: Job; asked: () => Promise<void> }) {
  const loaded = useLoaded(async () => {
    await app.shapes.load();
    return definitionOf(job);
  }, String(job.id));
  if (!loaded.data || !kinds[job.type])
    return (
      <>
        <Heading app={app} title={t("menu.statistics")} back={["statistics"]} />
        <NotLoaded loaded={loaded} />
      </>
    );
  return (
    <StatForm
      app={app}
      kind={job.type}
      like={draftOf(loaded.data, app.shapes.all, app.picture.now(), job.owner === app.session.user)}
      asked={asked}
    />
  );
}
