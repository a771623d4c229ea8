// Planner holds the plan of a route and asks the server for the way: one question at a time, and none older than what is shown.
import { Refusal, send } from "../api";
import type { ListedPort, SeaRoute } from "../contract";
import type { Desk } from "../desk";
import { boundsOf, normal, unwrap, type Place } from "../geometry";
import { title } from "../ship";
import { answerOf, type Answer } from "./answer";
import { bodyOf, nothing, stopsOf, withStop, withVia, type Plan, type PortStop, type Stop } from "./plan";

const path = "portserver/ship/route/execute";
const pace = 200; // milliseconds between two questions at least
const patience = 150e3; // the server takes up to two minutes

/** Question is a question that is under way. */
interface Question {
  text: string;
  abort: AbortController;
}

export class Planner {
  plan: Plan = nothing;
  /** answer is the way of the plan, or while something is dragged of one just before it. */
  answer?: Answer;
  /** open is the way that would be if no passage were closed. */
  open?: Answer;
  /** problem is why there is no way. */
  problem?: unknown;
  /** adding is true while a waypoint is asked for. */
  adding = false;
  /** chosen is the stop whose field has, or is to have, the focus; -1 for none. */
  chosen = -1;
  /** called grows each time that the field of the chosen stop is to take the focus. */
  called = 0;
  /** turn grows with each plan that comes from elsewhere: what is half typed goes. */
  turn = 0;
  /** held is the stop that is dragged; -1 for none. */
  held = -1;
  /** shown is true while the planner is on the screen. */
  shown = false;
  private flight?: Question;
  private asked = ""; // the question that answer and problem are of
  private openAsked = "";
  private last = -Infinity;
  private timer = 0;
  private quiet = false; // the plan is the same, and only its ship has sailed on
  private fits = false; // the next answer is shown as a whole
  private names = new Map<string, PortStop>(); // ports by what the address calls them

  constructor(
    private readonly desk: Desk,
    private readonly cover: () => number,
  ) {}

  /** begun is true once something is planned. */
  get begun(): boolean {
    return this.shown && this.plan !== nothing;
  }

  /** busy is true while the way of another plan than the one that is shown is looked for. */
  get busy(): boolean {
    return !this.quiet && this.under;
  }

  private get under(): boolean {
    return this.flight !== undefined || this.timer !== 0;
  }

  // ---- the plan --------------------------------------------------------------------------------------------------

  /** set takes another plan; fits shows its way as a whole. */
  set(plan: Plan, fits = false): void {
    this.plan = plan;
    this.quiet = false;
    this.fits ||= fits;
    if (this.shown) this.ask();
    this.redraw();
    this.desk.changed();
  }

  /** follow takes the plan of an address; fits shows its way as a whole. */
  follow(plan: Plan | undefined, fits = false): void {
    this.adding = this.fits = false;
    this.chosen = -1;
    this.turn++;
    this.set(plan ?? nothing, fits);
  }

  /** put sets a stop, or the waypoint that is being added. */
  put(i: number, stop: Stop | undefined, fits = false): void {
    const known = stop?.kind === "port" || stop?.kind === "ship" ? this.placed(stop) : stop;
    if (this.adding && i === this.addingAt) {
      if (!known || known.kind !== "place") return;
      this.adding = false;
      return this.set(withVia(this.plan, i, known), fits);
    }
    const waypoint = this.index(i) > 0 && this.index(i) <= this.plan.via.length;
    this.set(withStop(this.plan, this.index(i), waypoint ? known : stop), fits);
  }

  /** addingAt is where the new waypoint stands among the stops: the last before the end. */
  get addingAt(): number {
    return this.plan.via.length + 1;
  }

  // index returns the stop of a row: while a waypoint is added, the end stands one row lower.
  private index(row: number): number {
    return this.adding && row > this.addingAt ? row - 1 : row;
  }

  /** add asks for one more waypoint. */
  add(): void {
    this.adding = true;
    this.chosen = this.addingAt;
    this.called++;
    this.redraw();
    this.desk.changed();
  }

  /** clear forgets everything. */
  clear(): void {
    this.follow(undefined);
  }

  /** remove takes a waypoint away, or the one that is being added. */
  remove(row: number): void {
    const added = this.adding && row === this.addingAt;
    this.adding = this.adding && !added;
    this.chosen = -1;
    if (added) this.set(this.plan);
    else this.set(withStop(this.plan, row, undefined));
  }

