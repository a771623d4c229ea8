// When a watchdog watches: at any time, at night, at weekends, or in hours of its own.
import { useContext, useState } from "preact/hooks";
import { equal } from "../change";
import type { WatchdogCalendar } from "../contract";
import { spoken, t } from "../text/text";
import { Moment } from "../moment/field";
import { Choice, Field } from "../ui/form";
import { below, Errors } from "../ui/wrong";

/** Shift is a part of the day on some days; one that ends before it begins goes on to the next day. The server tells all of it. */
export type Shift = Required<WatchdogCalendar["rules"][number]>;

/** Calendar is what the API keeps of the hours; without a zone they are UTC. */
export type Calendar = Omit<WatchdogCalendar, "rules"> & { rules: Shift[] };

const week: Shift["days"] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const usual: Record<string, Shift> = {
  night: { days: week, from: "20:00", to: "06:00" },
  weekend: { days: ["sat", "sun"], from: "00:00", to: "24:00" },
  own: { days: week.slice(0, 5), from: "08:00", to: "16:00" },
};

// here is the zone of this browser, "" where it is UTC or not known.
const here = ((zone) => (zone === "UTC" ? "" : (zone ?? "")))(Intl.DateTimeFormat().resolvedOptions().timeZone);

// nameOf is a day of the week in the user's language; the first of January 2024 was a Monday.
const nameOf = (day: Shift["days"][number]): string =>
  new Date(Date.UTC(2024, 0, 1 + week.indexOf(day))).toLocaleDateString(spoken(), { weekday: "short", timeZone: "UTC" });

function howOf(calendar: Calendar | undefined): string {
  if (!calendar) return "always";
  const [rule] = calendar.rules;
  if (calendar.rules.length !== 1) return "own";
  return equal(rule, usual.night) ? "night" : equal(rule, usual.weekend) ? "weekend" : "own";
}

interface Props {
  value: Calendar | undefined;
  onChange: (value: Calendar | undefined) => void;
}

const mostShifts = 50;

/** Hours chooses a calendar. */
export function Hours({ value, onChange }: Props) {
  const [stored] = useState(value),
    [how, setHow] = useState(howOf(value));
  const choose = (next: string): void => {
    setHow(next);
    const rules = next === "own" && stored && howOf(stored) === "own" ? stored.rules : [usual[next]];
    onChange(next === "always" ? undefined : { ...zoned(value?.zone ?? stored?.zone ?? here), rules });
  };
  const rules = value?.rules ?? [];
  const put = (now: Shift[]): void => onChange({ ...value, rules: now });
  return (
    <>
      <Choice
        label={t("dog.hours")}
        at={how === "own" ? undefined : "/calendar"}
        value={how}
        options={["always", "night", "weekend", "own"].map((word) => ({ value: word, label: t("dog.hours." + word) }))}
        onChange={choose}
      />
      {how === "own" && (
        <>
          {rules.map((rule, i) => (
            <ShiftFields
              key={i}
              n={i}
              of={rules.length}
              rule={rule}
              onChange={(now) => put(rules.map((each, at) => (at === i ? now : each)))}
              onRemove={() => put(rules.filter((_, at) => at !== i))}
            />
          ))}
          {rules.length < mostShifts && (
            <p class="acts">
              <button type="button" onClick={() => put([...rules, rules.at(-1) ?? usual.own])}>
                {t("dog.hours.add")}
              </button>
            </p>
          )}
        </>
      )}
      {value && (
        <Choice
          label={t("dog.hours.zone")}
          at="/calendar/zone"
          value={value.zone ?? ""}
          options={[...new Set(["", here, value.zone ?? "", stored?.zone ?? ""])].map((zone) => ({ value: zone, label: zone || "UTC" }))}
          onChange={(zone) => onChange({ ...zoned(zone), rules: value.rules })}
        />
      )}
    </>
  );
}

interface ShiftProps {
  n: number;
  /** of is how many there are: the last one stays. */
  of: number;
  rule: Shift;
  onChange: (rule: Shift) => void;
  onRemove: () => void;
}

// ShiftFields is the days and the hours of one rule.
function ShiftFields({ n, of, rule, onChange, onRemove }: ShiftProps) {
  const at = `/calendar/rules/${n}`,
    wrong = below(useContext(Errors), at + "/days");
  return (
    <div class="shift" role="group" aria-label={t("dog.hours.shift", { n: n + 1 })}>
      <div class="days" role="group" aria-label={t("dog.hours.days")}>
        {week.map((day) => {
          const on = rule.days.includes(day);
          return (
            <button
              type="button"
              key={day}
              aria-pressed={on}
              onClick={() => onChange({ ...rule, days: week.filter((each) => (each === day ? !on : rule.days.includes(each))) })}>
              {nameOf(day)}
            </button>
          );
        })}
      </div>
      {wrong && <p class="problem">{wrong}</p>}
      <div class="span">
        <Clock label={t("dog.hours.from")} at={at + "/from"} value={rule.from} onInput={(from) => onChange({ ...rule, from })} />
        <Clock
          label={t("dog.hours.to")}
          at={at + "/to"}
          value={rule.to}
          onInput={(to) => onChange({ ...rule, to: to === "00:00" ? "24:00" : to })}
        />
        {of > 1 && (
          <button type="button" class="remove" aria-label={t("dog.hours.remove", { n: n + 1 })} onClick={onRemove}>
            ×
          </button>
        )}
      </div>
    </div>
  );
}

const zoned = (zone: string): { zone?: string } => (zone === "" ? {} : { zone });

interface ClockProps {
  label: string;
  at: string;
  value: string;
  onInput: (text: string) => void;
}

const Clock = ({ label, at, value, onInput }: ClockProps) => (
  <Field label={label} at={at}>
    {(aria) => <Moment aria={aria} part="clock" now={Date.now} value={value === "24:00" ? "00:00" : value} onChange={onInput} />}
  </Field>
);
