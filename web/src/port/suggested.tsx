// The places of a port where ships lie again and again, as the server suggests them: a click makes a berth of one.
import type { App } from "../app";
import type { SuggestedBerth } from "../contract";
import type { MapShape } from "../map/shapes";
import { distance, formOf } from "../geometry";
import { metres } from "../text/figures";
import { number, t } from "../text/text";
import { useLoaded } from "../ui/load";
import { send } from "../api";
import { berthRadius, type Berth } from "./model";

/** beside is how near to a berth a suggestion is that berth, at least: metres. The server has the same rule. */
const beside = 40;

/** useSuggested returns what is suggested for a port, without the places of some berths. */
export function useSuggested(port: number, berths: readonly Berth[]): SuggestedBerth[] {
  const { data } = useLoaded(() => send<{ records: SuggestedBerth[] }>("GET", `portserver/port/berths/${port}`), String(port));
  return (data?.records ?? []).filter((s) => s.kind === "anchorage" || !berths.some((b) => isAt(b, s)));
}

function isAt({ position, length = 0 }: Berth, s: SuggestedBerth): boolean {
  return position !== undefined && distance(position.coordinates, s.position.coordinates) <= Math.max(length / 2, beside);
}

/** berthOf makes a berth of a suggestion, which the user is to name. */
export const berthOf = ({ position, length }: SuggestedBerth, name: string): Berth => ({ name, position, ...(length && { length }) });

/** suggestedShapes are rings for the map. */
export function suggestedShapes(all: readonly SuggestedBerth[], key: string): MapShape[] {
  return all.flatMap(({ position, radius }) => {
    const form = formOf({ circle: { center: position, radius: radius || berthRadius } });
    return form ? [{ key, label: "?", form, colour: "" }] : [];
  });
}

interface Props {
  app: App;
  all: readonly SuggestedBerth[];
  take: (s: SuggestedBerth) => void;
}

/** Suggested is the list of them. */
export function Suggested({ app, all, take }: Props) {
  if (all.length === 0) return null;
  return (
    <>
      <p class="quiet">{t("port.suggestHint")}</p>
      <ul class="suggested">
        {all.map((s) => {
          const { ships, stays, kind, length, few } = s;
          const what = [t("port.suggest." + kind), length ? t("port.suggestUpTo", { length: metres(length) }) : ""]
            .filter(Boolean)
            .join(" ");
          const used = t(ships === 1 ? "port.suggestOne" : "port.suggestUsed", { ships: number(ships), stays: number(stays) });
          const [lon, lat] = s.position.coordinates;
          return (
            <li key={`${lon} ${lat}`}>
              <button type="button" class="lane" title={t("port.suggestShow")} onClick={() => app.chart?.show(lon, lat, 15)}>
                <b>{what}</b> <span class="quiet">{used}</span>
                {few && <span class="quiet"> · {t("port.suggestFew")}</span>}
              </button>
              {kind === "berth" && (
                <button type="button" aria-label={`${t("port.suggestTake")}: ${what}, ${used}`} onClick={() => take(s)}>
                  {t("port.suggestTake")}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
