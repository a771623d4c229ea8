// Chart is the map: our own land as vector tiles, the graticule, the ships; nothing in it comes from another host.
import Map from "ol/Map";
import View from "ol/View";
import { defaults as controls } from "ol/control/defaults";
import Attribution from "ol/control/Attribution";
import { defaults as interactions } from "ol/interaction/defaults";
import Layer from "ol/layer/Layer";
import VectorTileLayer from "ol/layer/VectorTile";
import VectorTile from "ol/source/VectorTile";
import MVT from "ol/format/MVT";
import Fill from "ol/style/Fill";
import Stroke from "ol/style/Stroke";
import Style from "ol/style/Style";
import type { FrameState } from "ol/Map";
import { address } from "../api";
import { palettes, type PaletteName } from "../palette";
import { mercatorX, mercatorY, Placed, Shown, type Picture } from "../picture";
import { firstStation } from "../palette";
import type { Ship } from "../ship";
import type { Track } from "../track";
import { t } from "../text/text";
import { extentOf, extentOfTrack } from "./extent";
import { glide } from "./glide";
import { drawGrid } from "./grid";
import { textured } from "./land";
import type { Pen } from "./pen";
import { fit, ShapePainter } from "./shapes";
import { ShipPainter } from "./ships";
import { Scale } from "./scale";
import { byFinger, ToolInteraction, type Overlay, type Tool } from "./tool";
import { world, type Screen } from "./view";
import type { Way } from "./way";

/** ChartEvents are what the user does on the map. */
export interface ChartEvents {
  moved(lon: number, lat: number, zoom: number): void;
  hovered(ship: Ship | undefined, x: number, y: number): void;
  /** clicked tells on which ship was clicked, and on which shape, by its key. */
  clicked(ship: Ship | undefined, shape: string | undefined): void;
}

const rough = 20; // metres of the projection per pixel: nearer in, the coast is seen to be coarser than the ships upon it
const toDegrees = 180 / (Math.PI * 6378137);

function screenOf(frame: FrameState): Screen {
  const { center, resolution } = frame.viewState;
  return {
    x: center[0],
    y: center[1],
    resolution,
    ratio: frame.pixelRatio,
    width: Math.round(frame.size[0] * frame.pixelRatio),
    height: Math.round(frame.size[1] * frame.pixelRatio),
  };
}

export class Chart {
  readonly painter: ShipPainter;
  readonly shapes = new ShapePainter();
  /** How the last frame lay over the world. */
  screen?: Screen;
  /** way is that of the tracked ship which is selected. */
  way?: Way;
  /** aimed tells that the map was brought to something, by an address, a page or a hand on a button. */
  aimed = false;
  private readonly map: Map;
  private readonly view = new View({ center: [0, 0], zoom: 2, minZoom: 2, maxZoom: 18, enableRotation: false });
  private readonly grid = document.createElement("canvas");
  private gridDrawn = ""; // what the graticule was drawn for
  private readonly land: VectorTileLayer;
  private readonly target: HTMLElement;
  private overlay?: Overlay;
  private upon?: Overlay; // what has the pointer before the overlay: the ruler
  private tilesFailed = false;
  private learned = false; // a tile had learned water

  constructor(
    target: HTMLElement,
    private readonly picture: Picture,
    events: ChartEvents,
  ) {
    this.target = target;
    this.painter = new ShipPainter(picture);
    this.grid.className = "grid";
    this.grid.addEventListener("contextrestored", () => (this.gridDrawn = ""));
    this.land = new VectorTileLayer({
      source: new VectorTile({
        format: new MVT(),
        transition: 0, // land that fades in costs a dozen frames of the whole map for each tile
        url: address("chart/") + "{z}/{x}/{y}",
        maxZoom: 12,
        attributions: (frame) => [
          "© OpenStreetMap contributors",
          ...(frame.viewState.resolution < rough ? [t("map.rough")] : []),
          ...(this.learned ? [`<i class="learned"></i>${t("map.learned")}`] : []),
        ],
      }),
      renderBuffer: 8,
      background: undefined,
    });
    this.map = new Map({
      target,
      view: this.view,
      controls: controls({ zoom: false, rotate: false, attribution: false }).extend([new Attribution({ collapsible: false }), new Scale()]),
      interactions: interactions({ altShiftDragRotate: false, pinchRotate: false }).extend([new ToolInteraction(this)]),
      layers: [
        this.land,
        new Layer({ className: "grid", render: (frame) => this.drawGrid(screenOf(frame)) }),
        new Layer({ className: "shapes", render: (frame) => this.drawShapes(screenOf(frame)) }),
        new Layer({
          className: "ships",
          render: (frame) => {
            this.painter.paint(screenOf(frame));
            return this.painter.canvas;
          },
        }),
        new Layer({
          className: "pen",
          render: (frame) => {
            this.shapes.paintPen(screenOf(frame), this.overlay, this.upon);
            return this.shapes.penCanvas;
          },
        }),
      ],
    });
    this.land.getSource()!.on("tileloaderror", () => {
      this.tilesFailed = true;
    });
    this.listen(events);
  }

