// Edit changes the borders and berths of a port, with the pen that draws shapes.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { clashing, equal, put } from "../change";
import type { App } from "../app";
import { portKey } from "../map/harbours";
import { Pen } from "../map/pen";
import type { MapShape } from "../map/shapes";
import deRegister from "../register/de.json";
import enRegister from "../register/en.json";
import { PlaceField } from "../register/place";
import deShapes from "../shapes/de.json";
import { Tools } from "../shapes/drawing";
import enShapes from "../shapes/en.json";
import { complete, drawn, formOf, type Form } from "../shapes/geometry";
import { draught, metres } from "../text/figures";
import { learn, t } from "../text/text";
import { NumberField, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { useUnsaved } from "../ui/sheet";
import { whyOf } from "../why";
import { berthRadius, type Berth, type Point, type PortInfo } from "./model";
import { berthOf, Suggested, suggestedShapes, useSuggested, type Suggestion } from "./suggested";

learn({ en: { ...enShapes, ...enRegister }, de: { ...deShapes, ...deRegister } });

// Draft is what a port is to be. Without an outer border it has the circle.
interface Draft {
  outer?: Form;
  inner: Form[];
  berths: Berth[];
}

// Part is a border that the pen has in hand, or the berth that is open.
type Part = { border: number } | { berth: number } | undefined; // border -1 is the outer one

const draftOf = (port: PortInfo): Draft => ({
  outer: port.default || !port.outer ? undefined : formOf({ polygon: port.outer }),
  inner: port.inner.flatMap((polygon) => formOf({ polygon }) ?? []),
  berths: port.berths ?? [],
});

const nothing: Form = { kind: "polygon", chains: [], radius: 0 };

interface EditProps {
  app: App;
  port: PortInfo;
  /** again reads the port anew. */
  again: () => Promise<void>;
  /** show has the map show other borders than those of the port. */
  show: (shapes: MapShape[] | undefined) => void;
}

/** Edit is the sheet. */
export function Edit({ app, port, again, show }: EditProps) {
  const [read] = useState(port),
    [draft, setDraft] = useState(() => draftOf(port)),
    [touched, setTouched] = useState(false),
    [part, setPart] = useState<Part>(),
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  useUnsaved(app, touched);
  const set = (more: Partial<Draft>): void => {
    setDraft((was) => ({ ...was, ...more }));
    setTouched(true);
  };
  const border = part && "border" in part ? part.border : undefined;
  const take = (form: Form): void =>
    border === -1 ? set({ outer: form }) : set({ inner: draft.inner.map((one, i) => (i === border ? form : one)) });
  const pen = useBorderPen(app, border, (border === -1 ? draft.outer : draft.inner[border ?? -1]) ?? nothing, take);
  const suggested = useSuggested(port.id, draft.berths);
  useEffect(() => {
    show([...shapesOf(port, draft, border), ...suggestedShapes(suggested, portKey(port.id))]);
  }, [draft, border, suggested.length]);
  useEffect(() => () => show(undefined), []);
  const change = (i: number, more: Partial<Berth>): void =>
    set({ berths: draft.berths.map((one, k) => (k === i ? { ...one, ...more } : one)) });
  const addBerth = (at?: Suggestion): void => {
    const name = t("port.newBerthName", { n: draft.berths.length + 1 });
    set({ berths: [...draft.berths, at ? berthOf(at, name) : { name }] });
    setPart({ berth: draft.berths.length });
  };
  const leave = async (): Promise<void> => {
    setPart(undefined);
    await app.navigation.go("port", String(port.id));
  };
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    const nameless = draft.berths.findIndex((one) => one.name.trim() === "");
    if (nameless >= 0) {
      setPart({ berth: nameless });
      return setWrong(`${t("port.berths")}: ${t("port.nameless")}`);
    }
    setBusy(true);
    try {
      const mine = bodyOf(draft),
        body = changedOf(bodyOf(draftOf(read)), mine),
        clash = (theirs: Lines): string[] =>
          clashing<Body>(linesOf(read), { ...linesOf(read), ...body }, linesOf(theirs), keys).map((key) => t(words[key]));
      if (!(await put<Lines>(app, `config/shape/port/${port.id}`, port.name, read, body, clash))) return;
      app.unsaved = false;
      setTouched(false);
      app.tell(t("port.saved", { name: port.name }));
      app.ports.reload();
      await again();
      await leave();
    } catch (problem) {
      setWrong(whyOf(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Heading app={app} title={`${port.name} · ${t("port.edit")}`} back={["port", String(port.id)]} />
      <form class="sheet portedit" noValidate onSubmit={(e) => void save(e)}>
        <fieldset>
          <legend>{t("port.outer")}</legend>
          {!draft.outer && <p class="quiet">{t("port.circle")}</p>}
          <BorderActs
            name={t("port.outer")}
            there={draft.outer !== undefined}
            now={border === -1}
            open={() => setPart({ border: -1 })}
            close={() => setPart(undefined)}
            remove={() => set({ outer: undefined })}
          />
          {border === -1 && pen && <Tools pen={pen} kind="polygon" />}
        </fieldset>
        <fieldset>
          <legend>{t("port.inners")}</legend>
          <p class="quiet">{t("port.innersHint")}</p>
          {draft.inner.map((_, i) => (
            <div key={i}>
              <p>{t("port.inner", { n: i + 1 })}</p>
              <BorderActs
                name={t("port.inner", { n: i + 1 })}
                there
                now={border === i}
                open={() => setPart({ border: i })}
                close={() => setPart(undefined)}
                remove={() => {
                  setPart(undefined);
                  set({ inner: draft.inner.filter((_, k) => k !== i) });
                }}
              />
              {border === i && pen && <Tools pen={pen} kind="polygon" />}
            </div>
          ))}
          <button
            type="button"
            onClick={() => {
              set({ inner: [...draft.inner.filter(complete), nothing] });
              setPart({ border: draft.inner.filter(complete).length });
            }}>
            {t("port.newInner")}
          </button>
        </fieldset>
        <fieldset>
          <legend>{t("port.berths")}</legend>
          {draft.berths.map((berth, i) => (
            <BerthFields
              key={berth.id ?? `new ${i}`}
              app={app}
              berth={berth}
              open={part !== undefined && "berth" in part && part.berth === i}
              toggle={(on) => setPart(on ? { berth: i } : undefined)}
              change={(more) => change(i, more)}
              remove={() => {
                setPart(undefined);
                set({ berths: draft.berths.filter((_, k) => k !== i) });
              }}
            />
          ))}
          <button type="button" onClick={() => addBerth()}>
            {t("port.newBerth")}
          </button>
          <Suggested app={app} all={suggested} take={addBerth} />
        </fieldset>
        <div class="save">
          <span class="problem" role="alert">
            {wrong}
          </span>
          <button type="button" onClick={() => void leave()}>
            {t("form.cancel")}
          </button>
          <button class="primary" disabled={busy || !touched}>
            {t("port.save")}
          </button>
        </div>
      </form>
    </>
  );
}

// Body is what the server is sent of a port.
interface Body {
  outer: unknown;
  inner: unknown;
  berths: unknown;
}

// Lines is a port as the server gives it where it is changed.
type Lines = Pick<PortInfo, "outer" | "inner" | "berths" | "default" | "revision">;

const keys = ["outer", "inner", "berths"] as const;
const words = { outer: "port.outer", inner: "port.inners", berths: "port.berths" };

// linesOf are the borders and berths of a port in the way of bodyOf.
const linesOf = (port: Lines): Body => ({ outer: port.default ? null : port.outer, inner: port.inner, berths: port.berths ?? [] });

// changedOf leaves of what the server is sent what was changed, so that what somebody else changed meanwhile stays.
const changedOf = (was: Body, now: Body): Partial<Body> =>
  Object.fromEntries(keys.filter((key) => !equal(was[key], now[key])).map((key) => [key, now[key]]));

// bodyOf is what the server is sent. A shape that was begun and not drawn is none.
function bodyOf({ outer, inner, berths }: Draft): Body {
  return {
    outer: outer && complete(outer) ? drawn(outer).polygon : null,
    inner: inner.filter(complete).map((form) => drawn(form).polygon),
    berths: berths.map((one) => ({ ...one, name: one.name.trim() })),
  };
}

// shapesOf are the draft's borders and berths for the map, but for the one that the pen has in hand.
function shapesOf(port: PortInfo, draft: Draft, border: number | undefined): MapShape[] {
  const key = portKey(port.id),
    forms: [string, Form | undefined][] = [];
  if (border !== -1) forms.push(["", draft.outer ?? (port.default && port.outer ? formOf({ polygon: port.outer }) : undefined)]);
  draft.inner.forEach((form, i) => i !== border && forms.push(["", form]));
  for (const { name, position } of draft.berths)
    if (position) forms.push([name, formOf({ circle: { center: position, radius: berthRadius } })]);
  return forms.flatMap(([label, form]) => (form && complete(form) ? [{ key, label, form, colour: "" }] : []));
}

// useBorderPen puts a pen on the map while a border is open, and hands on what it draws.
function useBorderPen(app: App, border: number | undefined, form: Form, take: (form: Form) => void): Pen | undefined {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const pen = useRef<Pen | undefined>(undefined),
    tell = useRef(take);
  tell.current = take;
  useEffect(() => {
    const { chart } = app;
    if (border === undefined || !chart) return;
    let last: Form = form;
    const made = (pen.current = new Pen(form, () => {
      chart.redraw();
      if (made.form !== last) tell.current((last = made.form));
      redraw(undefined as never);
    }));
    chart.shapes.penColour = "";
    chart.take(made);
    redraw(undefined as never);
    const keys = (e: KeyboardEvent): void => {
      const others = "input, textarea, select, dialog, header" + (e.key === "Enter" ? ", button, a, summary" : "");
      if ((e.target instanceof HTMLElement && e.target.closest(others)) || app.question || !made.key(e.key, e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      e.stopPropagation();
    };
    addEventListener("keydown", keys, true);
    return () => {
      removeEventListener("keydown", keys, true);
      pen.current = undefined;
      chart.take(undefined);
    };
  }, [border]);
  return pen.current;
}

interface BorderActsProps {
  name: string;
  there: boolean;
  now: boolean; // the pen has it in hand
  open: () => void;
  close: () => void;
  remove: () => void;
}

function BorderActs({ name, there, now, open, close, remove }: BorderActsProps) {
  return (
    <div class="acts">
      {now ? (
        <button type="button" onClick={close}>
          {t("port.done")}
        </button>
      ) : (
        <button type="button" aria-label={`${name}: ${t(there ? "port.redraw" : "port.draw")}`} onClick={open}>
          {t(there ? "port.redraw" : "port.draw")}
        </button>
      )}
      {there && (
        <button type="button" aria-label={t("port.removeOf", { name })} onClick={remove}>
          {t("port.remove")}
        </button>
      )}
    </div>
  );
}

interface BerthProps {
  app: App;
  berth: Berth;
  open: boolean;
  toggle: (on: boolean) => void;
  change: (more: Partial<Berth>) => void;
  remove: () => void;
}

function BerthFields({ app, berth, open, toggle, change, remove }: BerthProps) {
  const facts = [berth.length && metres(berth.length), berth.max_draught && t("port.draught", { draught: draught(berth.max_draught) })];
  if (!open)
    return (
      <button type="button" class="lane" aria-expanded={false} onClick={() => toggle(true)}>
        <b>{berth.name}</b> <span class="quiet">{facts.filter(Boolean).join(" · ")}</span>
      </button>
    );
  return (
    <div class="fields berth">
      <TextField label={t("port.berthName")} at="/berths/name" maxLength={64} value={berth.name} onInput={(name) => change({ name })} />
      <NumberField label={t("port.length")} unit="m" step="any" value={berth.length} onInput={(length) => change({ length })} />
      <NumberField
        label={t("port.maxDraught")}
        unit="m"
        step="any"
        value={berth.max_draught}
        onInput={(deep) => change({ max_draught: deep })}
      />
      <PlaceField app={app} may position={berth.position} onChange={(position) => change({ position: position as Point | undefined })} />
      <div class="acts">
        <button type="button" onClick={() => toggle(false)}>
          {t("port.done")}
        </button>
        <button type="button" aria-label={t("port.removeOf", { name: berth.name })} onClick={remove}>
          {t("port.remove")}
        </button>
      </div>
    </div>
  );
}
