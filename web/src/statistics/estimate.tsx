// What a statistic would read, told before it is started.
import { useEffect, useState } from "preact/hooks";
import { send } from "../api";
import type { StatisticEstimate } from "../contract";
import { number, t } from "../text/text";
import { path } from "./job";

const rest = 600; // milliseconds that the form stands still before the server is asked

/** rounded returns a number to two digits: more would be said than is known. */
export function rounded(n: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, n))) - 1);
  return Math.round(n / step) * step;
}

/** aboutText says it; "" where there is nothing to say. */
export function aboutText({ hours, hours_read: read, ships, fixes, calls }: StatisticEstimate): string {
  if (calls !== undefined) return callsText(calls);
  if (ships === undefined || fixes === undefined) return "";
  if (fixes === 0) return t(read < hours ? "stat.aboutFew" : "stat.aboutNone");
  const one = ships === 1;
  const key = read < hours ? (one ? "stat.aboutLeast.one" : "stat.aboutLeast") : one ? "stat.about.one" : "stat.about";
  return t(key, { fixes: number(rounded(fixes)), ships: number(ships) });
}

const mostCalls = 20_000; // that the server counts

function callsText(calls: number): string {
  if (calls === 0) return t("stat.aboutNoCalls");
  const key = calls === 1 ? "stat.aboutCalls.one" : calls < mostCalls ? "stat.aboutCalls" : "stat.aboutCallsLeast";
  return t(key, { calls: number(rounded(calls)) });
}

/** Estimate says what a statistic reads; body is undefined while the form is not complete. */
export function Estimate({ kind, body }: { kind: string; body: Record<string, unknown> | undefined }) {
  const [says, setSays] = useState("");
  const key = body && JSON.stringify(body);
  useEffect(() => {
    if (key === undefined) return setSays("");
    let over = false;
    const told = (text: string): void => {
      if (!over) setSays(text);
    };
    const ask = (): void =>
      void send<StatisticEstimate>("POST", `${path}/${kind}/estimate`, JSON.parse(key)).then(
        (about) => told(aboutText(about)),
        () => told(""), // what is wrong is said when it is asked for
      );
    const timer = setTimeout(ask, rest);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [kind, key]);
  return (
    <p class="quiet" role="status">
      {says}
    </p>
  );
}