  /** mend asks again for the land that could not be had while the link was lost. */
  mend(): void {
    if (!this.tilesFailed) return;
    this.tilesFailed = false;
    this.land.getSource()!.refresh();
  }

  private listen(events: ChartEvents): void {
    this.map.on("moveend", () => {
      this.uncoverLabels();
      const [x, y] = this.view.getCenter() ?? [0, 0];
      events.moved(x * toDegrees, Math.atan(Math.sinh(y / 6378137)) * (180 / Math.PI), this.view.getZoom() ?? 2);
    });
    this.map.on("pointermove", (e) => {
      if (e.dragging || byFinger(e)) return;
      const taken = this.screen !== undefined && this.tool?.move(this.screen, e.pixel[0], e.pixel[1]) === true;
      if (this.pen || taken) {
        this.target.classList.toggle("pointing", taken);
        return events.hovered(undefined, 0, 0);
      }
      const ship = this.painter.at(e.pixel[0], e.pixel[1], 14);
      this.target.classList.toggle("pointing", ship !== undefined);
      events.hovered(ship, e.pixel[0], e.pixel[1]);
    });
    this.target.addEventListener("pointerleave", () => {
      events.hovered(undefined, 0, 0);
      this.upon?.leave?.();
    });
    this.map.on("click", (e) => {
      const touch = byFinger(e);
      if (this.pen && this.screen) return this.pen.click(this.screen, e.pixel[0], e.pixel[1], touch);
      const [x, y] = e.pixel,
        ship = this.painter.at(x, y, touch ? 26 : 16);
      const port = this.shapes.harbours.portAt(x, y, touch ? 6 : 3);
      if (this.screen && this.upon?.click(this.screen, x, y, touch, ship, port)) return;
      if (this.screen && this.overlay?.click(this.screen, x, y, touch, ship, port)) return;
      events.clicked(ship, this.screen && this.shapes.at(this.screen, x, y, touch ? 12 : 6));
    });
    new ResizeObserver(() => {
      this.map.updateSize();
      this.uncoverLabels();
    }).observe(this.target);
  }

  /** uncoverLabels finds what lies upon the map, so that no label is put beneath it. */
  uncoverLabels(): void {
    const map = this.target.getBoundingClientRect();
    this.painter.look.covered = [...document.querySelectorAll(".maptools, .legend, .card, .ol-attribution ul, .ol-scale-line")].map((e) => {
      const r = e.getBoundingClientRect();
      return [r.left - map.left, r.top - map.top, r.right - map.left, r.bottom - map.top];
    });
    this.map.render();
  }

  private drawShapes(screen: Screen): HTMLElement {
    this.screen = screen;
    const used = this.shapes.paint(screen, this.painter.look.covered, this.overlay);
    this.shapes.canvas.hidden = !used && !this.way;
    this.way?.paint(this.shapes.canvas.getContext("2d")!, screen, palettes[this.painter.look.palette], this.picture.now());
    this.painter.reserved = this.shapes.names;
    return this.shapes.canvas;
  }

  /** pen is what draws on the map, if anything does: it has the clicks then. */
  get pen(): Pen | undefined {
    return this.shapes.pen;
  }

  /** take gives the map a pen, or takes it away. */
  take(pen: Pen | undefined): void {
    this.shapes.pen = pen;
    this.target.classList.remove("pointing");
    this.redraw();
  }

  /** tool is what has the drags that begin on something of its own, if anything does. */
  get tool(): Tool | undefined {
    return this.pen ?? this.upon ?? this.overlay;
  }

