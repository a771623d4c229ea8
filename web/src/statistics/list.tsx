// The statistics that the user may see: what each asks, how it does, and what can be done with it.
import { useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, type Loaded } from "../ui/load";
import { Acts, nameOf } from "./acts";
import { kindText } from "./cards";
import type { Job } from "./job";
import { Picture } from "./pictures";
import { Again, askedBy, periodText, State, Warnings } from "./state";

const few = 30; // that are shown at first

/** List is the list of them, the latest first. */
export function List({ app, jobs }: { app: App; jobs: Loaded<Job[]> }) {
  const [shown, setShown] = useState(few);
  const all = jobs.data ?? [];
  return (
    <>
      <Heading app={app} title={t("menu.statistics")}>
        <button onClick={() => void app.navigation.go("statistics", "new")}>{t("stat.new")}</button>
      </Heading>
      <NotLoaded loaded={jobs} />
      {jobs.data?.length === 0 && <p class="empty">{t("stat.none")}</p>}
      <ul class="stats" aria-label={t("menu.statistics")}>
        {all.slice(0, shown).map((job) => (
          <Item key={job.id} app={app} job={job} again={jobs.again} />
        ))}
      </ul>
      {all.length > shown && (
        <p class="statmore">
          <button onClick={() => setShown(shown + few)}>{t("stat.more", { n: Math.min(few, all.length - shown) })}</button>
        </p>
      )}
    </>
  );
}

const Item = ({ app, job, again }: { app: App; job: Job; again: () => Promise<void> }) => (
  <li class={"stat " + job.status}>
    <Picture kind={job.type} />
    <div>
      <h3>
        <button onClick={() => void app.navigation.go("statistics", String(job.id))}>{nameOf(job)}</button>
      </h3>
      <p class="quiet">{[job.name && kindText(job.type), periodText(job)].filter(Boolean).join(" · ")}</p>
      <State job={job} />
      <Again job={job} />
      <Warnings job={job} />
      <p class="quiet">{askedBy(app, job)}</p>
      <p class="acts">
        <Acts app={app} job={job} again={again} />
      </p>
    </div>
  </li>
);
