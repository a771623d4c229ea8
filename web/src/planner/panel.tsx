// The route planner: both ends and what lies between, what holds for the way, and the way that the server found.
import "./style.css";
import { useEffect, useState } from "preact/hooks";
import type { Props } from "../app";
import { timeOf, wall, zone } from "../text/clock";
import { draught } from "../text/figures";
import { t } from "../text/text";
import { Moment } from "../moment/field";
import { Field } from "../ui/form";
import { Heading } from "../ui/heading";
import { Errors, nothingWrong, wrongOf } from "../ui/wrong";
import { Course } from "./course";
import { Decimal } from "./decimal";
import { mostVia, turned } from "./plan";
import { Details, Outcome } from "./result";
import { StopField } from "./stop";

const refresh = 60e3; // milliseconds after which the way of a ship is asked for again

/** Planner is the panel. */
export function Planner({ app }: Props) {
  const { planner, chart } = app;
  useEffect(() => {
    if (!chart) return;
    chart.lay(new Course(planner));
    planner.show();
    const timer = setInterval(() => document.visibilityState === "visible" && planner.again(), refresh);
    return () => {
      clearInterval(timer);
      planner.hide();
      chart.lay(undefined);
    };
  }, [chart]);
  const { rows, plan, adding } = planner,
    last = rows.length - 1;
  const empty = rows.every((stop) => !stop) && plan.avoid.length === 0;
  const label = (row: number): string =>
    row === 0 ? t("planner.from") : row === last ? t("planner.to") : t("planner.via", { n: String(row) });
  return (
    <>
      <Heading app={app} title={t("menu.route")} />
      <div class="planner">
        <ol class="stops" aria-label={t("planner.stops")}>
          {rows.map((stop, row) => (
            <StopField
              key={`${planner.turn} ${row === last ? "to" : row}`}
              app={app}
              row={row}
              letter={row === 0 ? "A" : row === last ? "B" : String(row)}
              label={label(row)}
              stop={stop}
              end={row === 0 || row === last}
            />
          ))}
        </ol>
        <p class="acts">
          <button disabled={adding || plan.via.length >= mostVia || !plan.from || !plan.to} onClick={() => planner.add()}>
            {t("planner.add")}
          </button>
          <button disabled={!plan.from && !plan.to} onClick={() => planner.set(turned(plan))}>
            {t("planner.swap")}
          </button>
          <button disabled={planner.box === undefined} onClick={() => planner.fit()}>
            {t("planner.fit")}
          </button>
          <button disabled={empty} onClick={() => planner.clear()}>
            {t("planner.clear")}
          </button>
        </p>
        <Outcome app={app} />
        <Conditions app={app} path={[]} />
        <Details app={app} />
      </div>
    </>
  );
}

// Conditions are the speed, the draught and the departure.
function Conditions({ app }: Props) {
  const { planner } = app,
    { plan, answer, problem } = planner;
  const wrong = problem === undefined ? nothingWrong : wrongOf(problem);
  return (
    <Errors.Provider value={wrong}>
      <div class="fields pairs">
        <Decimal
          label={t("planner.speed")}
          unit="kn"
          value={plan.speed}
          usual={answer?.likely?.knots}
          hint={answer?.likely && plan.speed === undefined ? t("planner.likely") : undefined}
          onInput={(speed) => planner.set({ ...planner.plan, speed })}
        />
        <Decimal
          label={t("planner.draught")}
          unit="m"
          at="/draught"
          value={plan.draught}
          usual={plan.draught === undefined ? answer?.draught : undefined}
          hint={answer?.draught && plan.draught === undefined ? t("planner.draughtOf", { draught: draught(answer.draught) }) : undefined}
          onInput={(metres) => planner.set({ ...planner.plan, draught: metres })}
        />
        <Departure key={String(app.settings.local)} app={app} path={[]} />
      </div>
    </Errors.Provider>
  );
}

// Departure is when the ship sails. Half a time is none yet.
function Departure({ app }: Props) {
  const { planner } = app,
    { departure } = planner.plan;
  const [text, setText] = useState<string>();
  useEffect(() => setText(undefined), [departure]);
  return (
    <Field
      label={t("planner.departure", { zone: zone(departure ?? app.picture.now()) })}
      hint={departure === undefined ? t(planner.answer?.likely ? "planner.sailing" : "planner.now") : undefined}
      wide>
      {(aria) => (
        <span class="entry">
          <Moment
            aria={aria}
            now={() => app.picture.now()}
            value={text ?? (departure === undefined ? "" : wall(departure).slice(0, 16))}
            onChange={(value, unread) => {
              setText(value);
              if (!unread) planner.set({ ...planner.plan, departure: value === "" ? undefined : timeOf(value) });
            }}
          />
        </span>
      )}
    </Field>
  );
}
