// Parts of the page that few need.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { t } from "../text/text";

type Load<P> = () => Promise<ComponentType<P>>;

const loaded = new Map<() => Promise<unknown>, unknown>();

/** usePart returns a part once it is loaded, which it is when it is first wanted; failed tells that it could not be. What load is stays the same function. */
export function usePart<P>(app: App, load: Load<P>, wanted: boolean): { Part?: ComponentType<P>; failed: boolean } {
  const [failed, setFailed] = useState<Load<P>>();
  useEffect(() => {
    if (!wanted || loaded.has(load)) return;
    load().then(
      (part) => {
        loaded.set(load, part);
        app.changed();
      },
      () => setFailed(() => load),
    );
  }, [load, wanted]);
  return { Part: loaded.get(load) as ComponentType<P> | undefined, failed: failed === load };
}

/** Loading stands on the card in the place of a part that is not there yet, or could not be loaded. */
export const Loading = ({ failed }: { failed: boolean }) => (
  <p class={failed ? "note problem" : "note late"}>{t(failed ? "place.failed" : "place.loading")}</p>
);

interface Props<P> {
  load: Load<P>;
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
