// The board of alerts: what watchdogs raised, a situation a row, the newest first.
import "../watchdogs/style.css";
import "./style.css";
import { useEffect, useState } from "preact/hooks";
import type { App, Props } from "../app";
import { t } from "../text/text";
import { Switch } from "../ui/form";
import { Heading } from "../ui/heading";
import { loud, stands, waits } from "./alert";
import { mayPopUp } from "./alerts";
import { AddEvent, mayAdd } from "./byhand";
import { Load } from "./load";
import { Row } from "./row";

const page = 50; // alerts that are shown at first, and more at each press

/** Board is the panel. */
export function Board({ app, path }: Props) {
  if (path[0] === "new") return <AddEvent app={app} />;
  return path[0] === "load" ? <Load app={app} /> : <List app={app} />;
}

const choices = ["all", "stands", "waits", "mine"] as const;

function List({ app }: { app: App }) {
  const [choice, setChoice] = useState<(typeof choices)[number]>("all"),
    [shown, setShown] = useState(page);
  const { alerts } = app;
  useEffect(() => {
    if (!alerts.there) void alerts.load();
    void app.watchdogs.load(); // for those that an alert can be given to
  }, []);
  const rows = alerts.all.filter(
    (a) =>
      choice === "all" ||
      (choice === "stands" && stands(a)) ||
      (choice === "waits" && waits(a)) ||
      (choice === "mine" && a.mine && stands(a)),
  );
  return (
    <>
      <Heading app={app} title={t("menu.events")}>
        {mayAdd(app) && <button onClick={() => void app.navigation.go("events", "new")}>{t("byhand.add")}</button>}
        <button onClick={() => void app.navigation.go("events", "load")}>{t("alert.load")}</button>
        <button onClick={() => void app.navigation.go("watchdogs")}>{t("menu.watchdogs")}</button>
      </Heading>
      <Sounds app={app} />
      <div class="eventbox">
        <div class="spans" role="group" aria-label={t("alert.show")}>
          {choices.map((one) => (
            <button key={one} aria-pressed={choice === one} onClick={() => setChoice(one)}>
              {t("alertshow." + one)}
            </button>
          ))}
        </div>
        {alerts.problem !== "" && (
          <p class="problem" role="alert">
            {alerts.problem} <button onClick={() => void alerts.load()}>{t("load.again")}</button>
          </p>
        )}
        {rows.length === 0 && alerts.problem === "" && (
          <p class={alerts.there ? "empty" : "empty late"}>
            {t(!alerts.there ? "place.loading" : choice === "all" ? "alert.none" : choice === "waits" ? "event.noneWaits" : "alert.noneSo")}
          </p>
        )}
        <ul class="events" aria-label={t("menu.events")}>
          {rows.slice(0, shown).map((a) => (
            <Row key={a.id} app={app} alert={a} />
          ))}
        </ul>
        {rows.length > shown && <button onClick={() => setShown(shown + page)}>{t("event.more", { n: rows.length - shown })}</button>}
      </div>
    </>
  );
}

// Sounds is how alerts are heard and shown in this browser.
function Sounds({ app }: { app: App }) {
  const { alerts } = app,
    now = app.picture.now(),
    can = mayPopUp();
  return (
    <div class="onmap sounds">
      <Switch label={t("event.sound")} on={alerts.sound} onChange={(on) => alerts.setSound(on)} />
      <button onClick={() => alerts.test()}>{t("alert.test")}</button>
      {app.session.may("configure_watchdog_definitions") && alerts.all.some((a) => loud(a, now)) && (
        <button class="primary" onClick={() => void alerts.silenceAll()}>
          {t("alert.silenceAll")}
        </button>
      )}
      {alerts.muted && <p class="quiet">{t("event.muted")}</p>}
      {can === "yes" ? (
        <Switch label={t("alert.popups")} on={alerts.popups} onChange={(on) => void alerts.setPopups(on)} />
      ) : (
        <p class="quiet">{t("popups." + can)}</p>
      )}
    </div>
  );
}