  /** idle tells that the tool leaves drags and double clicks to the map. */
  get idle(): boolean {
    return !this.pen && (this.upon ?? this.overlay)?.idle === true;
  }

  /** hold returns the ruler to the pointer, or takes it away. */
  hold(ruler: Overlay | undefined): void {
    this.upon = ruler;
    this.redraw();
  }

  /** lay lays something over the map that draws itself, or takes it away. */
  lay(overlay: Overlay | undefined): void {
    this.overlay = overlay;
    this.target.classList.remove("pointing");
    this.redraw();
  }

  /** reload reads the tiles anew, after learned water was rejected or taken back. */
  reload(): void {
    this.learned = false;
    this.land.getSource()!.refresh();
  }

  /** redraw draws the whole map anew in the next frame. */
  redraw(): void {
    this.target.classList.toggle("drawing", this.pen !== undefined || (this.upon ?? this.overlay)?.aims === true);
    this.map.render();
  }

  // drawGrid draws the graticule, unless it lies there already: what is drawn anew the browser copies anew, the whole of the screen.
  private drawGrid(screen: Screen): HTMLElement {
    const { palette, covered } = this.painter.look,
      drawn = JSON.stringify([screen, palette, covered, document.documentElement.lang]);
    if (drawn === this.gridDrawn) return this.grid;
    this.gridDrawn = drawn;
    fit(this.grid, screen);
    const context = this.grid.getContext("2d")!;
    context.clearRect(0, 0, screen.width, screen.height);
    drawGrid(context, screen, palettes[palette], covered);
    return this.grid;
  }

  /** dress gives the map the colours of a palette. */
  dress(name: PaletteName): void {
    const p = palettes[name];
    this.painter.look.palette = name;
    this.shapes.palette = name;
    this.target.style.backgroundColor = p.sea;
    const shore = new Style({ fill: new Fill({ color: textured(p) }), stroke: new Stroke({ color: p.shore, width: 1.25 }) });
    const learned = new Style({ fill: new Fill({ color: p.learned }), zIndex: 1 });
    const seen = new Style({ stroke: new Stroke({ color: p.shore, width: 1, lineDash: [2, 4] }), zIndex: 1 });
    this.target.style.setProperty("--learned", p.learned);
    this.land.setStyle((feature) => {
      const layer: unknown = feature.get("layer");
      if (layer === "learned" || layer === "seen") this.learned = true;
      return layer === "learned" ? learned : layer === "seen" ? seen : shore;
    });
    this.map.render();
  }

  /** draw draws the ships anew at once; the rest of the map stays as it is. */
  draw(): void {
    this.painter.repaint();
  }

  /** show puts the view where an address says. */
  show(lon: number, lat: number, zoom: number): void {
    this.aimed = true;
    this.view.setCenter([mercatorX(lon), mercatorY(lat)]);
    this.view.setZoom(zoom);
  }

  /** showView goes to a view by a short glide. */
  showView(lon: number, lat: number, zoom: number): void {
    this.aimed = true;
    this.view.cancelAnimations();
    this.view.animate({ center: [this.near(mercatorX(lon)), mercatorY(lat)], zoom, duration: glide(250) });
  }

  /** fit shows all ships that are shown, but for the few farthest out. It tells whether there was one. */
  fit(animated: boolean): boolean {
    const extent = extentOf(this.picture, Placed | Shown, firstStation);
    if (!extent) return false;
    const [w = 800, h = 600] = this.map.getSize() ?? [];
    const edge = Math.min(56, w * 0.08, h * 0.08);
    this.view.fit(extent, { padding: [edge, edge, edge, edge], maxZoom: 14, duration: animated ? glide(250) : 0 });
    return true;
  }

  /** fitTrack shows a whole track beside what covers the map. */
  fitTrack(track: Track): void {
    const [w = 800, h = 600] = this.map.getSize() ?? [],
      [west, south, east, north] = extentOfTrack(track),
      shift = this.near((west + east) / 2) - (west + east) / 2;
    const card = document.querySelector(".mapbox ~ .card")?.getBoundingClientRect(),
      cover = card && innerWidth >= 900 ? card.width + 20 : 0,
      edge = Math.min(56, w * 0.05, h * 0.08);
    this.aimed = true;
    this.view.cancelAnimations();
    this.view.fit([west + shift, south, east + shift, north], {
      padding: [edge, edge + Math.min(cover, w / 2), edge + 40, edge],
      maxZoom: 15,
      duration: glide(250),
    });
  }

