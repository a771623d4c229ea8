import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** usePanel opens a panel under a button and closes it by Escape, a click elsewhere, or when the focus leaves it. */
export function usePanel() {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!open) return; // once it is drawn: keys may come before an effect
    const outside = (e: Event): void => {
      if (!box.current?.contains(e.target as Node)) setOpen(false);
    };
    const escape = (e: KeyboardEvent): void => {
      if (e.key !== "Escape") return;
      e.stopPropagation();
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    box.current?.addEventListener("keydown", escape);
    const held = box.current;
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
      held?.removeEventListener("keydown", escape);
    };
  }, [open]);
  return { open, setOpen, box };
}
