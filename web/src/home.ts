// Home is the port that the user looks at first: one that the user chose, else that of the box. Ports that were open last are kept beside it.
import { send } from "./api";
import type { HomePort, ListedPort } from "./contract";
import { keep, kept } from "./storage";

/** loadHome asks for the port of the box. */
export const loadHome = (): Promise<HomePort> => send<HomePort>("GET", "portserver/port/home");

const key = "port.home",
  lastKey = "port.last";
const most = 5; // ports that are remembered

/** ownHome returns the id of the port that the user chose; undefined for none, "none" where the user said that the offer is wrong. */
export function ownHome(): number | "none" | undefined {
  const text = kept(key);
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : text === "none" ? "none" : undefined;
}

/** setHome keeps what the user chose; undefined: the port of the box. */
export const setHome = (choice: number | "none" | undefined): void => keep(key, String(choice ?? ""));

/** lastPorts returns the ports that were open last, the latest first. */
export function lastPorts(): ListedPort[] {
  try {
    const all = JSON.parse(kept(lastKey) || "[]") as unknown;
    return Array.isArray(all) ? all.filter(isPort).slice(0, most) : [];
  } catch {
    return []; // of another version
  }
}

const isPort = (one: unknown): one is ListedPort => {
  const { id, name } = (one ?? {}) as Partial<ListedPort>;
  return typeof id === "number" && typeof name === "string" && name !== "";
};

/** remember keeps a port as the latest. */
export function remember({ id, name, locode, country, country_code, position }: ListedPort): void {
  const others = lastPorts().filter((one) => one.id !== id);
  keep(lastKey, JSON.stringify([{ id, name, locode, country, country_code, position }, ...others].slice(0, most)));
}

/** forget drops a port that is not there any more. */
export function forget(id: number): void {
  keep(lastKey, JSON.stringify(lastPorts().filter((one) => one.id !== id)));
  if (ownHome() === id) setHome(undefined);
}
