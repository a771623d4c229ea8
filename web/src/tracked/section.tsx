import { useState } from "preact/hooks";
import type { App } from "../app";
import { cover } from "../cover";
import { boundsOf } from "../geometry";
import { warningText } from "../planner/passage";
import { title, type Ship } from "../ship";
import { both, timeOf, wall, zone } from "../text/clock";
import { lasting, miles, place } from "../text/figures";
import { t } from "../text/text";
import { Moment } from "../moment/field";
import { Field } from "../ui/form";
import { Icon } from "../ui/icon";
import { whyOf } from "../why";
import { Drawing } from "./drawing";
import { Start } from "./start";
import { askSpeed, over, stopTrack, type Advice, type Track, type Visit } from "./track";
import { adviceText, basisText, endName, portName, rangeText, statusText, visitText, waypointText } from "./words";

interface Props {
  app: App;
  ship: Ship;
  track: Track;
}

/** Section is what the card tells of a tracked ship, and where a track is begun. */
export function Section({ app, ship }: { app: App; ship: Ship }) {
  const { tracked } = app,
    { track, tracks = [] } = tracked;
  return (
    <section class="tracked" aria-label={t("tracked.section")}>
      {tracked.starting && <Start key={ship.mmsi} app={app} ship={ship} />}
      {tracks.length > 1 && (
        <div class="buttons" role="group" aria-label={t("tracked.several")}>
          {tracks.map((one) => (
            <button key={one.id} aria-pressed={one.id === tracked.chosen} onClick={() => tracked.choose(one.id)}>
              {endName(one.to)}
            </button>
          ))}
        </div>
      )}
      {track && <Told key={track.id} app={app} ship={ship} track={track} />}
      {tracked.problem !== undefined && (
        <p class="note problem" role="alert">
          {t("load.failed", { why: whyOf(tracked.problem) })} <button onClick={() => void tracked.ask()}>{t("load.again")}</button>
        </p>
      )}
    </section>
  );
}

