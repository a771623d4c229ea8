import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Refusal } from "../src/api.ts";
import { Channel } from "../src/share/channel.ts";
import { Hub, tooMany } from "../src/share/hub.ts";

// Server opens streams that a test speaks into.
class Server {
  streams = [];
  hub = new Hub((query, lastID, listener) => {
    const stream = { query, lastID, listener, closed: false, looked: 0, close: () => (stream.closed = true), look: () => stream.looked++ };
    this.streams.push(stream);
    return stream;
  });

  get last() {
    return this.streams.at(-1);
  }
  get open() {
    return this.streams.filter((stream) => !stream.closed && !stream.over);
  }
  end(problem) {
    const { last } = this;
    last.over = true;
    last.listener.ended(problem);
  }
  // filters gives what the open stream asks for: names by their filters.
  filters() {
    return Object.fromEntries(
      [...new URLSearchParams(this.last.query)].map(([key, filter]) => [filter, /^filters\[(\w+)\]$/.exec(key)[1]]),
    );
  }
  picture(filter, more = "") {
    this.last.listener.event("picture", `{"filter":"${this.filters()[filter]}"${more}}`, "");
  }
}

// Tab is a port that remembers what it was told.
class Tab {
  told = [];
  constructor(hub) {
    this.hub = hub;
  }
  post(message) {
    if (message.kind !== "here") this.told.push(message);
    if (message.kind === "event" && !this.frozen) this.hub.hear(this, { kind: "took", n: message.n });
  }
  ask(n, filter = "", user = "u") {
    this.hub.hear(this, { kind: "ask", n, filter, user });
  }
  take() {
    return this.told.splice(0).map((m) => [m.kind, m.n, m.name ?? m.up ?? m.problem?.status].join(" "));
  }
}

const clocked = (name, fn) =>
  test(name, () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    try {
      fn(new Server(), (ms) => mock.timers.tick(ms));
    } finally {
      mock.timers.reset();
    }
  });

clocked("tabs share one stream, and each gets what it asked for", (server, wait) => {
  const [a, b, c] = [1, 2, 3].map(() => new Tab(server.hub));
  a.ask(1);
  b.ask(1, "sog > 5 & name = A");
  c.ask(1);
  wait(50);
  assert.equal(server.streams.length, 1);
  assert.deepEqual(Object.keys(server.filters()), ["", "sog > 5 & name = A"]);
  server.last.listener.opened("u");
  server.picture("");
  server.picture("sog > 5 & name = A");
  server.last.listener.event("status", "{}", "x-1");
  assert.deepEqual(a.take(), ["up 1 true", "event 1 picture", "event 1 status"]);
  assert.deepEqual(b.take(), ["up 1 true", "event 1 picture", "event 1 status"]);
  assert.deepEqual(c.take(), a.take().concat(["up 1 true", "event 1 picture", "event 1 status"]));
  a.ask(1); // a sign of life
  wait(50);
  assert.equal(server.streams.length, 1);
});

clocked("a tab that comes disturbs no other filter, and gets a picture", (server, wait) => {
  const [a, b, c] = [1, 2, 3].map(() => new Tab(server.hub));
  a.ask(1);
  b.ask(1, "sog > 5");
  wait(50);
  server.last.listener.opened("u");
  server.last.listener.event("status", "{}", "e-7-a-b");
  const before = server.filters();
  c.ask(1);
  wait(50);
  assert.equal(server.open.length, 1);
  assert.equal(server.last.lastID, "e-7-a-b");
  assert.equal(server.filters()["sog > 5"], before["sog > 5"]);
  assert.notEqual(server.filters()[""], before[""]);
  server.last.listener.opened("u");
  server.picture("");
  assert.deepEqual(b.take(), ["up 1 true", "event 1 status"]);
  assert.deepEqual(c.take(), ["up 1 true", "event 1 picture"]);
  b.ask(2, ""); // it changes its filter: the question of the old one ends
  wait(50);
  assert.deepEqual(Object.keys(server.filters()), [""]);
  for (const tab of [a, b, c]) server.hub.hear(tab, { kind: "leave" });
  assert.equal(server.open.length, 0);
  a.ask(2);
  wait(50);
  assert.equal(server.last.lastID, "");
});

