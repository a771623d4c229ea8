// The system page: how the box is, for who runs it. It is read anew every five seconds while it is in sight.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { send } from "../api";
import type { App, Props } from "../app";
import type { Feed, Output, RunningKey, Status } from "../contract";
import { both, dateTime, when } from "../text/clock";
import { lasting, rate } from "../text/figures";
import { ageText, learn, number, t, told } from "../text/text";
import { Heading } from "../ui/heading";
import { NotLoaded, records, useLoaded } from "../ui/load";
import { Table, type ColumnOf } from "../ui/table";
import de from "./de.json";
import en from "./en.json";
import { bytesText, daysLeft, fromText, reasonsText, remedyText, retentionText, total, valueText } from "./model";
import "./style.css";
import { Ways } from "./ways";

learn({ en, de });

const again = 5e3; // milliseconds

/** System is the page. */
export function System({ app }: Props) {
  const status = useLoaded(() => send<Status>("GET", "status"));
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void status.again();
    }, again);
    return () => clearInterval(timer);
  }, []);
  const s = status.data;
  return (
    <>
      <Heading app={app} title={t("menu.system")} />
      <NotLoaded loaded={status} />
      {s && (
        <div class="system">
          <MustKnow app={app} status={s} />
          <Feeds app={app} feeds={s.feeds} now={Date.parse(s.time)} />
          <div class="boxes">
            <Build status={s} />
            <Storage app={app} status={s} />
            <Backup app={app} status={s} />
            <Access status={s} />
            <Work status={s} />
            {s.passages_exceeded && <Passages all={s.passages_exceeded} />}
            <Ways app={app} ways={s.channels} />
          </div>
          {s.outputs.length > 0 && <Outputs outputs={s.outputs} />}
          {app.session.may("sys_conf_access") && <Configuration />}
        </div>
      )}
    </>
  );
}

