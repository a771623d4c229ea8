import { useEffect, useRef, useState } from "preact/hooks";
import type { Point } from "../contract";
import type { App } from "../app";
import { Pen } from "../map/pen";
import { parse, write, type Form } from "../geometry";
import { t } from "../text/text";
import { Field } from "../ui/form";

/** PlaceField is a place, such as that of a ship without a transponder: typed, or picked on the map. */
export function PlaceField({
  app,
  may,
  position,
  onChange,
  hint = t("entry.placeHint"),
}: {
  app: App;
  may: boolean;
  position: Point | undefined;
  onChange: (position: Point | undefined) => void;
  hint?: string;
}) {
  const [typed, setTyped] = useState<string>();
  const [picking, setPicking] = useState(false);
  const pen = useRef<Pen | undefined>(undefined);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    const { chart } = app;
    if (!picking || !chart) return;
    const begin: Form = { kind: "point", chains: position ? [[position.coordinates]] : [], radius: 0 };
    let last = begin;
    const made = (pen.current = new Pen(begin, () => {
      chart.redraw();
      if (made.form === last || !made.form.chains[0]) return;
      last = made.form;
      setTyped(undefined);
      const place = parse(write(made.form.chains[0][0]))!;
      tell.current({ type: "Point", coordinates: [Number(place[0].toFixed(6)), Number(place[1].toFixed(6))] });
    }));
    chart.shapes.penColour = "";
    chart.take(made);
    const keys = (e: KeyboardEvent): void => {
      if (e.key !== "Escape" || app.question) return;
      e.stopPropagation();
      setPicking(false);
    };
    addEventListener("keydown", keys, true);
    return () => {
      removeEventListener("keydown", keys, true);
      chart.take(undefined);
    };
  }, [picking]);
  const text = typed ?? (position ? write(position.coordinates) : "");
  const type = (v: string): void => {
    setTyped(v);
    const place = parse(v);
    if (place) onChange({ type: "Point", coordinates: [place[0], place[1]] });
    else if (v.trim() === "") onChange(undefined);
  };
  const unread = typed !== undefined && typed.trim() !== "" && !parse(typed);
  return (
    <Field
      label={t("card.position")}
      hint={picking ? t("entry.picking") : hint}
      at="/position"
      error={unread ? t("entry.unread") : ""}
      wide>
      {(aria) => (
        <span class="entry">
          <input
            {...aria}
            type="text"
            spellcheck={false}
            autocomplete="off"
            disabled={!may}
            value={text}
            onInput={(e) => type(e.currentTarget.value)}
          />
          {may && (
            <button type="button" aria-pressed={picking} onClick={() => setPicking(!picking)}>
              {t("entry.pick")}
            </button>
          )}
        </span>
      )}
    </Field>
  );
}
