// The page: sign-in, or the operator's desk.
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";
import { Banner } from "./banner";
import { Card } from "./card";
import { Header } from "./header";
import { List } from "./list";
import { MapTools } from "./maptools";
import { Notices, Open, QuestionBox } from "./place";
import { SelectionNote } from "./selection";
import { SignIn } from "./signin";
import { Start } from "./start";
import { Tip } from "./tip";

export function Page({ app }: { app: App }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useLayoutEffect(() => {
    redraw(undefined as never); // what changed between the first drawing and now
    return app.subscribe(() => redraw(undefined as never));
  }, [app]);
  if (app.stage === "start") return null;
  return (
    <>
      {app.stage === "signin" && <SignIn app={app} />}
      {(app.stage === "on" || app.held !== "") && <Desk app={app} key={app.desk} />}
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
  useEffect(() => app.chart?.uncoverLabels(), [app.selected]);
  const parts =
    ` with-${app.open.kind}` + (app.listOpen ? " with-list" : "") + (app.selected ? " with-card" : "") + (app.link.lost ? " stale" : "");
  return (
    <div class={"desk" + parts} hidden={app.stage !== "on"}>
      <a
        class="skip"
        href="#map"
        onClick={(e) => {
          e.preventDefault();
          map.current?.focus();
        }}>
        {t("skip.map")}
      </a>
      <Header app={app} />
      <Banner app={app} />
      <main>
        {app.open.kind === "panel" ? <Open app={app} /> : app.listOpen && <List app={app} />}
        <section class="mapbox" aria-labelledby="map-heading">
          <h2 id="map-heading" class="unseen">
            {t("map.heading")}
          </h2>
          <div id="map" class="map" ref={map} tabIndex={0} role="application" aria-label={t("map.label")} />
          <MapTools app={app} />
          <Tip app={app} />
          <SelectionNote app={app} />
          <Start app={app} />
        </section>
        {app.selected !== 0 && <Card app={app} key={app.selected} />}
      </main>
      {app.open.kind === "page" && <Open app={app} />}
    </div>
  );
}

// "/" goes to the search box, Escape closes the card.
function shortcut(app: App, e: KeyboardEvent): void {
  if (app.stage !== "on") return;
  const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.target instanceof HTMLTextAreaElement;
  if (e.key === "/" && !typing && !e.ctrlKey && !e.altKey && !e.metaKey) {
    e.preventDefault();
    document.getElementById("search")?.focus();
  } else if (e.key === "Escape" && !typing && app.selected !== 0 && app.open.kind !== "page" && !app.question) {
    app.close();
    document.getElementById("map")?.focus();
  }
}
