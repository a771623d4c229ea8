// The list of watchdogs: whether each is on, which ships are inside now, and what it told last.
import { send } from "../api";
import type { App } from "../app";
import type { ShipInside } from "../contract";
import { put } from "../change";
import { mayEdit, mayMake, ownerColumn } from "../library/sheet";
import { title } from "../ship";
import { stamp, when } from "../text/clock";
import { t, told } from "../text/text";
import { parseTime } from "../time";
import { Switch } from "../ui/form";
import { Heading } from "../ui/heading";
import { NotLoaded, records, useLoaded } from "../ui/load";
import { Overview as Table } from "../ui/sheet";
import { toolColumn, type ColumnOf } from "../ui/table";
import { whyOf } from "../why";
import { marks, type WatchEvent } from "./event";
import { kind } from "./kind";
import { isBuiltIn, type Watchdog } from "./watchdogs";

/** Overview is the table of all of them. */
export function Overview({ app, all }: { app: App; all: { data: Watchdog[] | undefined; problem: string } }) {
  const now = app.picture.now(),
    told = new Map(app.events.all.map((e) => [e.id, e]));
  const columns: ColumnOf<Watchdog>[] = [
    toolColumn("enabled", innerWidth < 900 ? 62 : 56, (w) => <OnOff app={app} dog={w} />),
    {
      key: "name",
      heading: t("col.name"),
      text: (w) => `${w.name} ${t("dog.type." + w.type)}`,
      width: "minmax(84px, 2fr)",
      cell: (w) => <Named app={app} dog={w} />,
    },
    {
      key: "inside",
      heading: t("dog.inside"),
      text: (w) => w.active_ships ?? 0,
      width: innerWidth < 900 ? "56px" : "52px",
      cell: (w) => <Inside app={app} dog={w} />,
    },
    {
      key: "last",
      heading: t("dog.last"),
      text: (w) => w.last_event && parseTime(w.last_event.time),
      width: "minmax(64px, 1fr)",
      right: true,
      cell: (w) => <Last now={now} dog={w} event={told.get(w.last_event?.id ?? 0)} />,
    },
    { ...ownerColumn(app, "minmax(60px, 1fr)"), from: 460 },
  ];
  return (
    <Table app={app} kind={kind} all={all} id={(w) => w.uid} columns={columns} may={mayMake(app, kind)}>
      <div class="onmap">
        <Switch label={t("dog.onMap")} on={app.watchdogs.visible} onChange={(on) => app.watchdogs.setVisible(on)} />
        <button onClick={() => void app.navigation.go("events")}>{t("menu.events")}</button>
      </div>
    </Table>
  );
}

const Named = ({ app, dog: w }: { app: App; dog: Watchdog }) => (
  <span class="named">
    <span class={"severity " + w.severity} role="img" aria-label={t("severity." + w.severity)}>
      {marks[w.severity]}
    </span>
    <b title={w.problem_rule ? told(w.problem_rule) : w.paused ? pausedText(w.paused, app.picture.now()) : w.name}>
      {w.name}
      {w.problem && ` · ${t("dog.idle")}`}
      {w.paused && ` · ${t("dog.paused")}`}
    </b>
    {w.paused && mayEdit(app, kind, w) && (
      <button
        class="resume"
        aria-label={t("dog.resume", { name: w.name })}
        onClick={(e) => {
          e.stopPropagation();
          void resume(app, w);
        }}>
        {t("dog.again")}
      </button>
    )}
  </span>
);

// pausedText says until when a watchdog is paused that rings too often, and what it held back so far.
export const pausedText = (p: NonNullable<Watchdog["paused"]>, now: number): string =>
  t("dog.pausedUntil", { time: when(parseTime(p.until), now, false), n: p.held });

// resume ends the pause of a watchdog.
async function resume(app: App, dog: Watchdog): Promise<void> {
  try {
    await send("POST", `${kind.path}/${dog.uid}/resume`, {});
  } catch (problem) {
    app.tell(whyOf(problem), true);
  }
  await app.watchdogs.load();
}

// Last is when a watchdog told something last, and what, where it is among the latest events.
function Last({ now, dog, event }: { now: number; dog: Watchdog; event?: WatchEvent }) {
  if (!dog.last_event) return null;
  const time = parseTime(dog.last_event.time);
  return <span title={[when(time, now), event?.text()].filter(Boolean).join(" · ")}>{stamp(time, now, false)}</span>;
}

function Inside({ app, dog }: { app: App; dog: Watchdog }) {
  const n = dog.active_ships ?? 0;
  if (n === 0) return null;
  return (
    <button
      class="count"
      aria-label={t("dog.insideOf", { n, name: dog.name })}
      onClick={(e) => {
        e.stopPropagation();
        void app.navigation.go(kind.place, dog.uid, "inside");
      }}>
      {n}
    </button>
  );
}

/** ShipsInside lists the ships that are inside now. */
export function ShipsInside({ app, dog }: { app: App; dog: Watchdog }) {
  const loaded = useLoaded(() => records<ShipInside>(`watchdog/definition/${dog.uid}/active`), `${dog.active_ships} ${dog.last_event?.id}`);
  const ships = loaded.data ?? [],
    now = app.picture.now();
  return (
    <>
      <Heading app={app} title={t("dog.insideNow", { name: dog.name })} back={[kind.place]}>
        <button onClick={() => void app.navigation.go(kind.place, dog.uid)}>{t(mayEdit(app, kind, dog) ? "dog.edit" : "dog.look")}</button>
      </Heading>
      <NotLoaded loaded={loaded} />
      {loaded.data?.length === 0 && <p class="empty">{t("dog.nobody")}</p>}
      <ul class="choices" aria-label={t("dog.inside")}>
        {ships.map(({ ship, since }) => (
          <li key={ship.mmsi}>
            <button aria-pressed={app.selection.mmsi === ship.mmsi} onClick={() => app.selection.select(ship.mmsi, "go")}>
              <b>{title(app.picture.ships.get(ship.mmsi) ?? ship)}</b>{" "}
              <span class="quiet">{t("dog.since", { time: when(parseTime(since), now, false) })}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

// OnOff turns a watchdog on or off.
function OnOff({ app, dog }: { app: App; dog: Watchdog }) {
  const turn = async (): Promise<void> => {
    try {
      await put(app, `${kind.path}/${dog.uid}`, dog.name, dog, { enabled: !dog.enabled }, () => []);
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
    await app.watchdogs.load();
  };
  const state = t(dog.enabled ? "dog.on" : "dog.off");
  return (
    <button
      class="eye"
      aria-pressed={dog.enabled}
      aria-label={t("dog.turn", { state, name: dog.name })}
      disabled={isBuiltIn(dog) || !mayEdit(app, kind, dog)}
      onClick={(e) => {
        e.stopPropagation();
        void turn();
      }}>
      {state}
    </button>
  );
}
