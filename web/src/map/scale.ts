// The scale of the map, in nautical miles.
import ScaleLine from "ol/control/ScaleLine";
import type MapEvent from "ol/MapEvent";
import { number, t } from "../text/text";

/** Scale is the bar of OpenLayers, with its figure in the words of the page. */
export class Scale extends ScaleLine {
  private figure = ""; // as OpenLayers writes it: it writes only when it changes
  private told = "";

  constructor() {
    super({ units: "nautical", minWidth: 72 });
  }

  /** render writes the figure anew when it changes, or the language. */
  override render(event: MapEvent): void {
    super.render(event);
    const bar = this.element.firstElementChild;
    if (!bar) return;
    if (bar.textContent !== this.told) this.figure = bar.textContent ?? "";
    this.told = `${number(parseFloat(this.figure), 0, 4)} ${t("figure.nm")}`;
    if (this.figure !== "" && bar.textContent !== this.told) bar.textContent = this.told;
  }
}