function Told({ app, ship, track }: Props) {
  const [open, setOpen] = useState(false),
    name = endName(track.to);
  const show = (): void => {
    const box = app.chart?.way && boundsOf([app.chart.way.line]);
    if (app.following.mmsi !== 0) app.following.release();
    if (box) app.chart?.showBox(box, undefined, cover());
  };
  const stop = async (): Promise<void> => {
    const question = { title: t("tracked.stopAsk", { ship: title(ship), name }), lines: [t("tracked.stopMore"), t("form.forGood")] };
    if (!(await app.ask({ ...question, yes: t("tracked.stopYes"), bad: true }))) return;
    try {
      await stopTrack(track.id);
      app.tell(t("tracked.stopped", { ship: title(ship) }));
      await app.tracked.stopped();
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
  };
  return (
    <>
      <div class="to">
        <h3>{t("tracked.to", { name })}</h3>
        {!over(track) && track.route.length > 1 && (
          <button class="square" aria-label={t("tracked.show")} title={t("tracked.show")} onClick={show}>
            <Icon d="M2 13c3-1 3-4 6-5s3-4 6-5M2 13h.01M14 3h.01" />
          </button>
        )}
      </div>
      <p class={"status s" + track.status}>{statusText(track)}</p>
      <Facts app={app} track={track} />
      <h4>
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon d={open ? "M3 6l5 5 5-5" : "M6 3l5 5-5 5"} />
          {t("tracked.more")}
        </button>
      </h4>
      {open && (
        <div class="more">
          <Drawing app={app} track={track} />
          {!over(track) && <Ask key={String(app.settings.local)} app={app} track={track} />}
          {track.owner && <p class="quiet">{t("tracked.by", { name: track.owner })}</p>}
        </div>
      )}
      <p class="acts">
        <button onClick={() => void stop()}>{t("tracked.stop")}</button>
      </p>
    </>
  );
}

function Warnings({ track }: { track: Track }) {
  return track.warnings.map((warning) => (
    <p key={warning.rule} class="warned">
      <span aria-hidden="true">▲</span> {warningText(warning)}
    </p>
  ));
}

function Facts({ app, track }: { app: App; track: Track }) {
  const now = app.picture.now(),
    [departure, destination] = track.ports;
  const ahead = !over(track);
  return (
    <dl>
      {ahead && track.after !== undefined && (
        <div class="wide">
          <dt>{t("tracked.eta")}</dt>
          <dd>
            <b>{t("tracked.after", { span: lasting(track.after) })}</b>
            <Warnings track={track} />
          </dd>
        </div>
      )}
      {ahead && track.eta !== undefined && (
        <div class="wide">
          <dt>{t("tracked.eta")}</dt>
          <dd>
            <b>{both(track.eta, now, false)}</b> {track.eta > now && t("tracked.in", { span: lasting(track.eta - now) })}
            {[rangeText(track.low, track.high, track.eta), basisText(track)].filter(Boolean).map((text) => (
              <p key={text} class="quiet">
                {text}
              </p>
            ))}
            {track.stale && <p class="problem">{t("tracked.stale")}</p>}
            <Warnings track={track} />
          </dd>
        </div>
      )}
      {ahead && track.metres !== undefined && (
        <div class="wide">
          <dt>{t("tracked.left")}</dt>
          <dd>{`${miles(track.metres)} ${t("figure.nm")}`}</dd>
        </div>
      )}
      <Port label={t("tracked.departure")} visit={departure} now={now} />
      <Port label={t("tracked.destination")} visit={destination} now={now} timesOnly />
      {track.waypoints.length > 0 && (
        <div class="wide">
          <dt>{t("tracked.waypoints")}</dt>
          {track.waypoints.map((one, i) => (
            <dd key={i}>
              {t("tracked.waypoint", { n: i + 1, place: place(one.at[0], one.at[1], 1) })}
              <p class="quiet">{waypointText(one, now)}</p>
            </dd>
          ))}
        </div>
      )}
    </dl>
  );
}

// Port is one of the two ports. The name of the destination stands above: without a time nothing more is told of it.
function Port({ label, visit, now, timesOnly }: { label: string; visit: Visit; now: number; timesOnly?: boolean }) {
  const text = visitText(visit, now);
  if (timesOnly ? text === "" : !visit.port && text === "") return null;
  return (
    <div class="wide">
      <dt>{label}</dt>
      <dd>{[!timesOnly && visit.port && portName(visit.port), text].filter(Boolean).join(" · ")}</dd>
    </div>
  );
}

// Ask tells at which speed the ship arrives at a time.
function Ask({ app, track }: { app: App; track: Track }) {
  const [text, setText] = useState(() => wall(track.eta ?? app.picture.now() + 3600e3).slice(0, 16)),
    [unread, setUnread] = useState(false),
    [answer, setAnswer] = useState<{ advice?: Advice; why?: string }>();
  const ask = async (): Promise<void> => {
    if (unread || text === "") return setAnswer({ why: t("tracked.unread") });
    try {
      setAnswer({ advice: await askSpeed(track.id, timeOf(text)) });
    } catch (problem) {
      setAnswer({ why: whyOf(problem) });
    }
  };
  return (
    <form
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void ask();
      }}>
      <Field label={t("tracked.ask", { zone: zone(track.eta ?? app.picture.now()) })} error={answer?.why}>
        {(aria) => (
          <span class="entry">
            <Moment
              aria={aria}
              now={() => app.picture.now()}
              value={text}
              onChange={(value, half) => {
                setText(value);
                setUnread(half);
                setAnswer(undefined);
              }}
            />
            <button>{t("tracked.answer")}</button>
          </span>
        )}
      </Field>
      <p role="status">{answer && answer.why === undefined && <b>{adviceText(answer.advice)}</b>}</p>
    </form>
  );
}
