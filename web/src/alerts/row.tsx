// A row of the board: one alert, which opens into its events.
import { useState } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { t } from "../text/text";
import { overOf, type WatchEvent } from "../watchdogs/event";
import { generalOf, wrongOf } from "../ui/wrong";
import { mayAdd } from "./byhand";
import { looks, signs, stands, stateOf, textOf, waits, type Alert } from "./alert";
import { whose } from "./whose";

const hour = "01:00:00";

/** Row is an alert. One with several events is closed until somebody opens it. */
export function Row({ app, alert: a }: { app: App; alert: Alert }) {
  const [open, setOpen] = useState(false),
    [handing, setHanding] = useState(false);
  const now = app.picture.now(),
    { alerts } = app,
    state = stateOf(a, now),
    may = app.session.may("configure_watchdog_definitions");
  const repeats = a.priority === "alarm" || a.priority === "emergency",
    several = a.count > 1;
  return (
    <li class={`event ${looks[a.priority]} ${state}` + (waits(a) ? " pending" : "") + (a.mine ? "" : " others")} data-alert={a.id}>
      <p>
        <span class="sign" role="img" aria-label={t("priority." + a.priority)}>
          {signs[a.priority]}
        </span>{" "}
        <b>{textOf(a)}</b>
      </p>
      <p class="quiet">
        {when(a.since, now)} · {a.definition === 0 ? t("event.byHand") : a.watchdog} · <b class="state">{stateWords(a, state, now)}</b>
        {facts(a, app.session.user).map((fact) => ` · ${fact}`)}
      </p>
      <p class="acts">
        {may && waits(a) && (
          <button class="primary" onClick={() => void alerts.acknowledge(a)}>
            {t("event.acknowledge")}
          </button>
        )}
        {may && repeats && state === "active" && <button onClick={() => void alerts.silence(a)}>{t("alert.silence")}</button>}
        {may && waits(a) && (
          <button aria-expanded={handing} onClick={() => setHanding(!handing)}>
            {t("alert.transfer")}
          </button>
        )}
        {several && (
          <button aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(open ? "alert.close" : "alert.open", { n: a.count })}
          </button>
        )}
        {!several && a.events.map((e) => <Acts key={e.id} app={app} event={e} may={may} />)}
        {may && (
          <button aria-pressed={a.useless} onClick={() => void alerts.judge(a, a.useless)}>
            {t("alert.useless")}
          </button>
        )}
      </p>
      {handing && waits(a) && <Hand app={app} alert={a} done={() => setHanding(false)} />}
      {open && several && (
        <ul class="parts">
          {a.events.map((e) => (
            <li key={e.id} data-event={e.id}>
              <p>
                {e.text()} <span class="quiet">{[when(e.time, now, false), ...said(e, now)].join(" · ")}</span>
              </p>
              <p class="acts">
                <Acts app={app} event={e} may={may} />
              </p>
            </li>
          ))}
          {a.count > a.events.length && <li class="quiet">{t("alert.older", { n: a.count - a.events.length })}</li>}
        </ul>
      )}
    </li>
  );
}

// Acts is what can be done about one event.
function Acts({ app, event: e, may }: { app: App; event: WatchEvent; may: boolean }) {
  const mute = e.muted !== undefined && e.muted > app.picture.now();
  return (
    <>
      {(e.mmsi !== 0 || e.lon !== undefined) && <button onClick={() => void app.events.goTo(e)}>{t("event.go")}</button>}
      {may && e.mmsi !== 0 && e.definition !== 0 && !e.rescue && (
        <button onClick={() => void app.alerts.mute(e.id, mute ? "00:00:00" : hour)}>{t(mute ? "event.unmute" : "event.mute")}</button>
      )}
      {mayAdd(app) && <button onClick={() => void app.alerts.remove(e)}>{t("form.delete")}</button>}
    </>
  );
}

function stateWords(a: Alert, state: ReturnType<typeof stateOf>, now: number): string {
  if (state === "silenced") return t("alertstate.silenced", { n: Math.max(1, Math.ceil((a.silentUntil - now) / 1000)) });
  if (a.priority === "caution" && state === "normal") return (a.count === 1 && overOf(a.events[0], a.last)) || t("alertstate.over");
  if (a.priority === "caution") return t("event.active");
  return t("alertstate." + state);
}

// facts is what else is said of an alert.
function facts(a: Alert, user: string): string[] {
  const seen = a.events.find((e) => e.seen),
    one = a.count === 1 ? a.events[0] : undefined;
  return [
    a.count > 1 && t("alert.counts", { open: a.open, standing: a.standing }),
    one?.by !== undefined && t("event.madeBy", { name: one.by }),
    one && (a.priority !== "caution" || stands(a)) && overOf(one, a.last), // else the state says it
    a.count > 1 && a.events.some((e) => e.evicted) && t("alert.evicted", { n: a.events.filter((e) => e.evicted).length }),
    a.open === 0 &&
      seen?.seen &&
      t(seen.seen.by ? "event.seenBy" : "event.seen", { name: seen.seen.by ?? "", time: when(seen.seen.time, a.last, false) }),
    one?.muted !== undefined && one.muted > a.last && t("event.mutedUntil", { time: when(one.muted, a.last, false) }),
    whose(a, user),
    a.transferred?.by && waits(a) && t("alert.givenBy", { name: a.transferred.by }),
    a.escalated > 0 && waits(a) && t("alert.escalated"),
  ].filter((fact): fact is string => typeof fact === "string" && fact !== "");
}

const said = (e: WatchEvent, now: number): string[] =>
  [
    e.begins && e.active && t("event.active"),
    overOf(e, now),
    e.seen && t(e.seen.by ? "event.seenBy" : "event.seen", { name: e.seen.by ?? "", time: when(e.seen.time, now, false) }),
    e.muted !== undefined && e.muted > now && t("event.mutedUntil", { time: when(e.muted, now, false) }),
  ].filter((fact): fact is string => typeof fact === "string");

// Hand asks for the user or group that an alert is given to.
function Hand({ app, alert: a, done }: { app: App; alert: Alert; done: () => void }) {
  const [to, setTo] = useState(""),
    [problem, setProblem] = useState("");
  const dog = app.watchdogs.all.find((w) => w.id === a.definition);
  const sectors = app.shapes.all.filter((shape) => shape.sector);
  const names = [...new Set([...(dog?.acl ?? []), dog?.owner, ...sectors].flatMap((one) => (one ? [one.name] : [])))];
  const give = async (): Promise<void> => {
    try {
      await app.alerts.transfer(a, to.trim());
      done();
    } catch (refused) {
      setProblem(generalOf(wrongOf(refused)));
    }
  };
  const change = (typed: string): void => {
    setTo(typed);
    setProblem("");
  };
  return (
    <form
      class="hand"
      onSubmit={(e) => {
        e.preventDefault();
        void give();
      }}>
      <label>
        {t("alert.to")} <input value={to} list={`takers-${a.id}`} maxLength={64} onInput={(e) => change(e.currentTarget.value)} />
      </label>
      <datalist id={`takers-${a.id}`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button class="primary" disabled={to.trim() === ""}>
        {t("alert.give")}
      </button>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
