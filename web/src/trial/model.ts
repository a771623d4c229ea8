// Tests of the ways that notices go: whom they are sent to, and what became of each.
import type { NoticeTargets, WatchdogNotice } from "../contract";

/** path is that of the call. */
export const path = "watchdog/notice/test";

/** names tells whether there is any target. */
export const names = (of: NoticeTargets): boolean =>
  of.mqtt === true || [of.mail_to, of.sms_to, of.webhooks].some((list) => list !== undefined && list.length > 0);

/** waits tells whether a test is not done yet. */
export const waits = (tests: readonly WatchdogNotice[]): boolean => tests.some((test) => test.state === "waiting");

/** asItIs returns tests as a list that begins with the newest has them. One that the list lacks stays as it was. */
export const asItIs = (tests: readonly WatchdogNotice[], list: readonly WatchdogNotice[]): WatchdogNotice[] =>
  tests.map((test) => list.find((other) => other.channel === test.channel && other.to === test.to) ?? test);
