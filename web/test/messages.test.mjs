import assert from "node:assert/strict";
import { test } from "node:test";
import { isText, senderOf, stateOf, wordsOf } from "../src/messages/message.ts";
import { Messages } from "../src/messages/messages.ts";

const at = (seconds) => new Date(Date.UTC(2026, 10, 20, 12, 0, seconds)).toISOString();
const record = (id, kind, seconds, more = {}) => ({ id, kind, time: at(seconds), mmsi: 219018765, class: "A", ...more });
const made = () => new Messages({ changed() {} });
const ids = (messages) => messages.all.map((m) => m.id).join(" ");

test("messages come whole, then what is new, and what is hidden now goes", () => {
  const messages = made();
  messages.hear({ whole: true, records: [record(1, "broadcast", 1, { text: "A" }), record(2, "lost", 2)], gone: [] });
  assert.equal(ids(messages) + messages.said, "2 1");
  messages.hear({ records: [record(1, "broadcast", 9, { text: "A", count: 2 }), record(3, "addressed", 5, { text: "B" })], gone: [2] });
  assert.equal(ids(messages), "1 3");
  assert.equal(messages.said, "219018765: to another station: B"); // a repetition is not read aloud
  messages.hear({ whole: true, records: [record(4, "found", 20)], gone: [] });
  assert.equal(ids(messages), "4");
  messages.clear();
  assert.equal(ids(messages), "");
});

test("a text of the last minutes goes before changes on the line, and a card has the texts of its ship", () => {
  const messages = made(),
    noon = Date.UTC(2026, 10, 20, 12);
  const texts = [
    record(1, "broadcast", 1, { text: "A" }),
    record(3, "addressed", 0, { mmsi: 2190047, to: { mmsi: 219018765 }, text: "B" }),
  ];
  messages.hear({ whole: true, records: [...texts, record(2, "lost", 59)], gone: [] });
  assert.equal(messages.latest(noon + 60e3).id, 1);
  assert.equal(messages.latest(noon + 660e3).id, 2);
  assert.deepEqual(
    messages.of(219018765).map((m) => m.id),
    [1, 3],
  );
});

test("a text that we sent says whom it is for and what became of it", () => {
  const messages = made(),
    sent = { state: "waiting", to: { mmsi: 219018765, name: "NORDIC HAV" }, text: "KEEP CLEAR", by: "anna", mmsi: undefined };
  messages.hear({ whole: true, records: [record(7, "sent", 1, sent), record(7000, "broadcast", 0, { text: "A" })], gone: [] });
  assert.equal(wordsOf(messages.sent(7)), "to NORDIC HAV: KEEP CLEAR · waits for the transmitter");
  assert.equal(senderOf(messages.sent(7)), "anna");
  messages.hear({ records: [record(7, "sent", 9, { ...sent, state: "unanswered", reason: "the ship did not answer" })], gone: [] });
  assert.equal(stateOf(messages.sent(7)), "not confirmed (the ship did not answer)");
  assert.deepEqual(
    messages.of(219018765).map((m) => m.id),
    [7, 7000],
  );
  messages.hear({
    records: [record(8, "sent", 10, { state: "not_sent", reason: "no transmitter", text: "FOG", automatic: true })],
    gone: [],
  });
  assert.equal(`${senderOf(messages.sent(8))}: ${wordsOf(messages.sent(8))}`, "Watchdog: to all: FOG · not sent (no transmitter is there)");
  assert.equal(messages.sent(7000), undefined);
});

test("each kind of message has words", () => {
  const words = (kind, more) => wordsOf({ id: 1, mmsi: 1, count: 1, time: 0, kind, ...more });
  assert.equal(words("addressed", { to: { mmsi: 5, name: "ANNA " }, text: "HELLO" }), "to ANNA: HELLO");
  assert.equal(words("status", { was: 0, now: 5 }), "Under way using engine → Moored");
  assert.equal(words("destination", { was: "DKAAR", now: "SEGOT" }), "destination DKAAR → SEGOT");
  assert.equal(words("draught", { was: 7.4, now: 8 }), "draught 7.4 m → 8.0 m");
  for (const kind of ["off_position", "on_position", "lost", "found"]) assert.ok(!words(kind).includes("messages."), kind);
  assert.deepEqual(
    ["broadcast", "off_position", "status", "lost"].map((kind) => isText({ kind })),
    [true, true, false, false],
  );
});