clocked("a filter that the server refuses ends for its tabs alone", (server, wait) => {
  const [a, b] = [1, 2].map(() => new Tab(server.hub));
  a.ask(1);
  b.ask(1, "spede > 5");
  wait(50);
  const errors = [{ parameter: `filters[${server.filters()["spede > 5"]}]`, detail: "no such field", rule: "filter" }];
  server.end(new Refusal(400, { code: "filter_syntax", detail: "no such field", rule: "filter_field", offset: 3, errors }));
  wait(50);
  assert.deepEqual(b.told[0].problem, {
    status: 400,
    code: "filter_syntax",
    detail: "no such field",
    rule: "filter_field",
    params: undefined,
    offset: 3,
  });
  assert.deepEqual(a.take(), []);
  assert.deepEqual(Object.keys(server.filters()), [""]);
  assert.equal(server.open.length, 1);
});

clocked("tabs of a session that ended are told, and those of another user", (server, wait) => {
  const [a, b] = [1, 2].map(() => new Tab(server.hub));
  a.ask(1, "", "anna");
  wait(50);
  server.last.listener.opened("anna");
  b.ask(1, "", "bert"); // who has signed in there
  wait(50);
  server.last.listener.opened("bert");
  server.picture("");
  assert.deepEqual(a.take(), ["up 1 true", "refused 1 401"]);
  assert.deepEqual(b.take(), ["up 1 true", "event 1 picture"]);
  server.end(); // signed out
  assert.deepEqual(b.take(), ["up 1 false"]);
  wait(10e3);
  server.end(new Refusal(401, {}));
  assert.deepEqual(b.take(), ["refused 1 401"]);
  wait(60e3);
  assert.equal(server.open.length, 0);
  b.ask(2, "", "bert"); // where reads are open, a stream of nobody is no answer
  wait(50);
  server.last.listener.opened("");
  assert.deepEqual(b.take(), ["refused 2 401"]);
  assert.equal(server.open.length, 0);
});

clocked("a tab that takes nothing gets no more, and a picture when it is back", (server, wait) => {
  const [a, b] = [1, 2].map(() => new Tab(server.hub));
  b.frozen = true;
  a.ask(1);
  b.ask(1, "sog > 5");
  wait(50);
  server.last.listener.opened("u");
  for (let i = 0; i < 100; i++) server.last.listener.event("status", "{}", "");
  wait(50);
  assert.equal(a.take().length, 101);
  assert.ok(b.take().length <= 33);
  assert.deepEqual(Object.keys(server.filters()), [""]);
  b.frozen = false;
  server.hub.hear(b, { kind: "took", n: 1 });
  assert.deepEqual(b.take(), ["lost 1 "]);
  b.ask(2, "sog > 5");
  wait(50);
  assert.deepEqual(Object.keys(server.filters()), ["", "sog > 5"]);
});

clocked(
  "a lost link is tried again after longer and longer, at once when a tab asks for it, and in time when timers are late",
  (server, wait) => {
    const a = new Tab(server.hub);
    a.ask(1);
    wait(50);
    for (const most of [700, 1300, 2500, 5000]) {
      const { length } = server.streams;
      server.end();
      wait(most / 2);
      assert.equal(server.streams.length, length);
      wait(most);
      assert.equal(server.streams.length, length + 1);
    }
    server.end();
    server.hub.hear(a, { kind: "retry" });
    assert.equal(server.open.length, 1);
    server.end();
    mock.timers.setTime(Date.now() + 20e3); // the time runs on, the timers of a hidden page do not
    const { length } = server.streams;
    a.ask(1);
    assert.ok(server.streams.length >= length && server.open.length === 1);
    assert.ok(server.last.looked > 0);
  },
);

clocked("a browser asks for sixteen filters at most, and for no longer query than a proxy takes", (server, wait) => {
  const tabs = Array.from({ length: 17 }, () => new Tab(server.hub));
  tabs.forEach((tab, i) => tab.ask(1, `sog > ${i}`));
  wait(50);
  assert.equal(tabs[16].told[0].problem.rule, tooMany);
  assert.equal(Object.keys(server.filters()).length, 16);
  for (const tab of tabs.slice(1)) server.hub.hear(tab, { kind: "leave" });
  tabs[1].ask(2, "name = " + "x".repeat(4000));
  tabs[2].ask(2, "name = " + "y".repeat(4000));
  wait(50);
  assert.equal(tabs[2].told[0].problem.rule, tooMany);
  assert.equal(Object.keys(server.filters()).length, 2);
});

// Pages of a browser without shared workers: node has the same BroadcastChannel.
class Page {
  told = [];
  asks = 0;
  constructor(address, { hidden = false } = {}) {
    this.channel = new Channel(
      address,
      (message) => {
        this.told.push(message);
        if (message.kind === "moved") this.ask();
      },
      () => (this.made = new Fake()),
      () => hidden,
    );
  }
  ask() {
    this.channel.send({ kind: "ask", n: ++this.asks, filter: "", user: "u" });
  }
  get leads() {
    return this.made !== undefined && !this.made.closed;
  }
  // crash leaves without a word.
  crash() {
    this.channel.all.close();
    this.channel.own.close();
    for (const { channel } of this.channel.followers.values()) channel.close();
    this.made?.close();
    this.crashed = true;
  }
}

