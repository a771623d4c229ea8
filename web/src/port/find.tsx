// The search for a port.
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import type { PortOfList } from "../map/harbours";
import { findPorts } from "../ports";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import "./words";

/** Find is where a port is looked for, when none is open. */
export function Find({ app }: { app: App }) {
  const [text, setText] = useState(""),
    [found, setFound] = useState<{ text: string; ports: PortOfList[] }>();
  useEffect(() => {
    if (text.trim() === "") return setFound(undefined);
    const timer = setTimeout(() => {
      void findPorts(text.trim(), 30).then(
        (ports) => setFound({ text: text.trim(), ports }),
        () => setFound(undefined),
      );
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      <Heading app={app} title={t("menu.port")} />
      <div class="tools">
        <input
          class="sift"
          type="search"
          aria-label={t("port.find")}
          placeholder={t("port.find")}
          maxLength={60}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </div>
      {!found && <p class="empty">{t("port.findHint")}</p>}
      {found?.ports.length === 0 && <p class="empty">{t("port.noneFound", { text: found.text })}</p>}
      <ul class="past">
        {found?.ports.map((port) => (
          <li key={port.id}>
            <button class="lane" onClick={() => void app.navigation.go("port", String(port.id))}>
              <b>{port.name}</b> <span class="quiet">{[port.locode, port.country].filter(Boolean).join(" · ")}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
