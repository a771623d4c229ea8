// The port that is open: which ships lie there, which are expected, which came and which left.
import "./style.css";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refusal } from "../api";
import type { App, Props } from "../app";
import type { PortInfo } from "../contract";
import { forget, remember } from "../home";
import type { MapShape } from "../map/shapes";
import type { Group } from "../palette";
import { portOf } from "../planner/planner";
import { Moment } from "../moment/field";
import { boundsOf, formOf } from "../geometry";
import { keep, kept } from "../storage";
import { wall } from "../text/clock";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { Icon } from "../ui/icon";
import { NotLoaded, useLoaded, type Loaded } from "../ui/load";
import { lacks, PortTabs } from "./porttabs";
import { Berths } from "./berthsview";
import { Board } from "./boardview";
import { spanOf, tabs, usual, type Tab } from "./day";
import { Edit } from "./edit";
import { Find } from "./find";
import { ExpectedList } from "./expectedview";
import { Home, Mine } from "./home";
import { cameAt, kinds, loadExpected, loadLying, loadPort, loadVisits, wentAt, type Expected, type Visit } from "./model";
import { expectedColumns, visitColumns } from "./columns";
import { shapesOf } from "./outline";
import { dayOf, PortTable } from "./table";
import { one } from "./words";

const refresh = 10e3; // milliseconds between two questions while a list is open
const soon = 2e3; // between two that events ask for

// useFollowed reads something, and again while it is looked at: now and then, and soon when the server tells of a track that concerns it. What
// has not changed stays the same value, so that nothing is drawn anew.
function useFollowed<T>(app: App, load: () => Promise<T>, key: string, concerns: (track: number, data: T) => boolean): Loaded<T> {
  const last = useRef<{ key: string; text: string; data?: T }>({ key: "", text: "" }),
    due = useRef({ asked: 0, wanted: false });
  const loaded = useLoaded(async () => {
    due.current = { asked: performance.now(), wanted: false };
    const data = await load(),
      text = JSON.stringify(data);
    if (last.current.key !== key || last.current.text !== text) last.current = { key, text, data };
    return last.current.data!;
  }, key);
  const latest = useRef(loaded.again);
  latest.current = loaded.again;
  useEffect(() => {
    const hear = (ids: readonly number[]): void => {
      const { data } = last.current;
      if (data !== undefined && ids.some((id) => concerns(id, data))) due.current.wanted = true;
    };
    const ask = (): void => {
      const age = performance.now() - due.current.asked;
      if (!document.hidden && app.link.up && (age >= refresh || (due.current.wanted && age >= soon))) void latest.current();
    };
    app.tracked.listeners.add(hear);
    const timer = setInterval(ask, soon / 2);
    return () => {
      app.tracked.listeners.delete(hear);
      clearInterval(timer);
    };
  }, []);
  return last.current.key === key ? loaded : { ...loaded, data: undefined };
}

/** Port is the panel. Its address is port/{id}/{list}/{type of ship}/{time}, and port/edit/{id} where its borders are changed. Without an id it is the
 * port of the user; at port/find another is looked for, and at port/choose the user's. */
export function Port({ app, path }: Props) {
  const [id, part = "in", group, time = ""] = path;
  const kind = kinds.some((one) => one === group) ? group : "all";
  if (id === undefined || tabs.some((one) => one === id)) return <Home key={path.join()} app={app} list={path} />;
  if (id === "find" || id === "choose") return <Find key={id} app={app} home={id === "choose"} list={path.slice(1)} />;
  if (id === "edit") return <Opened key={part} app={app} id={part} part="edit" kind="all" time="" />;
  return <Opened key={id} app={app} id={id} part={part} kind={kind} time={time} />;
}

interface OpenedProps {
  app: App;
  id: string;
  part: string;
  kind: string;
  time: string;
}

// loadKept reads a port. One that is not there any more is nobody's port, and is not offered again.
async function loadKept(id: string): Promise<PortInfo> {
  try {
    return await loadPort(id);
  } catch (problem) {
    if (problem instanceof Refusal && problem.status === 404) forget(Number(id));
    throw problem;
  }
}