  /** begin begins a plan with its source. */
  begin(from: Stop): void {
    this.adding = false;
    this.chosen = 1;
    this.called++;
    this.turn++;
    this.set({ ...nothing, from });
  }

  /** choose has the field of a stop take the focus. */
  choose(i: number): void {
    this.adding = false;
    this.chosen = i;
    this.called++;
    this.redraw();
    this.desk.changed();
  }

  /** redraw draws the map anew. */
  redraw(): void {
    this.desk.chart?.redraw();
  }

  /** rows are the stops in their order, with the one that is being added. */
  get rows(): (Stop | undefined)[] {
    const all = stopsOf(this.plan);
    return this.adding ? all.toSpliced(this.addingAt, 0, undefined) : all;
  }

  /** wanted is the row that a click on the map fills; -1 where none is empty. */
  get wanted(): number {
    const { rows } = this;
    return this.chosen >= 0 && this.chosen < rows.length && !rows[this.chosen] ? this.chosen : rows.indexOf(undefined);
  }

  // ---- what is known of the stops --------------------------------------------------------------------------------

  /** nameOf is what a stop is called; "" of a position without a name. */
  nameOf(stop: Stop): string {
    if (stop.kind === "place") return stop.name ?? "";
    if (stop.kind === "ship") return title(this.desk.picture.ships.get(stop.mmsi) ?? { mmsi: stop.mmsi });
    const known = this.names.get(keyOf(stop)),
      name = stop.name ?? known?.name,
      text = known?.text ?? stop.text;
    return name && text && name !== text ? `${name} (${text})` : name || text || String(stop.id);
  }

  /** placeOf is where a stop lies, as far as that is known. */
  placeOf(stop: Stop): Place | undefined {
    if (stop.kind === "place") return stop.at;
    if (stop.kind === "port") return stop.at ?? this.names.get(keyOf(stop))?.at;
    const ship = this.desk.picture.ships.get(stop.mmsi);
    if (ship?.lon !== undefined && ship.lat !== undefined) return [ship.lon, ship.lat];
    return this.answer?.ends.find((end) => end.mmsi === stop.mmsi)?.position.coordinates;
  }

  /** meet keeps what a list of ports says of a port. */
  meet(port: PortStop): void {
    this.names.set(keyOf(port), port);
  }

  // placed turns a port or ship into its position, for a waypoint.
  private placed(stop: Stop): Stop | undefined {
    const at = this.placeOf(stop);
    return at && { kind: "place", at: [normal(at[0]), at[1]], name: this.nameOf(stop) };
  }

  // ---- dragging --------------------------------------------------------------------------------------------------

  /** move brings a stop to a place, while it is dragged. */
  move(i: number, [lon, lat]: Place): void {
    this.held = i;
    this.fits = false;
    this.set(withStop(this.plan, i, { kind: "place", at: [Number(normal(lon).toFixed(5)), Number(lat.toFixed(5))] }));
  }

  /** bend makes a waypoint out of a place on the way, before a stop, and takes hold of it. */
  bend(before: number, at: Place): void {
    const plan = withVia(this.plan, before, { kind: "place", at: [normal(at[0]), at[1]] });
    if (plan === this.plan) return;
    this.adding = false;
    this.plan = plan;
    this.move(before, at);
  }

  /** drop lets go of what was dragged. */
  drop(): void {
    if (this.held < 0) return;
    this.held = -1;
    this.ask();
    this.desk.changed();
  }

  // ---- the question ----------------------------------------------------------------------------------------------

  /** show begins to ask, and hide ends it. */
  show(): void {
    this.shown = true;
    this.ask();
  }

  hide(): void {
    this.shown = false;
    this.held = this.chosen = -1;
    this.adding = false;
    this.stop();
  }

  /** again asks anew, as a ship has sailed on; nothing shows that it is under way. */
  again(): void {
    if (this.under || this.held >= 0 || !stopsOf(this.plan).some((stop) => stop?.kind === "ship")) return;
    this.asked = "";
    this.quiet = true;
    this.ask();
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.flight?.abort.abort();
    this.flight = undefined;
  }

