// A link by which others look at the map for a time, and what of an address goes into it.
import { read, write } from "../hash";

/** parts is what a link can show beside the ships, each with the rights that it takes. */
export const parts = [
  { name: "past", rights: ["view_history", "view_historical_tracks"] },
  { name: "port", rights: ["view_port", "view_ata_atd"] },
  { name: "expected", rights: ["pcs_access"] },
  { name: "route", rights: ["view_predicted_position"] },
] as const;

export type Part = (typeof parts)[number]["name"];

// Those that come by the link see the ships of satellites where its maker does.
const silent = "view_satellites";

/** offered returns the parts that a user may share. */
export const offered = (may: (right: string) => boolean): Part[] => parts.filter((part) => part.rights.some(may)).map((part) => part.name);

/** rightsOf returns the rights of a link that shows these parts, as far as its maker has them. */
export const rightsOf = (chosen: readonly Part[], may: (right: string) => boolean): string[] =>
  [silent, ...parts.filter((part) => chosen.includes(part.name)).flatMap((part) => part.rights)].filter(may);

/** partsOf returns the parts that the rights of a link show. */
export const partsOf = (rights: readonly string[]): Part[] => offered((right) => rights.includes(right));

/** addressOf returns the whole address of a link: the page, the secret, and the view of the map, its filter and its ship, as they stand. A panel is left out. */
export function addressOf(page: string, secret: string, hash: string): string {
  const { view, ship, query, tracks, vectors } = read(hash);
  const state = write({ view, ship, query, tracks, vectors });
  return `${page}#link=${secret}${state && "&" + state}`;
}