  /** showBox shows west, south, east, north in degrees; east may lie beyond 180, or west of west across the date
   * line; cover is what hides the right edge, in pixels. */
  showBox([w, s, e, n]: readonly [number, number, number, number], zoom?: number, cover = 0): void {
    const east = e < w ? e + 360 : e,
      [width = 800, height = 600] = this.map.getSize() ?? [];
    const x = this.near(mercatorX((w + east) / 2)),
      half = mercatorX((east - w) / 2),
      edge = Math.min(72, width * 0.1, height * 0.1);
    this.aimed = true;
    this.view.cancelAnimations();
    if (zoom !== undefined) {
      const to = Math.max(2, Math.min(18, zoom)),
        aside = (cover / 2) * this.view.getResolutionForZoom(to);
      this.view.animate({ center: [x + aside, (mercatorY(s) + mercatorY(n)) / 2], zoom: to, duration: glide(250) });
    } else
      this.view.fit([x - half, mercatorY(s), x + half, mercatorY(n)], {
        padding: [edge, edge + cover, edge, edge],
        maxZoom: 15,
        duration: glide(250),
      });
  }

  /** go brings a ship into the middle, near enough to see what lies around it; cover is what hides the right edge, in pixels. */
  go(ship: Pick<Ship, "lon" | "lat">, closer: boolean, cover = 0): void {
    if (ship.lon === undefined || ship.lat === undefined) return;
    this.aimed = true;
    const zoom = this.view.getZoom() ?? 2;
    const to = closer && zoom < 12 ? 13 : zoom;
    const resolution = this.view.getResolutionForZoom(to);
    const x = this.near(mercatorX(ship.lon)) + (cover / 2) * resolution;
    this.view.cancelAnimations();
    this.view.animate({ center: [x, mercatorY(ship.lat)], zoom: to, duration: glide(250) });
  }

  /** uncover moves the map if a ship lies beyond the edge or under what covers the right of it. */
  uncover(ship: Ship, cover: number): void {
    if (!this.sees(ship, cover)) this.go(ship, false, cover);
  }

  /** sees tells whether a ship lies inside the edges and beside what covers the right one; one without a place counts as seen. */
  sees(ship: Ship, cover: number): boolean {
    if (ship.lon === undefined || ship.lat === undefined) return true;
    const pixel = this.map.getPixelFromCoordinate([this.near(mercatorX(ship.lon)), mercatorY(ship.lat)]);
    const [w = 0, h = 0] = this.map.getSize() ?? [];
    return pixel !== null && pixel[0] >= 20 && pixel[1] >= 20 && pixel[1] <= h - 20 && pixel[0] <= w - cover - 20;
  }

  /** busy is true while the map glides, or a finger or the mouse moves it. */
  get busy(): boolean {
    return this.view.getAnimating() || this.view.getInteracting();
  }

  /** drift moves the map as far as something sailed from one place to another. */
  drift(from: { lon: number; lat: number }, to: { lon: number; lat: number }): void {
    const [x, y] = this.view.getCenter() ?? [0, 0],
      dx = this.near(mercatorX(to.lon)) - this.near(mercatorX(from.lon));
    this.view.animate({ center: [x + dx, y + mercatorY(to.lat) - mercatorY(from.lat)], duration: glide(250) });
  }

  // near returns the copy of x that lies nearest to the middle of the view: a fleet may span 180 degrees.
  private near(x: number): number {
    const centre = this.view.getCenter()?.[0] ?? 0;
    return x + Math.round((centre - x) / world) * world;
  }

  /** zoom changes the zoom by so many levels. */
  zoom(by: number): void {
    this.view.cancelAnimations();
    this.view.animate({ zoom: (this.view.getZoom() ?? 2) + by, duration: glide(150) });
  }

  /** pixel returns where a ship is drawn, in CSS pixels of the map. */
  pixel(ship: Ship): [number, number] | undefined {
    const ratio = this.painter.canvas.width / Math.max(1, this.target.clientWidth);
    for (let k = 0; k < this.painter.count; k++) {
      if (this.painter.seen[k] === ship.slot) return [this.painter.px[k] / ratio, this.painter.py[k] / ratio];
    }
    return undefined;
  }
}
