// The search for a port.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { lastPorts, setHome } from "../home";
import type { ListedPort } from "../contract";
import { findPorts } from "../ports";
import { flag, t } from "../text/text";
import { Heading } from "../ui/heading";
import { usePick } from "../ui/pick";
import "./words";

const rest = 250; // milliseconds of typing before the server is asked
const most = 30; // ports that are offered

interface Props {
  app: App;
  home: boolean; // the port that is chosen is the user's from now on
  list: string[]; // of the port that is opened
}

/** Find is where a port is looked for. As long as nothing is typed, the ports that were open last are offered. */
export function Find({ app, home, list }: Props) {
  const [text, setText] = useState(""),
    [found, setFound] = useState<{ text: string; ports: ListedPort[] }>();
  const field = useRef<HTMLInputElement>(null),
    waiting = useRef(false), // for an answer to take, as Enter was pressed before it came
    id = useId();
  const wanted = text.trim(),
    ports = wanted === "" ? lastPorts() : (found?.ports ?? []);
  const take = (port: ListedPort): void => {
    if (home) setHome(port.id);
    void app.navigation.go("port", String(port.id), ...list);
  };
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (wanted === "") return setFound(undefined);
    let late = false;
    const timer = setTimeout(() => {
      findPorts(wanted, most).then(
        (ports) => {
          if (late) return;
          setFound({ text: wanted, ports });
          if (waiting.current && ports.length > 0) take(ports[0]);
          waiting.current = false;
        },
        () => late || setFound(undefined),
      );
    }, rest);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  const pick = usePick(
    ports.length,
    (at) => take(ports[at]),
    () => {
      waiting.current = wanted !== "" && found?.text !== wanted;
      return wanted !== "" && !waiting.current && ports.length > 0 ? 0 : -1;
    },
  );
  return (
    <>
      <Heading app={app} title={t(home ? "home.which" : "menu.port")} />
      <div class="tools">
        <input
          class="sift"
          type="text"
          inputMode="search"
          role="combobox"
          ref={field}
          aria-label={t("port.find")}
          aria-expanded={ports.length > 0}
          aria-controls={id + "-ports"}
          aria-autocomplete="list"
          aria-activedescendant={pick.active >= 0 ? `${id}-${ports[pick.active].id}` : undefined}
          placeholder={t("port.find")}
          autocomplete="off"
          spellcheck={false}
          maxLength={60}
          value={text}
          onInput={(e) => {
            waiting.current = false;
            pick.reset();
            setText(e.currentTarget.value);
          }}
          onKeyDown={pick.onKeyDown}
        />
      </div>
      {wanted === "" && <p class="empty">{t("port.findHint")}</p>}
      {wanted === "" && ports.length > 0 && <p class="note">{t("port.last")}</p>}
      {wanted !== "" && found?.ports.length === 0 && <p class="empty">{t("port.noneFound", { text: found.text })}</p>}
      <ul class="past" role="listbox" id={id + "-ports"} aria-label={t("port.offered")} hidden={ports.length === 0}>
        {ports.map((port, i) => (
          <li
            key={port.id}
            id={`${id}-${port.id}`}
            class="lane"
            role="option"
            aria-selected={i === pick.active}
            onPointerDown={(e) => e.preventDefault()}
            onClick={() => take(port)}>
            <b>{port.name}</b> <span class="quiet">{[port.locode, flag(port)].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
