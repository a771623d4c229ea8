import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { App } from "../app";
import type { Ship } from "../ship";
import { Icon } from "./icon";
import { Loading, usePart } from "./later";

interface Props {
  app: App;
  ship: Ship;
  name: string;
  title: string;
  load: () => Promise<ComponentType<{ app: App; ship: Ship }>>;
}

/** Folded is a section of the card that is loaded, and the server asked, when the user opens it. Its name is its class too. */
export function Folded({ app, ship, name, title, load }: Props) {
  const [open, setOpen] = useState(false),
    { Part, failed } = usePart(app, load, open);
  return (
    <section class={"folded " + name}>
      <h3>
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon d={open ? "M3 6l5 5 5-5" : "M6 3l5 5-5 5"} />
          {title}
        </button>
      </h3>
      {open && (Part ? <Part app={app} ship={ship} /> : <Loading failed={failed} />)}
    </section>
  );
}
