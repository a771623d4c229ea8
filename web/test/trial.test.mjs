// Tests of the ways that notices go: who gets one, and what became of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asItIs, names, waits } from "../src/trial/model.ts";

test("a test needs a target", () => {
  for (const none of [{}, { mail_to: [], sms_to: [], webhooks: [], mqtt: false }]) assert.equal(names(none), false);
  for (const one of [{ mail_to: ["anna"] }, { sms_to: ["anna"] }, { webhooks: ["vts"] }, { mqtt: true }]) assert.equal(names(one), true);
});

test("each test is shown as the newest of its target is", () => {
  const asked = ["anna", "carl"].map((to) => ({ channel: "mail", to, state: "waiting" })).concat({ channel: "mqtt", state: "waiting" });
  const list = [
    { channel: "mqtt", state: "sent" },
    { channel: "sms", to: "anna", state: "failed", error: "of another channel" },
    { channel: "mail", to: "anna", state: "sent" },
    { channel: "mail", to: "anna", state: "failed", error: "of an hour ago" },
  ];
  const now = asItIs(asked, list);
  assert.deepEqual(
    now.map((one) => one.state),
    ["sent", "waiting", "sent"],
  );
  assert.equal(waits(now), true);
  assert.equal(waits(asItIs(now, [{ channel: "mail", to: "carl", state: "refused" }])), false);
});
