// Alerts is the alerts of watchdogs as the server tells them, how they sound, and what the user does about them.
import { send } from "../api";
import type { Alert as AlertOfAPI, LiveAlerts } from "../contract";
import type { Desk } from "../desk";
import { Chime, Siren } from "../distress/siren";
import type { Session } from "../session";
import { keep, kept } from "../storage";
import { learn, t } from "../text/text";
import type { WatchEvent } from "../watchdogs/event";
import { whyOf } from "../why";
import { alertOf, isRescue, looks, loud, signs, stands, stateOf, textOf, waits, type Alert } from "./alert";
import en from "./en.json";

learn({ en });

const most = 200; // that a page keeps beside those that stand
const pace = 15e3; // milliseconds between two questions

export class Alerts {
  /** all are the alerts that stand and the latest others, the newest first. */
  all: Alert[] = [];
  /** problem says why they could not be read. */
  problem = "";
  /** there is true once they have been read. */
  there = false;
  /** said is read aloud: it changes when something comes that somebody has to look at. */
  said = "";
  sound = kept("eventsound") !== "no";
  /** popups tells that the browser shows a notification where the page is not looked at. */
  popups = kept("popups") === "yes";
  readonly chime = new Chime(() => this.desk.changed());
  readonly siren = new Siren(() => this.desk.changed());
  private askedAt = 0;
  private asking?: LiveAlerts[]; // what came while the list is asked for

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
  ) {}

  /** waiting are the alerts that somebody has to look at. */
  get waiting(): Alert[] {
    return this.all.filter(waits);
  }

  /** muted tells that there is a sound, and that the browser keeps it off. */
  get muted(): boolean {
    return this.sound && (this.chime.muted || this.siren.muted);
  }

  /** rest tells that somebody lets the sound of all alerts of people in distress rest, on all screens. */
  get rest(): boolean {
    const now = this.desk.picture.now(),
      rescues = this.all.filter((a) => isRescue(a) && waits(a));
    return rescues.length > 0 && rescues.every((a) => stateOf(a, now) === "silenced");
  }

  /** load asks for the latest alerts. */
  async load(): Promise<void> {
    if (!this.session.may("view_watchdog")) return this.clear();
    this.askedAt = performance.now();
    const heard: LiveAlerts[] = [],
      { user } = this.session;
    this.asking = heard;
    try {
      const [now, latest] = await Promise.all([
        send<LiveAlerts>("GET", "watchdog/alert"),
        send<LiveAlerts>("GET", `watchdog/alert?latest=${most}`),
      ]);
      if (this.asking !== heard || user !== this.session.user) return;
      const first = !this.there,
        known = new Map(this.all.map((a) => [a.id, a]));
      this.all = [];
      this.problem = "";
      this.there = true;
      this.asking = undefined;
      this.take([...latest.records, ...now.records]);
      if (!first) this.tell(this.all, known);
      for (const news of heard) this.hear(news);
    } catch (problem) {
      if (this.asking !== heard) return;
      this.asking = undefined;
      this.problem = whyOf(problem);
    }
    this.tick();
    this.desk.changed();
  }

  /** hear takes what the server tells: alerts that changed, and those that are gone. */
  hear(news: LiveAlerts): void {
    this.asking?.push(news);
    if (!this.there) return;
    const known = new Map(this.all.map((a) => [a.id, a]));
    const gone = new Set(news.gone);
    if (news.whole) for (const a of this.all) if (stands(a) && !news.records.some((r) => r.id === a.id)) gone.add(a.id);
    this.all = this.all.filter((a) => !gone.has(a.id));
    this.tell(this.take(news.records), known);
    this.tick();
    this.desk.changed();
  }

  /** tick lets the sound go on when a silence is over, and asks now and then for what no stream told. */
  tick(): void {
    const now = this.desk.picture.now();
    this.siren.play(this.sound && this.all.some((a) => !isRescue(a) && loud(a, now)) ? "watch" : "none");
    if (performance.now() - this.askedAt >= pace) void this.load();
  }

  private take(records: AlertOfAPI[]): Alert[] {
    const now = this.desk.picture.now(),
      come = records.map((r) => alertOf(r, now, (mmsi) => this.desk.picture.ships.get(mmsi)?.name));
    const by = new Map([...this.all, ...come].map((a) => [a.id, a]));
    const all = [...by.values()].sort((a, b) => b.id - a.id);
    this.all = all.filter((a, i) => i < most || stands(a));
    return come;
  }

  // tell has what is new heard, seen and read: an alert that waits, with an event that was not there before.
  private tell(come: Alert[], known: Map<number, Alert>): void {
    const fresh = come.filter((a) => waits(a) && a.mine && a.open > 0 && newest(a) > newest(known.get(a.id)));
    if (fresh.length === 0) return;
    if (fresh.every(isRescue)) {
      if (this.popups && document.hidden) popUp(fresh[0]);
      return; // the strip of distress says it
    }
    const grave = fresh.filter((a) => a.priority !== "warning"),
      last = (grave.length > 0 ? grave : fresh)[0];
    this.said = fresh.map((a) => `${t("priority." + a.priority)}: ${textOf(a)}`).join(", ");
    const more = fresh.length > 1 ? ` (+${fresh.length - 1})` : "";
    this.desk.tell(textOf(last) + more, false, { sign: signs[last.priority], look: looks[last.priority] });
    const now = this.desk.picture.now();
    if (this.sound && !fresh.some((a) => loud(a, now))) this.chime.ring(grave.length > 0 ? "alert" : "warning"); // one that is over already sounds once
    if (this.popups && document.hidden) popUp(last);
  }

  /** clear forgets the alerts: nobody is signed in. */
  clear(): void {
    this.all = [];
    this.said = this.problem = "";
    this.there = false;
    this.asking = undefined;
    this.siren.play("none");
  }

  /** setSound lets alerts be heard in this browser, or not. */
  setSound(on: boolean): void {
    this.sound = on;
    keep("eventsound", on ? "yes" : "no");
    this.tick();
    this.desk.changed();
  }

  /** test rings once, so that the user knows whether it is heard. */
  test(): void {
    this.chime.ring("alert");
    this.desk.changed();
  }

  /** setPopups asks the browser for leave to show notifications. */
  async setPopups(on: boolean): Promise<void> {
    this.popups = on && mayPopUp() === "yes" && (await Notification.requestPermission()) === "granted";
    keep("popups", this.popups ? "yes" : "no");
    if (on && !this.popups) this.desk.tell(t("popups.refused"), true);
    this.desk.changed();
  }

  /** acknowledge tells the server that the user has seen an alert. */
  acknowledge = (a: Alert): Promise<boolean> => this.act(a, "ack", {});
  /** silence lets the sound of an alert rest for half a minute, on all screens. */
  silence = (a: Alert): Promise<boolean> => this.act(a, "silence", {});
  /** judge says whether an alert was useful. */
  judge = (a: Alert, useful: boolean): Promise<boolean> => this.act(a, "useful", { useful });

  /** transfer gives an alert to another. Where that is refused it throws: the form says why. */
  async transfer(a: Alert, to: string): Promise<void> {
    this.take([await send<AlertOfAPI>("POST", `watchdog/alert/${a.id}/transfer`, { to })]);
    this.tick();
    this.desk.changed();
  }

  /** silenceAll lets the sound of all alerts rest. */
  async silenceAll(): Promise<void> {
    const now = this.desk.picture.now();
    for (const a of this.all) if (loud(a, now)) await this.silence(a);
  }

  /** mute acknowledges an event, and has its watchdog tell nothing of the ship for a time (HH:MM:SS). */
  async mute(event: number, time: string): Promise<void> {
    try {
      await send("POST", `watchdog/event/${event}/ack`, { for: time });
      await this.load();
    } catch (problem) {
      this.desk.tell(whyOf(problem), true);
    }
  }

  /** remove deletes an event when the user says yes. */
  async remove(e: WatchEvent): Promise<void> {
    const lines = [e.text(), t("form.forGood")];
    if (!(await this.desk.ask({ title: t("event.deleteAsk"), lines, yes: t("form.delete"), bad: true }))) return;
    try {
      await send("DELETE", `watchdog/event/${e.id}`);
      this.drop([e.id]);
    } catch (problem) {
      this.desk.tell(whyOf(problem), true);
    }
    this.desk.changed();
  }

  /** drop forgets events that were deleted. What stands of their alerts the server tells. */
  drop(gone: readonly number[]): void {
    const left = ({ events }: Alert): WatchEvent[] => events.filter((e) => !gone.includes(e.id));
    this.all = this.all.flatMap((a) => {
      const events = left(a),
        count = a.count - (a.events.length - events.length);
      return events.length === a.events.length ? [a] : count > 0 ? [{ ...a, events, count }] : [];
    });
    this.tick();
  }

  private async act(a: Alert, what: string, body: object): Promise<boolean> {
    try {
      this.take([await send<AlertOfAPI>("POST", `watchdog/alert/${a.id}/${what}`, body)]);
      return true;
    } catch (problem) {
      this.desk.tell(whyOf(problem), true);
      return false;
    } finally {
      this.tick();
      this.desk.changed();
    }
  }

  /** stateNow returns the state of an alert at this moment. */
  stateNow = (a: Alert): ReturnType<typeof stateOf> => stateOf(a, this.desk.picture.now());
}

const newest = (a: Alert | undefined): number => a?.events[0]?.id ?? 0;

/** mayPopUp tells whether this browser can show notifications: pages over plain HTTP may not. */
export const mayPopUp = (): "yes" | "insecure" | "no" =>
  !globalThis.isSecureContext ? "insecure" : typeof Notification === "undefined" ? "no" : "yes";

// popUp shows a notification; one of the same alert takes its place.
function popUp(a: Alert): void {
  try {
    const shown = new Notification(`${t("priority." + a.priority)}: ${a.watchdog}`, { body: textOf(a), tag: `quaywatch-${a.id}` });
    shown.onclick = () => window.focus();
  } catch {
    /* some browsers of phones know it and refuse it */
  }
}
