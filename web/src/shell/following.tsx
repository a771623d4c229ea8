import type { App } from "../app";
import { title } from "../ship";
import { t } from "../text/text";

/** FollowNote names the ship that the map follows, and releases it. */
export function FollowNote({ app }: { app: App }) {
  const { mmsi } = app.following;
  if (mmsi === 0) return null;
  const ship = app.picture.ships.get(mmsi);
  return (
    <p class="following">
      {t("follow.now", { name: title(ship ?? { mmsi }) })}{" "}
      <button class="square" aria-label={t("follow.release")} title={t("follow.release")} onClick={() => app.following.release()}>
        ×
      </button>
    </p>
  );
}
