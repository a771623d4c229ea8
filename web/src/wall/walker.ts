// Walker brings the map to what the wall display shows, one thing after another. It has no clock of its own: the page ticks once a second.
import type { App } from "../app";
import { Passings } from "./passing";
import { keptOf, newsOf, next, passingsOf, shipsOf, start, step, within, type Item, type Walk, type World } from "./walk";

const usual = 15; // seconds for which one thing is shown
const late = 100; // milliseconds by which a tick may come early

export class Walker {
  walk: Walk = start;
  private readonly passings: Passings;

  constructor(private readonly app: App) {
    this.passings = new Passings(app);
  }

  /** begin puts away what the user had in hand, and shows the first thing. It gives the end. */
  begin(): () => void {
    const { app } = this;
    app.selection.close();
    app.following.mmsi = 0;
    if (app.measuring) void app.measure(false);
    void app.watchdogs.load(); // the events of one that was deleted are no news
    const unsubscribe = app.subscribe(() => this.look());
    this.look();
    return () => {
      unsubscribe();
      this.mark(app.selection.mmsi);
    };
  }

  /** look goes on when it is time, and else keeps the ship in sight. */
  look(): void {
    const every = (this.app.wall.every ?? usual) * 1e3;
    if (this.app.events.all.length === 0) this.passings.look();
    this.turn(step(this.walk, this.world(), performance.now(), every - late));
  }

  /** skip goes on at once. */
  skip(): void {
    this.turn(next(this.walk, this.world(), performance.now()));
  }

  private turn(walk: Walk): void {
    const { app } = this;
    if (!app.chart || app.session.stage !== "on") return;
    if (walk === this.walk) return this.keep();
    this.walk = walk;
    this.show(walk.item);
    app.changed();
  }

  private world(): World {
    const { picture, events, watchdogs } = this.app,
      there = (mmsi: number): boolean => this.isThere(mmsi),
      news = newsOf(keptOf(events.all, watchdogs), there, picture.now());
    return {
      news: news.length > 0 ? news : passingsOf(this.passings.all, there),
      ships: () => shipsOf(picture.ships.values(), there),
      there,
    };
  }

  private isThere(mmsi: number): boolean {
    const { picture, search } = this.app,
      ship = picture.ships.get(mmsi);
    return ship !== undefined && search.isShown(ship);
  }

  /** place returns where a thing is: its ship as it is now, else the event as it was. */
  private place({ mmsi, event }: Item): { lon: number; lat: number } | undefined {
    const { lon, lat } = this.app.picture.ships.get(mmsi) ?? {};
    if (lon !== undefined && lat !== undefined) return { lon, lat };
    return event?.lon !== undefined && event.lat !== undefined ? { lon: event.lon, lat: event.lat } : undefined;
  }

  // show brings the map to a thing: by the view that the address gave, where the thing lies in it. What has no place leaves all ships to see.
  private show(item: Item | undefined): void {
    const { chart, wall } = this.app,
      { width = 0, height = 0, ratio = 1 } = chart!.screen ?? {},
      at = item && this.place(item);
    this.mark(item?.mmsi ?? 0);
    if (wall.view && (!at || within(wall.view, at, width / ratio, height / ratio)))
      chart!.showView(wall.view.lon, wall.view.lat, wall.view.zoom);
    else if (at) chart!.go(at, true);
    else chart!.fit(true);
  }

  // keep follows a ship that sails out of sight.
  private keep(): void {
    const { chart, picture } = this.app,
      ship = picture.ships.get(this.walk.item?.mmsi ?? 0);
    if (ship && chart && !chart.busy && chart.screen && !chart.sees(ship, 0)) chart.go(ship, false);
  }

  private mark(mmsi: number): void {
    const { chart } = this.app;
    if (!chart || chart.painter.look.selected === mmsi) return;
    chart.painter.look.selected = mmsi;
    chart.draw();
  }
}
