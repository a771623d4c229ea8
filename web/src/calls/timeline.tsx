import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { useLoaded } from "../ui/load";
import { reveal } from "../ui/reveal";
import { itemsOf, loadHistory, most } from "./call";
import { Entry } from "./entry";
import { tripText } from "./words";

const refresh = 60e3; // milliseconds after which the server is asked again while the time line is open
const first = 20; // calls

/** Timeline shows the calls of a ship, the latest first, and between two calls the trip. */
export function Timeline({ app, ship }: { app: App; ship: Ship }) {
  const [count, setCount] = useState(first);
  const times = app.session.may("view_ata_atd");
  const { data, problem, again } = useLoaded(() => loadHistory(ship.mmsi, count, times), `${count} ${times}`);
  const box = useRef<HTMLDivElement>(null),
    latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || void latest.current(), refresh);
    return () => clearInterval(timer);
  }, []);
  useLayoutEffect(() => {
    if (data) reveal(box.current!.closest("section")!);
  }, [data === undefined]);
  const now = app.picture.now();
  return (
    <div ref={box}>
      {problem !== "" && (
        <p class="note problem" role="alert">
          {t("load.failed", { why: problem })} <button onClick={() => void again()}>{t("load.again")}</button>
        </p>
      )}
      {!data && problem === "" && <p class="note late">{t("place.loading")}</p>}
      {data?.calls.length === 0 && <p class="note">{t("calls.none")}</p>}
      {data && data.calls.length > 0 && (
        <ol>
          {itemsOf(data).map(({ key, call, trip }) =>
            call ? (
              <Entry key={key} app={app} call={call} times={times} again={again} />
            ) : (
              <li key={key} class={trip.open ? "trip open" : "trip"}>
                {tripText(trip, now)}
              </li>
            ),
          )}
        </ol>
      )}
      {data?.more &&
        (count < most ? (
          <button onClick={() => setCount(Math.min(most, count * 5))}>{t("calls.more")}</button>
        ) : (
          <p class="note">{t("calls.most", { n: most })}</p>
        ))}
    </div>
  );
}