  // ask sees to it that the answer is that of the plan. While something is dragged, what is under way is waited for.
  private ask(): void {
    const text = JSON.stringify(bodyOf(this.plan));
    if (text === undefined) {
      this.stop();
      this.answer = this.open = this.problem = undefined;
      this.asked = this.openAsked = "";
      return;
    }
    if (this.flight?.text === text || this.timer !== 0 || (this.flight && this.held >= 0)) return;
    this.flight?.abort.abort();
    this.flight = undefined;
    if (text === this.asked) return this.fits ? this.fit() : undefined;
    this.timer = window.setTimeout(
      () => {
        this.timer = 0;
        void this.send();
      },
      Math.max(0, this.last + pace - performance.now()),
    );
  }

  private async send(): Promise<void> {
    const { plan } = this,
      body = bodyOf(plan);
    if (!body) return;
    const mine = (this.flight = { text: JSON.stringify(body), abort: new AbortController() });
    this.last = performance.now();
    const impatience = setTimeout(() => mine.abort.abort(), patience);
    try {
      const answer = await send<SeaRoute>("POST", path, body, mine.abort.signal);
      if (this.flight === mine) this.take(mine, answerOf(answer, plan), undefined);
    } catch (problem) {
      if (this.flight === mine) this.take(mine, undefined, problem);
    } finally {
      clearTimeout(impatience);
    }
  }

  private take(question: Question, answer: Answer | undefined, problem: unknown): void {
    this.flight = undefined;
    this.asked = question.text;
    const { quiet } = this;
    this.quiet = false;
    this.answer = answer;
    this.problem = problem;
    if (answer) this.learn(answer);
    if (this.fits && this.held < 0) this.fit();
    this.redraw();
    this.desk.changed();
    this.ask(); // the plan may be another by now
    if (this.held < 0 && !this.under) void this.askOpen(quiet);
  }

  // learn keeps what an answer says of its ports.
  private learn({ of, ends }: Answer): void {
    [of.from, of.to].forEach((stop, i) => {
      const { port, position } = ends[i];
      if (stop?.kind === "port" && port)
        this.names.set(keyOf(stop), { kind: "port", id: port.id, text: port.locode ?? "", name: port.name, at: position.coordinates });
    });
  }

  // askOpen asks what the way would be with nothing closed, to tell what the way round costs; anew also where that was asked before.
  private async askOpen(anew: boolean): Promise<void> {
    const { answer } = this;
    if (!answer || answer.of.avoid.length === 0) {
      this.open = undefined;
      this.openAsked = "";
      return;
    }
    const plan = { ...answer.of, avoid: [] },
      body = bodyOf(plan)!,
      text = JSON.stringify(body);
    if (text === this.openAsked && !anew) return;
    if (text !== this.openAsked) this.open = undefined;
    this.openAsked = text;
    const way = await send<SeaRoute>("POST", path, body, AbortSignal.timeout(patience)).catch(() => undefined);
    if (this.openAsked !== text) return;
    this.open = way && answerOf(way, plan);
    this.redraw();
    this.desk.changed();
  }

  /** box holds the whole way, or the stops where there is none; undefined while there is not enough to show. */
  get box(): [number, number, number, number] | undefined {
    if (this.answer) return boundsOf([this.answer.line]);
    const places = stopsOf(this.plan).flatMap((stop) => (stop && this.placeOf(stop) ? [this.placeOf(stop)!] : []));
    return places.length < 2 ? undefined : boundsOf([unwrap(places)]);
  }

  /** fit shows all that there is of the plan. */
  fit(): void {
    this.fits = false;
    const { box } = this;
    if (!box) return;
    const [west, south, east, north] = box,
      room = innerWidth < 900 ? 0.2 * (east - west) : 0; // on a phone the buttons of the map would lie upon an end
    this.desk.chart?.showBox([west - room, south, east, north], undefined, this.cover());
  }

  /** choices are the ports that one name of the plan may mean, and the end that has it. */
  get choices(): { end: number; ports: PortStop[] } | undefined {
    const { problem, plan } = this;
    if (!(problem instanceof Refusal) || problem.code !== "ambiguous_port") return undefined;
    const vague = (stop: Stop | undefined): boolean => stop?.kind === "port" && !stop.id;
    const end = vague(plan.from) ? 0 : vague(plan.to) ? plan.via.length + 1 : -1;
    return end < 0 ? undefined : { end, ports: (problem.records as ListedPort[]).map(portOf) };
  }
}

/** portOf makes a stop of a port. */
export const portOf = (p: ListedPort): PortStop => ({
  kind: "port",
  id: p.id,
  text: p.locode ?? "",
  name: p.name,
  at: p.position?.coordinates,
});

const keyOf = (stop: PortStop): string => stop.text || String(stop.id);
