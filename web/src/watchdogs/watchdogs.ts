// Watchdogs are those that the user made or that others share with the user; the map shows what they watch.
import { send } from "../api";
import type { LineString, Point, Polygon, Watchdog as WatchdogOfAPI } from "../contract";
import type { Desk } from "../desk";
import type { MapShape } from "../map/shapes";
import type { Session } from "../session";
import { formOf, type Drawn, type Form } from "../geometry";
import type { Shapes } from "../shapes/library";
import { keep, kept } from "../storage";
import type { Calendar } from "./calendar";
import { marks, type Severity } from "./event";

/** Type is what a watchdog watches. That of people in distress is none that a user makes. */
export type Type = Exclude<WatchdogOfAPI["type"], "distress">;

/** Watchdog is a watchdog as the API gives it, and its form where it has one. */
export type Watchdog = Omit<WatchdogOfAPI, "type" | "calendar"> & { type: Type; calendar?: Calendar; form?: Form };

/** isBuiltIn tells the watchdog of people in distress, which stays as it is. */
export const isBuiltIn = (w: Watchdog): boolean => (w.type as string) === "distress";

/** colours are those of each severity on the map. */
export const colours: Record<Severity, string> = { note: "#1a56b0", warning: "#a34700", alert: "#b3261e" };

/** keyOf is the key of a watchdog among the shapes of the map. */
export const keyOf = (uid: string): string => "watchdog:" + uid;

// Watched is the object of a watchdog: its geometry itself or below a key, or a centre with a radius.
type Watched = Partial<Geometry> & { geometry?: Geometry; polygon?: Geometry; line?: Geometry; center?: Point; radius?: number };
type Geometry = LineString | Polygon;

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
  /** upTo is the newest event that was known when the list was asked for: one up to it whose watchdog is not in the list is of one that was deleted. */
  upTo = 0;
  private turn = 0;
  private stirred = false;

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
    private readonly shapes: Shapes,
    private readonly newest: () => number,
  ) {
    setInterval(() => {
      if (this.state !== "none" && !document.hidden) void this.load();
    }, refresh); // others may share, change and delete
  }

  /** load asks for the watchdogs. */
  async load(): Promise<void> {
    if (!this.session.may("view_watchdog")) return this.forget();
    const mine = ++this.turn,
      upTo = this.newest();
    try {
      const { records } = await send<{ records: Omit<Watchdog, "form">[] }>("GET", "watchdog/definition");
      if (mine !== this.turn) return;
      this.all = records.map((w) => ({ ...w, form: formOf(placeOf(w)) }));
      this.state = "there";
      this.upTo = upTo;
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
    this.upTo = 0;
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
