// What the typed text of a stop may mean: a position, ports of the server, and ships of the picture.
import { send } from "../api";
import type { ListedPort } from "../contract";
import { lastPorts, remember } from "../home";
import { fold } from "../letters";
import type { Picture } from "../picture";
import { best, classify } from "../query";
import { parse, write } from "../geometry";
import { mmsiText, title, type Ship } from "../ship";
import { flag, t, typeText } from "../text/text";
import type { Stop } from "./plan";
import { portOf } from "./planner";

/** Offer is a stop that the text may mean. */
export interface Offer {
  key: string;
  stop: Stop;
  label: string;
  more: string;
  /** exact is true where the text is all of a name, a LOCODE, a number or a position. */
  exact: boolean;
  ship?: Ship;
}

const mostPorts = 6;
const mostShips = 4;

/** askPorts asks the server for the ports that a text may mean: those that begin with it, then those that have it in a name. */
export async function askPorts(text: string, signal: AbortSignal): Promise<ListedPort[]> {
  const word = text.replaceAll("*", "").trim();
  if (word.length < 2) return [];
  const ask = (pattern: string, limit: number): Promise<{ records: ListedPort[] }> =>
    send("GET", `portserver/port/list?limit=${limit}&pattern=${encodeURIComponent(pattern)}`, undefined, signal);
  const [first, rest] = await Promise.all([ask(word + "*", 40), ask("*" + word + "*", 40)]);
  const all = new Map([...first.records, ...rest.records].map((port) => [port.id, port]));
  return [...all.values()];
}

/** rank orders ports: the LOCODE or name that was typed, then names that begin with it, then the rest; lower is better. */
function rank(port: ListedPort, word: string): number {
  const name = fold(port.name);
  if (fold(port.locode ?? "") === word || name === word) return 0;
  if (name.startsWith(word)) return 1;
  return name.includes(word) ? 2 : 3; // by another name
}

/** offersOf returns what a text may mean, best first. */
export function offersOf(text: string, ports: readonly ListedPort[], picture: Picture): Offer[] {
  const word = fold(text.trim());
  if (word === "") return [];
  const at = parse(text);
  const ranked = ports
    .filter((port) => port.position)
    .map((port) => ({ port, rank: rank(port, word) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostPorts);
  const ships = at ? [] : best(picture.ships.values(), classify(text), 2 * mostShips).filter((ship) => ship.lon !== undefined);
  const number = /^\d{9}$/.test(word) && ships.length === 0 ? Number(word) : 0; // the server knows more ships than the picture
  return [
    ...(at ? [{ key: "at", stop: { kind: "place", at } as const, label: write(at), more: t("planner.position"), exact: true }] : []),
    ...ranked.map(({ port, rank: r }) => ({
      key: `p${port.id}`,
      stop: portOf(port),
      label: port.name,
      more: [port.locode, flagOf(port)].filter(Boolean).join(" · "),
      exact: r === 0,
    })),
    ...ships
      .slice(0, mostShips)
      .map((ship) => ({
        key: `s${ship.mmsi}`,
        stop: { kind: "ship", mmsi: ship.mmsi } as const,
        label: title(ship),
        more: [typeText(ship), ship.name ? mmsiText(ship.mmsi) : undefined].filter(Boolean).join(" · "),
        exact: fold(title(ship)) === word || mmsiText(ship.mmsi) === word,
        ship,
      })),
    ...(number
      ? [{ key: "n", stop: { kind: "ship", mmsi: number } as const, label: mmsiText(number), more: t("card.mmsi"), exact: true }]
      : []),
  ];
}

/** lastOffers returns the ports that were open last, the latest first. */
export const lastOffers = (): Offer[] =>
  lastPorts()
    .filter((port) => port.position)
    .map((port) => ({
      key: `p${port.id}`,
      stop: portOf(port),
      label: port.name,
      more: [port.locode, flagOf(port)].filter(Boolean).join(" · "),
      exact: false,
    }));

/** rememberOffer keeps the port of an offer that was taken as the latest. */
export function rememberOffer({ stop, label }: Offer): void {
  if (stop.kind !== "port" || stop.id === undefined || !stop.at) return;
  remember({
    id: stop.id,
    name: stop.name ?? label,
    locode: stop.text || undefined,
    position: { type: "Point", coordinates: [stop.at[0], stop.at[1]] },
  });
}

const flagOf = (port: ListedPort): string | undefined => flag(port);

/** meant returns the one stop that a text means without a doubt. */
export function meant(offers: readonly Offer[]): Offer | undefined {
  const exact = offers.filter((offer) => offer.exact);
  if (exact.length > 0) return exact.length === 1 ? exact[0] : undefined;
  return offers.length === 1 ? offers[0] : undefined;
}
