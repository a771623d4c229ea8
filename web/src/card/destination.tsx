import { useEffect, useState } from "preact/hooks";
import { askPort, says } from "../bound";
import type { Ship } from "../ship";

/** Destination is what the crew typed, and behind it the port that it names, where the text does not say it itself. */
export function Destination({ ship: { mmsi, destination = "" } }: { ship: Ship }) {
  const [port, setPort] = useState({ of: "", name: "" });
  const of = `${mmsi} ${destination}`;
  useEffect(() => {
    const stop = new AbortController();
    // Without an answer the text stands alone.
    askPort(mmsi, destination, stop.signal).then(
      (name) => setPort({ of, name }),
      () => undefined,
    );
    return () => stop.abort();
  }, [of]);
  const name = port.of === of && !says(destination, port.name) ? port.name : "";
  return <>{name ? `${destination} · ${name}` : destination}</>;
}
