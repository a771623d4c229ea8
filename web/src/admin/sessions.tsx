import type { App } from "../app";
import { send } from "../api";
import type { OpenSession } from "../contract";
import { dateTime } from "../text/clock";
import { ageText, t } from "../text/text";
import { NotLoaded, records, useLoaded } from "../ui/load";
import { whyOf } from "../why";

/** Sessions lists open sessions and ends them; path is where the API has them. */
export function Sessions({ app, path, label }: { app: App; path: string; label: string }) {
  const sessions = useLoaded(() => records<OpenSession>(path), path);
  const end = async (id: number | undefined): Promise<void> => {
    try {
      await send("DELETE", id === undefined ? path : `${path}/${id}`);
      app.tell(t(id === undefined ? "own.endedAll" : "own.ended"));
    } catch (problem) {
      app.tell(whyOf(problem), true);
    }
    await sessions.again();
  };
  const all = sessions.data,
    now = app.picture.now();
  return (
    <fieldset>
      <legend>{label}</legend>
      <NotLoaded loaded={sessions} />
      <ul class="sessions">
        {all?.map((s) => (
          <li key={s.id}>
            <span>
              <b>{s.address}</b>{" "}
              <span class="quiet">
                {t("own.since", { time: dateTime(Date.parse(s.since)) })} ·{" "}
                {s.current ? t("own.this") : t("own.used", { age: ageText(now - Date.parse(s.last_used)) })}
              </span>
            </span>
            {!s.current && (
              <button type="button" aria-label={t("own.endOne", { address: s.address ?? "" })} onClick={() => void end(s.id)}>
                {t("own.end")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {all?.length === 0 && <p class="quiet">{t("own.noSessions")}</p>}
      {all && all.filter((s) => !s.current).length > 1 && (
        <button type="button" onClick={() => void end(undefined)}>
          {t("own.endAll")}
        </button>
      )}
    </fieldset>
  );
}
