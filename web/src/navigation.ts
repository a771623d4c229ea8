// Navigation is which place is open, and the address of the page: copy it, paste it, see the same.
import type { Desk } from "./desk";
import { read, write, type Address } from "./hash";
import { placeOf, places, type Place } from "./places";
import type { Session } from "./session";
import { t } from "./text/text";

const own = "quaywatch"; // the state of a history entry that this page wrote
const pace = 250; // milliseconds between two writings of the address
const rest = 1200; // a view that stood for so long is one to come back to

/** Traveller is the page as the address sees it. */
export interface Traveller {
  /** state returns all of an address but the place. */
  state(): Address;
  /** drifting tells that the map moves by itself, so that its moves are no views to come back to. */
  drifting(): boolean;
  /** held tells that a hand drags a part of the state: the address waits until it is dropped. */
  held(): boolean;
  /** follow brings the page to an address: the whole of one that somebody typed, or the view of one of its own. */
  follow(address: Address, whole: boolean): void;
}

export class Navigation {
  /** path is the place that is open and what of it, as ["users", "alice"]. */
  path: string[] = ["map"];
  private seen = location.hash;
  private timer = 0;
  private begun = false; // the first view is written
  private writtenAt = 0;

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
    private readonly traveller: Traveller,
  ) {
    addEventListener("hashchange", () => this.followAddress());
    addEventListener("beforeunload", (e) => {
      if (desk.unsaved) e.preventDefault();
    });
    desk.subscribe(() => this.keepAddress());
  }

  /** open returns the place that is open. */
  get open(): Place {
    return placeOf(this.path[0]);
  }

  /** menu returns the places that the user may open. */
  get menu(): Place[] {
    return places.filter((place) => this.mayOpen(place));
  }

  /** mayOpen tells whether a place is the user's to open. */
  mayOpen(place: Place): boolean {
    const { user, account } = this.session;
    return (
      place.kind === "map" ||
      place.kind === "wall" ||
      (!!(user || (account.link && place.guest)) && (place.rights === undefined || place.rights.some((right) => this.session.may(right))))
    );
  }

  /** go opens a place, as go("users", "alice"); it is false when the user stays because something is not saved. */
  async go(...path: string[]): Promise<boolean> {
    if (path.join("/") === this.path.join("/")) return true;
    if (!this.sameThing(path) && !(await this.desk.mayLeave())) return false;
    this.moveTo(path);
    this.write("pushState");
    void this.session.refresh();
    return true;
  }

  /** goInstead opens a place in the stead of the one that is open: going back does not lead to what was made or is gone. */
  goInstead(...path: string[]): void {
    this.desk.unsaved = false;
    this.moveTo(path);
    this.write("replaceState");
  }

  /** showMap leaves a page for the map, which it covers. */
  showMap(): void {
    if (this.open.kind === "page") void this.go("map");
  }

  private moveTo(path: string[]): void {
    const other = placeOf(path[0]) !== this.open;
    this.path = path;
    if (other) document.title = this.open.kind === "map" ? t("app.title") : `${t("menu." + this.open.name)} · ${t("app.title")}`;
    this.desk.hover = undefined;
    this.desk.chart?.draw();
    this.desk.changed();
  }

  // sameThing tells whether a path shows another side of what is open, so that nothing is lost by going there.
  private sameThing(path: string[]): boolean {
    return path.length > 1 && path[0] === this.path[0] && path[1] === this.path[1];
  }

  private address(): string {
    return "#" + write({ ...this.traveller.state(), place: this.open.kind === "map" ? undefined : this.path });
  }

  private write(how: "pushState" | "replaceState"): void {
    history[how](own, "", this.address());
    this.seen = location.hash;
    this.writtenAt = performance.now();
  }

  private keepAddress(): void {
    if (!this.desk.settled || this.timer !== 0) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      if (this.traveller.held()) return; // the drop calls again
      if (location.hash !== this.seen || !this.desk.settled || this.address() === location.hash) return; // an address was typed that is yet to be followed
      const apart = this.begun && !this.traveller.drifting() && performance.now() - this.writtenAt > rest;
      this.begun = true;
      this.write(apart && this.elsewhere() ? "pushState" : "replaceState");
    }, pace);
  }

  // elsewhere tells whether the page shows something else than its address says: another part of the map, another ship, query, track or plan.
  private elsewhere(): boolean {
    const view = (a: Address): string => write({ view: a.view, ship: a.ship, query: a.query, tracks: a.tracks, plan: a.plan });
    return view(this.traveller.state()) !== view(read(location.hash));
  }

  // An address that somebody typed is followed in all; going back and forth among our own brings back the view.
  private followAddress(): void {
    this.seen = location.hash;
    const address = read(location.hash),
      path = address.place ?? ["map"];
    const other = path.join("/") !== this.path.join("/"),
      stays = other && (this.sameThing(path) ? this.desk.unfinished?.() === true : this.desk.unsaved);
    if (other) void this.followPath(path, stays);
    if (!stays) this.traveller.follow(address, history.state !== own);
    this.writtenAt = performance.now(); // what follows from it is no new view
    this.desk.changed();
  }

  private async followPath(path: string[], stays: boolean): Promise<void> {
    const was = this.path;
    if (!stays) return this.moveTo(path);
    this.write("pushState"); // stay while the question stands
    if (!this.sameThing(path) && (await this.desk.mayLeave()) && this.path === was) await this.go(...path);
  }
}
