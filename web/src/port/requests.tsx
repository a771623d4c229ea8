import { useState } from "preact/hooks";
import type { App } from "../app";
import deRegister from "../register/de.json";
import enRegister from "../register/en.json";
import { PlaceField } from "../register/place";
import { Copy } from "../copy/button";
import { title } from "../ship";
import { dateTime, timeOf, wall, when, zone } from "../text/clock";
import { knots } from "../text/figures";
import { learn, t } from "../text/text";
import { adviceText } from "../tracked/words";
import { Moment } from "../moment/field";
import { Choice, Field } from "../ui/form";
import { whyOf } from "../why";
import { ask, places, type Expected, type Point, type PortInfo, type Requested, type Wanted } from "./model";
import { plannedBerth } from "./words";

learn({ en: enRegister, de: deRegister });

interface Props {
  app: App;
  ship: Expected;
  ships: readonly Expected[];
  port: PortInfo;
  again: () => Promise<void>;
}

/** Requests are the times at which the port asks a tracked ship to be somewhere, and the way to ask for one. */
export function Requests({ app, ship, ships, port, again }: Props) {
  const [open, setOpen] = useState(false),
    now = app.picture.now(),
    { id, requested, advice } = ship.tracked!;
  const back = async (place: Wanted): Promise<void> => {
    try {
      await ask(id, place, undefined, undefined);
      await again();
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
  };
  return (
    <div class="requests">
      {requested.map((one) => (
        <p key={one.place}>
          {requestText(one, now)}
          {advice?.place === one.place && advice.time === one.time && ` · ${adviceText(advice)}`}{" "}
          <Copy text={requestWords(ship, port, one)} label={t("port.say")} />{" "}
          <button aria-label={t("port.takeBackOf", { place: t("port.place." + one.place) })} onClick={() => void back(one.place)}>
            {t("port.takeBack")}
          </button>
        </p>
      ))}
      {open ? (
        <Ask app={app} ship={ship} ships={ships} port={port} again={again} close={() => setOpen(false)} />
      ) : (
        <button onClick={() => setOpen(true)}>{t("port.request")}</button>
      )}
    </div>
  );
}

/** requestText says when the port asks the ship to be where. */
export const requestText = ({ place, time }: Requested, now: number): string =>
  t("port.requested", { place: t("port.place." + place), time: when(time, now, false) });

/** requestWords says it to the ship, as a text for a mail or the radio. */
export function requestWords({ ship, tracked }: Expected, port: PortInfo, { place, time }: Requested): string {
  const { plan, advice } = tracked!,
    name = place === "berth" ? plannedBerth(plan.quay, port.berths ?? []) : "",
    where = name ? t("port.at.named", { name }) : t("port.at." + place),
    text = t("port.saying", { ship: title(ship), port: port.name, where, time: dateTime(time) });
  return advice?.place === place && advice.time === time ? t("port.sayingSpeed", { text, speed: knots(advice.speed) }) : text;
}

function Ask({ app, ship, ships, again, close }: Props & { close: () => void }) {
  const said = (place: Wanted): Requested | undefined =>
    [ship, ...ships].flatMap((one) => one.tracked?.requested ?? []).find((one) => one.place === place && one.position);
  const start = ship.tracked!.requested[0];
  const [place, setPlace] = useState<Wanted>(start?.place ?? "pilot"),
    [text, setText] = useState(() => wall(start?.time ?? ship.eta ?? app.picture.now() + 3600e3).slice(0, 16)),
    [unread, setUnread] = useState(false),
    [position, setPosition] = useState<Point | undefined>(() => said(place)?.position),
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    if (unread || text === "") return setWrong(t("tracked.unread"));
    setBusy(true);
    try {
      await ask(ship.tracked!.id, place, timeOf(text), place === "pilot" || place === "anchorage" ? position : undefined);
      await again();
      close();
    } catch (problem) {
      setWrong(whyOf(problem));
      setBusy(false);
    }
  };
  return (
    <form
      class="fields"
      noValidate
      onKeyDown={(e) => e.key === "Escape" && (e.stopPropagation(), close())}
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}>
      <Choice
        label={t("port.requestPlace")}
        value={place}
        options={places.map((value) => ({ value, label: t("port.place." + value) }))}
        onChange={(value) => {
          setPlace(value as Wanted);
          setPosition(said(value as Wanted)?.position);
        }}
      />
      <Field label={t("port.requestTime", { zone: zone(app.picture.now()) })} error={wrong}>
        {(aria) => (
          <span class="entry">
            <Moment
              aria={aria}
              now={() => app.picture.now()}
              value={text}
              onChange={(value, half) => {
                setText(value);
                setUnread(half);
                setWrong("");
              }}
            />
          </span>
        )}
      </Field>
      {(place === "pilot" || place === "anchorage") && (
        <PlaceField
          key={place}
          app={app}
          may
          position={position}
          onChange={(at) => setPosition(at as Point | undefined)}
          hint={t("port.requestHint")}
        />
      )}
      <div class="acts">
        <button class="primary" disabled={busy}>
          {t("port.ask")}
        </button>
        <button type="button" onClick={close}>
          {t("form.cancel")}
        </button>
      </div>
    </form>
  );
}
