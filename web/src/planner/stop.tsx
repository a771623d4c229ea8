import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { write } from "../geometry";
import { t } from "../text/text";
import { Icon } from "../ui/icon";
import { Kind } from "../map/kind";
import { Offers } from "./offers";
import type { Stop } from "./plan";
import { lastOffers, meant, offersOf, rememberOffer, type Offer } from "./suggest";
import { usePorts } from "./typed";

const typing = 150; // milliseconds of rest before the server is asked

interface StopProps {
  app: App;
  row: number;
  letter: string;
  label: string;
  stop: Stop | undefined;
  /** end is false of a waypoint, which can be taken away. */
  end: boolean;
}

/** StopField is an end or a waypoint: typed, with what the text may mean below. */
export function StopField({ app, row, letter, label, stop, end }: StopProps) {
  const { planner } = app;
  const [text, setText] = useState<string>(); // undefined while nobody types
  const [active, setActive] = useState(-1);
  const [missed, setMissed] = useState("");
  const [recalled, setRecalled] = useState(false); // the ports that were open last are offered, as ↓ asked for them
  const input = useRef<HTMLInputElement>(null),
    id = useId();
  const found = usePorts(app);
  useEffect(() => {
    if (planner.chosen === row && planner.called > 0) input.current?.focus();
  }, [planner.called]);
  const was = stop && planner.nameOf(stop);
  // Before the next key: what is typed then stays.
  useLayoutEffect(() => {
    setText(undefined); // the stop came from the map or the address
    setMissed("");
  }, [JSON.stringify(stop)]);
  const shown = text ?? (stop ? was || write(planner.placeOf(stop)!) : "");
  const offers = recalled ? lastOffers() : text === undefined ? [] : offersOf(text, found.ports, app.picture);
  const open = offers.length > 0;
  const take = (offer: Offer): void => {
    if (offer.stop.kind === "port") planner.meet(offer.stop);
    rememberOffer(offer);
    setRecalled(false);
    setText(undefined);
    setActive(-1);
    setMissed("");
    planner.put(row, offer.stop, true);
    const next = planner.rows.indexOf(undefined, row + 1);
    if (next >= 0 && input.current === document.activeElement) planner.choose(next);
  };
  const type = (value: string): void => {
    setText(value);
    setRecalled(false);
    setActive(-1);
    setMissed("");
    void found.ask(value, typing);
  };
  // settle takes what the text means; by Enter also the first of several that it is a part of.
  const settle = async (enter: boolean): Promise<void> => {
    if (text === undefined) return;
    if (text.trim() === "") {
      setText(undefined);
      if (end && stop) planner.put(row, undefined);
      return;
    }
    const ports = found.of === text ? found.ports : await found.ask(text);
    const all = offersOf(text, ports, app.picture),
      one = meant(all) ?? (enter && !all.some((offer) => offer.exact) ? all[0] : undefined);
    if (one) return take(one);
    if (all.length === 0 && end && !app.session.may("view_port")) return planner.put(row, { kind: "port", text: text.trim() }, true);
    if (enter && all.length > 0) setActive(0);
    setMissed(all.length > 0 ? t("planner.several") : t("planner.unknown", { text: text.trim() }));
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      if (!open && e.key === "ArrowDown" && shown === "" && app.session.may("view_port")) setRecalled(true);
      else if (!open) return;
      e.preventDefault();
      if (!open) return setActive(0);
      setActive(Math.max(-1, Math.min(offers.length - 1, active + (e.key === "ArrowDown" ? 1 : -1))));
    } else if (e.key === "Enter") {
      e.preventDefault();
      if (offers[active]) take(offers[active]);
      else void settle(true);
    } else if (e.key === "Escape" && (text !== undefined || recalled)) {
      e.stopPropagation();
      setRecalled(false);
      setText(undefined);
      setMissed("");
    }
  };
  const remove = (): void => {
    setText(undefined);
    if (end) planner.put(row, undefined);
    else planner.remove(row);
    if (end) input.current?.focus();
  };
  return (
    <li class={missed ? "stop invalid" : "stop"}>
      <label for={id} class="letter" title={label}>
        <span aria-hidden="true">{letter}</span>
        <span class="unseen">{label}</span>
      </label>
      <input
        id={id}
        ref={input}
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-expanded={open}
        aria-controls={id + "-offers"}
        aria-autocomplete="list"
        aria-activedescendant={offers[active] ? `${id}-${offers[active].key}` : undefined}
        aria-invalid={missed !== ""}
        aria-describedby={id + "-told"}
        placeholder={t(planner.wanted === row ? "planner.clickOrType" : "planner.type")}
        value={shown}
        onFocus={(e) => {
          planner.chosen = row;
          planner.redraw();
          app.changed();
          if (stop) e.currentTarget.select();
        }}
        onBlur={() => {
          setRecalled(false);
          void settle(false);
        }}
        onInput={(e) => type(e.currentTarget.value)}
        onKeyDown={key}
      />
      {(stop || !end || shown !== "") && (
        <button
          type="button"
          class="square"
          aria-label={t(end ? "planner.empty" : "planner.remove", { name: label })}
          title={t(end ? "planner.empty" : "planner.remove", { name: label })}
          onPointerDown={(e) => e.preventDefault()}
          onClick={remove}>
          <Icon d="M4 4l8 8M12 4l-8 8" />
        </button>
      )}
      {open && (
        <Offers
          id={id}
          label={t("planner.offers")}
          offers={offers}
          active={active}
          take={take}
          mark={({ ship }) => ship && <Kind group={ship.group} palette={app.settings.palette} degrees={0} size={18} />}
        />
      )}
      <p class="problem" id={id + "-told"} role="status">
        {missed || (text !== undefined && !open ? found.why : "")}
      </p>
    </li>
  );
}
