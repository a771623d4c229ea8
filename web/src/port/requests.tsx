import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Point, PortInfo } from "../contract";
import deRegister from "../register/de.json";
import enRegister from "../register/en.json";
import { PlaceField } from "../register/place";
import { Copy, copy } from "../copy/button";
import { title } from "../ship";
import { dateTime, timeOf, wall, when, zone } from "../text/clock";
import { knots } from "../text/figures";
import { learn, t } from "../text/text";
import { adviceText } from "../tracked/words";
import { Moment } from "../moment/field";
import { Choice, Field } from "../ui/form";
import { Later } from "../ui/later";
import { whyOf } from "../why";
import { ask, places, takeBack, type Berth, type Expected, type Requested, type Wanted } from "./model";
import { berthOf, onAir } from "./words";

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
      await takeBack(id, place);
      await again();
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
  };
  return (
    <div class="requests">
      {requested.map((one) => (
        <div key={one.place}>
          <p>
            {requestText(one, now)}
            {advice?.place === one.place && advice.time === one.time && ` · ${adviceText(advice)}`}
          </p>
          <Say app={app} text={requestWords(ship, port, one)} ship={ship} port={port}>
            <button aria-label={t("port.takeBackOf", { place: t("port.place." + one.place) })} onClick={() => void back(one.place)}>
              {t("port.takeBack")}
            </button>
          </Say>
        </div>
      ))}
      {open ? (
        <Ask app={app} ship={ship} ships={ships} port={port} again={again} close={() => setOpen(false)} />
      ) : (
        <button onClick={() => setOpen(true)}>{t("port.request")}</button>
      )}
    </div>
  );
}

interface SayProps {
  app: App;
  text: string;
  ship: Expected;
  port: PortInfo;
  children: ComponentChildren;
}

// Say tells the ship what the port asks: by VHF or in any mail as a text, as a mail, and over AIS where the user may and a feed can.
function Say({ app, text, ship: { ship }, port, children }: SayProps) {
  const subject = encodeURIComponent(`${title(ship)} · ${port.name}`);
  return (
    <div class="acts">
      <Copy text={text} label={t("port.say")} />
      <a class="button" href={`mailto:?subject=${subject}&body=${encodeURIComponent(text)}`}>
        {t("port.mail")}
      </a>
      {children}
      {app.session.account.can_transmit && ship.mmsi <= 999_999_999 && (
        <Later
          load={() => import("../messages/compose").then((m) => m.Compose)}
          props={{ app, to: ship, label: t("port.send"), start: onAir(text, title(ship)) }}
        />
      )}
    </div>
  );
}

/** requestText says when the port asks the ship to be where. */
export const requestText = ({ place, time, berth }: Requested, now: number): string =>
  t("port.requested", { place: berth ? t("port.berth", { name: berth }) : t("port.place." + place), time: when(time, now, false) });

/** requestWords says it to the ship, as a text for a mail or the radio. */
export function requestWords(expected: Expected, port: PortInfo, { place, time, berth = "" }: Requested): string {
  const { advice } = expected.tracked!,
    name = place === "berth" ? berth || berthOf(expected, port.berths ?? []) : "",
    where = name ? t("port.at.named", { name }) : t("port.at." + place),
    text = t("port.saying", { ship: title(expected.ship), port: port.name, where, time: dateTime(time) });
  return advice?.place === place && advice.time === time ? t("port.sayingSpeed", { text, speed: knots(advice.speed) }) : text;
}

// berthChoices are the berths of which one may be named, by number where their names have one.
function berthChoices(berths: readonly Berth[]): { value: string; label: string }[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  const names = [...new Set(berths.map(({ name }) => name))].sort(order.compare);
  return [{ value: "", label: t("port.anyBerth") }, ...names.map((name) => ({ value: name, label: name }))];
}

function Ask({ app, ship, ships, port, again, close }: Props & { close: () => void }) {
  const said = (place: Wanted): Requested | undefined =>
    [ship, ...ships].flatMap((one) => one.tracked?.requested ?? []).find((one) => one.place === place && one.position);
  const start = ship.tracked!.requested[0];
  const [place, setPlace] = useState<Wanted>(start?.place ?? "berth"),
    berths = berthChoices(port.berths ?? []),
    [berth, setBerth] = useState(() => berths.find(({ value }) => value === berthOf(ship, port.berths ?? []))?.value ?? ""),
    [text, setText] = useState(() => wall(start?.time ?? ship.eta ?? app.picture.now() + 3600e3).slice(0, 16)),
    [unread, setUnread] = useState(false),
    [position, setPosition] = useState<Point | undefined>(() => said(place)?.position),
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  const save = async (saying: boolean): Promise<void> => {
    if (unread || text === "") return setWrong(t("tracked.unread"));
    setBusy(true);
    try {
      const asked: Requested = { place, time: timeOf(text) };
      if (place === "pilot" || place === "anchorage") asked.position = position;
      if (place === "berth" && berth) asked.berth = berth;
      const told = await ask(ship.tracked!.id, asked);
      if (saying) {
        const copied = await copy(requestWords(told?.tracked ? told : ship, port, asked));
        app.tell(t(copied ? "port.askedCopied" : "port.askedOnly"), !copied);
      }
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
        void save(false);
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
      {place === "berth" && berths.length > 1 && (
        <Choice label={t("port.requestBerth")} value={berth} options={berths} onChange={setBerth} />
      )}
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
        <button type="button" disabled={busy} onClick={() => void save(true)}>
          {t("port.askSay")}
        </button>
        <button type="button" onClick={close}>
          {t("form.cancel")}
        </button>
      </div>
    </form>
  );
}
