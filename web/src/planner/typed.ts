// What a user types in a field that takes ports, and the ports that the text may mean.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedPort } from "../contract";
import type { App } from "../app";
import { whyOf } from "../why";
import { askPorts } from "./suggest";

/** usePorts asks for the ports that a text may mean, after a rest in milliseconds. */
export function usePorts(app: App): {
  of: string;
  ports: ListedPort[];
  why: string;
  ask: (text: string, rest?: number) => Promise<ListedPort[]>;
} {
  const [found, setFound] = useState<{ of: string; ports: ListedPort[]; why: string }>({ of: "", ports: [], why: "" });
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  const ask = async (text: string, rest = 0): Promise<ListedPort[]> => {
    asking.current?.abort();
    const mine = (asking.current = new AbortController());
    if (!app.session.may("view_port")) return [];
    if (rest > 0) await new Promise((done) => setTimeout(done, rest));
    if (mine.signal.aborted) return [];
    try {
      const ports = await askPorts(text, mine.signal);
      if (!mine.signal.aborted) setFound({ of: text, ports, why: "" });
      return ports;
    } catch (problem) {
      if (!mine.signal.aborted) setFound({ of: text, ports: [], why: whyOf(problem) });
      return [];
    }
  };
  return { ...found, ask };
}
