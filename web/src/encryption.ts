// Encryption is how the page came, and the way by HTTPS for a browser that trusts the box.
import { send } from "./api";
import type { Encryption as Told } from "./contract";

const month = 30 * 24 * 3600; // seconds that the box leads a browser over for, from its last visit by HTTP on

export class Encryption {
  /** clear is true when a password from here can be read on the network. */
  clear = false;
  /** refused is true when the box takes no password in clear. */
  refused = false;
  /** https is the address of the site by HTTPS, "" when the box has none. */
  https = "";
  /** fingerprint is that of the box's own authority, "" when it has none. */
  fingerprint = "";

  constructor(private readonly changed: () => void) {}

  /** look asks the box. A page that came by HTTPS needs nothing. */
  async look(): Promise<void> {
    if (location.protocol !== "http:") return;
    const told = await send<Told>("GET", "tls").catch(() => undefined);
    if (!told) return;
    this.clear = told.in_clear;
    this.refused = told.in_clear && !told.plain_sign_in;
    this.https = told.https ?? "";
    this.fingerprint = told.ca?.fingerprint ?? "";
    this.changed();
    if (this.https !== "") await this.tryHTTPS(this.https);
  }

  /** tryHTTPS asks the box by HTTPS. Such a call fails where a page would show a warning. After one that succeeds the server leads this browser over
   *  at its next visit: a cookie of HTTP tells it, as browsers keep those of HTTPS from HTTP. */
  private async tryHTTPS(site: string): Promise<void> {
    const { pathname } = new URL(site);
    const trusted = await fetch(site + "api/tls", { mode: "no-cors", credentials: "omit", cache: "no-store" }).then(
      () => true,
      () => false,
    );
    if (trusted && !location.search.startsWith("?http"))
      document.cookie = `quaywatch_https=1; path=${pathname}; max-age=${month}; samesite=lax`;
  }
}
