// Session is the user that is signed in, and how that begins and ends.
import { Refusal, send } from "./api";
import type { Session as Account } from "./contract";
import type { Desk } from "./desk";
import type { Live } from "./live";
import { t, told } from "./text/text";
import { whyOf } from "./why";

/** Listener hears of the session. */
export interface Listener {
  /** entered tells that a user has signed in and needs a new desk. */
  entered(): void;
  /** left tells that the sign-in is shown again. */
  left(): void;
  /** cleared tells that the desk is given up. */
  cleared(): void;
}

const refresh = 60e3;

export class Session {
  stage: "start" | "signin" | "on" = "start";
  user = "";
  account: Account = { name: "", uid: "", rights: [] };
  /** problem says why nobody is signed in. */
  problem = "";
  /** held is the user of a session that ended in the middle of an edit: the desk waits, unseen, until the same user signs in again. */
  held = "";
  /** warned is the end of access that the user was warned of. */
  warned = "";
  /** invited is the text of the link by which the first administrator chooses a password; "" without such a link. */
  invited = new URLSearchParams(location.hash.slice(1)).get("first") ?? "";
  private askedAt = 0;

  constructor(
    private readonly desk: Desk,
    private readonly live: Live,
    private readonly listener: Listener,
  ) {}

  /** may tells whether the user has a right. The server decides; this only spares what it would refuse. */
  may(right: string): boolean {
    return this.account.rights.includes(right);
  }

  /** begin asks the server whether a user is signed in. */
  async begin(): Promise<void> {
    try {
      const account = await this.known();
      if (account.name !== undefined) return this.enter(account as Account);
    } catch (problem) {
      if (!(problem instanceof Refusal) || problem.status === 403 || problem.said.rule === "link_over") this.problem = whyOf(problem);
    }
    this.stage = "signin";
    this.desk.changed();
  }

  // known asks who is signed in. Where nobody is, the link of the address counts.
  private async known(): Promise<Partial<Account>> {
    const link = new URLSearchParams(location.hash.slice(1)).get("link"),
      account = send<Partial<Account>>("GET", "session");
    if (!link) return account;
    const { name } = await account.catch((problem: unknown): Partial<Account> => {
      if (problem instanceof Refusal) return {};
      throw problem;
    });
    return name ? account : send("POST", "session/link", { link });
  }

  async signIn(name: string, password: string): Promise<void> {
    this.problem = "";
    try {
      this.enter(await send<Account>("POST", "session", { name, password }));
    } catch (problem) {
      this.problem = this.refusal(problem, name);
      this.desk.changed();
    }
  }

  /** choosePassword has the server take the password of the first administrator, who came by the link of the first start. */
  async choosePassword(password: string): Promise<void> {
    this.problem = "";
    try {
      const account = await send<Account>("POST", "session/first", { link: this.invited, password });
      this.disinvite();
      this.enter(account);
    } catch (problem) {
      const lapsed = problem instanceof Refusal && problem.status === 401;
      if (lapsed) this.disinvite();
      this.problem = lapsed ? t("signin.lapsed") : this.refusal(problem, "admin");
      this.desk.changed();
    }
  }

  /** disinvite forgets the link of the first start, which is spent or not wanted. */
  disinvite(): void {
    this.invited = "";
    history.replaceState(null, "", location.pathname + location.search);
    this.desk.changed();
  }

  // refusal says why a user could not sign in. A wrong name or password is told from a right that is missing.
  private refusal(problem: unknown, name: string): string {
    const status = problem instanceof Refusal ? problem.status : 0;
    if (status === 403) return this.barred(problem as Refusal, name);
    return t(status === 429 ? "signin.many" : status === 0 || status >= 500 ? "signin.unreachable" : "signin.wrong");
  }

  private barred(problem: Refusal, name: string): string {
    const right = problem.said.params?.right;
    return right === undefined ? `${told(problem.said)} ${t("denied.ask")}` : t("signin.lacks", { name, right: String(right) });
  }

  /** bar shows the sign-in to a user that may no longer use the client, and says why. */
  bar(problem: Refusal): void {
    this.leave(this.barred(problem, this.user));
  }

  /** changePassword has the server take a new password of the user. That ends the session, so it goes on with a new one. */
  async changePassword(current: string, password: string): Promise<void> {
    this.live.stop(); // or it would tell that the link is lost, or that the session has ended
    try {
      await send("PUT", "config/user/" + this.account.uid, { password, current_password: current });
    } catch (problem) {
      this.live.start();
      throw problem;
    }
    this.desk.unsaved = false;
    await this.signIn(this.user, password);
    if (this.problem !== "") this.leave(this.problem);
  }

  /** signOut ends the session; it is false when the user stays because something is not saved. */
  async signOut(): Promise<boolean> {
    if (!(await this.desk.mayLeave())) return false;
    this.live.stop();
    await send("DELETE", "session").catch(() => undefined);
    this.leave("");
    return true;
  }

  /** leave shows the sign-in again and says why. What is being edited is kept for when the same user comes back. */
  leave(why: string): void {
    this.live.stop();
    this.desk.picture.replace([]);
    this.stage = "signin";
    this.problem = why;
    this.listener.left();
    this.desk.tell("");
    if (this.desk.unsaved) this.held = this.user;
    else this.clear();
    this.desk.answer(false);
  }

  private clear(): void {
    this.held = "";
    this.desk.unsaved = false;
    this.listener.cleared();
  }

  private enter(account: Account): void {
    if (this.held !== "" && this.held !== account.name) this.clear();
    this.held = "";
    this.take(account);
    this.user = account.name;
    this.stage = "on";
    if (this.desk.chart) this.live.start();
    else this.listener.entered();
    this.desk.changed();
  }

  private take(account: Account): void {
    this.account = account;
    this.live.user = account.uid;
    this.askedAt = performance.now();
    if (this.desk.chart) this.desk.chart.painter.look.own = new Set(account.mmsi_list);
  }

  /** grow asks again what the user may do when the last answer is a minute old: it can change while the page is open for a week. */
  grow(): void {
    if (performance.now() - this.askedAt > refresh) void this.refresh();
  }

  /** refresh asks again what the user may do. */
  async refresh(): Promise<void> {
    this.askedAt = performance.now();
    try {
      const account = await send<Partial<Account>>("GET", "session");
      if (account.name === this.user) this.take(account as Account);
      this.desk.changed();
    } catch {
      /* the live stream tells when the session has ended */
    }
  }
}
