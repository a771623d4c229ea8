// Measures the client with 20,000 moving ships: how long an update and a frame of panning take, and whether the heap grows.
// node bench.mjs [updates]   prints one JSON object. The ships are made in the page, so that only the client is measured.
import { launch, open, Program, signIn, Feeder } from "./support.mjs";

const updates = Number(process.argv[2] ?? 2880);
const program = await Program.serve();
const feeder = new Feeder(program.feed, 5);
process.env.CHROMIUM ??= "/usr/bin/chromium"; // as users have it
const browser = await launch();
const page = await open(browser, program.url);
await signIn(page);
feeder.close();
const cdp = await page.context().newCDPSession(page);
const heap = async () => {
  for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
  return (await cdp.send("Runtime.getHeapUsage")).usedSize / 1e6;
};

await page.evaluate(() => {
  const q = globalThis.quaywatch;
  q.live.stop();
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const types = [70, 80, 60, 40, 52, 30, 36, 55, 0];
  const fleet = Array.from({ length: 20000 }, (_, i) => ({
    mmsi: 219000000 + i,
    class: "A",
    name: "SHIP " + i,
    type: "Cargo",
    type_code: types[i % 9],
    country: "Denmark",
    country_code: "DK",
    signal: "live",
    length: 120,
    width: 20,
    lon: 9 + random() * 6,
    lat: 54.5 + random() * 3,
    cog: random() * 360,
    sog: 2 + random() * 14,
  }));
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const place = (s, time) => ({ type: "Point", coordinates: [s.lon, s.lat, time, s.cog, s.sog] });
  globalThis.bench = {
    text(whole) {
      clock += 10000;
      const time = new Date(clock).toISOString().slice(0, 19) + "Z";
      const records = fleet.map((s) => {
        s.lon += Math.sin(s.cog) * 0.0005;
        s.lat += Math.cos(s.cog) * 0.0005;
        return whole ? { ...s, heard: time, position: place(s, time) } : { mmsi: s.mmsi, heard: time, position: place(s, time) };
      });
      return JSON.stringify({ time, records, gone: [] });
    },
    frame: () => new Promise((done) => requestAnimationFrame(done)),
    median: (a) => [...a].sort((x, y) => x - y)[a.length >> 1],
    p95: (a) => [...a].sort((x, y) => x - y)[Math.floor(a.length * 0.95)],
  };
  q.heard("picture", JSON.parse(globalThis.bench.text(true)));
  q.chart.fit(false);
});
await page.waitForTimeout(2000);

const result = await page.evaluate(async () => {
  const { text, frame, median, p95 } = globalThis.bench,
    q = globalThis.quaywatch;
  const update = [],
    pan = [];
  for (let i = 0; i < 40; i++) {
    const next = text(false);
    await frame();
    const from = performance.now();
    q.heard("change", JSON.parse(next));
    q.chart.painter.canvas.getContext("2d").getImageData(0, 0, 1, 1); // drawn, not only recorded
    update.push(performance.now() - from);
    await new Promise((done) => setTimeout(done, 50));
  }
  let last = await frame();
  const view = q.chart.view,
    end = performance.now() + 4000;
  view.animate({ center: [view.getCenter()[0] + 80000, view.getCenter()[1] + 60000], duration: 4000 });
  while (performance.now() < end) {
    const now = await frame();
    pan.push(now - last);
    last = now;
  }
  return {
    ships_in_view: q.chart.painter.count,
    update_ms_median: Math.round(median(update)),
    update_ms_p95: Math.round(p95(update)),
    pan_frame_ms_median: Math.round(median(pan)),
    pan_frame_ms_p95: Math.round(p95(pan)),
  };
});

const run = (n) =>
  page.evaluate(async (count) => {
    for (let i = 0; i < count; i++) {
      globalThis.quaywatch.heard("change", JSON.parse(globalThis.bench.text(false)));
      if (i % 4 === 0) await globalThis.bench.frame();
    }
  }, n);
await run(100); // warm
result.heap_mb_before = Number((await heap()).toFixed(1));
for (let done = 0; done < updates; done += 240) await run(Math.min(240, updates - done));
result.heap_mb_after = Number((await heap()).toFixed(1));
result.updates = updates;
console.log(JSON.stringify(result, null, 1));
await browser.close();
await program.remove();
