// What a watchdog asks for beyond where and which ships: course, draught, speeds, and how many reports count.
import { course, draught, speed } from "../text/figures";
import { t } from "../text/text";
import { NumberField, Switch, TextField } from "../ui/form";
import type { Wrong } from "../ui/wrong";
import { Fold } from "./fold";
import type { Draft } from "./kind";
import type { Type } from "./watchdogs";

interface Props {
  type: Type;
  now: Draft;
  set: (part: Partial<Draft>) => void;
  wrong: Wrong;
}

const mostCount = 10000;
const own =
  /^\/(draught|check_direction|m(in|ax)_[cs]og|window|any_type|samples_|time_between|inactivity|create_shiplist|shiplist_timeout)/;

/** Exactly is the part of the sheet for what is asked beyond that. */
export function Exactly({ type, now, set, wrong }: Props) {
  return (
    <Fold label={t("dog.exactly")} said={summary(now) || t("dog.exactlyNone")} wrong={wrong} own={own}>
      <div class="fields pairs">
        <Course now={now} set={set} />
        <NumberField
          label={t("dog.draught")}
          hint={t("dog.draughtHint")}
          at="/draught"
          unit="m"
          step="any"
          max={30}
          value={now.draught}
          onInput={(n) => set({ draught: n })}
        />
        {type === "fishing" && <Fishing now={now} set={set} />}
        <NumberField
          label={t("dog.samples")}
          hint={t("dog.samplesHint")}
          at="/samples_to_activate"
          min={1}
          max={mostCount}
          value={now.samples_to_activate}
          onInput={(n) => set({ samples_to_activate: n })}
        />
        <NumberField
          label={t("dog.samplesOff")}
          hint={t("dog.samplesOffHint")}
          at="/samples_to_deactivate"
          min={1}
          max={mostCount}
          value={now.samples_to_deactivate}
          onInput={(n) => set({ samples_to_deactivate: n })}
        />
        <NumberField
          label={t("dog.samplesBetween")}
          hint={t("dog.betweenHint")}
          at="/samples_between_trigger"
          max={mostCount}
          value={now.samples_between_trigger}
          onInput={(n) => set({ samples_between_trigger: n })}
        />
        <NumberField
          label={t("dog.timeBetween")}
          hint={t("dog.betweenHint")}
          at="/time_between_triggers"
          unit="s"
          max={1e6}
          value={now.time_between_triggers}
          onInput={(n) => set({ time_between_triggers: n })}
        />
        <TextField
          label={t("dog.timeout")}
          hint={t("dog.timeoutHint")}
          at="/inactivity_timeout"
          value={now.inactivity_timeout}
          onInput={(text) => set({ inactivity_timeout: text })}
        />
        <Switch
          wide
          label={t(type === "line" ? "dog.listLine" : "dog.list")}
          hint={t("dog.listHint")}
          at="/create_shiplist"
          on={now.create_shiplist}
          onChange={(on) => set({ create_shiplist: on })}
        />
        {type === "line" && now.create_shiplist && (
          <TextField
            label={t("dog.listTimeout")}
            hint={t("dog.usual", { value: "00:30:00" })}
            at="/shiplist_timeout"
            value={now.shiplist_timeout}
            onInput={(text) => set({ shiplist_timeout: text })}
          />
        )}
      </div>
    </Fold>
  );
}

type Part = Pick<Props, "now" | "set">;

// Course is an interval of courses, which the compass shows.
function Course({ now, set }: Part) {
  return (
    <>
      <Switch
        wide
        label={t("dog.courseOnly")}
        at="/check_direction"
        on={now.check_direction}
        onChange={(on) => set({ check_direction: on })}
      />
      {now.check_direction && (
        <div class="course field wide">
          <NumberField
            label={t("dog.courseFrom")}
            at="/min_cog"
            unit="°"
            max={359}
            value={now.min_cog}
            onInput={(n) => set({ min_cog: n })}
          />
          <NumberField
            label={t("dog.courseTo")}
            at="/max_cog"
            unit="°"
            max={359}
            value={now.max_cog}
            onInput={(n) => set({ max_cog: n })}
          />
          <Compass from={now.min_cog} to={now.max_cog} />
        </div>
      )}
    </>
  );
}

const radius = 30;

// Compass shows an interval of courses as a sector, clockwise from the first.
function Compass({ from, to }: { from?: number; to?: number }) {
  const at = (degrees: number, r: number): string => {
    const a = (degrees * Math.PI) / 180;
    return `${(Math.sin(a) * r).toFixed(2)} ${(-Math.cos(a) * r).toFixed(2)}`;
  };
  const wide = from === undefined || to === undefined ? 0 : (to - from + 360) % 360;
  return (
    <svg class="compass" viewBox="-40 -40 80 80" aria-hidden="true">
      <circle r={radius} />
      {wide > 0 && (
        <path class="sector" d={`M0 0 L${at(from!, radius)} A${radius} ${radius} 0 ${wide > 180 ? 1 : 0} 1 ${at(to!, radius)} Z`} />
      )}
      {[0, 45, 90, 135, 180, 225, 270, 315].map((d) => (
        <path key={d} d={`M${at(d, radius)} L${at(d, radius - (d % 90 === 0 ? 6 : 3))}`} />
      ))}
      <text y={-32}>N</text>
    </svg>
  );
}

const Fishing = ({ now, set }: Part) => (
  <>
    <NumberField
      label={t("dog.minSpeed")}
      hint={t("dog.usual", { value: speed(0.5) })}
      at="/min_sog"
      unit="kn"
      step="any"
      value={now.min_sog}
      onInput={(n) => set({ min_sog: n })}
    />
    <NumberField
      label={t("dog.maxSpeed")}
      hint={t("dog.usual", { value: speed(5.5) })}
      at="/max_sog"
      unit="kn"
      step="any"
      value={now.max_sog}
      onInput={(n) => set({ max_sog: n })}
    />
    <TextField
      label={t("dog.window")}
      hint={t("dog.usual", { value: "00:10:00" })}
      at="/window"
      value={now.window}
      onInput={(window) => set({ window })}
    />
    <Switch label={t("dog.anyType")} at="/any_type" on={now.any_type} onChange={(on) => set({ any_type: on })} />
  </>
);

// summary says in a line what is set.
function summary(now: Draft): string {
  const from = now.min_cog,
    to = now.max_cog;
  return [
    now.check_direction && from !== undefined && to !== undefined && t("dog.said.course", { from: course(from), to: course(to) }),
    now.draught && t("dog.said.draught", { draught: draught(now.draught) }),
    (now.samples_to_activate ?? 1) > 1 && t("dog.said.samples", { n: now.samples_to_activate! }),
    (now.samples_to_deactivate ?? 1) > 1 && t("dog.said.samplesOff", { n: now.samples_to_deactivate! }),
    now.samples_between_trigger && t("dog.said.samplesBetween", { n: now.samples_between_trigger }),
    now.time_between_triggers && t("dog.said.timeBetween", { n: now.time_between_triggers }),
    now.inactivity_timeout && t("dog.said.timeout", { time: now.inactivity_timeout }),
    now.create_shiplist && t("dog.said.list"),
  ]
    .filter(Boolean)
    .join(" · ");
}
