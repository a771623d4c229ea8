// Watchdogs are those that the user made or that others share with the user; the map shows what they watch.
import { send, type Ref, type Sentence } from "../api";
import type { Desk } from "../desk";
import type { MapShape } from "../map/shapes";
import type { Session } from "../session";
import { formOf, type Drawn, type Form } from "../geometry";
import type { Shapes } from "../shapes/library";
import { keep, kept } from "../storage";
import type { Calendar } from "./calendar";
import { marks, type Severity } from "./event";

/** Type is what a watchdog watches. */
export type Type =
  | "polygon"
  | "line"
  | "port"
  | "lost"
  | "anchor"
  | "speed"
  | "route"
  | "cpa"
  | "cable"
  | "fishing"
  | "silent"
  | "aton"
  | "zone"
  | "feed"
  | "box";
interface Geometry {
  type: string;
  coordinates: unknown;
}

/** Watchdog is a watchdog as the API gives it, and its form where it has one. */
export interface Watchdog extends Partial<Record<Exclude<Type, "port" | "feed">, unknown>> {
  id: number;
  uid: string;
  revision: string;
  name: string;
  owner?: Ref;
  acl: Ref[];
  type: Type;
  enabled: boolean;
  severity: Severity;
  filter?: string;
  feed?: string;
  port?: { id?: number; locode?: string; name?: string };
  draught?: number;
  check_direction: boolean;
  min_cog?: number;
  max_cog?: number;
  min_sog?: number;
  max_sog?: number;
  window?: string;
  any_type?: boolean;
  samples_to_activate: number;
  samples_to_deactivate: number;
  samples_between_trigger: number;
  time_between_triggers: number;
  inactivity_timeout?: string;
  create_shiplist?: boolean;
  /** shiplist_timeout is of a line. */
  shiplist_timeout?: string;
  calendar?: Calendar;
  mail_to?: string[];
  sms_to?: string[];
  webhooks?: string[];
  mqtt?: boolean;
  mail_template?: string;
  sms_template?: string;
  test_mode?: boolean;
  send_ship_notification?: boolean;
  ship_notification_text?: string;
  ship_notification_broadcast?: boolean;
  escalate_after?: string;
  escalate_to?: Ref[];
  /** active_ships are inside now; a user that is told late is not told. */
  active_ships?: number;
  last_event?: { id: number; event: string; time: string };
  /** paused is there while it rings too often. */
  paused?: { since: string; until: string; held: number };
  /** problem says why it watches nothing. */
  problem?: string;
  /** problem_rule is the same as a sentence in the words of the user. */
  problem_rule?: Sentence;
  form?: Form;
}

/** isBuiltIn tells the watchdog of people in distress, which stays as it is. */
export const isBuiltIn = (w: Watchdog): boolean => (w.type as string) === "distress";

/** colours are those of each severity on the map. */
export const colours: Record<Severity, string> = { note: "#1a56b0", warning: "#a34700", alert: "#b3261e" };

/** keyOf is the key of a watchdog among the shapes of the map. */
export const keyOf = (uid: string): string => "watchdog:" + uid;

// Watched is the object of a watchdog: its geometry itself or below a key, or a centre with a radius.
type Watched = Partial<Geometry> & { geometry?: Geometry; polygon?: Geometry; line?: Geometry; center?: Geometry; radius?: number };

/** placeOf returns the geometry of a watchdog, under the names of a shape. */
export const placeOf = (w: Watchdog): Drawn => {
  const of = w[w.type] as Watched | undefined;
  if (of?.center && of.radius) return { circle: { center: of.center, radius: of.radius } };
  const g = of?.coordinates ? (of as Geometry) : (of?.geometry ?? of?.polygon ?? of?.line);
  if (g === undefined) return {};
  return g.type === "Polygon" ? { polygon: g } : { line: g };
};

const refresh = 60e3;
const soon = 2e3; // milliseconds after an event, so that many events are one question

export class Watchdogs {
  all: Watchdog[] = [];
  state: "none" | "there" | "failed" = "none";
  visible = kept("watchdogs") !== "no";
  private turn = 0;
  private stirred = false;

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
    private readonly shapes: Shapes,
  ) {
    setInterval(() => {
      if (this.state !== "none" && !document.hidden) void this.load();
    }, refresh); // others may share, change and delete
  }

  /** load asks for the watchdogs. */
  async load(): Promise<void> {
    if (!this.session.may("view_watchdog")) return this.forget();
    const mine = ++this.turn;
    try {
      const { records } = await send<{ records: Omit<Watchdog, "form">[] }>("GET", "watchdog/definition");
      if (mine !== this.turn) return;
      this.all = records.map((w) => ({ ...w, form: formOf(placeOf(w)) }));
      this.state = "there";
      this.show();
    } catch {
      if (mine === this.turn && this.state !== "there") this.state = "failed";
    }
    this.desk.changed();
  }

  /** stir has them asked for soon: something was raised, and other ships are inside. */
  stir(): void {
    if (this.stirred || this.state === "none") return;
    this.stirred = true;
    setTimeout(() => {
      this.stirred = false;
      if (this.state !== "none" && !document.hidden) void this.load();
    }, soon);
  }

  /** forget drops all: nobody is signed in any more, or the right was lost. */
  forget(): void {
    this.turn++;
    this.all = [];
    this.state = "none";
    this.show();
  }

  /** setVisible shows on the map what is watched, or not. */
  setVisible(on: boolean): void {
    this.visible = on;
    keep("watchdogs", on ? "yes" : "no");
    this.show();
    this.desk.changed();
  }

  private show(): void {
    this.shapes.more = this.visible ? this.all.flatMap(shapeOf) : [];
    this.shapes.show();
  }
}

const shapeOf = (w: Watchdog): MapShape[] =>
  w.form && w.enabled ? [{ key: keyOf(w.uid), label: w.name, form: w.form, colour: colours[w.severity], mark: marks[w.severity] }] : [];