// Fake is a hub that answers each sentence.
class Fake {
  heard = new Set();
  hear(port, message) {
    this.heard.add(port);
    if (message.kind === "ask") port.post({ kind: "here" });
  }
  close() {
    this.closed = true;
  }
}

const until = async (what, condition) => {
  const end = Date.now() + 30e3;
  while (!condition()) {
    assert.ok(Date.now() < end, what);
    await new Promise((done) => setTimeout(done, 10));
  }
};

test("without shared workers one tab leads, and another one when it goes, crashes or comes back", async () => {
  const address = "http://box/api/live";
  const pages = Array.from({ length: 8 }, () => new Page(address));
  const other = new Page("http://box/other/api/live"); // of another client at the same host
  const leaders = () => pages.filter((page) => page.leads && !page.crashed);
  const served = () => pages.filter((page) => !page.crashed && page.told.some((m) => m.kind === "here"));
  const oneLeads = async (n) => {
    for (const page of pages) page.told.length = 0;
    await until(`one of ${n} leads and serves all`, () => {
      for (const page of pages) if (!page.crashed) page.ask();
      return leaders().length === 1 && served().length === n && leaders()[0].made.heard.size >= n;
    });
    return leaders()[0];
  };
  const first = await oneLeads(8);
  first.channel.close();
  first.crashed = true;
  const second = await oneLeads(7);
  assert.notEqual(second, first);
  second.crash();
  for (const page of pages) if (!page.crashed) page.channel.missed(3);
  const third = await oneLeads(6);
  const back = new Page(address);
  pages.push(back);
  assert.equal(await oneLeads(7), third, "a tab that comes takes nothing over");
  assert.ok(other.leads);
  for (const page of [...pages, other]) if (!page.crashed) page.channel.close();
});

// undisturbed tries something again where a busy machine slept through the moment that the tabs have to contradict.
async function undisturbed(attempt) {
  for (let n = 0; ; n++) {
    let late = false,
      last = performance.now();
    const beat = setInterval(() => {
      late ||= performance.now() - last > 100;
      last = performance.now();
    }, 20);
    try {
      return await attempt(n);
    } catch (problem) {
      if (!late) throw problem;
    } finally {
      clearInterval(beat);
    }
  }
}

test("a tab in the background leads only where no tab is seen", () =>
  undisturbed(async (n) => {
    const address = `http://box/hidden${n}/api/live`;
    const pages = [true, true, false, true].map((hidden) => new Page(address, { hidden }));
    try {
      await until("one leads, and the others follow it", () => {
        const leader = pages.find((page) => page.leads);
        return leader && pages.every((page) => page.channel.leader === leader.channel.name);
      });
      assert.deepEqual(
        pages.map((page) => page.leads),
        [false, false, true, false],
      );
    } finally {
      for (const page of pages) page.channel.close();
    }
  }));

test("a tab whose leader went without a word follows a newer tab that leads by an earlier term", async () => {
  const address = "http://box/terms/api/live";
  const first = new Page(address);
  await until("the first leads", () => first.leads);
  const second = new Page(address),
    left = new Page(address);
  await until("both follow", () => [second, left].every((page) => page.channel.leader === first.channel.name));
  first.crash();
  second.channel.missed(3);
  await until("the second leads, by a later term", () => second.leads && left.channel.leader === second.channel.name);
  second.crash();
  const fresh = new Page(address); // it stands while nobody else does
  await until("the new tab leads", () => fresh.leads);
  left.told.length = 0;
  await until("the tab that waited is served", () => {
    left.channel.missed(3);
    left.ask();
    return left.told.some((message) => message.kind === "here");
  });
  assert.equal([fresh, left].filter((page) => page.leads).length, 1);
  for (const page of [fresh, left]) page.channel.close();
});

test("a leader that was frozen yields to the one that came after it", async () => {
  const address = "http://box/frozen/api/live";
  const old = new Page(address);
  await until("it leads", () => old.leads);
  const frozen = [];
  const { onmessage } = old.channel.all;
  old.channel.all.onmessage = (event) => frozen.push(event);
  const next = new Page(address);
  await until("the other leads too", () => next.leads);
  old.channel.all.onmessage = onmessage;
  for (const event of frozen) onmessage(event);
  await until("one leads", () => old.leads !== next.leads);
  for (const page of [old, next]) page.channel.close();
});
