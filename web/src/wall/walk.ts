// What the wall display shows next: a function of the events, of what it shows, and of the time.
import { across, down, world } from "../map/view";
import { mercatorX, mercatorY } from "../picture";
import { callsAtPorts, moving, type Ship } from "../ship";
import { severities, type WatchEvent } from "../watchdogs/event";
import type { Passing } from "./passing";

/** Item is one thing that the wall shows: an event, an arrival or departure, or a ship alone. */
export interface Item {
  key: string;
  mmsi: number; // 0 of an event without a ship
  event?: WatchEvent;
  passing?: Passing;
}

/** World is what there is to show. */
export interface World {
  news: readonly Item[]; // the newest first
  ships(): readonly number[]; // those that may stand between news, the one heard last first
  there(mmsi: number): boolean; // tells that the map shows a ship
}

/** Walk is what the wall shows, and what it showed before. Nothing in it grows without bound. */
export interface Walk {
  item?: Item;
  since: number; // when it came, in milliseconds of the page
  urgent: boolean; // it was new and went before the others
  newest: number; // the number of the newest event that was shown or passed over
  round: readonly string[]; // what this round has shown
  passed: readonly number[]; // the ships that were shown alone, the latest last
}

/** start is a walk that has shown nothing. */
export const start: Walk = { since: 0, urgent: false, newest: 0, round: [], passed: [] };

const mostNews = 12;
const oldest = 12 * 3600e3; // milliseconds after which an event is no news
const least = 5; // of a round: ships stand between fewer news
const mostPassed = 64; // ships that are remembered
const reading = 5e3; // milliseconds that a new event has before the next one

/** newsOf returns the latest events, the newest first: those of ships that the map shows, and those without a ship. */
export const newsOf = (events: readonly WatchEvent[], there: (mmsi: number) => boolean, now: number): Item[] =>
  events
    .filter((e) => now - e.time < oldest && (e.mmsi === 0 || there(e.mmsi)))
    .slice(0, mostNews)
    .map((event) => ({ key: `event ${event.id}`, mmsi: event.mmsi, event }));

/** Listed is the list of watchdogs, and the newest event that was known when it was asked for. */
interface Listed {
  upTo: number;
  all: readonly { id?: number }[];
}

/** keptOf returns the events without those of watchdogs that were deleted. An event that is newer than the list may be of a new watchdog. */
export function keptOf(events: readonly WatchEvent[], { upTo, all }: Listed): WatchEvent[] {
  const ids = new Set(all.map(({ id }) => id));
  return events.filter((e) => e.definition === 0 || e.id > upTo || ids.has(e.definition));
}

/** passingsOf returns arrivals and departures as news, in their order. */
export const passingsOf = (passings: readonly Passing[], there: (mmsi: number) => boolean): Item[] =>
  passings
    .filter((p) => there(p.mmsi))
    .slice(0, mostNews)
    .map((passing) => ({ key: `${passing.arrived ? "arrival" : "departure"} ${passing.key}`, mmsi: passing.mmsi, passing }));

/** shipsOf returns the ships that may be shown alone: those under way, else any; the one heard last first. */
export function shipsOf(ships: Iterable<Ship>, there: (mmsi: number) => boolean): number[] {
  const all = [...ships].filter((s) => callsAtPorts(s) && s.lon !== undefined && there(s.mmsi)),
    sailing = all.filter((s) => moving(s) && s.signal !== "lost");
  return (sailing.length > 0 ? sailing : all).sort((a, b) => b.time - a.time || a.mmsi - b.mmsi).map((s) => s.mmsi);
}

/** step returns the walk at a time. It is the same walk while nothing else is to be shown. A new event goes before all others at once; after
 * another new event that is as grave it leaves five seconds to read that. What is gone or hidden gives way at once. */
export function step(walk: Walk, world: World, now: number, every: number): Walk {
  const { item } = walk,
    stands = item !== undefined && isThere(item, world),
    fresh = world.news.find(({ event }) => event !== undefined && event.id > walk.newest);
  if (fresh && !(stands && yields(fresh, walk, now, every))) return turn({ ...walk, newest: fresh.event!.id }, world, fresh, now, true);
  if (stands && now - walk.since < every) return walk;
  const after = next(walk, world, now);
  return after.item || item ? after : walk;
}

const isThere = (item: Item, { news, there }: World): boolean =>
  item.event || item.passing ? news.some((one) => one.key === item.key) : there(item.mmsi);

// yields tells that a new event waits, as another one is being read.
const yields = (fresh: Item, { item, urgent, since }: Walk, now: number, every: number): boolean =>
  urgent && now - since < Math.min(every, reading) && graveness(item) >= graveness(fresh);

const graveness = (item: Item | undefined): number => (item?.event ? severities.indexOf(item.event.severity) : -1);

/** next goes on: a round shows all news, the newest first, and then ships until it has five things. */
export function next(walk: Walk, world: World, now: number): Walk {
  const { round, item } = walk,
    { news } = world;
  const unseen = news.find(({ key }) => !round.includes(key));
  if (unseen) return turn(walk, world, unseen, now);
  const ship = news.length === 0 || round.length < least ? nextShip(walk, world) : undefined;
  if (ship) return turn(walk, world, ship, now);
  return turn({ ...walk, round: [] }, world, news.find(({ key }) => key !== item?.key) ?? news[0], now);
}

// nextShip returns the ship that was not shown for longest; of those that never were, the one heard last.
function nextShip({ passed, item }: Walk, world: World): Item | undefined {
  let found: number | undefined,
    at = Infinity;
  for (const mmsi of world.ships()) {
    const shown = mmsi === item?.mmsi ? mostPassed : passed.indexOf(mmsi);
    if (shown < at) [found, at] = [mmsi, shown];
  }
  return found === undefined ? undefined : { key: `ship ${found}`, mmsi: found };
}

function turn(walk: Walk, { news }: World, item: Item | undefined, now: number, urgent = false): Walk {
  const alone = item !== undefined && !item.event && !item.passing;
  const round = walk.round.filter((key) => key !== item?.key && (key.startsWith("ship ") || news.some((one) => one.key === key)));
  return {
    item,
    since: now,
    urgent,
    newest: walk.newest,
    round: item ? [...round, item.key].slice(-mostNews - least) : [],
    passed: alone ? [...walk.passed.filter((mmsi) => mmsi !== item.mmsi), item.mmsi].slice(-mostPassed) : walk.passed,
  };
}

const edge = 40; // pixels

/** within tells whether a place lies inside a view of so many pixels, and not at its edge. */
export function within(
  view: { lon: number; lat: number; zoom: number },
  at: { lon: number; lat: number },
  width: number,
  height: number,
): boolean {
  const resolution = world / 256 / 2 ** view.zoom,
    screen = { x: mercatorX(view.lon), y: mercatorY(view.lat), resolution, ratio: 1, width, height },
    x = across(screen, mercatorX(at.lon)),
    y = down(screen, mercatorY(at.lat));
  return x >= edge && x <= width - edge && y >= edge && y <= height - edge;
}
