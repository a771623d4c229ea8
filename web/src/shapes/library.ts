// Shapes are those that the user made or that others share with the user; the map shows them.
import "./shapes.css";
import { send } from "../api";
import type { Shape as ShapeOfAPI } from "../contract";
import type { Desk } from "../desk";
import type { Session } from "../session";
import type { MapShape } from "../map/shapes";
import { keep, kept } from "../storage";
import { formOf, type Form } from "../geometry";

/** Shape is a shape as the API gives it, and its form. */
export type Shape = ShapeOfAPI & { form: Form };

const refresh = 60e3;

export class Shapes {
  all: Shape[] = [];
  state: "none" | "loading" | "there" | "failed" = "none";
  visible = kept("shapes") !== "no";
  /** more is what the map shows beside them: what watchdogs watch. */
  more: readonly MapShape[] = [];
  /** asked is what a statistic that is open asks about. */
  asked: readonly MapShape[] = [];
  private readonly hidden = new Set(kept("hiddenshapes").split(" ").filter(Boolean));
  private loading?: Promise<void>;
  private again = false;
  private last = ""; // the answer that the map shows

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
  ) {
    setInterval(() => {
      if (this.state !== "none" && !document.hidden) void this.load();
    }, refresh); // others may share, change and delete
  }

  /** load asks for the shapes; what is asked for meanwhile is asked once more afterwards. */
  load(): Promise<void> {
    if (this.session.user === "") return Promise.resolve();
    if (this.loading) {
      this.again = true;
      return this.loading;
    }
    if (this.state !== "there") this.state = "loading";
    return (this.loading = this.ask().finally(() => {
      this.loading = undefined;
    }));
  }

  private async ask(): Promise<void> {
    do {
      this.again = false;
      const user = this.session.user;
      try {
        const { records } = await send<{ records: Omit<Shape, "form">[] }>("GET", "config/shape");
        if (user !== this.session.user) return;
        this.state = "there";
        const text = JSON.stringify(records);
        if (text === this.last) continue;
        this.last = text;
        this.all = records.flatMap((record) => {
          const form = formOf(record);
          return form ? [{ ...record, form }] : [];
        });
        this.show();
      } catch {
        if (this.state !== "there") this.state = "failed";
      }
    } while (this.again);
    this.desk.changed();
  }

  /** forget drops all, because nobody is signed in any more. */
  forget(): void {
    this.all = [];
    this.last = "";
    this.state = "none";
  }

  /** show hands the shapes to the map. */
  show(): void {
    const chart = this.desk.chart;
    if (!chart) return;
    const shown = this.all
      .filter((s) => (this.visible && !this.hidden.has(s.uid)) || s.uid === chart.shapes.chosen)
      .map((s) => ({ key: s.uid, label: labelOf(s), form: s.form, colour: s.color ?? "" }));
    chart.shapes.show([...shown, ...this.more, ...this.asked]);
    chart.redraw();
  }

  isHidden(uid: string): boolean {
    return this.hidden.has(uid);
  }

  /** showAsked shows on the map what a statistic asks about. */
  showAsked(asked: readonly MapShape[]): void {
    this.asked = asked;
    this.show();
  }

  /** setVisible shows the shapes on the map, or none. */
  setVisible(on: boolean): void {
    this.visible = on;
    keep("shapes", on ? "yes" : "no");
    this.show();
    this.desk.changed();
  }

  /** setHidden hides one shape, or shows it again. */
  setHidden(uid: string, hidden: boolean): void {
    if (hidden) this.hidden.add(uid);
    else this.hidden.delete(uid);
    const known = new Set(this.all.map((s) => s.uid));
    keep("hiddenshapes", [...this.hidden].filter((one) => known.has(one)).join(" "));
    this.show();
    this.desk.changed();
  }

  /** choose makes one shape stand out, "" none. */
  choose(uid: string): void {
    const chart = this.desk.chart;
    if (!chart || chart.shapes.chosen === uid) return;
    chart.shapes.chosen = uid;
    this.show();
  }
}

/** labelOf is what the map writes upon a shape: the number of a region before its name. */
export const labelOf = (s: { name: string; region?: number }): string => {
  const name = s.name.length > 40 ? s.name.slice(0, 39) + "…" : s.name;
  return s.region ? `${s.region} · ${name}` : name;
};
