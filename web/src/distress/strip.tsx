import { useState } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { place } from "../text/figures";
import { ageText, number, t } from "../text/text";
import { Icon } from "../ui/icon";
import { Later } from "../ui/later";
import { whatOf, whoOf, type Alarm } from "./alarm";

/** DistressStrip is above every page while there is an alarm. It never covers or locks what lies below it, and nothing covers it. */
export function DistressStrip({ app }: { app: App }) {
  const { distress } = app,
    { shown, state, view } = distress;
  if (shown.length === 0) return <div class="unseen" role="alert" />;
  const quiet = (short: "Short" | ""): string => t(`distress.hush${distress.silence > 0 ? "ed" : ""}${short}`, { n: distress.silence });
  return (
    <section class={`distress ${state} ${view}`} aria-label={t("distress.heading")}>
      <div class="unseen" role="alert">
        {distress.said}
      </div>
      {view === "mark" ? <Mark app={app} /> : <Alarms app={app} />}
      <div class="acts">
        {distress.siren.muted && <button class="muted">{t("distress.muted")}</button>}
        {state !== "seen" && (
          <button disabled={distress.silence > 0} aria-label={quiet("")} onClick={() => distress.hush()}>
            <span class="long">{quiet("")}</span>
            <span class="short">{quiet("Short")}</span>
          </button>
        )}
        {view !== "mark" && <More app={app} />}
        {view !== "mark" && (
          <button class="square" title={t("distress.fold")} aria-label={t("distress.fold")} onClick={() => distress.show("mark")}>
            <Icon d="M3 10.5 8 5.5l5 5" />
          </button>
        )}
      </div>
    </section>
  );
}

const openOf = (app: App): number => app.distress.alarms.filter((a) => !a.seen).length;
const mayAcknowledge = (app: App): boolean => app.session.may("configure_watchdog_definitions");
const sign = (alarm: Alarm): string => (alarm.seen ? "✓" : alarm.test ? "○" : "⚠");

// Mark is what stays of the strip when the user has folded it: the first alarm or how many there are. A press opens the strip.
function Mark({ app }: { app: App }) {
  const { shown, total } = app.distress,
    [first] = shown,
    several = !first.seen && !first.test && total > 1;
  return (
    <button class="mark" aria-expanded={false} title={t("distress.unfold")} onClick={() => app.distress.show("first")}>
      <span aria-hidden="true">{sign(first)}</span>{" "}
      {several ? t("distress.count", { n: number(total) }) : `${whatOf(first)}: ${whoOf(first)}`}
    </button>
  );
}

function Alarms({ app }: { app: App }) {
  const { shown, view, many, total } = app.distress,
    all = view === "all";
  return (
    <div class="alarms">
      {many && <p>{t("distress.many", { n: number(total), rows: openOf(app) })}</p>}
      <ul>
        {(all ? shown : shown.slice(0, 1)).map((alarm) => (
          <Row key={`${alarm.mmsi} ${alarm.since}`} app={app} alarm={alarm} />
        ))}
      </ul>
    </div>
  );
}

// More opens and closes the rows behind the first. A row alone has no more to it than a narrow screen hides.
function More({ app }: { app: App }) {
  const { shown, view, total } = app.distress,
    rest = shown.length - 1,
    all = view === "all",
    open = openOf(app),
    words = all ? t("distress.less") : rest > 0 ? t("distress.more", { n: rest }) : t("distress.details");
  return (
    <>
      <button
        class={"more" + (rest > 0 ? "" : " alone")}
        aria-expanded={all}
        aria-label={words}
        onClick={() => app.distress.show(all ? "first" : "all")}>
        <span class="long">{words}</span>
        <span class="short">{all ? "−" : rest > 0 ? `+${rest}` : "…"}</span>
      </button>
      {all && open > 1 && mayAcknowledge(app) && <AcknowledgeAll app={app} n={Math.max(total, open)} />}
    </>
  );
}

function Row({ app, alarm }: { app: App; alarm: Alarm }) {
  const now = app.picture.now(),
    { lon, lat, seen } = alarm,
    age = now - alarm.heard;
  return (
    <li class={"alarm" + (seen ? " seen" : alarm.test ? " test" : "")}>
      <span class="words">
        <span class="title">
          <b class="what">
            <span aria-hidden="true">{sign(alarm)}</span> {whatOf(alarm)}
          </b>{" "}
          <b class="which">{whoOf(alarm)}</b>
          {age > silentFrom && <b class="age"> {t("distress.silent", { age: ageText(age) })}</b>}
        </span>{" "}
        <span class="details">
          <span class="where">{lon === undefined || lat === undefined ? t("distress.noPlace") : place(lon, lat)}</span>{" "}
          <span class="when">
            {[
              age <= silentFrom && t("distress.heard", { age: ageText(age) }),
              t("distress.since", { time: when(alarm.since, now, false) }),
              alarm.reports < 2 && t("distress.once"),
              seen && t(seen.by ? "distress.seenBy" : "distress.seen", { name: seen.by ?? "", time: when(seen.time, now, false) }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </span>
          {!seen && !mayAcknowledge(app) && <span class="ask"> {t("distress.ask")}</span>}
          {!seen && !alarm.test && lon !== undefined && <Later load={() => import("./help").then((m) => m.Near)} props={{ app, alarm }} />}
        </span>
      </span>
      <span class="acts">
        {!seen && mayAcknowledge(app) && <button onClick={() => void app.distress.acknowledge(alarm)}>{t("distress.acknowledge")}</button>}
        {lon !== undefined && <button onClick={() => void app.distress.goTo(alarm)}>{t("distress.go")}</button>}
        {seen && <button onClick={() => app.distress.hide(alarm)}>{t("distress.hide")}</button>}
      </span>
    </li>
  );
}

const silentFrom = 60e3; // milliseconds after which an alarm that is no longer heard is told as silent

// AcknowledgeAll asks once more in its own place, as nothing of the strip opens a dialog.
function AcknowledgeAll({ app, n }: { app: App; n: number }) {
  const [sure, setSure] = useState(false);
  return (
    <button
      onBlur={() => setSure(false)}
      onClick={() => {
        if (sure) void app.distress.acknowledge();
        setSure(!sure);
      }}>
      {t(sure ? "distress.sure" : "distress.all", { n: number(n) })}
    </button>
  );
}
