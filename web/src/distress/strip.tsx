import { useState } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { place } from "../text/figures";
import { ageText, number, t } from "../text/text";
import { whatOf, whoOf, type Alarm } from "./alarm";

/** DistressStrip is above every page while there is an alarm. It never covers or locks what lies below it. */
export function DistressStrip({ app }: { app: App }) {
  const [all, setAll] = useState(false);
  const { distress } = app,
    { shown, state } = distress;
  if (shown.length === 0) return <div class="unseen" role="alert" />;
  const rows = all ? shown : shown.slice(0, 1),
    open = distress.alarms.filter((a) => !a.seen).length;
  return (
    <section class={"distress " + state} aria-label={t("distress.heading")}>
      <div class="unseen" role="alert">
        {distress.said}
      </div>
      <div class={"alarms" + (all ? " all" : "")}>
        {distress.many && <p>{t("distress.many", { n: number(distress.total), rows: open })}</p>}
        <ul>
          {rows.map((alarm) => (
            <Row key={`${alarm.mmsi} ${alarm.since}`} app={app} alarm={alarm} />
          ))}
        </ul>
      </div>
      <div class="acts">
        {distress.siren.muted && <button class="muted">{t("distress.muted")}</button>}
        {state !== "seen" && (
          <button disabled={distress.silence > 0} onClick={() => distress.hush()}>
            {distress.silence > 0 ? t("distress.hushed", { n: distress.silence }) : t("distress.hush")}
          </button>
        )}
        {shown.length > 1 && (
          <button aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t("distress.less") : t("distress.more", { n: shown.length - 1 })}
          </button>
        )}
        {all && open > 1 && mayAcknowledge(app) && <AcknowledgeAll app={app} n={Math.max(distress.total, open)} />}
      </div>
    </section>
  );
}

const mayAcknowledge = (app: App): boolean => app.session.may("configure_watchdog_definitions");

function Row({ app, alarm }: { app: App; alarm: Alarm }) {
  const now = app.picture.now(),
    { lon, lat, seen } = alarm;
  return (
    <li class={"alarm" + (seen ? " seen" : alarm.test ? " test" : "")}>
      <span class="words">
        <b class="what">
          <span aria-hidden="true">{seen ? "✓" : alarm.test ? "○" : "⚠"}</span> {whatOf(alarm)}
        </b>{" "}
        <b class="which">{whoOf(alarm)}</b>{" "}
        <span class="where">{lon === undefined || lat === undefined ? t("distress.noPlace") : place(lon, lat)}</span>{" "}
        <span class="when">
          {[
            t("distress.heard", { age: ageText(now - alarm.heard) }),
            t("distress.since", { time: when(alarm.since, now, false) }),
            alarm.reports < 2 && t("distress.once"),
            seen && t(seen.by ? "distress.seenBy" : "distress.seen", { name: seen.by ?? "", time: when(seen.time, now, false) }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {!seen && !mayAcknowledge(app) && <span class="ask"> {t("distress.ask")}</span>}
      </span>
      <span class="acts">
        {lon !== undefined && <button onClick={() => void app.distress.goTo(alarm)}>{t("distress.go")}</button>}
        {seen && <button onClick={() => app.distress.hide(alarm)}>{t("distress.hide")}</button>}
        {!seen && mayAcknowledge(app) && <button onClick={() => void app.distress.acknowledge(alarm)}>{t("distress.acknowledge")}</button>}
      </span>
    </li>
  );
}

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
