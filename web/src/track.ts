// The track of one ship over the last hours. A job of the API gives it; the map draws it as a line with times along it, and the live
// picture lengthens it.
import { address, send } from "./api";
import { mercatorX, mercatorY } from "./picture";

/** Track holds the fixes in flat arrays, in order of time; job is the number under which the server keeps its files. */
export class Track {
  x: Float64Array;
  y: Float64Array;
  time: Float64Array; // Unix milliseconds
  sog: Float32Array; // NaN where unknown
  count = 0;

  constructor(
    readonly job: number,
    coordinates: [number, number, string, number | null, number | null][],
  ) {
    const room = coordinates.length + 1024;
    this.x = new Float64Array(room);
    this.y = new Float64Array(room);
    this.time = new Float64Array(room);
    this.sog = new Float32Array(room);
    for (const [lon, lat, time, , sog] of coordinates) this.append(lon, lat, Date.parse(time), sog ?? undefined);
  }

  /** append adds a fix if it is newer than the last. */
  append(lon: number, lat: number, time: number, sog: number | undefined): void {
    if (this.count > 0 && time <= this.time[this.count - 1]) return;
    if (this.count === this.x.length) this.halve();
    const i = this.count++;
    this.x[i] = mercatorX(lon);
    this.y[i] = mercatorY(lat);
    this.time[i] = time;
    this.sog[i] = sog ?? NaN;
  }

  // A track that is watched for days drops every second fix of its older half in place of growing.
  private halve(): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (i < this.count / 2 && i % 2 === 1) continue;
      this.x[kept] = this.x[i];
      this.y[kept] = this.y[i];
      this.time[kept] = this.time[i];
      this.sog[kept++] = this.sog[i];
    }
    this.count = kept;
  }
}

interface Answer {
  track?: { coordinates?: [number, number, string, number | null, number | null][] };
}

/** trackFile is where the track lies as a file of a format, which the server keeps for an hour. */
export const trackFile = (track: Track, format: string): string =>
  address(`portserver/ship/historical/track?id=${track.job}&format=${format}`);

/** loadTrack asks for the fixes of the last hours before now; it waits for the job up to a minute. */
export async function loadTrack(mmsi: number, hours: number, now: number, signal: AbortSignal): Promise<Track> {
  const begin = new Date(now - hours * 3600e3).toISOString();
  const end = new Date(now + 60e3).toISOString();
  const job = await send<{ id: number }>("POST", "portserver/ship/historical/track", { mmsi, begin, end }, signal);
  // The server waits two seconds before it says that the job still runs.
  for (const until = Date.now() + 60e3; Date.now() < until; ) {
    const answer = await send<Answer & { status?: string }>("GET", `portserver/ship/historical/track?id=${job.id}`, undefined, signal);
    if (answer.status !== "running") return new Track(job.id, answer.track?.coordinates ?? []);
  }
  throw new Error("track: no answer within a minute");
}
