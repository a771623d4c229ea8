// What goes into a link to the map, and what its rights show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, offered, partsOf, rightsOf } from "../src/links/model.ts";

const may =
  (...rights) =>
  (right) =>
    rights.includes(right);

test("a link has the view, the filter, the ship and its tracks, and no panel or plan", () => {
  const page = "https://box/quay/";
  assert.equal(
    addressOf(page, "qwl_x", "#w=links&v=10.30000,56.10000,11.00&s=219018004&t=6&q=tanker+%3E+150&c=6"),
    "https://box/quay/#link=qwl_x&v=10.30000,56.10000,11.00&s=219018004&t=6&q=tanker+%3E+150&c=6",
  );
  assert.equal(addressOf(page, "qwl_x", "#w=links"), "https://box/quay/#link=qwl_x");
});

test("a user shares no more than it may, and the ships of satellites only where it sees them", () => {
  assert.deepEqual(offered(may("view_port", "view_watchdog")), ["port"]);
  assert.deepEqual(rightsOf(["port", "past"], may("view_port", "view_history", "view_satellites")), [
    "view_satellites",
    "view_history",
    "view_port",
  ]);
  assert.deepEqual(rightsOf([], may("view_port")), []);
});

test("the rights of a link are told by what they show", () => {
  assert.deepEqual(partsOf(["web_online_access", "view_history", "pcs_access"]), ["past", "expected"]);
  assert.deepEqual(partsOf(["web_online_access"]), []);
});
