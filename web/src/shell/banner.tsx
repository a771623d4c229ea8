import type { App } from "../app";
import { dateTime } from "../text/clock";
import { ageText, t } from "../text/text";

// Expiry warns, once a sitting, that the access of the user ends soon.
function Expiry({ app }: { app: App }) {
  const { warn, expiration_time } = app.session.account;
  if (warn !== "expires_soon" || !expiration_time || app.session.warned === expiration_time) return null;
  return (
    <div class="banner warn" role="alert">
      <span aria-hidden="true">▲</span> <span class="words">{t("banner.expires", { date: dateTime(Date.parse(expiration_time)) })}</span>
      <button
        onClick={() => {
          app.session.warned = expiration_time;
          app.changed();
        }}>
        {t("banner.understood")}
      </button>
    </div>
  );
}

/** Banner says what makes the picture untrue: the link to the server is lost, the server is silent, or a feed has stopped. */
export function Banner({ app }: { app: App }) {
  if (app.link.lost) {
    const wait = Math.ceil((app.link.retryAt - Date.now()) / 1000);
    const age = ageText(app.picture.time === 0 ? 0 : app.picture.now() - app.picture.time);
    return (
      <div class="banner bad" role="alert">
        <span aria-hidden="true">✕</span>{" "}
        <span class="words">{wait > 0 ? t("banner.link", { age, n: wait }) : t("banner.retrying", { age })}</span>
        <button onClick={() => app.live.retryNow()}>{t("banner.retry")}</button>
      </div>
    );
  }
  const now = performance.now(),
    late = app.feeds.late(now);
  if (late !== undefined)
    return (
      <div class="banner bad" role="alert">
        <span aria-hidden="true">✕</span> <span class="words">{t("banner.server", { age: ageText(late) })}</span>
      </div>
    );
  const down = app.feeds.list.filter((f) => app.feeds.health(f, now) === "down");
  const silent = app.feeds.list.filter((f) => app.feeds.health(f, now) === "silent");
  if (down.length === 0 && silent.length === 0) return <Expiry app={app} />;
  const names = [...down, ...silent].map((f) => f.name).join(", ");
  const ages = silent.map((f) => app.feeds.age(f, now) ?? 0);
  return (
    <div class="banner warn" role="alert">
      <span aria-hidden="true">▲</span>{" "}
      <span class="words">
        {down.length > 0 ? t("banner.feedDown", { names }) : t("banner.feed", { names, age: ageText(Math.max(...ages)) })}
      </span>
    </div>
  );
}