function Opened({ app, id, part, kind, time }: OpenedProps) {
  const port = useLoaded(() => loadKept(id), id),
    { data } = port;
  useEffect(() => {
    if (!data) return;
    remember(data);
    reveal(app, data);
  }, [data?.id]);
  const [drawn, setDrawn] = useState<MapShape[]>(); // while the port is edited
  useEffect(() => app.ports.outline(drawn ?? (data ? shapesOf(data) : [])), [data, drawn]);
  useEffect(() => () => app.ports.outline([]), []);
  const title = data ? `${data.name}${data.locode ? ` · ${data.locode}` : ""}` : t("menu.port");
  const tab = tabs.find((one) => one === part) ?? "in";
  if (!data)
    return (
      <>
        <Heading app={app} title={title} back={["port", "find"]} />
        <NotLoaded loaded={port} />
      </>
    );
  if (part === "edit" && app.session.may("admin_port")) return <Edit app={app} port={data} again={port.again} show={setDrawn} />;
  const plan = (): void => {
    app.planner.begin(portOf(data));
    void app.navigation.go("route");
  };
  return (
    <>
      <Heading app={app} title={title} back={["port", "find"]}>
        <Mine app={app} id={data.id} />
        <Act label={t("port.show")} d="M8 1v4M8 11v4M1 8h4M11 8h4M8 6.500a1.500 1.500 0 1 0 .01 0z" act={() => showPort(app, data)} />
        {data.position && app.session.may("view_predicted_position") && (
          <Act label={t("port.route")} d="M3 3h.01M13 13h.01M3 6c0 5 10-1 10 4" act={plan} />
        )}
        {app.session.may("admin_port") && (
          <Act
            label={t("port.edit")}
            d="M3 13l1-4 7-7 3 3-7 7-4 1M9.500 3.500l3 3"
            act={() => void app.navigation.go("port", "edit", id)}
          />
        )}
      </Heading>
      <PortTabs
        app={app}
        at={tab}
        lists={tabs.filter((one) => one === tab || lacks(app, one) === "")}
        pathOf={(each) => ["port", id, each, ...(kind === "all" ? [] : [kind])]}
      />
      <List key={tab} app={app} port={data} tab={tab} kind={kind} time={time} />
    </>
  );
}

const Act = ({ label, d, act }: { label: string; d: string; act: () => void }) => (
  <button class="square" aria-label={label} title={label} onClick={act}>
    <Icon d={d} />
  </button>
);

interface ListProps {
  app: App;
  port: PortInfo;
  tab: Tab;
  kind: string;
  time: string;
}

function List({ app, port, tab, kind, time }: ListProps) {
  const right = lacks(app, tab);
  if (right !== "") return <p class="empty">{t("port.needs", { right })}</p>;
  if (tab === "expected") return <ExpectedTab app={app} port={port} kind={kind} />;
  return <VisitsTab app={app} port={port} tab={tab} kind={kind} time={time || usual(tab)} />;
}

const noBerths: never[] = [];
const noVisits: never[] = [];
const nobody = { all: noVisits };

function VisitsTab({ app, port, tab, kind, time }: ListProps) {
  const past = tab !== "in",
    id = String(port.id);
  const span = past ? spanOf(time, app.picture.now()) : undefined;
  const loaded = useFollowed(
    app,
    () => (past ? loadVisits(id, spanOf(time, app.picture.now())) : loadLying(id, app.session.may("pcs_access"))),
    `${id} ${tab} ${time} ${past && wall(span!.begin).slice(0, 10)}`,
    () => false,
  );
  const [view, show] = useView();
  const all = useMemo(() => during(loaded.data?.all ?? [], tab, span), [loaded.data, tab]);
  const chosen = useMemo(() => (kind === "all" ? all : all.filter((v) => v.group === kind)), [all, kind]);
  const berths = port.berths ?? noBerths;
  const none = t({ in: "port.noneIn", arrived: "port.noneArrived", left: "port.noneLeft", expected: "" }[tab]);
  return (
    <>
      <Tools app={app} id={id} tab={tab} kind={kind} time={time} groups={all.map((v) => v.group)}>
        {!past && <View view={view === "table" ? view : "plan"} of={["plan", "table"]} show={show} />}
      </Tools>
      <NotLoaded loaded={loaded} />
      {loaded.data && (
        <>
          <Nothing all={all.length} shown={chosen.length} none={none} />
          {tab === "in" && view !== "table"
            ? (chosen.length > 0 || (berths.length > 0 && kind === "all")) && <Board app={app} visits={all} berths={berths} kind={kind} />
            : chosen.length > 0 && (
                <PortTable
                  app={app}
                  port={port}
                  tab={tab}
                  columns={visitColumns(app, tab as "in")}
                  rows={chosen}
                  order={{ key: tab === "left" ? "atd" : "ata", down: true }}
                  day={dayOf(span?.begin ?? app.picture.now())}
                  kind={kind}
                  span={span}
                />
              )}
          {loaded.data.more && <p class="note">{t("port.more")}</p>}
        </>
      )}
    </>
  );
}

// during leaves of the calls of a time those at which the ship came in it, or left, the latest first.
function during(all: Visit[], tab: Tab, span?: { begin: number; end: number }): Visit[] {
  if (!span) return all;
  const within = (at: number | undefined): boolean => at !== undefined && at >= span.begin && at < span.end;
  if (tab === "arrived") return all.filter((v) => within(cameAt(v))).sort((a, b) => cameAt(b)! - cameAt(a)!);
  const gone = all.filter((v) => (wentAt(v) === undefined ? !v.call.inPort : within(wentAt(v))));
  return gone.sort((a, b) => (wentAt(b) ?? 0) - (wentAt(a) ?? 0));
}

