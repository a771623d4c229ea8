// Desk is what the parts of the page share: the picture, the feeds, the map once it is there, and the ways to speak to the user.
import { Feeds } from "./feeds";
import type { Chart } from "./map/chart";
import { Picture } from "./picture";
import type { Ship } from "./ship";
import { t } from "./text/text";

/** Question is what a person has to say yes to before something happens that cannot be taken back. */
export interface Question {
  title: string;
  lines: string[];
  yes: string;
  bad?: boolean;
  answer: (yes: boolean) => void;
}

/** Notice is a short word about what was done, or why it was not. */
export interface Notice {
  text: string;
  bad: boolean;
  /** mark is the sign and the look of what was not done by the user, as of an alert. */
  mark?: { sign: string; look: string };
  key: number;
}

export class Desk {
  readonly picture = new Picture();
  readonly feeds = new Feeds();
  chart?: Chart;
  /** centre is the middle of the map. */
  centre = { lon: 0, lat: 0, zoom: 2 };
  /** settled is true once the map shows where the first picture led it. */
  settled = false;
  /** hover is the ship under the pointer, and where. */
  hover?: { ship: Ship; x: number; y: number };
  question?: Question;
  notice?: Notice;
  /** said is the text of the live region. */
  said = "";
  /** unsaved is true while an edit is not saved; leaving it is asked about. */
  unsaved = false;
  /** unfinished tells whether the side that is open has text that going to another side would lose; it shows where. */
  unfinished?: () => boolean;

  private readonly subscribers = new Set<() => void>();
  private changeTimer = 0;
  private noticeTimer = 0;

  subscribe(fn: () => void): () => void {
    this.subscribers.add(fn);
    return () => this.subscribers.delete(fn);
  }

  /** changed has the page drawn anew, once for all changes of a moment. */
  changed(): void {
    if (this.changeTimer !== 0) return;
    this.changeTimer = window.setTimeout(() => {
      this.changeTimer = 0;
      for (const fn of this.subscribers) fn();
    }, 0);
  }

  /** say has a text read aloud. */
  say(text: string): void {
    this.said = text;
    this.changed();
  }

  /** tell shows a short notice: a success for a few seconds, a failure until it is closed; "" closes it. */
  tell(text: string, bad = false, mark?: Notice["mark"]): void {
    this.notice = text === "" ? undefined : { text, bad, mark, key: performance.now() };
    clearTimeout(this.noticeTimer);
    if (this.notice && !bad) this.noticeTimer = window.setTimeout(() => this.tell(""), 6000);
    this.changed();
  }

  /** ask puts a question in front of the page and gives the answer. */
  ask(question: Omit<Question, "answer">): Promise<boolean> {
    this.answer(false);
    return new Promise((answer) => {
      this.question = { ...question, answer };
      this.changed();
    });
  }

  /** answer returns the answer to the question that is open. */
  answer(yes: boolean): void {
    const question = this.question;
    this.question = undefined;
    this.changed();
    // Once the box is closed: while it is open nothing below it takes the focus.
    if (question) window.setTimeout(() => question.answer(yes), 0);
  }

  /** mayLeave asks whether an edit may be lost, if there is one. */
  async mayLeave(): Promise<boolean> {
    const question = { title: t("ask.unsaved"), lines: [t("ask.unsavedMore")], yes: t("ask.discard"), bad: true };
    if (this.unsaved && !(await this.ask(question))) return false;
    this.unsaved = false;
    return true;
  }
}
