import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { announcedPort } from "../bound";
import { Offers } from "../planner/offers";
import { endOf, type Stop } from "../planner/plan";
import { lastOffers, meant, offersOf, rememberOffer, type Offer } from "../planner/suggest";
import { usePorts } from "../planner/typed";
import { title, type Ship } from "../ship";
import { t } from "../text/text";
import { whyOf } from "../why";
import { startTrack } from "./track";
import { portName } from "./words";

const typing = 150; // milliseconds of rest before the server is asked

// Choice is a destination with the text that stands for it.
interface Choice {
  stop: Stop;
  text: string;
}

const choiceOf = ({ stop, label }: Offer): Choice => ({
  stop,
  text: stop.kind === "port" && stop.text && stop.text !== label ? `${label} (${stop.text})` : label,
});

/** Start asks for the destination of a ship, and has it tracked. The port that the crew announces stands there already. */
export function Start({ app, ship }: { app: App; ship: Ship }) {
  const [text, setText] = useState(""),
    [choice, setChoice] = useState<Choice>(),
    [announced, setAnnounced] = useState<Choice>(),
    [active, setActive] = useState(-1),
    [typed, setTyped] = useState(false),
    [recalled, setRecalled] = useState(false), // the ports that were open last are offered, as ↓ asked for them
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  const found = usePorts(app),
    field = useRef<HTMLInputElement>(null),
    id = useId();
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (!ship.destination) return;
    const stop = new AbortController();
    announcedPort(ship.mmsi, ship.destination, stop.signal).then(
      (port) =>
        port && setAnnounced({ stop: { kind: "port", id: port.id, text: port.locode ?? "", name: port.name }, text: portName(port) }),
      () => undefined, // without an answer nothing is offered
    );
    return () => stop.abort();
  }, [ship.mmsi, ship.destination]);
  useEffect(() => {
    if (announced && !typed && !choice) take(announced);
  }, [announced]);
  const take = (one: Choice): void => {
    setChoice(one);
    setText(one.text);
    setActive(-1);
    setWrong("");
  };
  const offers =
    recalled && text === ""
      ? lastOffers()
      : choice || text.trim() === ""
        ? []
        : offersOf(text, found.ports, app.picture).filter((one) => !itself(one.stop, ship));
  const type = (value: string): void => {
    setText(value);
    setTyped(true);
    setRecalled(false);
    setChoice(undefined);
    setActive(-1);
    setWrong("");
    void found.ask(value, typing);
  };
  const takeOffer = (offer: Offer): void => {
    rememberOffer(offer);
    setRecalled(false);
    take(choiceOf(offer));
  };
  // settle returns what the text means; undefined, with the reason told, where that is not clear.
  const settle = async (): Promise<Choice | undefined> => {
    if (choice) return choice;
    if (text.trim() === "") {
      setWrong(t("tracked.nothing"));
      return undefined;
    }
    const all = offersOf(text, found.of === text ? found.ports : await found.ask(text), app.picture).filter(
      (one) => !itself(one.stop, ship),
    );
    const one = meant(all) ?? (all.some((offer) => offer.exact) ? undefined : all[0]);
    if (one) return choiceOf(one);
    if (all.length === 0 && !app.session.may("view_port")) return { stop: { kind: "port", text: text.trim() }, text: text.trim() };
    setWrong(all.length > 0 ? t("tracked.choose") : t("tracked.unknown", { text: text.trim() }));
    return undefined;
  };
  const start = async (): Promise<void> => {
    if (busy) return;
    const one = await settle();
    if (!one) return field.current?.focus();
    take(one);
    setBusy(true);
    try {
      const number = await startTrack(ship.mmsi, endOf(one.stop));
      app.tell(t("tracked.started", { ship: title(ship), name: one.text }));
      await app.tracked.started(number);
    } catch (problem) {
      setWrong(whyOf(problem));
      setBusy(false);
    }
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const recall = offers.length === 0 && e.key === "ArrowDown" && text === "" && app.session.may("view_port");
      if (offers.length === 0 && !recall) return;
      e.preventDefault();
      if (recall) {
        setRecalled(true);
        return setActive(0);
      }
      setActive(Math.max(-1, Math.min(offers.length - 1, active + (e.key === "ArrowDown" ? 1 : -1))));
    } else if (e.key === "Enter" && offers.length > 0) {
      e.preventDefault();
      const one = offers[active] ?? meant(offers) ?? (offers.some((offer) => offer.exact) ? undefined : offers[0]);
      if (one) takeOffer(one);
      else setActive(0);
    } else if (e.key === "Escape") {
      e.stopPropagation();
      app.tracked.begin(false);
    }
  };
  return (
    <form
      class="starting"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void start();
      }}>
      <label for={id}>{t("tracked.begin")}</label>
      <span class="entry">
        <input
          id={id}
          ref={field}
          type="text"
          role="combobox"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-expanded={offers.length > 0}
          aria-controls={id + "-offers"}
          aria-autocomplete="list"
          aria-activedescendant={offers[active] ? `${id}-${offers[active].key}` : undefined}
          aria-invalid={wrong !== ""}
          aria-describedby={id + "-told"}
          placeholder={t("tracked.hint")}
          maxLength={120}
          value={text}
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={key}
        />
        <button class="primary" disabled={busy}>
          {t("tracked.start")}
        </button>
        <button
          type="button"
          class="square"
          aria-label={t("form.cancel")}
          title={t("form.cancel")}
          onClick={() => app.tracked.begin(false)}>
          ×
        </button>
      </span>
      <Offers id={id} label={t("tracked.offers")} offers={offers} active={active} take={takeOffer} />
      {announced &&
        (choice?.text !== announced.text ? (
          <button type="button" class="said" onClick={() => take(announced)}>
            {t("tracked.announced", { name: announced.text })}
          </button>
        ) : (
          <p class="quiet">{t("tracked.announced", { name: announced.text })}</p>
        ))}
      <p class="problem" id={id + "-told"} role="status">
        {wrong || (offers.length === 0 && !choice ? found.why : "")}
      </p>
    </form>
  );
}

const itself = (stop: Stop, ship: Ship): boolean => stop.kind === "ship" && stop.mmsi === ship.mmsi;
