// Edit changes the borders and berths of a port, with the pen that draws shapes.
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { clashing, equal, put } from "../change";
import type { App } from "../app";
import type { PortInfo, SuggestedBerth } from "../contract";
import { Pen } from "../map/pen";
import type { MapShape } from "../map/shapes";
import deRegister from "../register/de.json";
import enRegister from "../register/en.json";
import deShapes from "../shapes/de.json";
import { Tools } from "../shapes/drawing";
import enShapes from "../shapes/en.json";
import { boundsOf, complete, distance, drawn, formOf, middle, outline, type Form } from "../geometry";
import { learn, number, t } from "../text/text";
import { Heading } from "../ui/heading";
import { useUnsaved } from "../ui/sheet";
import { unfinished } from "../ui/unfinished";
import { whyOf } from "../why";
import { BerthFields, BorderActs } from "./fields";
import { berthRadius, type Berth } from "./model";
import { isPiece, keyOf, namesWithin, partOf, type Kind, type Part } from "./pieces";
import { Rows } from "./rows";
import { berthOf, Suggested, suggestedShapes, useSuggested } from "./suggested";
import { berthText } from "./words";

learn({ en: { ...enShapes, ...enRegister }, de: { ...deShapes, ...deRegister } });

// Draft is what a port is to be. Without an outer border it has the circle.
interface Draft {
  outer?: Form;
  inner: Form[];
  berths: Berth[];
}

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
    [tab, setTab] = useState<Kind>("berths"),
    [part, setPart] = useState<Part>(),
    [wrong, setWrong] = useState(""),
    [busy, setBusy] = useState(false);
  useUnsaved(app, touched);
  const set = (more: Partial<Draft>): void => {
    setDraft((was) => ({ ...was, ...more }));
    setTouched(true);
  };
  const border = part?.pen ? (part.kind === "outer" ? -1 : part.at) : undefined;
  const take = (form: Form): void =>
    border === -1 ? set({ outer: form }) : set({ inner: draft.inner.map((one, i) => (i === border ? form : one)) });
  const pen = useBorderPen(app, border, (border === -1 ? draft.outer : draft.inner[border ?? -1]) ?? nothing, take);
  const suggested = useSuggested(port.id, draft.berths);
  const open = part?.kind === tab && !part.pen ? keyOf(port.id, part.kind, part.at) : "";
  useEffect(() => {
    if (app.chart) app.chart.shapes.chosen = open;
    show([...shapesOf(port, draft, border, open), ...suggestedShapes(suggested, keyOf(port.id, "suggested", 0))]);
  }, [draft, border, open, suggested.length]);
  useEffect(() => {
    app.ports.pick = (key, ship) => {
      const picked = partOf(port.id, key);
      if (!picked || (ship && picked.kind !== "berths")) return !ship && isPiece(port.id, key);
      setTab(picked.kind);
      setPart(picked);
      return true;
    };
    return () => {
      app.ports.pick = undefined;
      if (app.chart) app.chart.shapes.chosen = "";
      show(undefined);
    };
  }, []);
  const choose = (kind: Kind) => (at: number | undefined) => {
    setPart(at === undefined ? undefined : { kind, at });
    if (at !== undefined) centre(app, kind === "inners" ? draft.inner[at] : ringOf(draft.berths[at]));
  };
  const openAt = (kind: Kind): number | undefined => (part?.kind === kind ? part.at : undefined);
  const change = (i: number, more: Partial<Berth>): void =>
    set({ berths: draft.berths.map((one, k) => (k === i ? { ...one, ...more } : one)) });
  const addBerth = (at?: SuggestedBerth): void => {
    const name = t("port.newBerthName", { n: draft.berths.length + 1 });
    set({ berths: [...draft.berths, at ? berthOf(at, name) : { name }] });
    setTab("berths");
    setPart({ kind: "berths", at: draft.berths.length });
  };
  const addInner = (): void => {
    const inner = draft.inner.filter(complete);
    set({ inner: [...inner, nothing] });
    setPart({ kind: "inners", at: inner.length, pen: true });
  };
  const within = useMemo(() => namesWithin(draft.inner, draft.berths), [draft.inner, draft.berths]);
  const turn = (kind: Kind): void => {
    setTab(kind);
    if (part?.pen) setPart(undefined);
  };
  const leave = async (): Promise<void> => {
    setPart(undefined);
    await app.navigation.go("port", String(port.id));
  };
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (unfinished(e.currentTarget as HTMLFormElement)) return;
    const nameless = draft.berths.findIndex((one) => one.name.trim() === "");
    if (nameless >= 0) {
      setTab("berths");
      setPart({ kind: "berths", at: nameless });
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
        <div class="tools" role="group" aria-label={t("port.edit")}>
          {kinds.map((kind) => (
            <button key={kind} type="button" aria-pressed={tab === kind} onClick={() => turn(kind)}>
              {t("port." + kind)}
              {kind !== "outer" && ` (${number(kind === "berths" ? draft.berths.length : draft.inner.filter(complete).length)})`}
            </button>
          ))}
        </div>
        {tab === "berths" && (
          <>
            <Rows
              label={t("port.berths")}
              find={t("port.findBerth")}
              none={t("port.noBerths")}
              rows={draft.berths.map((one, i) => ({ key: `${one.id ?? `new ${i}`}`, name: one.name, facts: factsOf(one) }))}
              open={openAt("berths")}
              choose={choose("berths")}
              tools={
                <button type="button" onClick={() => addBerth()}>
                  {t("port.newBerth")}
                </button>
              }>
              {part?.kind === "berths" && draft.berths[part.at] && (
                <BerthFields
                  key={part.at}
                  app={app}
                  berth={draft.berths[part.at]}
                  close={() => setPart(undefined)}
                  change={(more) => change(part.at, more)}
                  remove={() => {
                    setPart(undefined);
                    set({ berths: draft.berths.filter((_, k) => k !== part.at) });
                  }}
                />
              )}
            </Rows>
            <Suggested app={app} all={suggested} take={addBerth} />
          </>
        )}
        {tab === "inners" && (
          <>
            <p class="quiet">{t("port.innersHint")}</p>
            <Rows
              label={t("port.inners")}
              find={t("port.findInner")}
              none={t("port.noInners")}
              rows={draft.inner.map((_, i) => {
                const facts = brief(within[i]);
                return { key: String(i), name: t("port.inner", { n: i + 1 }), facts, words: within[i].join(" ") };
              })}
              open={openAt("inners")}
              choose={choose("inners")}
              tools={
                <button type="button" onClick={addInner}>
                  {t("port.newInner")}
                </button>
              }>
              {part?.kind === "inners" && draft.inner[part.at] && (
                <div class="fields berth">
                  <BorderActs
                    name={t("port.inner", { n: part.at + 1 })}
                    there={complete(draft.inner[part.at])}
                    now={border === part.at}
                    open={() => setPart({ ...part, pen: true })}
                    close={() => setPart({ ...part, pen: false })}
                    remove={() => {
                      setPart(undefined);
                      set({ inner: draft.inner.filter((_, k) => k !== part.at) });
                    }}
                  />
                  {border === part.at && pen && <Tools pen={pen} kind="polygon" />}
                </div>
              )}
            </Rows>
          </>
        )}
        {tab === "outer" && (
          <>
            {!draft.outer && <p class="quiet">{t("port.circle")}</p>}
            <BorderActs
              name={t("port.outer")}
              there={draft.outer !== undefined}
              now={border === -1}
              open={() => setPart({ kind: "outer", at: 0, pen: true })}
              close={() => setPart(undefined)}
              remove={() => set({ outer: undefined })}
            />
            {border === -1 && pen && <Tools pen={pen} kind="polygon" />}
          </>
        )}
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

const kinds: readonly Kind[] = ["berths", "inners", "outer"];

const factsOf = (berth: Berth): string => [berthText(berth), berth.position ? "" : t("port.noPlace")].filter(Boolean).join(" · ");

const most = 3; // names of berths in the row of an inner shape

// brief names the first of some berths, and how many more there are.
const brief = (names: readonly string[]): string =>
  names.slice(0, most).join(", ") + (names.length > most ? ` +${number(names.length - most)}` : "");

const near = 14, // the zoom from which on the map keeps it when a row is opened
  nearer = 16; // and to which it goes else

const ringOf = ({ position }: Berth): Form | undefined => position && formOf({ circle: { center: position, radius: berthRadius } });

// centre brings a piece into the middle of the map, at a zoom at which it can be told from its neighbours.
function centre({ chart, centre: { zoom } }: App, form: Form | undefined): void {
  const at = form && complete(form) && middle(form);
  if (!at || !chart) return;
  const box = boundsOf(outline(form))!,
    across = distance([box[0], box[1]], [box[2], box[3]]);
  if (across > 500 || (form.kind !== "circle" && zoom < near)) chart.showBox(box);
  else chart.showView(at[0], at[1], zoom < near ? nearer : zoom);
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

const standsOut = "#a34700"; // the colour of the piece that is open

// shapesOf are the draft's borders and berths for the map, but for the one that the pen has in hand. An inner shape is named while it is open.
function shapesOf(port: PortInfo, draft: Draft, border: number | undefined, open: string): MapShape[] {
  const shapes: MapShape[] = [];
  const add = (kind: string, at: number, label: string, form: Form | undefined): void => {
    const key = keyOf(port.id, kind, at);
    if (form && complete(form)) shapes.push({ key, label, form, colour: key === open ? standsOut : "" });
  };
  if (border !== -1) add("outer", 0, "", draft.outer ?? (port.default && port.outer ? formOf({ polygon: port.outer }) : undefined));
  draft.inner.forEach((form, i) => {
    if (i !== border) add("inners", i, open === keyOf(port.id, "inners", i) ? t("port.inner", { n: i + 1 }) : "", form);
  });
  draft.berths.forEach((berth, i) => add("berths", i, berth.name, ringOf(berth)));
  return shapes;
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
