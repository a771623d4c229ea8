// When a ship comes to the port that its crew announces, by our reckoning. It need not be tracked for it.
import { useEffect, useState } from "preact/hooks";
import { send } from "../api";
import type { App } from "../app";
import { announcedPort } from "../bound";
import type { Arrival } from "../contract";
import type { Ship } from "../ship";
import { when } from "../text/clock";
import { miles } from "../text/figures";
import { t } from "../text/text";
import { parseTime } from "../time";
import "./words";

interface ETA {
  of: string;
  time: number;
  metres: number;
  port: string;
}

const refresh = 30e3; // milliseconds between two questions, as for a tracked ship

// ask returns our ETA as the list of expected ships of the port has it; undefined where that list has none.
async function ask({ mmsi, destination = "" }: Ship, signal: AbortSignal): Promise<Omit<ETA, "of"> | undefined> {
  const port = await announcedPort(mmsi, destination, signal);
  if (!port) return undefined;
  const path = `portserver/port/arrivals/${port.id}?announced=true&tracks=false&mmsi=${mmsi}`;
  const { records } = await send<{ records: Partial<Arrival>[] }>("GET", path, undefined, signal);
  const { eta, distance = 0 } = records.find((one) => one.announced) ?? {};
  return eta ? { time: parseTime(eta), metres: distance, port: port.name } : undefined;
}

/** Announced is the row of the card with our ETA at the port that the crew announces. A ship that is tracked there has it above, with more. */
export function Announced({ app, ship }: { app: App; ship: Ship }) {
  const [eta, setETA] = useState<ETA>(),
    of = `${ship.mmsi} ${ship.destination}`;
  useEffect(() => {
    const stop = new AbortController();
    const again = (): void => {
      if (document.hidden || !app.link.up) return;
      // Without an answer the ETA stands as it was told last.
      ask(ship, stop.signal).then(
        (told) => !stop.signal.aborted && setETA(told && { ...told, of }),
        () => undefined,
      );
    };
    again();
    const timer = setInterval(again, refresh);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [of]);
  if (eta?.of !== of) return null;
  return (
    <div class="wide">
      <dt>{t("tracked.ourEta")}</dt>
      <dd>{t("tracked.ourEtaIs", { time: when(eta.time, app.picture.now(), false), miles: miles(eta.metres), port: eta.port })}</dd>
    </div>
  );
}
