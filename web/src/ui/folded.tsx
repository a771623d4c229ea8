import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { t } from "../text/text";
import { Icon } from "./icon";

type Part = ComponentType<{ app: App; ship: Ship }>;

const parts = new Map<string, Part>(); // those that are loaded

interface Props {
  app: App;
  ship: Ship;
  name: string;
  title: string;
  load: () => Promise<Part>;
}

/** Folded is a section of the card that is loaded, and the server asked, when the user opens it. Its name is its class too. */
export function Folded({ app, ship, name, title, load }: Props) {
  const [open, setOpen] = useState(false),
    [failed, setFailed] = useState(false);
  const toggle = (): void => {
    setOpen(!open);
    if (parts.has(name)) return;
    load().then(
      (part) => {
        parts.set(name, part);
        app.changed();
      },
      () => setFailed(true),
    );
  };
  const Part = parts.get(name);
  return (
    <section class={"folded " + name}>
      <h3>
        <button aria-expanded={open} onClick={toggle}>
          <Icon d={open ? "M3 6l5 5 5-5" : "M6 3l5 5-5 5"} />
          {title}
        </button>
      </h3>
      {open &&
        (Part ? (
          <Part app={app} ship={ship} />
        ) : (
          <p class={failed ? "note problem" : "note late"}>{t(failed ? "place.failed" : "place.loading")}</p>
        ))}
    </section>
  );
}
