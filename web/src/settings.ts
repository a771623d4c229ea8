// Settings are how the user wants the page to look; this browser remembers them.
import type { Desk } from "./desk";
import type { Address } from "./hash";
import type { PaletteName } from "./palette";
import { columnNames, type Column, type Order } from "./sort";
import { keep, kept } from "./storage";
import { showLocal } from "./text/clock";
import { speak, t, type Language } from "./text/text";

const known = (name: string): name is Column => (columnNames as readonly string[]).includes(name);

// What was kept of the ship list; what is not known, as of another version, is left out.
function orderOf(text: string): Order {
  const [column, down] = text.split(" ");
  return known(column) ? { column, down: down === "down" } : { column: "distance", down: false };
}
function columnsOf(text: string): Column[] | undefined {
  const columns = text.split(" ").filter(known);
  return columns.length > 0 ? columns : undefined;
}

export class Settings {
  palette = document.documentElement.dataset.palette as PaletteName;
  language: Language = (kept("language") || navigator.language.slice(0, 2)) === "de" ? "de" : "en";
  vectorMinutes: number;
  labels = kept("labels") !== "no";
  /** ticker is true while the latest messages are told below the map. */
  ticker = kept("ticker") !== "no";
  listOpen = innerWidth >= 900 ? kept("list") !== "no" : kept("list.phone") === "yes";
  order: Order = orderOf(kept("order"));
  /** columns are those of the ship list that the user chose; undefined: those that fit. */
  columns?: Column[] = columnsOf(kept("columns"));
  /** times is true while the card offers further times of the track. */
  times = kept("times") === "yes";
  /** local is true while times are those of this browser's zone instead of UTC. */
  local = kept("zone") === "local";

  /** spoken is done when the words of the language are there. */
  readonly spoken: Promise<void>;

  constructor(
    private readonly desk: Desk,
    address: Address,
  ) {
    this.vectorMinutes = address.vectors ?? Number(kept("vectors") || 6);
    this.spoken = speak(this.language).catch(() => {
      this.language = "en"; // the words of another language could not be had
    });
    showLocal(this.local);
  }

  /** dress gives the map the settings. */
  dress(): void {
    const { chart } = this.desk;
    if (chart) {
      Object.assign(chart.painter.look, { vectorMinutes: this.vectorMinutes, labels: this.labels });
      chart.dress(this.palette);
      chart.draw();
    }
    this.desk.changed();
  }

  setPalette(name: PaletteName): void {
    this.palette = name;
    document.documentElement.dataset.palette = name;
    document.documentElement.style.backgroundColor = ""; // public/palette.js set it for the first paint
    keep("palette", name);
    this.dress();
  }

  /** setLanguage has the page speak another language, once its words are there. */
  async setLanguage(code: Language): Promise<void> {
    try {
      await speak(code);
    } catch {
      return this.desk.tell(t("place.failed"), true);
    }
    this.language = code;
    keep("language", code);
    this.desk.chart?.redraw();
    this.desk.changed();
  }

  setLocal(on: boolean): void {
    this.local = on;
    keep("zone", on ? "local" : "utc");
    showLocal(on);
    this.dress();
  }

  setVectors(minutes: number): void {
    this.vectorMinutes = minutes;
    keep("vectors", String(minutes));
    this.dress();
  }

  setLabels(on: boolean): void {
    this.labels = on;
    keep("labels", on ? "yes" : "no");
    this.dress();
  }

  setTicker(on: boolean): void {
    this.ticker = on;
    keep("ticker", on ? "yes" : "no");
    this.desk.changed();
  }

  setList(open: boolean): void {
    this.listOpen = open;
    keep(innerWidth >= 900 ? "list" : "list.phone", open ? "yes" : "no");
    this.desk.changed();
  }

  setOrder(order: Order): void {
    this.order = order;
    keep("order", order.column + (order.down ? " down" : ""));
    this.desk.changed();
  }

  setColumns(columns: Column[] | undefined): void {
    this.columns = columns;
    keep("columns", columns?.join(" ") ?? "");
    this.desk.changed();
  }

  setTimes(open: boolean): void {
    this.times = open;
    keep("times", open ? "yes" : "no");
    this.desk.changed();
  }
}
