// Parts of the page that few need.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Props<P> {
  load: () => Promise<ComponentType<P>>;
  props: P;
}

/** Later is a part that is loaded when it is shown first. Without the link it stays away. */
export function Later<P extends object>({ load, props }: Props<P>) {
  const [Part, setPart] = useState<ComponentType<P>>();
  useEffect(
    () =>
      void load().then(
        (part) => setPart(() => part),
        () => undefined,
      ),
    [],
  );
  return Part ? <Part {...props} /> : null;
}
