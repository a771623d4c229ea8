// The watchdogs: their list, what a new one may watch, and the sheet of one.
import "./style.css";
import { useEffect, useRef } from "preact/hooks";
import type { App, Props } from "../app";
import { mayMake } from "../library/sheet";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { Missing } from "../ui/sheet";
import { BuiltIn } from "./builtin";
import { kind } from "./kind";
import { types } from "./kinds";
import { Overview, ShipsInside } from "./list";
import { DogSheet, Facts } from "./sheet";
import { isBuiltIn, type Watchdog } from "./watchdogs";

/** Panel is the panel of watchdogs. */
export function Panel({ app, path }: Props) {
  useEffect(() => {
    void app.watchdogs.load();
    void app.shapes.load();
    if (!app.events.there) void app.events.load();
  }, []);
  const { all, state } = app.watchdogs;
  const [first, second] = path;
  const edited = useRef<Watchdog>(undefined); // stays while somebody writes, should another delete it meanwhile
  const there = { data: state === "there" ? all : undefined, problem: state === "failed" ? t("dog.failed") : "" };
  if (first === undefined) return <Overview app={app} all={there} />;
  if (first === "warn") return <WarnMe key={path.join("/")} app={app} path={path.slice(1)} />;
  if (first === "new") {
    const type = types.find((each) => each === second);
    return type ? <DogSheet key={type} app={app} begun={{ type }} /> : <NewDog app={app} />;
  }
  const dog = all.find((w) => w.uid === first) ?? (app.unsaved && edited.current?.uid === first ? edited.current : undefined);
  edited.current = dog;
  if (dog && second === "inside") return <ShipsInside app={app} dog={dog} />;
  if (dog && isBuiltIn(dog)) return <BuiltIn key={dog.uid} app={app} read={dog} />;
  if (dog && !types.includes(dog.type)) return <OfAPI app={app} dog={dog} />;
  return dog ? <DogSheet key={dog.uid} app={app} read={dog} /> : <Missing app={app} kind={kind} all={there} />;
}

// OfAPI shows a watchdog of a type that only the API makes.
const OfAPI = ({ app, dog }: { app: App; dog: Watchdog }) => (
  <>
    <Heading app={app} title={dog.name} back={[kind.place]} />
    <Facts dog={dog} />
  </>
);

// WarnMe begins a watchdog that is for a ship, for a shape, or for what is drawn next.
function WarnMe({ app, path: [of, which] }: Props) {
  if (of === "ship") return <DogSheet app={app} begun={{ mmsi: Number(which) || 0 }} />;
  if (of !== "shape") return <DogSheet app={app} />;
  const shape = app.shapes.all.find((s) => s.uid === which);
  if (shape) return <DogSheet app={app} begun={{ shape }} />;
  return (
    <>
      <Heading app={app} title={t("dog.warn")} back={[kind.place]} />
      <p class="empty">{t(app.shapes.state === "there" ? "shape.gone" : "place.loading")}</p>
    </>
  );
}

// NewDog asks what a new watchdog is to watch.
function NewDog({ app }: { app: App }) {
  const may = mayMake(app, kind);
  return (
    <>
      <Heading app={app} title={kind.say("new")} back={[kind.place]} />
      {!may && <p class="empty">{kind.say("mayNot")}</p>}
      {may && (
        <div class="newdogs">
          {types.map((type) => (
            <button key={type} onClick={() => void app.navigation.go(kind.place, "new", type)}>
              <b>{t("dog.when." + type)}</b>
              <span class="quiet">{t("dog.hint." + type)}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}
