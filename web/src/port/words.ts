// What is told of the ships of a port, in words.
import { plain } from "../letters";
import { when } from "../text/clock";
import { draught, lasting, metres, miles } from "../text/figures";
import { learn, t } from "../text/text";
import { rangeText, statusText } from "../tracked/words";
import { sinceOf, type Row } from "./board";
import de from "./de.json";
import en from "./en.json";
import { cameAt, type Berth, type Expected, type Visit } from "./model";

learn({ en, de });

/** one chooses the words for one thing, or for several. */
export const one = (key: string, n: number, values: Record<string, string | number> = {}): string =>
  t(n === 1 ? key + ".one" : key, { n, ...values });

/** rowName names a row of the board. */
export const rowName = (row: Row): string => (row.kind === "berth" ? row.name : t("port." + row.kind));

/** berthText says how long and how deep a berth is. */
export const berthText = ({ length, max_draught: deep }: Berth): string =>
  [length !== undefined && metres(length), deep !== undefined && t("port.berthDraught", { draught: draught(deep) })]
    .filter(Boolean)
    .join(" · ");

/** freeText says how much of a berth is free and from when on all of it, or what is wrong there. */
export function freeText(row: Row, now: number): string {
  const from =
    row.kind === "berth" && row.from !== undefined && row.from > now ? t("port.freeFrom", { time: when(row.from, now, false) }) : "";
  return [roomText(row), from].filter(Boolean).join(" · ");
}

function roomText({ kind, metres: all, free, unsure, over, ships }: Row): string {
  if (kind !== "berth") return "";
  if (free === undefined || all === undefined) return over ? t("port.several", { n: ships.length }) : "";
  if (free < 0) return t("port.over", { metres: metres(-free), all: metres(all) });
  return t(unsure ? "port.freeMost" : "port.free", { free: metres(free), all: metres(all) });
}

/** lyingText says since when a ship lies, how deep it is, and for how long it waited; may is true of a user that may know times. */
export function lyingText(visit: Visit, deep: number | undefined, now: number, may: boolean): string {
  const { call } = visit,
    since = sinceOf(visit);
  return [
    may &&
      (call.left ? leavingText(visit, now) : since === undefined ? t("port.there") : t("port.since", { time: when(since, now, false) })),
    deep !== undefined && deep > 0 && t("port.draught", { draught: draught(deep) }),
    call.waiting !== undefined && t("port.waited", { span: lasting(call.waiting) }),
    may && visit.etd !== undefined && t("port.etd", { time: when(visit.etd, now, false) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

function leavingText(visit: Visit, now: number): string {
  const came = cameAt(visit),
    went = visit.call.atd ?? visit.call.stays[visit.call.stays.length - 1]?.to;
  return [
    came !== undefined && t("port.came", { time: when(came, now, false) }),
    went !== undefined && t("port.go", { time: when(went, now, false) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

// spanOf reads a span such as -00:41:00, in milliseconds.
function spanOf(text: string): number {
  const [hours, minutes, seconds] = text.replace("-", "").split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * (text.startsWith("-") ? -1000 : 1000);
}

/** lateText says how good the ETAs of the crew were; "" when that is not known. */
export function lateText({ late, calls }: Expected): string {
  if (!late) return "";
  const span = spanOf(late);
  if (Math.abs(span) < 60e3) return t("port.onTime");
  return one(span > 0 ? "port.late" : "port.early", calls, { span: lasting(Math.abs(span)) });
}

/** plannedBerth names the berth that the port planned, "" for none. */
export const plannedBerth = (quay: string, berths: readonly Berth[]): string =>
  quay && (berths.find((one) => one.quay_id !== undefined && String(one.quay_id) === quay)?.name ?? quay);

/** berthOf names the berth at which a ship is expected: the one that the port asked it for, else the one that it planned; "" for none. */
export const berthOf = ({ tracked }: Expected, berths: readonly Berth[]): string =>
  tracked?.requested.find((one) => one.place === "berth")?.berth || plannedBerth(tracked?.plan.quay ?? "", berths);

/** onAir returns a text with the characters that AIS has, without the name of the ship that it is for. */
export const onAir = (text: string, name: string): string =>
  plain(text.startsWith(name + ": ") ? text.slice(name.length + 2) : text)
    .toUpperCase()
    .replace(/[^ -?A-Z[-_]/g, " ")
    .trim();

/** followedText says of a tracked ship how far it is, and what the port planned for it; "" of another. */
export function followedText({ tracked: it, eta }: Expected, berths: readonly Berth[], now: number): string {
  if (!it) return "";
  const { plan } = it;
  return [
    statusText(it),
    eta !== undefined && rangeText(it.low, it.high, now),
    it.after !== undefined && t("tracked.after", { span: lasting(it.after) }),
    it.stale && t("tracked.stale"),
    plan.eta !== undefined && t("port.erp", { time: when(plan.eta, now, false) }),
    plan.etd !== undefined && t("port.etd", { time: when(plan.etd, now, false) }),
    plan.quay && t("port.berth", { name: plannedBerth(plan.quay, berths) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** expectedText says when a ship is expected, by us and by its crew. */
export function expectedText(ship: Expected, now: number): string {
  return [
    ship.eta !== undefined && t("port.eta", { time: when(ship.eta, now, false) }),
    ship.crew !== undefined && t("port.crew", { time: when(ship.crew, now, false) }),
    ship.eta === undefined && ship.crew === undefined && ship.tracked?.after === undefined && t("port.noEta"),
    lateText(ship),
    ship.metres !== undefined && t("port.away", { miles: miles(ship.metres) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
