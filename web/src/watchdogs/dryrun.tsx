// The part of the sheet that plays the past before anything is saved.
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { when } from "../text/clock";
import { t, told } from "../text/text";
import { Switch } from "../ui/form";
import { nothingWrong, wrongOf, type Wrong } from "../ui/wrong";
import { play, type Played, type Reason } from "./dryjob";
import type { Severity } from "./event";
import { shipOf } from "./kind";
import { Moments } from "./moments";
import { nameOf } from "./ships";

const hour = 3600e3;
const spans = [
  { hours: 24, word: "Day" },
  { hours: 168, word: "Week" },
];

interface Props {
  app: App;
  severity: Severity;
  filter: string;
  /** body is the definition that is to be played; another one after each change. */
  body: object;
  /** check marks what is missing, and tells whether nothing is. */
  check: () => boolean;
  refuse: (wrong: Wrong) => void;
}

// State is a run of a definition: how far it is, or what it found.
interface State {
  hours: number;
  of: object;
  part?: number;
  played?: Played;
}

/** DryRun plays a watchdog over the last day or week, and shows what it would have told. */
export function DryRun({ app, severity, filter, body, check, refuse }: Props) {
  const [run, setRun] = useState<State>(),
    [alone, setAlone] = useState(false); // only the selected ship is asked about
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const said = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (run?.played) said.current?.scrollIntoView({ block: "center" });
  }, [run?.played]);
  const one = shipOf(filter),
    asked = one || (alone ? app.selection.mmsi : 0);
  const start = async (hours: number): Promise<void> => {
    if (!check()) return;
    refuse(nothingWrong);
    stop.current?.abort();
    const mine = (stop.current = new AbortController()),
      to = Math.floor(app.picture.now() / 1000) * 1000,
      begun: State = { hours, of: body };
    const set = (more: Partial<State>): void => {
      if (!mine.signal.aborted) setRun({ ...begun, ...more });
    };
    set({ part: 0 });
    try {
      const known = (mmsi: number): string | undefined => app.picture.ships.get(mmsi)?.name;
      const played = await play(body, { from: to - hours * hour, to }, asked, mine.signal, (part) => set({ part }), known);
      set({ played });
    } catch (problem) {
      if (mine.signal.aborted) return;
      setRun(undefined);
      refuse(inSheet(wrongOf(problem)));
    }
  };
  const cancel = (): void => {
    stop.current?.abort();
    setRun(undefined);
  };
  return (
    <section class="dryrun" aria-label={t("dry.heading")}>
      <h3>{t("dry.heading")}</h3>
      <p class="acts">
        {spans.map(({ hours, word }) => (
          <button type="button" key={hours} aria-pressed={run?.hours === hours} onClick={() => void start(hours)}>
            {t("dry." + `last${word}`)}
          </button>
        ))}
      </p>
      {one === 0 && app.selection.mmsi !== 0 && (
        <Switch label={t("dry.alone", { name: nameOf(app, app.selection.mmsi) })} on={alone} onChange={setAlone} />
      )}
      <div role="status" ref={said}>
        {run?.part !== undefined && !run.played && <Progress part={run.part} cancel={cancel} />}
        {run?.played && <Verdict severity={severity} run={run} played={run.played} />}
      </div>
      {run?.played && run.of !== body && <p class="quiet">{t("dry.stale")}</p>}
      {run?.played && <Found app={app} severity={severity} played={run.played} />}
    </section>
  );
}

// inSheet returns errors of the body of the run their places in the sheet.
const inSheet = ({ general, at }: Wrong): Wrong => ({
  general,
  at: Object.fromEntries(Object.entries(at).map(([pointer, text]) => [pointer.replace(/^\/definition(?=\/)/, ""), text])),
});

const Progress = ({ part, cancel }: { part: number; cancel: () => void }) => (
  <p class="running">
    <progress value={part} max={1} aria-label={t("dry.running")} /> <span class="quiet">{t("dry.running")}</span>{" "}
    <button type="button" onClick={cancel}>
      {t("form.cancel")}
    </button>
  </p>
);

// Verdict says in a sentence how often it would have told, or rung.
function Verdict({ severity, run, played }: { severity: Severity; run: State; played: Played }) {
  const n = played.more ? played.count : played.events.filter((e) => e.begins).length;
  const { word } = spans.find(({ hours }) => hours === run.hours)!;
  const times = n === 0 ? "None" : n === 1 ? "Once" : played.more ? "More" : "Times";
  return (
    <p>
      <b>{t("dry." + (severity === "note" ? "told" : "rung") + times, { n, span: t("dry." + `in${word}`) })}</b>
    </p>
  );
}

function Found({ app, severity, played }: { app: App; severity: Severity; played: Played }) {
  return (
    <>
      {played.events.length > 0 && <Moments app={app} played={played} severity={severity} />}
      {played.why.length > 0 && (
        <div class="why">
          <p>{t("dry.why")}</p>
          <ul>
            {played.why.map((reason, i) => (
              <li key={i}>{reasonText(app, reason)}</li>
            ))}
          </ul>
        </div>
      )}
      {played.warnings.map((warning, i) => (
        <p key={i} class="warned">
          <span aria-hidden="true">▲</span> {told(warning)}
        </p>
      ))}
      {played.reports > 0 && (
        <p class="quiet">
          {t("dry.seen", { ships: played.ships, reports: played.reports })}
          {played.filled > 0 && ` ${t("dry.filled", { n: played.filled })}`}
        </p>
      )}
    </>
  );
}

function reasonText(app: App, reason: Reason): string {
  return reason.time ? `${told(reason)} (${when(Date.parse(reason.time), app.picture.now())})` : told(reason);
}
