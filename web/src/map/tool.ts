// What has the pointer on the map beside the ships: the pen that draws shapes, or the course of the route planner.
import PointerInteraction from "ol/interaction/Pointer";
import type MapBrowserEvent from "ol/MapBrowserEvent";
import type { Palette } from "../palette";
import type { Ship } from "../ship";
import type { ListedPort } from "../contract";
import type { Screen } from "./view";

/** Tool takes the drags that begin on something of its own. All places are in CSS pixels of the map. */
export interface Tool {
  /** down takes hold of what is under the pointer; it tells whether there is something. */
  down(s: Screen, x: number, y: number, touch: boolean): boolean;
  drag(s: Screen, x: number, y: number): void;
  up(): void;
  /** move is the pointer without a button; it tells whether it is over something that can be taken. */
  move(s: Screen, x: number, y: number): boolean;
  /** leave tells that the pointer left the map. */
  leave?(): void;
}

/** Overlay is a tool that draws itself, and leaves the clicks that it does not want to the map. */
export interface Overlay extends Tool {
  /** idle is true of one that has no drags of its own: a double click goes on zooming. */
  readonly idle?: boolean;
  /** aims is true while a click on open water is wanted. */
  readonly aims: boolean;
  /** texts are the boxes of what the last paintLow wrote, in pixels of the canvas: no name of a ship lies upon them. */
  readonly texts?: readonly [number, number, number, number][];
  /** click tells whether the click was wanted; ship and port are those under the pointer. */
  click(s: Screen, x: number, y: number, touch: boolean, ship: Ship | undefined, port: ListedPort | undefined): boolean;
  /** paintLow draws beneath the ships, paintHigh upon them. */
  paintLow(c: CanvasRenderingContext2D, s: Screen, p: Palette): void;
  paintHigh(c: CanvasRenderingContext2D, s: Screen, p: Palette): void;
}

/** Held is where a tool is found. */
interface Held {
  readonly tool: Tool | undefined;
  /** idle tells that the tool has no drags. */
  readonly idle: boolean;
  readonly screen?: Screen;
}

export const byFinger = (e: MapBrowserEvent): boolean => (e.originalEvent as PointerEvent).pointerType === "touch";

/** ToolInteraction returns the tool the drags that are its own, and keeps double clicks from zooming meanwhile. */
export class ToolInteraction extends PointerInteraction {
  constructor(private readonly chart: Held) {
    super();
  }

  override handleEvent(e: MapBrowserEvent): boolean {
    if (!this.chart.tool || this.chart.idle) return true;
    return super.handleEvent(e) && e.type !== "dblclick";
  }

  override handleDownEvent(e: MapBrowserEvent): boolean {
    const { screen, tool } = this.chart;
    return screen !== undefined && tool!.down(screen, e.pixel[0], e.pixel[1], byFinger(e));
  }

  override handleDragEvent(e: MapBrowserEvent): void {
    this.chart.tool?.drag(this.chart.screen!, e.pixel[0], e.pixel[1]);
  }

  override handleUpEvent(): boolean {
    this.chart.tool?.up();
    return false;
  }
}
