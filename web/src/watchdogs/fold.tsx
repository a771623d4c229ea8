import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../ui/icon";
import type { Wrong } from "../ui/wrong";

interface Props {
  label: string;
  /** said is told while it is closed. */
  said: string;
  wrong: Wrong;
  /** own tells the pointers of its fields: it opens when one of them is wrong. */
  own: RegExp;
  children: ComponentChildren;
}

/** Fold is a part of the sheet that opens; closed it says what is set in it. */
export function Fold({ label, said, wrong, own, children }: Props) {
  const [opened, setOpen] = useState(false);
  const open = opened || Object.keys(wrong.at).some((pointer) => own.test(pointer));
  return (
    <section class="fold" aria-label={label}>
      <h3>
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon d={open ? "M3 6l5 5 5-5" : "M6 3l5 5-5 5"} />
          {label}
        </button>
      </h3>
      {!open && <p class="quiet">{said}</p>}
      {open && children}
    </section>
  );
}
