// Distress is the alarms of people in distress as the server tells them, how they sound, and what the user does about them.
import { Refusal, send } from "../api";
import type { Alarms } from "../contract";
import type { Desk } from "../desk";
import type { Navigation } from "../navigation";
import { cover } from "../cover";
import type { Selection } from "../selection";
import { t } from "../text/text";
import { alarmOf, inOrder, keyOf, whatOf, whoOf, type Alarm } from "./alarm";
import { Siren, type Tone } from "./siren";
import { whyOf } from "../why";

/** View is how much of the strip stands there: its mark alone, the first alarm, or all of them. */
export type View = "mark" | "first" | "all";

const quiet = 30e3; // milliseconds of silence that a user gets

export class Distress {
  alarms: Alarm[] = [];
  total = 0;
  many = false;
  /** said is read aloud: it changes when an alarm comes, and not with each second of its age. */
  said = "";
  view: View = "first";
  readonly siren = new Siren(() => this.desk.changed());
  private time = "";
  private silentUntil = -1;
  private known = new Set<string>();
  private readonly hidden = new Set<string>();
  private prefix = "";

  constructor(
    private readonly desk: Desk,
    private readonly navigation: Navigation,
    private readonly selection: Selection,
    /** rest tells that the sound rests because somebody silenced the alert of it, on whichever screen. */
    private readonly rest: () => boolean = () => false,
  ) {
    desk.subscribe(() => this.entitle());
  }

  /** shown returns the alarms of the strip: all but acknowledged ones that the user has put away. Alarms that nobody has acknowledged come first, then
   * tests, then the others. */
  get shown(): Alarm[] {
    return inOrder(this.alarms.filter((a) => !a.seen || !this.hidden.has(keyOf(a))));
  }

  /** show sets how much of the strip stands there. The next alarm shows itself again. */
  show(view: View): void {
    this.view = view;
    this.desk.changed();
  }

  /** state tells how the strip looks: an alarm, a test, or all of them acknowledged. */
  get state(): "alarm" | "test" | "seen" {
    if (this.alarms.some((a) => !a.seen && !a.test)) return "alarm";
    return this.alarms.some((a) => !a.seen) ? "test" : "seen";
  }

  /** silence returns how many seconds the sound is still off on this screen. */
  get silence(): number {
    return Math.max(0, Math.ceil((this.silentUntil - performance.now()) / 1000));
  }

  /** hear takes the alarms of the server. */
  hear(data: Alarms): void {
    this.time = data.time;
    this.total = data.total;
    this.many = data.many === true;
    this.alarms = data.records.map(alarmOf);
    const open = this.alarms.filter((a) => !a.seen),
      come = open.filter((a) => !this.known.has(keyOf(a)));
    this.known = new Set(open.map(keyOf));
    if (come.some((a) => !a.test)) {
      this.silentUntil = -1; // it was another alarm that the user silenced, and folded
      if (this.view === "mark") this.view = "first";
    }
    if (this.shown.length === 0) this.view = "first";
    if (come.length > 0) this.said = come.map((a) => `${whatOf(a)}: ${whoOf(a)}`).join(", ");
    this.tick();
    this.mark();
    this.desk.changed();
  }

  /** tick lets the sound go on when the silence is over. */
  tick(): void {
    const tone: Tone = this.state === "seen" || this.silence > 0 || (this.state === "alarm" && this.rest()) ? "none" : this.state;
    this.siren.play(tone);
  }

  /** mark gives the map the places of the alarms. */
  mark(): void {
    const { chart } = this.desk;
    if (!chart) return;
    chart.painter.alarms = this.alarms;
    chart.draw();
  }

  /** clear forgets the alarms: nobody is signed in. */
  clear(): void {
    this.hear({ time: "", total: 0, tests: 0, records: [] });
    this.said = "";
    this.entitle();
  }

  /** hush silences the sound on this screen for half a minute. */
  hush(): void {
    this.silentUntil = performance.now() + quiet;
    this.tick();
    this.desk.changed();
  }

  /** hide puts an acknowledged alarm away on this screen. */
  hide(alarm: Alarm): void {
    this.hidden.add(keyOf(alarm));
    this.desk.changed();
  }

  /** goTo shows where an alarm is. */
  async goTo(alarm: Alarm): Promise<void> {
    const { navigation, desk } = this;
    const covered = ["page", "wall"].includes(navigation.open.kind) || (navigation.open.kind === "panel" && innerWidth < 900);
    if (covered && !(await navigation.go("map"))) return;
    if (this.view === "all") this.view = "first"; // the map is what is looked at now
    desk.chart?.go(alarm, true, cover());
    this.selection.select(alarm.mmsi, "stay");
  }

  /** acknowledge tells the server that the user has seen an alarm, or all. An alarm that came later is not meant. */
  async acknowledge(alarm?: Alarm): Promise<void> {
    const body = alarm ? { mmsi: [alarm.mmsi], before: new Date(alarm.since).toISOString() } : { before: this.time };
    try {
      await send("POST", "distress/acknowledge", body);
    } catch (problem) {
      this.desk.tell(problem instanceof Refusal ? whyOf(problem) : t("distress.failed"), true);
    }
  }

  // entitle puts the alarm before the title of the page, which other parts of the client change.
  private entitle(): void {
    const open = this.alarms.filter((a) => !a.seen && (this.state === "test" || !a.test));
    const prefix =
      open.length === 0
        ? ""
        : `⚠ ${open.length === 1 ? `${whatOf(open[0])}: ${whoOf(open[0])}` : t("distress.count", { n: this.total || open.length })} · `;
    const bare = this.prefix && document.title.startsWith(this.prefix) ? document.title.slice(this.prefix.length) : document.title;
    this.prefix = prefix;
    if (document.title !== prefix + bare) document.title = prefix + bare;
  }
}
