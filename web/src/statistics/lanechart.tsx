// Draws where along a line ships pass, each way of its own, with the normal distributions that describe it best.
import { useState } from "preact/hooks";
import { send } from "../api";
import type { LateralDistribution } from "../contract";
import { draught, measured, metres } from "../text/figures";
import { number, t } from "../text/text";
import { NotLoaded, useLoaded } from "../ui/load";
import { path } from "./job";
import { barsOf, curveOf, groupsOf, size, tallest, type By, type Spread } from "./lanes";

const criteria: By[] = ["", "type", "length", "draught", "hour"];

/** LaneChart asks for the lateral distribution of a result, and draws it. */
export function LaneChart({ job }: { job: number }) {
  const [by, setBy] = useState<By>(""),
    [at, setAt] = useState(0);
  const loaded = useLoaded(
    async () => ({ by, of: await send<LateralDistribution>("GET", `${path}/passageline/lateral/${job}${by === "" ? "" : "?by=" + by}`) }),
    `${job} ${by}`,
  );
  const { data } = loaded;
  const told = data?.by === by ? data.of : undefined, // of what was chosen before, nothing is shown
    groups = groupsOf(told?.spreads ?? []),
    ways = groups[at] ?? groups[0] ?? [];
  const choose = (to: By): void => {
    setBy(to);
    setAt(0);
  };
  return (
    <>
      <div class="lanesof">
        <select aria-label={t("lanes.by")} value={by} onChange={(e) => choose(e.currentTarget.value as By)}>
          {criteria.map((one) => (
            <option key={one} value={one}>
              {t("lanesby." + (one || "all"))}
            </option>
          ))}
        </select>
        {by !== "" && told && (
          <select aria-label={t("lanes.group")} value={String(at)} onChange={(e) => setAt(Number(e.currentTarget.value))}>
            {groups.map((group, i) => (
              <option key={i} value={String(i)}>
                {`${groupText(group[0], by)} (${number(total(group))})`}
              </option>
            ))}
          </select>
        )}
      </div>
      {told ? <Drawing of={told} ways={ways} /> : <NotLoaded loaded={loaded} />}
      <Ways ways={ways} />
    </>
  );
}

const total = (ways: readonly Spread[]): number => ways.reduce((sum, { count }) => sum + count, 0);

// groupText says which ships a group has.
function groupText({ group }: Spread, by: By): string {
  if (!group) return t("lanes.all");
  if (group.type) return group.type;
  if (group.from === undefined) return t("lanes.unknown");
  if (by === "hour") return `${String(group.from).padStart(2, "0")}:00 UTC`;
  const say = by === "draught" ? draught : metres;
  return group.to === undefined
    ? t("lanes.from", { from: say(group.from) })
    : t("lanes.between", { from: say(group.from), to: say(group.to) });
}

const wayText = ({ direction_flag }: Spread): string => t(direction_flag ? "lanes.right" : "lanes.left");

// Drawing has the ships from left to right above the line, the others below it.
function Drawing({ of, ways }: { of: LateralDistribution; ways: Spread[] }) {
  const most = tallest(ways),
    text = ways.map((way) => t("lanes.says", { way: wayText(way), n: number(way.count), mean: measured(way.mean) })).join("; ");
  return (
    <svg class="lanes" viewBox={`0 0 ${size.width} ${2 * size.middle + 14}`} role="img" aria-label={text}>
      {ways.map((way) => (
        <g key={String(way.direction_flag)} class={way.direction_flag ? "toright" : "toleft"}>
          <path class="bars" d={barsOf(way, of, most)} />
          <path class="curve" d={curveOf(way, of, most)} />
        </g>
      ))}
      <path class="axis" d={`M0 ${size.middle}H${size.width}`} />
      <text x="0" y={2 * size.middle + 11}>
        0
      </text>
      <text x={size.width / 2} y={2 * size.middle + 11} text-anchor="middle">
        {t("lanes.most", { most: number(most), bin: metres(of.bin) })}
      </text>
      <text x={size.width} y={2 * size.middle + 11} text-anchor="end">
        {measured(of.length)}
      </text>
    </svg>
  );
}

// Ways says in figures what the drawing shows.
const Ways = ({ ways }: { ways: Spread[] }) => (
  <ul class="lanesways">
    {ways.map((way) => (
      <li key={String(way.direction_flag)} class={way.direction_flag ? "toright" : "toleft"}>
        <b>{wayText(way)}</b> {t("lanes.ships", { n: number(way.count), mean: measured(way.mean), deviation: measured(way.deviation) })}
        {way.mixture.length > 1 && (
          <span class="quiet">
            {way.mixture
              .map(({ weight, mean, deviation }) =>
                t("lanes.part", { share: number(weight * 100), mean: measured(mean), deviation: measured(deviation) }),
              )
              .join(" + ")}
          </span>
        )}
      </li>
    ))}
  </ul>
);
