import "./style.css";
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { Icon } from "../ui/icon";

type Part = ComponentType<{ app: App; ship: Ship }>;

let part: Part | undefined; // the time line, once it is loaded

/** Calls are the calls of a ship at ports on its card. They are loaded, and the server asked, when the user opens them. */
export function Calls({ app, ship }: { app: App; ship: Ship }) {
  const [open, setOpen] = useState(false),
    [failed, setFailed] = useState(false);
  const toggle = (): void => {
    setOpen(!open);
    if (part) return;
    import("./timeline").then(
      (m) => {
        part = m.Timeline;
        app.changed();
      },
      () => setFailed(true),
    );
  };
  const Line = part;
  return (
    <section class="calls">
      <h3>
        <button aria-expanded={open} onClick={toggle}>
          <Icon d={open ? "M3 6l5 5 5-5" : "M6 3l5 5-5 5"} />
          {t("card.calls")}
        </button>
      </h3>
      {open &&
        (Line ? (
          <Line app={app} ship={ship} />
        ) : (
          <p class={failed ? "note problem" : "note late"}>{t(failed ? "place.failed" : "place.loading")}</p>
        ))}
    </section>
  );
}
