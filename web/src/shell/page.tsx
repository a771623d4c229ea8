// The page: sign-in, or the operator's desk.
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { App } from "../app";
import { DistressStrip } from "../distress/strip";
import { Ticker } from "../messages/ticker";
import { t } from "../text/text";
import { Banner } from "./banner";
import { Card } from "../card/card";
import { FollowNote } from "./following";
import { Header } from "./header";
import { Later } from "../ui/later";
import { List } from "./list";
import { MapTools } from "./maptools";
import { Notices, Open, QuestionBox } from "./place";
import { RequestNote } from "./request";
import { SignIn } from "../signin/signin";
import { Strip } from "./strip";
import { Tip } from "./tip";

/** Page is the whole page, drawn anew with each change of the state. */
export function Page({ app }: { app: App }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useLayoutEffect(() => {
    redraw(undefined as never); // what changed between the first drawing and now
    return app.subscribe(() => redraw(undefined as never));
  }, [app]);
  if (app.session.stage === "start") return null;
  return (
    <>
      {app.session.stage === "signin" && <SignIn app={app} />}
      {(app.session.stage === "on" || app.session.held !== "") && <Desk app={app} key={app.sitting} />}
      <Notices app={app} />
      {app.question && <QuestionBox key={app.question.title} app={app} question={app.question} />}
      <div class="unseen" role="status" aria-live="polite">
        {app.said}
      </div>
    </>
  );
}

function Desk({ app }: { app: App }) {
  const map = useRef<HTMLDivElement>(null);
  useEffect(() => {
    app.attach(map.current!);
    const keys = (e: KeyboardEvent): void => shortcut(app, e);
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [app]);
  useEffect(() => app.chart?.uncoverLabels(), [app.selection.mmsi, app.tracks.all.length]);
  const { kind } = app.navigation.open,
    wall = kind === "wall"; // which has nothing but the map, the strips and its plate
  const parts =
    ` with-${kind}` +
    (app.settings.listOpen && !wall ? " with-list" : "") +
    (app.selection.mmsi && !wall ? " with-card" : "") +
    (app.distress.shown.length > 0 ? " in-distress" : "") +
    (app.link.lost ? " stale" : "");
  return (
    <div class={"desk" + parts} hidden={app.session.stage !== "on"}>
      <a
        class="skip"
        href="#map"
        onClick={(e) => {
          e.preventDefault();
          map.current?.focus();
        }}>
        {t("skip.map")}
      </a>
      <DistressStrip app={app} />
      {!wall && <Header app={app} />}
      <div class="banners">
        <Strip app={app} />
        <Banner app={app} />
      </div>
      <main>
        {kind === "panel" ? <Open app={app} /> : app.settings.listOpen && !wall && <List app={app} />}
        <section class="mapbox" aria-labelledby="map-heading">
          <h2 id="map-heading" class="unseen">
            {t("map.heading")}
          </h2>
          <div id="map" class="map" ref={map} tabIndex={0} role="application" aria-label={t("map.label")} />
          {!wall && <OnMap app={app} />}
          {app.feeds.told && app.picture.ships.size === 0 && <Later load={() => import("./start").then((m) => m.Start)} props={{ app }} />}
        </section>
        {app.selection.mmsi !== 0 && !wall && <Card app={app} key={app.selection.mmsi} />}
      </main>
      {kind === "page" || wall ? <Open app={app} /> : <Ticker app={app} />}
    </div>
  );
}

// OnMap is what lies upon the map: buttons, notes and the tip of the pointer.
function OnMap({ app }: { app: App }) {
  return (
    <>
      <MapTools app={app} />
      {app.tracks.all.length > 0 && <Later load={() => import("./legend").then((m) => m.Legend)} props={{ app }} />}
      <FollowNote app={app} />
      {app.measuring && <Later load={() => import("./ruler").then((m) => m.RulerNote)} props={{ app }} />}
      {app.search.elsewhere && !app.measuring && <Later load={() => import("./elsewhere").then((m) => m.Elsewhere)} props={{ app }} />}
      {app.stored && <Later load={() => import("./stored").then((m) => m.StoredNote)} props={{ app }} />}
      <Tip app={app} />
      <RequestNote app={app} />
    </>
  );
}

// On the wall display Escape leads back to the map, and no other key has a meaning here. Elsewhere "/" goes to the search box, "m" takes the ruler or
// puts it away, Escape puts it away or closes the card.
function shortcut(app: App, e: KeyboardEvent): void {
  if (app.session.stage !== "on") return;
  if (app.navigation.open.kind === "wall") {
    if (e.key === "Escape" && !app.question) void app.navigation.go("map");
    return;
  }
  const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.target instanceof HTMLTextAreaElement;
  if (e.key === "/" && !typing && !e.ctrlKey && !e.altKey && !e.metaKey) {
    e.preventDefault();
    document.getElementById("search")?.focus();
  } else if (e.key === "m" && !typing && !e.ctrlKey && !e.altKey && !e.metaKey && app.navigation.open.kind !== "page" && !app.question) {
    void app.measure();
  } else if (e.key === "Escape" && !typing && !app.question && app.measuring) {
    void app.measure(false);
  } else if (e.key === "Escape" && !typing && app.selection.mmsi !== 0 && app.navigation.open.kind !== "page" && !app.question) {
    app.selection.close();
    document.getElementById("map")?.focus();
  }
}
