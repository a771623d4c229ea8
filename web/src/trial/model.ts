// Tests of the ways that notices go: whom they are sent to, and what became of each.

/** Targets are those that get a test, as the API names them. */
export interface Targets {
  mail_to?: string[];
  sms_to?: string[];
  webhooks?: string[];
  mqtt?: boolean;
}

/** Test is what became of a test of one target. */
export interface Test {
  channel: string;
  to?: string;
  state: string;
  error?: string;
}

/** path is that of the call. */
export const path = "watchdog/notice/test";

/** names tells whether there is any target. */
export const names = (of: Targets): boolean =>
  of.mqtt === true || [of.mail_to, of.sms_to, of.webhooks].some((list) => list !== undefined && list.length > 0);

/** waits tells whether a test is not done yet. */
export const waits = (tests: readonly Test[]): boolean => tests.some((test) => test.state === "waiting");

/** asItIs returns tests as a list that begins with the newest has them. One that the list lacks stays as it was. */
export const asItIs = (tests: readonly Test[], list: readonly Test[]): Test[] =>
  tests.map((test) => list.find((other) => other.channel === test.channel && other.to === test.to) ?? test);