// MustKnow lists what an operator must know, and what to do about it.
function MustKnow({ app, status }: { app: App; status: Status }) {
  const list = [...status.notices].sort((a, b) => a.severity.localeCompare(b.severity));
  if (list.length === 0 && !status.backup)
    return (
      <p class="nobackup">
        <span aria-hidden="true">▲</span> {t("sys.runs")}
      </p>
    );
  if (list.length === 0)
    return (
      <p class="allwell">
        <span aria-hidden="true">✓</span> {t("sys.well")}
      </p>
    );
  return (
    <section aria-label={t("sys.know")}>
      <h3>{t("sys.know")}</h3>
      <ul class="know">
        {list.map((n) => (
          <li key={(n.rule ?? "") + JSON.stringify(n.params)} class={n.severity}>
            <b>
              <span aria-hidden="true">{n.severity === "alarm" ? "✕" : "▲"}</span> {told(n)}
            </b>{" "}
            <span class="quiet">{t("strip.since", { time: when(Date.parse(n.since), app.picture.now(), false) })}</span>
            {remedyText(n) !== "" && <p>{remedyText(n)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

// Box is a titled list of facts.
const Box = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="box" aria-label={title}>
    <h3>{title}</h3>
    <dl>{children}</dl>
  </section>
);

// Fact is a line of a box; it is left out where nothing is known. What is bad is marked by a sign as well as by its colour.
const Fact = ({ name, bad, children }: { name: string; bad?: boolean; children: ComponentChildren }) =>
  children === undefined || children === "" || children === false ? null : (
    <div class={bad ? "bad" : undefined}>
      <dt>{name}</dt>
      <dd>
        {bad && <span aria-hidden="true">▲ </span>}
        {children}
      </dd>
    </div>
  );

function Build({ status: { version, started, uptime_s: up } }: { status: Status }) {
  return (
    <Box title={t("sys.build")}>
      <Fact name={t("sys.version")}>{version.version}</Fact>
      <Fact name={t("sys.commit")}>{version.commit !== version.version && version.commit}</Fact>
      <Fact name={t("sys.built")}>{version.built}</Fact>
      <Fact name={t("sys.go")}>{version.go}</Fact>
      <Fact name={t("sys.started")}>{dateTime(Date.parse(started))}</Fact>
      <Fact name={t("sys.up")}>{lasting(up * 1000)}</Fact>
    </Box>
  );
}

function Storage({ app, status: { store } }: { app: App; status: Status }) {
  const { disk_bytes: disk, disk_free_bytes: free, last_sync: sync } = store,
    full = disk !== undefined && free !== undefined && free < disk / 10;
  return (
    <Box title={t("sys.storage")}>
      <Fact name={t("sys.readOnly")} bad>
        {store.read_only}
      </Fact>
      <Fact name={t("sys.database")}>{bytesText(store.db_bytes + store.log_bytes)}</Fact>
      <Fact name={t("sys.disk")} bad={full}>
        {disk !== undefined && free !== undefined && t("sys.free", { free: bytesText(free), all: bytesText(disk) })}
      </Fact>
      <Fact name={t("sys.kept")}>{retentionText(store.retention_s)}</Fact>
      <Fact name={t("sys.oldest")}>{store.oldest && dateTime(Date.parse(store.oldest))}</Fact>
      <Fact name={t("sys.sync")}>{sync && both(Date.parse(sync), app.picture.now())}</Fact>
      <Fact name={t("sys.lost")} bad>
        {store.dropped > 0 && number(store.dropped)}
      </Fact>
      <Fact name={t("sys.damaged")} bad>
        {reasonsText(store.damaged)}
      </Fact>
    </Box>
  );
}

function Backup({ app, status: { backup } }: { app: App; status: Status }) {
  if (!backup)
    return (
      <Box title={t("sys.backup")}>
        <Fact name={t("sys.schedule")} bad>
          {t("sys.noBackup")}
        </Fact>
      </Box>
    );
  const { newest, unread, known } = backup,
    told = (time: string) => when(Date.parse(time), app.picture.now(), false);
  return (
    <Box title={t("sys.backup")}>
      <Fact name={t("sys.schedule")}>{t("sys.every", { span: lasting(backup.every_s * 1000), n: number(backup.keep) })}</Fact>
      <Fact name={t("sys.to")}>{backup.to}</Fact>
      <Fact name={t("sys.newest")} bad={backup.late}>
        {unread
          ? t(known ? "sys.lastKnown" : "sys.unread", { time: known ? told(known) : "" })
          : newest
            ? `${told(newest)}, ${bytesText(backup.bytes)}`
            : backup.late && t("sys.noneYet")}
      </Fact>
      <Fact name={t("sys.good")}>{!unread && number(backup.files)}</Fact>
      <Fact name={t("sys.lastTry")} bad={backup.result !== "ok" && backup.result !== "none"}>
        {t("sysbackup." + backup.result)}
        {backup.error && `: ${backup.error}`}
      </Fact>
    </Box>
  );
}

function Access({ status: { https, plain_sign_ins: plain, time, live } }: { status: Status }) {
  const left = https?.not_after === undefined ? undefined : daysLeft(https.not_after, Date.parse(time));
  return (
    <Box title={t("sys.access")}>
      <Fact name="HTTPS">{https?.port ? t("sys.port", { n: https.port }) : https ? t("sys.on") : t("sys.off")}</Fact>
      <Fact name={t("sys.certificate")} bad={left !== undefined && left < 14}>
        {left !== undefined && (left < 0 ? t("sys.ended") : t(left === 1 ? "sys.daysLeft.one" : "sys.daysLeft", { n: number(left) }))}
      </Fact>
      <Fact name={t("sys.fingerprint")}>{https?.ca_fingerprint && <code>{https.ca_fingerprint}</code>}</Fact>
      <Fact name={t("sys.plain")} bad={plain > 0}>
        {number(plain)}
      </Fact>
      <Fact name={t("sys.clients")}>{number(live.clients)}</Fact>
    </Box>
  );
}

function Work({ status: { picture, watchdogs, memory, ships } }: { status: Status }) {
  return (
    <Box title={t("sys.work")}>
      <Fact name={t("sys.ships")}>{number(ships)}</Fact>
      <Fact name={t("sys.reports")}>{number(picture.reports)}</Fact>
      <Fact name={t("sys.rejected")}>{reasonsText(picture.rejected)}</Fact>
      <Fact name={t("sys.behind")} bad={picture.behind_s >= 2}>
        {picture.behind_s > 0 && `${number(picture.behind_s, 1)} s`}
      </Fact>
      <Fact name={t("sys.watching")}>{number(watchdogs.watching)}</Fact>
      <Fact name={t("sys.idle")} bad>
        {watchdogs.idle > 0 && number(watchdogs.idle)}
      </Fact>
      <Fact name={t("sys.paused")} bad>
        {watchdogs.paused > 0 && number(watchdogs.paused)}
      </Fact>
      <Fact name={t("sys.events")}>{number(watchdogs.events)}</Fact>
      <Fact name={t("sys.eventsLost")} bad>
        {watchdogs.events_lost > 0 && number(watchdogs.events_lost)}
      </Fact>
      <Fact name={t("sys.memory")}>{bytesText(memory.heap)}</Fact>
    </Box>
  );
}

function Passages({ all }: { all: NonNullable<Status["passages_exceeded"]> }) {
  return (
    <Box title={t("sys.passages")}>
      {all.map((one) => (
        <Fact key={one.passage + one.limit} name={one.passage}>
          {t("exceeded." + one.limit, { n: number(one.ships), most: number(one.largest, 1), max: number(one.max, 1) })}
        </Fact>
      ))}
    </Box>
  );
}

// lines returns a table the height of its rows.
const lines = (rows: readonly unknown[]) => ({ "--lines": String(Math.max(1, rows.length)) }) as never;

// stateText says how a feed does in a word or two.
const stateText = (f: Feed): string =>
  f.connected ? t("sysfeed.on") : f.error ? t("sysfeed.down", { why: f.error }) : t(f.last_message ? "sysfeed.ended" : "sysfeed.off");

function Feeds({ app, feeds, now }: { app: App; feeds: Feed[]; now: number }) {
  const age = (f: Feed): number | undefined => (f.last_message === undefined ? undefined : now - Date.parse(f.last_message));
  const columns: ColumnOf<Feed>[] = [
    { key: "name", heading: t("sysfeed.name"), text: (f) => f.name, width: "minmax(60px, 1.2fr)" },
    {
      key: "state",
      heading: t("sysfeed.state"),
      text: stateText,
      cell: (f) => <span class={f.connected ? "result" : "result failed"}>{stateText(f)}</span>,
      width: "minmax(90px, 1.2fr)",
    },
    {
      key: "last",
      heading: t("sysfeed.last"),
      text: age,
      cell: (f) => {
        const passed = age(f);
        return passed === undefined ? t("sysfeed.never") : ageText(passed);
      },
      width: "minmax(56px, 0.6fr)",
      right: true,
    },
    {
      key: "rate",
      heading: t("sysfeed.rate"),
      text: (f) => f.messages_per_second,
      cell: (f) => rate(f.messages_per_second),
      width: "minmax(92px, 0.7fr)",
      right: true,
      from: 420,
    },
    {
      key: "ships",
      heading: t("sysfeed.ships"),
      text: (f) => f.ships,
      cell: (f) => number(f.ships ?? 0),
      width: "minmax(52px, 0.5fr)",
      right: true,
    },
    {
      key: "lines",
      heading: t("sysfeed.lines"),
      text: (f) => f.lines,
      cell: (f) => number(f.lines),
      width: "minmax(70px, 0.7fr)",
      right: true,
      from: 560,
    },
    {
      key: "bad",
      heading: t("sysfeed.bad"),
      text: (f) => total(f.bad),
      cell: (f) => <span title={reasonsText(f.bad)}>{reasonsText(f.bad) || "0"}</span>,
      width: "minmax(90px, 1.3fr)",
      from: 640,
    },
    {
      key: "lost",
      heading: t("sysfeed.lost"),
      text: (f) => (f.overflow ?? 0) + (f.kernel_drops ?? 0),
      cell: (f) => number((f.overflow ?? 0) + (f.kernel_drops ?? 0)),
      width: "minmax(52px, 0.5fr)",
      right: true,
      from: 760,
    },
    { key: "url", heading: t("sysfeed.from"), text: (f) => f.url, width: "minmax(0, 1.4fr)", from: 900 },
  ];
  return (
    <section aria-label={t("feed.heading")}>
      <h3>{t("feed.heading")}</h3>
      <div style={lines(feeds)}>
        <Table
          label={t("feed.heading")}
          columns={columns}
          rows={feeds}
          id={(f) => f.name}
          sort={{ key: "name", down: false }}
          searchable={false}
          empty={t("feed.none")}
        />
      </div>
      <p class="quiet">{t("sys.asOf", { time: when(now, app.picture.now()) })}</p>
    </section>
  );
}

function Outputs({ outputs }: { outputs: Output[] }) {
  const state = (o: Output): string => (o.open ? t("sysfeed.on") : t("sysfeed.down", { why: o.error ?? "" }));
  const columns: ColumnOf<Output>[] = [
    { key: "name", heading: t("sysfeed.name"), text: (o) => o.name, width: "minmax(60px, 0.8fr)" },
    {
      key: "state",
      heading: t("sysfeed.state"),
      text: state,
      cell: (o) => <span class={o.open ? "result" : "result failed"}>{state(o)}</span>,
      width: "minmax(90px, 1.2fr)",
    },
    { key: "to", heading: t("sysout.to"), text: (o) => o.url, width: "minmax(90px, 1.4fr)" },
    { key: "readers", heading: t("sysout.readers"), text: (o) => o.subscribers.length, width: "minmax(52px, 0.5fr)", right: true },
    {
      key: "messages",
      heading: t("sysout.messages"),
      text: (o) => o.messages,
      cell: (o) => number(o.messages),
      width: "minmax(70px, 0.7fr)",
      right: true,
      from: 560,
    },
    { key: "dropped", heading: t("sysfeed.lost"), text: (o) => reasonsText(o.dropped), width: "minmax(70px, 1fr)", from: 640 },
  ];
  return (
    <section aria-label={t("sysout.heading")}>
      <h3>{t("sysout.heading")}</h3>
      <div style={lines(outputs)}>
        <Table
          label={t("sysout.heading")}
          columns={columns}
          rows={outputs}
          id={(o) => o.name}
          sort={{ key: "name", down: false }}
          searchable={false}
          empty=""
        />
      </div>
    </section>
  );
}

// Configuration shows what the program was started with.
function Configuration() {
  const keys = useLoaded(() => records<RunningKey>("config/running"));
  const columns: ColumnOf<RunningKey>[] = [
    { key: "key", heading: t("sysconf.key"), text: (k) => k.key, cell: (k) => <code>{k.key}</code>, width: "minmax(90px, 1fr)" },
    { key: "value", heading: t("sysconf.value"), text: (k) => valueText(k.value), width: "minmax(0, 2fr)" },
    { key: "from", heading: t("sysconf.from"), text: (k) => fromText(k.from), width: "minmax(70px, 0.6fr)" },
  ];
  return (
    <section aria-label={t("sysconf.heading")}>
      <h3>{t("sysconf.heading")}</h3>
      <p class="quiet">{t("sysconf.lead")}</p>
      <NotLoaded loaded={keys} />
      {keys.data && (
        <div class="long">
          <Table
            label={t("sysconf.heading")}
            columns={columns}
            rows={keys.data}
            id={(k) => k.key}
            sort={{ key: "from", down: true }}
            empty={t("sysconf.none")}
          />
        </div>
      )}
    </section>
  );
}
