// The way to the user's port: which one it is, and the offer of one where nobody has said it yet.
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import type { HomePort } from "../contract";
import { loadHome, ownHome, setHome } from "../home";
import { flag, t } from "../text/text";
import { Heading } from "../ui/heading";
import { Icon } from "../ui/icon";
import { NotLoaded, useLoaded } from "../ui/load";
import { Find } from "./find";
import "./words";

/** Home opens the user's port, at the list of the rest of the path. Where there is none it offers one, once, or asks for it. A guest is not asked: the port with most
 * ships is opened. */
export function Home({ app, list }: { app: App; list: string[] }) {
  const [own, setOwn] = useState(ownHome);
  const box = useLoaded<HomePort>(async () => (typeof own === "number" ? {} : loadHome()), "home");
  const ofGuest = app.session.account.link === undefined ? undefined : box.data?.offer;
  const id = typeof own === "number" ? own : (box.data?.port ?? ofGuest)?.id;
  useEffect(() => {
    if (id === undefined) return;
    if (own === "none") setHome(undefined); // the box has been told its port since
    app.navigation.goInstead("port", String(id), ...list);
  }, [id]);
  if (id !== undefined) return <Heading app={app} title={t("menu.port")} />;
  if (!box.data)
    return (
      <>
        <Heading app={app} title={t("menu.port")} />
        <NotLoaded loaded={box} />
      </>
    );
  const { offer, ships = 0, missing } = box.data;
  if (own === "none" || !offer)
    return (
      <>
        <Find app={app} home={own !== "none"} list={list} />
        {missing && <Missing name={missing} />}
      </>
    );
  const answer = (choice: number | "none"): void => {
    setHome(choice);
    setOwn(choice);
  };
  return (
    <>
      <Heading app={app} title={t("menu.port")} />
      <div class="offered">
        <h3>{t("home.ask")}</h3>
        <p>
          <b>{offer.name}</b> <span class="quiet">{[offer.locode, flag(offer)].filter(Boolean).join(" · ")}</span>
        </p>
        <p class="quiet">{t(ships === 1 ? "home.ships.one" : "home.ships", { n: ships })}</p>
        <div class="answers">
          <button class="primary" onClick={() => answer(offer.id)}>
            {t("home.yes")}
          </button>
          <button onClick={() => void app.navigation.go("port", "choose", ...list)}>{t("home.another")}</button>
          <button onClick={() => answer("none")}>{t("home.no")}</button>
        </div>
        <p class="quiet">{t("home.kept")}</p>
        {missing && <Missing name={missing} />}
      </div>
    </>
  );
}

const Missing = ({ name }: { name: string }) => <p class="note problem">{t("home.missing", { name })}</p>;

/** Mine marks a port as the user's, or takes that back. That of the box is so for everybody that chose no other. */
export function Mine({ app, id }: { app: App; id: number }) {
  const [own, setOwn] = useState(ownHome);
  const box = useLoaded(loadHome, "home"),
    ofBox = box.data?.port?.id;
  if (!box.data) return null;
  const mine = own === id || (typeof own !== "number" && ofBox === id);
  const toggle = (): void => {
    const next = mine || ofBox === id ? undefined : id;
    setHome(next);
    setOwn(next);
    app.say(t(next === id || ofBox === id ? "home.mine" : "home.taken"));
    app.changed();
  };
  const label = t(!mine ? "home.make" : ofBox === id ? "home.ofBox" : "home.mine");
  return (
    <button class="square mine" aria-pressed={mine} aria-label={label} title={label} disabled={mine && ofBox === id} onClick={toggle}>
      <Icon d="M2 8l6-5.500 6 5.500M4 7v6.500h8V7" />
    </button>
  );
}
