// How a statistic does, in words.
import { useEffect, useRef } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { dateTime } from "../text/clock";
import { number, t, told } from "../text/text";
import { useLoaded } from "../ui/load";
import { path, type Job, type Mail } from "./job";

/** periodText says which period was asked. */
export function periodText(job: Pick<Job, "begin" | "end">): string {
  const [from, to] = [job.begin, job.end].map((time) => dateTime(Date.parse(time)));
  return `${from.replace(/ \S+$/, "")} – ${to}`;
}

const apart = new Set(["sogdist", "historicaltrack"]); // a row of these has several records

/** State says where a statistic stands, and moves while it runs. */
export function State({ job }: { job: Job }) {
  if (job.status === "running")
    return (
      <p class="statstate">
        <progress value={job.progress} max={100} aria-label={t("stat.running", { n: job.progress })} />{" "}
        <span>{t("stat.running", { n: job.progress })}</span>
      </p>
    );
  if (job.status === "aborted")
    return <p class="problem">{t("stat.failed", { why: job.error_rule ? told(job.error_rule) : (job.error ?? "") })}</p>;
  if (job.status === "idle")
    return (
      <p class="quiet">
        {job.start ? t("stat.starts", { time: dateTime(Date.parse(job.start)) }) : t(job.held ? "stat.held" : "stat.waits")}
      </p>
    );
  if (job.records === undefined || apart.has(job.type)) return <p>{t("stat.done")}</p>;
  return <p>{t(job.records === 1 ? "stat.rows.one" : "stat.rows", { n: number(job.records) })}</p>;
}

/** Again says when a statistic runs again. */
export const Again = ({ job }: { job: Job }) =>
  job.repeat && job.next ? <p class="quiet">{t("statagain." + job.repeat, { time: dateTime(Date.parse(job.next)) })}</p> : null;

const pace = 2e3; // milliseconds between two looks at what waits
const mostLooks = 30;

/** Mails says to whom the table is mailed, and what became of it. */
export function Mails({ job }: { job: Job }) {
  const { mail_to = [] } = job,
    done = mail_to.length > 0 && (job.status === "completed" || job.status === "aborted");
  const { data: told, again } = useLoaded<Mail[]>(
    async () => (done ? ((await send<Job>("GET", `${path}/statistic/${job.id}`)).mails ?? []) : []),
    `${job.id} ${done}`,
  );
  const data = told ?? [],
    next = mail_to.filter((to) => !data.some((mail) => mail.to === to)); // of one that has run: named since
  const looks = useRef(0); // for mails that are not there yet: a statistic is done a moment before they are made
  const waits = done && (data.some(({ state }) => state === "waiting") || (next.length > 0 && looks.current < mostLooks));
  useEffect(() => {
    looks.current = 0;
  }, [done]);
  useEffect(() => {
    const look = (): void => {
      if (document.hidden) return;
      looks.current++;
      void again();
    };
    const timer = waits ? setInterval(look, pace) : undefined;
    return () => clearInterval(timer);
  }, [waits]);
  if (mail_to.length === 0) return null;
  if (!done) return <p class="quiet">{t("stat.mails", { to: mail_to.join(", ") })}</p>;
  return (
    <>
      {data.map(({ to, state, time, error }) => (
        <p key={to} class={state === "sent" || state === "waiting" ? "quiet" : "problem"}>
          {t("statmail." + state, { to, time: dateTime(Date.parse(time)), why: error ?? "" })}
        </p>
      ))}
      {told && job.repeat && next.length > 0 && <p class="quiet">{t("stat.mailsNext", { to: next.join(", ") })}</p>}
    </>
  );
}

/** Warnings says what to know of a result. */
export const Warnings = ({ job }: { job: Job }) => (
  <>
    {job.warnings.map((warning, i) => (
      <p key={i} class="warned">
        <span aria-hidden="true">▲</span> {told(warning)}
      </p>
    ))}
  </>
);

/** askedBy names who asked, and when. */
export const askedBy = (app: App, job: Job): string =>
  t("stat.askedBy", {
    name: job.owner === app.session.user ? t("stat.me") : (job.owner ?? t("stat.noOwner")),
    time: dateTime(Date.parse(job.created)),
  });
