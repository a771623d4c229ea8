// The pen in a sheet that is about something else than the shape: a watchdog, or a question to the past.
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app";
import { CircleFields, Places, Tools, usePen } from "./drawing";
import type { Form, Kind } from "../geometry";

interface Props {
  app: App;
  form: Kind;
  seed?: { uid: string; form: Form };
  colour: string;
  onForm: (form: Form) => void;
}

/** Drawing has the pen on the map. */
export function Drawing({ app, form, seed, colour, onForm }: Props) {
  const pen = usePen(app, form, true, seed, colour)!;
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) onForm(pen.form);
    first.current = false;
  }, [pen.form]);
  return (
    <>
      <Tools pen={pen} kind={form} />
      {form === "circle" ? <CircleFields pen={pen} /> : <Places pen={pen} kind={form} />}
    </>
  );
}
