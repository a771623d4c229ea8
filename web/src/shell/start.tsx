import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { feedText, signs } from "./header";

/** Start stands on an empty map and says what is missing to a first ship: a feed, or a word from one. */
export function Start({ app }: { app: App }) {
  const feeds = app.feeds.list,
    none = feeds.length === 0;
  const [looked, setLooked] = useState(false);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    if (none && app.link.up) void app.openStored().finally(() => setLooked(true));
  }, [none, app.link.up]);
  const busy =
    app.selection.mmsi !== 0 || app.tracks.all.length > 0 || app.navigation.open.name !== "map" || app.search.query.kind !== "none";
  if (!app.link.up || closed || busy || app.picture.ships.size > 0 || (none && !looked)) return null;
  return (
    <section class="start" aria-labelledby="start-heading">
      <button class="square close" aria-label={t("start.close")} title={t("start.close")} onClick={() => setClosed(true)}>
        ×
      </button>
      <h2 id="start-heading">{t(none ? "start.none" : "start.waiting")}</h2>
      {none ? (
        app.session.may("sys_conf_access") ? (
          <FirstFeed />
        ) : (
          <p>{t("start.ask")}</p>
        )
      ) : (
        <>
          <ul>
            {feeds.map((f) => {
              const health = app.feeds.health(f, performance.now());
              return (
                <li key={f.name} class={health}>
                  <i aria-hidden="true">{signs[health]}</i> {feedText(app, f)}
                </li>
              );
            })}
          </ul>
          <p class="quiet">{t("start.check")}</p>
        </>
      )}
    </section>
  );
}

const example = `[[feed]]
name = "roof"
url = "serial://auto"`;

function FirstFeed() {
  return (
    <>
      <ol>
        <li>{t("start.plug")}</li>
        <li>
          {t("start.write")}{" "}
          <pre tabIndex={0} aria-label={t("start.example")}>
            {example}
          </pre>
        </li>
        <li>{t("start.restart")}</li>
      </ol>
      <p class="quiet">
        {t("start.network")} <code>udp://0.0.0.0:10110</code>, <code>tcp://192.0.2.7:4001</code>
      </p>
      <p class="quiet">
        {t("start.demo")} <code>quaywatch demo</code>
      </p>
    </>
  );
}
