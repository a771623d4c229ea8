// A choice among what is offered below a field, by the arrow keys and Enter.
import { useState } from "preact/hooks";

/** Pick is which offer the keyboard is at; -1 for none. */
export interface Pick {
  active: number;
  reset: () => void;
  onKeyDown: (e: KeyboardEvent) => void;
}

/** usePick moves in so many offers by ↑ and ↓, and takes one by Enter; without a move that is the one that first gives. */
export function usePick(count: number, take: (at: number) => void, first: () => number): Pick {
  const [at, setAt] = useState(-1);
  const active = Math.min(at, count - 1);
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      if (count === 0) return;
      e.preventDefault();
      setAt(Math.max(-1, Math.min(count - 1, active + (e.key === "ArrowDown" ? 1 : -1))));
    } else if (e.key === "Enter") {
      const one = active >= 0 ? active : first();
      if (one < 0) return;
      e.preventDefault();
      setAt(-1);
      take(one);
    } else if (e.key === "Escape" && active >= 0) {
      e.stopPropagation();
      setAt(-1);
    }
  };
  return { active, reset: () => setAt(-1), onKeyDown };
}
