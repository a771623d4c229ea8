// The track of one ship between two times. A job of the API gives it; the map draws it, and the live picture lengthens it.
import { address, Refusal, send } from "./api";
import type { JobID, TrackResult } from "./contract";
import { mercatorX, mercatorY } from "./picture";

/** bands are the speeds in knots at which the colour of a track changes. */
export const bands: readonly number[] = [0.5, 5, 10, 15, 20];

/** bandOf returns the number of the band of a speed, which is that of its colour; an unknown speed has that of the first that moves. */
export function bandOf(sog: number): number {
  if (Number.isNaN(sog)) return 1;
  let band = 0;
  while (band < bands.length && sog >= bands[band]) band++;
  return band;
}

/** Track holds the fixes in flat arrays, in order of time. */
export class Track {
  x: Float64Array;
  y: Float64Array;
  time: Float64Array; // Unix milliseconds
  sog: Float32Array; // NaN where unknown
  lie: Uint8Array; // 1 where the receiver of the ship lied
  count = 0;

  /** job is the number under which the server keeps its files; resolution is the seconds of which each has one fix at most, 0 for all fixes. */
  constructor(
    readonly job: number,
    coordinates: [number, number, string, number | null, number | null][],
    readonly resolution = 0,
    untrusted: number[] = [],
  ) {
    const room = coordinates.length + 1024;
    this.x = new Float64Array(room);
    this.y = new Float64Array(room);
    this.time = new Float64Array(room);
    this.sog = new Float32Array(room);
    this.lie = new Uint8Array(room);
    const lies = new Set(untrusted);
    coordinates.forEach(([lon, lat, time, , sog], i) => this.append(lon, lat, Date.parse(time), sog ?? undefined, lies.has(i)));
  }

  /** append adds a fix if it is newer than the last. */
  append(lon: number, lat: number, time: number, sog: number | undefined, lie = false): void {
    if (this.count > 0 && time <= this.time[this.count - 1]) return;
    if (this.count === this.x.length) this.halve();
    const i = this.count++;
    this.x[i] = mercatorX(lon);
    this.y[i] = mercatorY(lat);
    this.time[i] = time;
    this.sog[i] = sog ?? NaN;
    this.lie[i] = Number(lie);
  }

  /** nearest returns the number of the fix that is nearest to a time. */
  nearest(time: number): number {
    let low = 0,
      high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < time) low = middle;
      else high = middle;
    }
    return Math.abs(this.time[low] - time) <= Math.abs(this.time[high] - time) ? low : high;
  }

  // A track that is watched for days drops every second fix of its older half in place of growing.
  private halve(): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (i < this.count / 2 && i % 2 === 1) continue;
      this.x[kept] = this.x[i];
      this.y[kept] = this.y[i];
      this.time[kept] = this.time[i];
      this.lie[kept] = this.lie[i];
      this.sog[kept++] = this.sog[i];
    }
    this.count = kept;
  }
}

type Answer = Partial<TrackResult> & { status?: string };

const most = 50e3; // fixes that the map asks for

/** trackFile is where the track lies as a file of a format, which the server keeps for an hour. */
export const trackFile = (track: Track, format: string): string =>
  address(`portserver/ship/historical/track?id=${track.job}&format=${format}`);

/** loadTrack asks for the fixes between two times; it waits for the job up to a minute. A long track comes with fewer fixes. */
export async function loadTrack(mmsi: number, begin: number, end: number, signal: AbortSignal): Promise<Track> {
  const seconds = Math.floor((end - begin) / 1000 / most);
  try {
    return await ask(mmsi, begin, end, seconds > 1 ? seconds : 0, signal);
  } catch (problem) {
    const fits = problem instanceof Refusal && problem.errors.find((e) => e.pointer === "/resolution")?.params?.least;
    const [h, m, s] = String(fits || "")
      .split(":")
      .map(Number);
    if (!fits || !(s >= 0)) throw problem;
    return ask(mmsi, begin, end, h * 3600 + m * 60 + s, signal); // this user may have fewer fixes in one answer
  }
}

async function ask(mmsi: number, from: number, to: number, resolution: number, signal: AbortSignal): Promise<Track> {
  const begin = new Date(from).toISOString(),
    end = new Date(to).toISOString();
  const body = { mmsi, begin, end, ...(resolution > 0 && { resolution: new Date(resolution * 1000).toISOString().slice(11, 19) }) };
  const job = await send<JobID>("POST", "portserver/ship/historical/track", body, signal);
  // The server waits two seconds before it says that the job still runs.
  for (const until = Date.now() + 60e3; Date.now() < until; ) {
    const answer = await send<Answer>("GET", `portserver/ship/historical/track?id=${job.id}`, undefined, signal);
    if (answer.status !== "running") return new Track(job.id, answer.track?.coordinates ?? [], resolution, answer.track?.untrusted);
  }
  throw new Error("track: no answer within a minute");
}
