// Settings are how the user wants the page to look; this browser remembers them.
import type { Desk } from "./desk";
import type { Address } from "./hash";
import type { PaletteName } from "./palette";
import type { Order } from "./sort";
import { keep, kept } from "./storage";
import { speak, type Language } from "./text/text";

export class Settings {
  palette = document.documentElement.dataset.palette as PaletteName;
  language: Language = (kept("language") || navigator.language.slice(0, 2)) === "de" ? "de" : "en";
  vectorMinutes: number;
  labels = kept("labels") !== "no";
  listOpen = kept("list") !== "no" && innerWidth >= 900;
  order: Order = { column: "distance", down: false };

  constructor(
    private readonly desk: Desk,
    address: Address,
  ) {
    this.vectorMinutes = address.vectors ?? Number(kept("vectors") || 6);
    void speak(this.language);
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

  setLanguage(code: Language): void {
    this.language = code;
    keep("language", code);
    void speak(code);
    this.desk.changed();
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

  setList(open: boolean): void {
    this.listOpen = open;
    if (innerWidth >= 900) keep("list", open ? "yes" : "no");
    this.desk.changed();
  }
}