function ExpectedTab({ app, port, kind }: Omit<ListProps, "tab" | "time">) {
  const id = String(port.id),
    heard = useRef(new Set<number>());
  const concerns = (track: number, { all }: { all: Expected[] }): boolean => {
    if (all.some((one) => one.tracked?.id === track)) return true;
    const fresh = !heard.current.has(track); // it may lead here
    heard.current.add(track);
    return fresh;
  };
  const load = async () => {
    const [expected, { all: lying }] = await Promise.all([
      loadExpected(port, app.picture.now(), (mmsi) => app.picture.ships.get(mmsi)),
      lacks(app, "in") === "" ? loadLying(id, true) : nobody,
    ]);
    return { ...expected, lying };
  };
  const loaded = useFollowed(app, load, id, concerns);
  const [view, show] = useView();
  const all = loaded.data?.all ?? [];
  const chosen = useMemo(() => (kind === "all" ? all : all.filter((one) => one.group === kind)), [loaded.data, kind]);
  return (
    <>
      <Tools app={app} id={id} tab="expected" kind={kind} time="" groups={all.map((one) => one.group)}>
        <View view={view} show={show} />
      </Tools>
      <NotLoaded loaded={loaded} />
      {loaded.data && <Nothing all={all.length} shown={chosen.length} none={t("port.noneExpected")} />}
      {chosen.length > 0 && view === "plan" && <ExpectedList app={app} port={port} ships={chosen} again={loaded.again} />}
      {chosen.length > 0 && view === "berths" && (
        <Berths app={app} berths={port.berths ?? noBerths} expected={chosen} lying={loaded.data?.lying ?? noVisits} />
      )}
      {chosen.length > 0 && view === "table" && (
        <PortTable
          app={app}
          port={port}
          tab="expected"
          columns={expectedColumns(app, port.berths ?? [])}
          rows={chosen}
          order={{ key: "eta", down: false }}
          day={dayOf(app.picture.now())}
          kind={kind}
        />
      )}
      {loaded.data?.more && <p class="note">{t("port.more")}</p>}
    </>
  );
}

// Nothing says why a list is empty.
function Nothing({ all, shown, none }: { all: number; shown: number; none: string }) {
  if (shown > 0) return null;
  return <p class="empty">{all === 0 ? none : one("port.noneOf", all)}</p>;
}

type Way = "plan" | "berths" | "table";
const ways: readonly Way[] = ["plan", "berths", "table"];

// useView is how the ships that lie here, or are expected, are shown; this browser remembers it.
function useView(): [Way, (way: Way) => void] {
  const [view, setView] = useState<Way>(() => ways.find((way) => way === kept("port.view")) ?? "plan");
  const show = (way: Way): void => {
    setView(way);
    keep("port.view", way);
  };
  return [view, show];
}

const View = ({ view, of = ways, show }: { view: Way; of?: readonly Way[]; show: (way: Way) => void }) => (
  <>
    {of.map((way) => (
      <button key={way} aria-pressed={view === way} onClick={() => show(way)}>
        {t("port." + way)}
      </button>
    ))}
  </>
);

interface ToolsProps {
  app: App;
  id: string;
  tab: Tab;
  kind: string;
  time: string;
  groups: Group[];
  children?: ComponentChildren;
}

// Tools choose the type of ship, and the time of a list of the past.
function Tools({ app, id, tab, kind, time, groups, children }: ToolsProps) {
  const go = (kind: string, time: string): void => {
    const open = tabs.find((one) => one === app.navigation.path[2]) ?? tab, // right after a press on another list this one is still drawn
      rest = open === tab && time && time !== usual(tab) ? [kind, time] : kind === "all" ? [] : [kind];
    void app.navigation.go("port", id, open, ...rest);
  };
  const count = (group: Group): string => `${t("group." + group)} (${groups.filter((one) => one === group).length})`;
  const day = /^\d{4}-\d\d-\d\d$/.test(time) ? time : "";
  return (
    <div class="tools">
      <select aria-label={t("port.type")} value={kind} onChange={(e) => go(e.currentTarget.value, time)}>
        <option value="all">{`${t("port.all")} (${groups.length})`}</option>
        {kinds.map((group) => (
          <option key={group} value={group}>
            {count(group)}
          </option>
        ))}
      </select>
      {children}
      {time !== "" && (tab === "arrived" || tab === "left") && (
        <>
          {["today", "24h"].map((word) => (
            <button key={word} aria-pressed={time === word} onClick={() => go(kind, word)}>
              {t("port." + word)}
            </button>
          ))}
          <Moment
            part="day"
            whole
            label={t("port.day")}
            now={() => app.picture.now()}
            value={day}
            last={wall(app.picture.now()).slice(0, 10)}
            onChange={(date) => go(kind, date || usual(tab))}
          />
        </>
      )}
    </div>
  );
}

function showPort(app: App, port: PortInfo): void {
  const box = port.outer && boundsOf(formOf({ polygon: port.outer })!.chains);
  if (box) app.chart?.showBox(box);
}

// reveal brings the map to a port that it does not show.
function reveal(app: App, port: PortInfo): void {
  const [lon, lat] = port.position?.coordinates ?? [];
  if (lon === undefined || lat === undefined || !app.chart) return;
  const there =
    app.centre.zoom >= 9 &&
    Math.abs(app.centre.lon - lon) < 360 / 2 ** app.centre.zoom &&
    Math.abs(app.centre.lat - lat) < 180 / 2 ** app.centre.zoom;
  if (!there) showPort(app, port);
}
