import type { ComponentChildren } from "preact";
import { Refusal } from "../api";
import type { App } from "../app";
import { dateTime } from "../text/clock";
import { draught, exactMiles, knots, lasting, measured, metresPerMile } from "../text/figures";
import { known, learn, number, t, told } from "../text/text";
import { whyOf } from "../why";
import { voyageOf, type Answer, type Largest } from "./answer";
import de from "./de.json";
import en from "./en.json";
import { passageName, warningText } from "./passage";
import { closing, withStop, type Plan } from "./plan";

learn({ en, de });

/** milesText is a length in nautical miles: tenths, and whole miles from 1,000 on. */
export const milesText = (metres: number): string =>
  `${number(metres / metresPerMile, metres < 1000 * metresPerMile ? 1 : 0)} ${t("figure.nm")}`;

/** whyNot says in a sentence why there is no way. */
export function whyNot(problem: unknown, plan: Plan): string {
  if (!(problem instanceof Refusal)) return whyOf(problem);
  const { rule = "", params = {} } = problem.said;
  if (known("refused." + rule) !== "") {
    const text = t("refused." + rule, {
      km: String(params.km ?? ""),
      name: String(params.name ?? ""),
      number: String(params.number ?? ""),
      passages: String(params.passages ?? "")
        .split(", ")
        .map(passageName)
        .join(", "),
    });
    return (rule === "no_sea_route" || rule === "sea_route_closed") && plan.avoid.length > 0 ? `${text} ${t("planner.openOne")}` : text;
  }
  const fields = problem.errors.map((error) => told(error)).filter(Boolean);
  return fields.length > 0 ? fields.join("; ") : whyOf(problem);
}

/** Outcome is how long the way is that was found, or why there is none. */
export function Outcome({ app }: { app: App }) {
  const { answer, plan, problem, busy } = app.planner;
  if (problem !== undefined && !busy)
    return (
      <div class="outcome">
        <p class="problem" role="alert">
          {whyNot(problem, plan)}
        </p>
        <Choices app={app} />
      </div>
    );
  if (!answer) return <p class="quiet">{t(busy ? "planner.busy" : "planner.hint")}</p>;
  return (
    <div class={busy ? "outcome waits" : "outcome"} aria-busy={busy}>
      <Figures app={app} answer={answer} />
    </div>
  );
}

/** Details are the passages, those that are closed, and what else is to be known of the way. */
export function Details({ app }: { app: App }) {
  const { answer, plan, busy } = app.planner;
  return (
    <div class={busy ? "details waits" : "details"}>
      {answer && <Passages app={app} answer={answer} />}
      <Closed app={app} />
      {answer && <Notes answer={answer} plan={plan} />}
    </div>
  );
}

function Figures({ app, answer }: { app: App; answer: Answer }) {
  const voyage = voyageOf(answer, app.planner.plan, app.picture.now());
  const fact = (word: string, value: ComponentChildren) => (
    <div>
      <dt>{t(word)}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <>
      <p class="miles" role="status">
        <b>{milesText(answer.metres)}</b>
        {voyage && <span>{t("planner.in", { span: lasting(voyage.lasts), speed: knots(voyage.knots) })}</span>}
      </p>
      {voyage ? (
        <dl>
          {fact("planner.departs", dateTime(voyage.begins))}
          {fact("planner.arrives", <b>{dateTime(voyage.ends)}</b>)}
        </dl>
      ) : (
        <p class="quiet">{t("planner.noSpeed")}</p>
      )}
    </>
  );
}

function Passages({ app, answer }: { app: App; answer: Answer }) {
  const { planner } = app;
  if (answer.passages.length === 0) return null;
  return (
    <section class="passages">
      <h3>{t("planner.passages")}</h3>
      <ul>
        {answer.passages.map(({ name, most }) => (
          <li key={name}>
            <span>
              <b>{passageName(name)}</b>
              <span class="quiet">{limitText(most)}</span>
            </span>
            <button
              type="button"
              aria-label={t("planner.closeIt", { name: passageName(name) })}
              onClick={() => planner.set(closing(planner.plan, name, true), true)}>
              {t("planner.close")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

// limitText says what a passage lets through.
function limitText({ draught: deep, length, beam, air }: Largest): string {
  const limits = [
    deep !== undefined && t("planner.limit", { draught: draught(deep) }),
    length !== undefined && t("planner.limitLength", { metres: draught(length) }),
    beam !== undefined && t("planner.limitBeam", { metres: draught(beam) }),
    air !== undefined && t("planner.limitAir", { metres: draught(air) }),
  ].filter((limit) => limit !== false);
  return limits.join(", ") || t("planner.noLimit");
}

// Closed are the passages that the user closed, and what the way round costs.
function Closed({ app }: { app: App }) {
  const { planner } = app,
    { plan, answer, open } = planner;
  if (plan.avoid.length === 0) return null;
  const more = answer && open && !planner.busy ? answer.metres - open.metres : undefined;
  return (
    <section class="passages closed">
      <h3>{t("planner.closed")}</h3>
      <ul>
        {plan.avoid.map((name) => (
          <li key={name}>
            <b>{passageName(name)}</b>
            <button
              type="button"
              aria-label={t("planner.openIt", { name: passageName(name) })}
              onClick={() => planner.set(closing(plan, name, false), true)}>
              {t("planner.open")}
            </button>
          </li>
        ))}
      </ul>
      {more !== undefined && <p class="round">{more < 185 ? t("planner.sameWay") : t("planner.round", { miles: milesText(more) })}</p>}
    </section>
  );
}

function Notes({ answer, plan }: { answer: Answer; plan: Plan }) {
  const [from, to] = answer.snaps;
  const notes = [
    answer.fairways.length > 0 && t("planner.fairways", { names: answer.fairways.join(", ") }),
    answer.slow.length > 0 && t("planner.slow", { speeds: answer.slow.map((part) => knots(part.knots)).join(", ") }),
    ...answer.warnings.map(warningText),
    answer.limited &&
      !answer.warnings.some((w) => w.rule === "passage_too_deep") &&
      t("planner.limited", { draught: draught(answer.draught ?? plan.draught ?? 0) }),
    from > 0 && t("planner.snapFrom", { metres: snapText(from) }),
    to > 0 && t("planner.snapTo", { metres: snapText(to) }),
  ].filter((note) => note !== false);
  return (
    <>
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <p class="quiet small-print">{t("planner.noVoyage")}</p>
    </>
  );
}

const snapText = (metres: number): string => (metres < 1000 ? measured(metres) : exactMiles(metres));

// Choices are the ports that a name may mean.
function Choices({ app }: { app: App }) {
  const { planner } = app,
    choices = planner.choices;
  if (!choices) return null;
  return (
    <p class="acts">
      {choices.ports.map((port) => (
        <button key={port.id} type="button" onClick={() => planner.set(withStop(planner.plan, choices.end, port), true)}>
          {[port.name, port.text].filter(Boolean).join(" · ")}
        </button>
      ))}
    </p>
  );
}
