import "./style.css";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { when } from "../text/clock";
import { t } from "../text/text";
import { useLoaded } from "../ui/load";
import { reveal } from "../ui/reveal";
import { whyOf } from "../why";
import { lengthened, loadChanges, renewed, stateOf, type Changes } from "./change";
import { changeText, labelOf } from "./words";

/** ChangeList shows what changed of a ship, the latest first: of the last day, and on request what is kept of before. It is asked for again when
 * something of the ship changes. */
export function ChangeList({ app, ship }: { app: App; ship: Ship }) {
  const known = useRef<Changes | undefined>(undefined),
    box = useRef<HTMLDivElement>(null),
    [older, setOlder] = useState<"" | "asked" | { why: string }>("");
  const { problem, again } = useLoaded(async () => {
    const latest = await loadChanges(ship.mmsi);
    return (known.current = renewed(latest, known.current));
  }, stateOf(ship));
  const more = async (): Promise<void> => {
    setOlder("asked");
    try {
      const before = await loadChanges(ship.mmsi, known.current!.from);
      known.current = lengthened(known.current!, before);
      setOlder("");
    } catch (problem) {
      setOlder({ why: whyOf(problem) });
    }
  };
  const data = known.current,
    now = app.picture.now(),
    why = problem || (typeof older === "object" ? older.why : "");
  useLayoutEffect(() => {
    if (data) reveal(box.current!.closest("section")!);
  }, [data === undefined]);
  return (
    <div ref={box}>
      {why !== "" && (
        <p class="note problem" role="alert">
          {t("load.failed", { why })} <button onClick={() => void (problem ? again() : more())}>{t("load.again")}</button>
        </p>
      )}
      {!data && why === "" && <p class="note late">{t("place.loading")}</p>}
      {data && data.records.length > 0 && (
        <ol>
          {data.records.map((c) => (
            <li key={`${c.time} ${c.field}`}>
              <span class="quiet">{when(c.time, now, false)}</span>
              <span>
                <b>{labelOf(c)}</b> {changeText(c)}
              </span>
            </li>
          ))}
        </ol>
      )}
      {data && (
        <p class="note quiet">
          {t(data.records.length === 0 ? "changes.none" : "changes.since", { time: when(data.from, now, false) })}
          {!data.more && " " + t("changes.end")}
        </p>
      )}
      {data?.more && (
        <button aria-busy={older === "asked"} onClick={() => older !== "asked" && void more()}>
          {t("changes.more")}
        </button>
      )}
    </div>
  );
}
