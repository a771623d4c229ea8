// The wall display: the map alone with a plate below it, which walks from one event to the next. Nobody has to touch it.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { App, Props } from "../app";
import { moving, title, type Ship } from "../ship";
import { when } from "../text/clock";
import { course, metres, speed } from "../text/figures";
import { ageText, learn, statusText, t, typeText } from "../text/text";
import { Clock } from "../ui/clock";
import { marks, type WatchEvent } from "../watchdogs/event";
import { keepAwake } from "./awake";
import de from "./de.json";
import en from "./en.json";
import type { Passing } from "./passing";
import type { Item } from "./walk";
import { Walker } from "./walker";
import "./style.css";

learn({ en, de });

/** Wall is the plate, and the way back to the map. */
export function Wall({ app }: Props) {
  const [walker] = useState(() => new Walker(app));
  useEffect(() => walker.begin(), [walker]);
  useEffect(keepAwake, []);
  return (
    <>
      <h1 class="unseen">{t("menu.wall")}</h1>
      <div class="unseen" role="status" aria-live="polite">
        {app.alerts.said}
      </div>
      <Plate app={app} item={walker.walk.item} />
      <Leave app={app} walker={walker} />
    </>
  );
}

function Plate({ app, item }: { app: App; item: Item | undefined }) {
  if (item?.event) return <EventPlate app={app} event={app.events.all.find((e) => e.id === item.event!.id) ?? item.event} />;
  if (item?.passing) return <PassingPlate app={app} passing={item.passing} />;
  const ship = app.picture.ships.get(item?.mmsi ?? 0);
  if (ship) return <ShipPlate app={app} ship={ship} />;
  return (
    <Lines app={app} look="none" what={t(app.picture.ships.size > 0 ? "wall.none" : "wall.empty")} facts={[t("wall.noEvents")]}>
      {t("wall.nothing")}
    </Lines>
  );
}

const ago = (app: App, time: number): string => t("wall.ago", { age: ageText(app.picture.now() - time) });

function EventPlate({ app, event }: { app: App; event: WatchEvent }) {
  const { severity, time, seen, active, mmsi } = event,
    now = app.picture.now();
  const state = seen
    ? t(seen.by ? "event.seenBy" : "event.seen", { name: seen.by ?? "", time: when(seen.time, now, false) })
    : active && t("event.active");
  return (
    <Lines app={app} look={severity} sign={marks[severity]} what={event.text()} facts={[state, ...factsOf(app.picture.ships.get(mmsi))]}>
      <b>{t("severity." + severity)}</b> {ago(app, time)} <span class="at">{when(time, now, false)}</span>
    </Lines>
  );
}

function PassingPlate({ app, passing: { mmsi, name, arrived, time, port } }: { app: App; passing: Passing }) {
  const what = t(arrived ? "wall.arrived" : "wall.departed", { ship: name, port });
  return (
    <Lines app={app} look="ship" sign={arrived ? "▸" : "◂"} what={what} facts={factsOf(app.picture.ships.get(mmsi))}>
      <b>{t(arrived ? "wall.arrival" : "wall.departure")}</b> {ago(app, time)}{" "}
      <span class="at">{when(time, app.picture.now(), false)}</span>
    </Lines>
  );
}

function ShipPlate({ app, ship }: { app: App; ship: Ship }) {
  return (
    <Lines app={app} look="ship" what={title(ship)} facts={factsOf(ship)}>
      {moving(ship) && <b>{t("wall.underWay")}</b>} {ship.time > 0 && t("wall.heard", { age: ageText(app.picture.now() - ship.time) })}
    </Lines>
  );
}

// factsOf says what a ship is and does, in the order in which it is looked for.
function factsOf(ship: Ship | undefined): (string | undefined | false)[] {
  if (!ship) return [];
  const { sog, cog, length, destination } = ship;
  return [
    typeText(ship),
    length !== undefined && length > 0 && metres(length),
    moving(ship) ? speed(sog!) + (cog === undefined ? "" : ` ${course(cog)}`) : statusText(ship),
    destination && `→ ${destination}`,
  ];
}

interface LinesProps {
  app: App;
  look: string;
  sign?: string;
  what: string;
  facts: (string | undefined | false)[];
  children: ComponentChildren;
}

// Lines are what the plate says: when, what, and what is known of the ship.
function Lines({ app, look, sign, what, facts, children }: LinesProps) {
  const filter = app.search.result();
  return (
    <div class={"plate " + look}>
      <div class="head">
        <p class="since">
          {sign && <span aria-hidden="true">{sign} </span>}
          {children}
        </p>
        {filter && <p class="filter">{filter}</p>}
        <Clock app={app} />
      </div>
      <h2 class="what">{what}</h2>
      <p class="facts">{facts.filter(Boolean).join(" · ")}</p>
    </div>
  );
}

const shownFor = 6e3; // milliseconds for which the way back is seen after a hand was there

// Leave is the way back. It is seen when somebody moves the pointer, presses a key or touches the screen, and is always in reach of the Tab key.
function Leave({ app, walker }: { app: App; walker: Walker }) {
  const [awake, setAwake] = useState(false);
  useLayoutEffect(() => {
    let timer = 0;
    const wake = (e: Event): void => {
      if (e.type === "pointermove" && (e as PointerEvent).movementX === 0 && (e as PointerEvent).movementY === 0) return; // the page moved beneath it
      if ((e as KeyboardEvent).key === "ArrowRight" && (e.target as Element).id !== "map") walker.skip();
      setAwake(true);
      clearTimeout(timer);
      timer = window.setTimeout(() => setAwake(false), shownFor);
    };
    const kinds = ["pointermove", "pointerdown", "keydown"] as const;
    for (const kind of kinds) addEventListener(kind, wake);
    return () => {
      clearTimeout(timer);
      for (const kind of kinds) removeEventListener(kind, wake);
    };
  }, [walker]);
  return (
    <button class={"leave" + (awake ? "" : " asleep")} onClick={() => void app.navigation.go("map")}>
      {t("wall.leave")}
    </button>
  );
}
