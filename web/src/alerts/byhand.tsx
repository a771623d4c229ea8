// The sheet on which a user makes an event by hand: what, how grave, when, of which ship and where.
import { useEffect, useRef, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { title } from "../ship";
import { timeOf, zone } from "../text/clock";
import { place as written } from "../text/figures";
import { t } from "../text/text";
import { Moment, unreadText } from "../moment/field";
import { Choice, Field, Switch, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { Sheet, useUnsaved } from "../ui/sheet";
import { nothingWrong } from "../ui/wrong";
import { severities, type Severity } from "../watchdogs/event";
import { Spot, type Place } from "./spot";

/** mayAdd tells whether the user may make events, and delete them. */
export const mayAdd = (app: App): boolean => app.session.may("view_watchdog") && app.session.may("add_remove_events");

/** AddEvent is the sheet. The ship is the one whose card was open when it was opened. */
export function AddEvent({ app }: { app: App }) {
  const [text, setText] = useState(""),
    [severity, setSeverity] = useState<Severity>("note"),
    [at, setAt] = useState(""),
    [unread, setUnread] = useState(false),
    [place, setPlace] = useState<Place>(),
    [about, setAbout] = useState(true),
    [wrong, setWrong] = useState(nothingWrong);
  const [ship] = useState(app.selection.ship);
  const spot = useRef<Spot>(undefined);
  useEffect(() => {
    spot.current = new Spot(setPlace);
    app.chart?.lay(spot.current);
    return () => app.chart?.lay(undefined);
  }, []);
  useUnsaved(app, text !== "" || place !== undefined);
  const put = (to: Place | undefined): void => {
    setPlace(to);
    if (spot.current) spot.current.place = to;
    app.chart?.redraw();
  };
  const leave = (): void => {
    app.unsaved = false;
    void app.navigation.go("events");
  };
  const save = async (): Promise<void> => {
    if (unread) return setWrong({ ...nothingWrong, at: { "/time": unreadText("moment") } });
    await send("POST", "watchdog/event/manual", {
      message: text,
      severity,
      ...(at !== "" && { time: new Date(timeOf(at)).toISOString() }),
      ...(ship && about && { mmsi: ship.mmsi }),
      ...(place && { position: { type: "Point", coordinates: place } }),
    });
    await app.alerts.load();
    leave();
  };
  const now = app.picture.now();
  return (
    <>
      <Heading app={app} title={t("byhand.title")} back={["events"]} />
      {!mayAdd(app) && <p class="empty">{t("byhand.mayNot")}</p>}
      {mayAdd(app) && (
        <div class="sheetbox">
          <Sheet wrong={wrong} onWrong={setWrong} save={t("byhand.save")} onSave={save} onCancel={leave} unsaved={text.trim() !== ""}>
            <TextField
              label={t("byhand.what")}
              hint={t("byhand.forAll")}
              at="/message"
              wide
              value={text}
              maxLength={500}
              autofocus
              onInput={setText}
            />
            <Choice
              label={t("byhand.severity")}
              at="/severity"
              value={severity}
              options={severities.map((value) => ({ value, label: t("severity." + value) }))}
              onChange={(value) => setSeverity(value as Severity)}
            />
            <Field label={t("byhand.when", { zone: zone(now) })} hint={t("byhand.now")} at="/time">
              {(aria) => (
                <Moment
                  aria={aria}
                  now={() => app.picture.now()}
                  value={at}
                  onChange={(to, half) => {
                    setAt(to);
                    setUnread(half);
                  }}
                />
              )}
            </Field>
            {ship ? (
              <Switch label={t("byhand.ship", { ship: title(ship) })} at="/mmsi" on={about} onChange={setAbout} />
            ) : (
              <p class="quiet">{t("byhand.noShip")}</p>
            )}
            <p class="where">
              {place ? t("byhand.place", { place: written(place[0], place[1]) }) : t("byhand.click")}{" "}
              {place && (
                <button type="button" onClick={() => put(undefined)}>
                  {t("byhand.noPlace")}
                </button>
              )}
            </p>
          </Sheet>
        </div>
      )}
    </>
  );
}
