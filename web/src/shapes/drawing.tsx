// How a shape is drawn: the pen on the map while its sheet is open, and the places as text.
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import { Pen } from "../map/pen";
import { metresPerMile } from "../text/figures";
import { learn, number, t } from "../text/text";
import { NumberField, TextArea, TextField } from "../ui/form";
import de from "./de.json";
import en from "./en.json";
import { complete, outline, parse, ringOf, unwrap, write, type Form, type Kind, type Place } from "../geometry";
import type { Shape } from "./library";

learn({ en, de });

/** mostTyped is how many places can be typed as text. */
export const mostTyped = 400;

/** usePen puts a pen on the map for as long as the sheet is open, and draws the sheet anew when the form changes. */
export function usePen(
  app: App,
  kind: Kind,
  may: boolean,
  shape: Pick<Shape, "uid" | "form"> | undefined,
  colour: string,
): Pen | undefined {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const pen = useRef<Pen | undefined>(undefined);
  if (may && !pen.current) {
    let last: unknown[] = [];
    const changed = (): void => {
      const p = pen.current!;
      app.chart?.redraw();
      if (p.form === last[0] && p.selected === last[1] && p.drawing === last[2]) return;
      last = [p.form, p.selected, p.drawing];
      redraw(undefined as never);
    };
    pen.current = shape ? new Pen(shape.form, changed) : Pen.begin(kind, changed);
  }
  // The map has the pen before the sheet is painted: a click that comes at once is already the pen's.
  useLayoutEffect(() => {
    const { chart } = app;
    if (!chart) return;
    if (pen.current) {
      pen.current.targets = app.shapes.all
        .filter((s) => s.uid !== shape?.uid && !app.shapes.isHidden(s.uid))
        .flatMap((s) => outline(s.form));
      chart.shapes.penned = shape?.uid ?? "";
      chart.take(pen.current);
    }
    app.shapes.choose(shape?.uid ?? "");
    const keys = (e: KeyboardEvent): void => {
      const others = "input, textarea, select, dialog, header" + (e.key === "Enter" ? ", button, a, summary" : "");
      const typing = e.target instanceof HTMLElement && e.target.closest(others) !== null;
      if (typing || !pen.current || app.question || !pen.current.key(e.key, e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      e.stopPropagation();
    };
    addEventListener("keydown", keys, true);
    return () => {
      removeEventListener("keydown", keys, true);
      chart.shapes.penned = "";
      chart.take(undefined);
      app.shapes.choose("");
    };
  }, []);
  useLayoutEffect(() => {
    if (!app.chart) return;
    app.chart.shapes.penColour = colour;
    app.chart.redraw();
  }, [colour]);
  return pen.current;
}

/** Tools are the hint of what a click does now, and buttons for what the keys do. */
export function Tools({ pen, kind }: { pen: Pen; kind: Kind }) {
  const chain = pen.form.chains[0] ?? [];
  const hint = !pen.drawing
    ? kind === "circle"
      ? "edit.circle"
      : "edit.line"
    : kind === "circle"
      ? chain.length === 0
        ? "draw.centre"
        : "draw.rim"
      : chain.length === 0
        ? "draw.first"
        : kind === "line"
          ? "draw.line"
          : "draw.polygon";
  return (
    <div class="pentools">
      <p role="status">{t("shape." + hint)}</p>
      <div class="acts">
        <button type="button" disabled={!pen.canUndo} onClick={() => pen.undo()}>
          {t("shape.undo")}
        </button>
        {!pen.drawing && kind !== "circle" && (
          <button type="button" disabled={!pen.removable} onClick={() => pen.remove()}>
            {t("shape.removePlace")}
          </button>
        )}
        {pen.drawing && kind !== "circle" && (
          <button type="button" disabled={!complete(pen.form)} onClick={() => pen.finish()}>
            {t("shape.finish")}
          </button>
        )}
      </div>
    </div>
  );
}

/** CircleFields are centre and radius of a circle. */
export function CircleFields({ pen }: { pen: Pen }) {
  const centre = pen.form.chains[0]?.[0],
    { radius } = pen.form;
  const [typed, setTyped] = useState<{ text: string; of: Form }>();
  const text = typed && typed.of === pen.form ? typed.text : centre ? write(centre) : "";
  const unread = text.trim() !== "" && !parse(text);
  const type = (text: string): void => {
    const place = parse(text);
    if (place) give(pen, { ...pen.form, chains: [[place]] });
    setTyped({ text, of: pen.form });
  };
  const setRadius = (metres: number | undefined): void => give(pen, { ...pen.form, radius: metres && metres > 0 ? metres : 0 });
  return (
    <div class="fields pairs">
      <TextField
        label={t("shape.centre")}
        hint={t("shape.placeHint")}
        at="/circle/center"
        error={unread ? t("shape.unread") : ""}
        wide
        value={text}
        onInput={type}
        spellcheck={false}
      />
      <NumberField
        label={t("shape.radius")}
        at="/circle"
        unit="m"
        step="any"
        value={radius > 0 ? Math.round(radius * 10) / 10 : undefined}
        onInput={setRadius}
      />
      <NumberField
        label={t("shape.radius")}
        unit={t("figure.nm")}
        step="any"
        value={radius > 0 ? Math.round((radius / metresPerMile) * 1e4) / 1e4 : undefined}
        onInput={(nm) => setRadius(nm && Math.round(nm * metresPerMile * 10) / 10)}
      />
    </div>
  );
}

// give gives the pen a form that was typed; the drawing ends when it is one that can be saved.
function give(pen: Pen, form: Form): void {
  pen.set(form);
  if (complete(form)) pen.finish();
}

/** Places is the chain as text, a line a place; an empty line begins a hole. */
export function Places({ pen, kind }: { pen: Pen; kind: Kind }) {
  const [typed, setTyped] = useState<{ text: string; of: Form; bad: number }>();
  const count = pen.form.chains.reduce((n, chain) => n + chain.length, 0);
  const given = useMemo(
    () => (count > mostTyped ? "" : pen.form.chains.map((chain) => chain.map(write).join("\n")).join("\n\n")),
    [pen.form],
  );
  if (count > mostTyped)
    return (
      <p class="told">
        <span class="quiet">{t("shape.places")}</span> {t("shape.manyPlaces", { n: number(count) })}
      </p>
    );
  const mine = typed && typed.of === pen.form ? typed : undefined;
  const type = (text: string): void => {
    const { chains, bad } = read(text, pen.form);
    if (bad === 0 && chains.length > 0) pen.set({ ...pen.form, chains: kind === "line" ? [chains.flat()] : chains });
    setTyped({ text, of: pen.form, bad });
  };
  const at = kind === "line" ? "/line" : "/polygon";
  return (
    <TextArea
      label={t("shape.places")}
      hint={t("shape.placesHint")}
      at={at}
      rows={Math.min(10, Math.max(4, count + 1))}
      value={mine?.text ?? given}
      onInput={type}
      error={mine && mine.bad > 0 ? t("shape.unreadLine", { n: mine.bad }) : ""}
    />
  );
}

// read takes the lines apart; a line that stands as it was written keeps its place to the last digit. bad is the number of the
// first line that is no place, 0 when all are.
function read(text: string, was: Form): { chains: Place[][]; bad: number } {
  const known = new Map(was.chains.flat().map((place) => [write(place), place]));
  const chains: Place[][] = [[]];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].trim();
    if (line === "") {
      if (chains[chains.length - 1].length > 0) chains.push([]);
      continue;
    }
    const place = known.get(line) ?? parse(line);
    if (!place) return { chains, bad: i + 1 };
    chains[chains.length - 1].push(place);
  }
  const filled = chains.filter((chain) => chain.length > 0);
  const beside = was.kind === "polygon" ? ringOf : unwrap;
  return { chains: filled.map((chain) => beside(chain, filled[0][0][0])), bad: 0 };
}
