// The shapes: their list, and the sheet that draws and changes one while the pen is on the map.
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Refusal, send } from "../api";
import type { App, Props } from "../app";
import { clashing, equal, put } from "../change";
import { Pen } from "../map/pen";
import { standard, tint } from "../map/shapes";
import { learn, number, t } from "../text/text";
import {
  NumberField,
  nothingWrong,
  Sheet,
  Switch,
  Table,
  TextArea,
  TextField,
  stillReferred,
  wrongOf,
  type ColumnOf,
  type Wrong,
} from "../ui/form";
import { Heading } from "../ui/heading";
import de from "./de.json";
import en from "./en.json";
import {
  boundsOf,
  complete,
  drawn,
  measure,
  metresPerMile,
  outline,
  parse,
  unwrap,
  write,
  type Form,
  type Kind,
  type Place,
} from "./geometry";
import { labelOf, type Shape } from "./library";
import { aclOf, filtersNaming, mayChange, mayConfigure, Owner, ownerText, sameNames, Sharing } from "./sharing";

learn({ en, de });

const kinds = ["polygon", "circle", "line"] as const;
const icons: Record<Kind, string> = {
  polygon: "M3 5 11 2l3 8-8 4z",
  circle: "M8 2a6 6 0 1 0 .01 0z",
  line: "M2 13 6 5l4 5 4-8",
  point: "M8 5v6M5 8h6",
};
const colours = ["", "#1a56b0", "#1f7a3a", "#7a5200", "#a34700", "#b3261e", "#93218f", "#56636b"];
const mostTyped = 400; // places that can be typed as text

/** sizeText says how large a form is: of an area the area, of a circle the radius, of a line its length. */
export function sizeText(f: Form): string {
  const { area, length } = measure(f);
  if (f.kind === "circle") return t("shape.radiusIs", { m: number(f.radius), nm: number(f.radius / metresPerMile, 2) });
  if (f.kind === "line") return `${number(length / metresPerMile, 2)} ${t("shape.nm")}`;
  return areaText(area);
}

const areaText = (km2: number): string => (km2 < 0.1 ? `${number(km2 * 1e6)} m²` : `${number(km2, km2 < 100 ? 2 : 0)} km²`);

/** Shapes is the panel. */
export function Shapes({ app, path }: Props) {
  useEffect(() => {
    void app.shapes.load();
  }, []);
  const [first, second] = path;
  const edited = useRef<Shape>(undefined); // stays while somebody writes, should another delete it meanwhile
  if (first === "new") {
    const kind = kinds.find((k) => k === second) ?? "polygon";
    return <ShapeSheet key={kind} app={app} kind={kind} />;
  }
  if (first !== undefined) {
    const shape = (edited.current =
      app.shapes.all.find((s) => s.uid === first) ?? (app.unsaved && edited.current?.uid === first ? edited.current : undefined));
    if (shape) return <ShapeSheet key={shape.uid} app={app} kind={shape.form.kind} shape={shape} />;
    return (
      <>
        <Heading app={app} title={t("menu.shapes")} back={["shapes"]} />
        <p class="empty">{t(app.shapes.state === "there" ? "shape.gone" : "shape.loading")}</p>
      </>
    );
  }
  return <Overview app={app} />;
}

const KindIcon = ({ kind, colour }: { kind: Kind; colour?: string }) => (
  <svg viewBox="0 0 16 16" class="kindicon" style={colour ? { color: colour } : {}} role="img" aria-label={t("shape." + kind)}>
    <path d={icons[kind]} />
  </svg>
);

function Overview({ app }: { app: App }) {
  const { shapes } = app;
  const columns: ColumnOf<Shape>[] = [
    {
      key: "visible",
      heading: "",
      text: () => undefined,
      width: innerWidth < 900 ? "44px" : "34px",
      cell: (s) => <Eye app={app} shape={s} />,
    },
    {
      key: "name",
      heading: t("col.name"),
      text: labelOf,
      width: "minmax(84px, 2fr)",
      cell: (s) => (
        <span class="named">
          <KindIcon kind={s.form.kind} colour={tint(s.color || standard, app.settings.palette)} />
          <b title={s.name}>{labelOf(s)}</b>
        </span>
      ),
    },
    {
      key: "owner",
      heading: t("share.owner"),
      text: (s) => ownerText(app, s),
      width: "minmax(60px, 1fr)",
      cell: (s) => <Owner app={app} of={s} />,
    },
    {
      key: "size",
      heading: t("shape.size"),
      text: (s) => measure(s.form).area || measure(s.form).length / 1e9,
      width: "minmax(72px, 1fr)",
      right: true,
      cell: (s) => <span title={sizeText(s.form)}>{sizeShort(s.form)}</span>,
    },
  ];
  return (
    <>
      <Heading app={app} title={t("menu.shapes")}>
        <span class="icons">
          {mayConfigure(app) &&
            kinds.map((kind) => (
              <button
                key={kind}
                title={t("shape.new." + kind)}
                aria-label={t("shape.new." + kind)}
                onClick={() => void app.navigation.go("shapes", "new", kind)}>
                <KindIcon kind={kind} /> {t("shape." + kind)}
              </button>
            ))}
        </span>
      </Heading>
      <div class="onmap">
        <Switch label={t("shape.onMap")} on={shapes.visible} onChange={(on) => shapes.setVisible(on)} />
      </div>
      <Table
        label={t("menu.shapes")}
        columns={columns}
        rows={shapes.all}
        id={(s) => s.uid}
        onOpen={(s) => void app.navigation.go("shapes", s.uid)}
        searchable={shapes.all.length > 8}
        empty={
          <p>
            {t(
              shapes.state === "failed"
                ? "shape.failed"
                : shapes.state !== "there"
                  ? "shape.loading"
                  : mayConfigure(app)
                    ? "shape.none"
                    : "shape.noneShared",
            )}
          </p>
        }
      />
    </>
  );
}

// sizeShort is the size in the width of a column.
const sizeShort = (f: Form): string =>
  f.kind === "circle"
    ? `r ${f.radius < 1000 ? `${number(f.radius)} m` : `${number(f.radius / metresPerMile, 2)} ${t("shape.nm")}`}`
    : sizeText(f);

function Eye({ app, shape }: { app: App; shape: Shape }) {
  const hidden = app.shapes.isHidden(shape.uid);
  const label = t(hidden ? "shape.reveal" : "shape.hide", { name: shape.name });
  return (
    <button
      class="eye"
      aria-pressed={!hidden}
      aria-label={label}
      title={label}
      disabled={!app.shapes.visible}
      onClick={(e) => {
        e.stopPropagation();
        app.shapes.setHidden(shape.uid, !hidden);
      }}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path
          d={
            hidden
              ? "M2 8c3 4 9 4 12 0M2.5 11l1.2-1.5M8 13v-2M13.5 11l-1.2-1.5"
              : "M1.5 8C4.5 3.5 11.5 3.5 14.5 8c-3 4.500-10 4.500-13 0zM8 6a2 2 0 1 0 .01 0z"
          }
        />
      </svg>
    </button>
  );
}

interface Draft {
  name: string;
  colour: string;
  region: number | undefined;
  acl: string[];
}

const draftOf = (shape: Omit<Shape, "form"> | undefined): Draft => ({
  name: shape?.name ?? "",
  colour: shape?.color ?? "",
  region: shape?.region,
  acl: shape?.acl.map((r) => r.name) ?? [],
});

/** ShapeSheet draws a new shape or changes one; of a shape of others it tells what is known. */
function ShapeSheet({ app, kind, shape }: { app: App; kind: Kind; shape?: Shape }) {
  const may = shape ? mayChange(app, shape.owner, "admin_shapes") : mayConfigure(app);
  const read = useRef(shape); // the library reads all anew once a minute
  const begun = useRef(draftOf(shape));
  const [draft, setDraft] = useState(begun.current);
  const [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const pen = usePen(app, kind, may, shape, draft.colour);
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const base = useRef(shape?.form);
  const form = pen?.form ?? shape!.form;
  const redrawn = pen !== undefined && (base.current ? pen.form !== base.current : pen.form.chains.length > 0);
  const dirty =
    redrawn ||
    draft.name !== begun.current.name ||
    draft.colour !== begun.current.colour ||
    draft.region !== begun.current.region ||
    !sameNames(draft.acl, begun.current.acl);
  useEffect(() => {
    app.unsaved = may && dirty;
  }, [dirty, may]);
  useEffect(
    () => () => {
      app.unsaved = false;
    },
    [],
  );
  useEffect(() => {
    if (shape) show(app, shape.form);
  }, []);

  const save = async (): Promise<void> => {
    if (!pen) return;
    if (!complete(pen.form)) return setWrong({ general: t("shape.incomplete." + kind), at: {} });
    if (draft.name.trim() === "") return setWrong({ general: t("form.look"), at: { "/name": t("shape.nameMissing") } });
    const from = read.current,
      was = begun.current,
      mine = { ...draft, name: draft.name.trim() };
    const body: Record<string, unknown> = {};
    if (mine.name !== was.name) body.name = mine.name;
    if (mine.colour !== was.colour) body.color = mine.colour;
    if (!from || redrawn) Object.assign(body, { type: kind }, drawn(pen.form));
    if (mine.region !== was.region) body.region = mine.region ?? 0;
    if (!sameNames(mine.acl, was.acl)) body.acl = aclOf(mine.acl, from?.acl ?? []);
    try {
      if (from) {
        const words: Record<keyof Draft, string> = {
          name: t("col.name"),
          colour: t("shape.colour"),
          region: t("shape.region"),
          acl: t("share.with"),
        };
        const now = await put<Omit<Shape, "form">>(app, "config/shape/" + from.uid, from.name, from, body, (theirs) => [
          ...clashing(was, mine, draftOf(theirs), ["name", "colour", "region", "acl"]).map((key) => words[key]),
          ...(redrawn && (["polygon", "circle", "line"] as const).some((part) => !equal(from[part], theirs[part]))
            ? [t("shape.drawing")]
            : []),
        ]);
        if (!now) return;
      } else await send("POST", "config/shape", body);
      app.unsaved = false;
      await app.shapes.load();
      await app.navigation.go("shapes");
      app.tell(t("shape.saved", { name: draft.name.trim() }));
    } catch (problem) {
      setWrong(
        problem instanceof Refusal && problem.code === "name_taken"
          ? { general: t("form.look"), at: { "/name": t("shape.nameTaken") } }
          : wrongOf(problem),
      );
    }
  };

  const title = shape ? labelOf(shape) : t("shape.new." + kind);
  const heading = (
    <Heading app={app} title={title} back={["shapes"]}>
      {shape && may && <button onClick={() => void remove(app, shape)}>{t("shape.delete")}</button>}
    </Heading>
  );
  if (!may)
    return shape ? (
      <>
        {heading}
        <Facts app={app} shape={shape} />
      </>
    ) : (
      <>
        {heading}
        <p class="empty">{t("shape.mayNot")}</p>
      </>
    );
  const mayRegion = app.session.may("add_remove_region") || (app.session.may("change_region") && shape?.region !== undefined);
  return (
    <>
      {heading}
      {pen && <Tools pen={pen} kind={kind} />}
      <div class="sheetbox">
        <Sheet wrong={wrong} save={t("shape.save")} unsaved={dirty} onSave={save} onCancel={() => void app.navigation.go("shapes")}>
          <TextField label={t("col.name")} at="/name" wrong={wrong} value={draft.name} maxLength={64} onInput={(name) => set({ name })} />
          {kind === "circle" ? pen && <CircleFields pen={pen} wrong={wrong} /> : pen && <Places pen={pen} kind={kind} wrong={wrong} />}
          {complete(form) && (
            <p class="told">
              <span class="quiet">{t("shape.size")}</span> {sizeText(form)}
              {form.kind === "polygon" && ` · ${t("shape.around", { nm: number(measure(form).length / metresPerMile, 2) })}`}
              {form.kind === "circle" && ` · ${areaText(measure(form).area)}`}
            </p>
          )}
          <Colours app={app} chosen={draft.colour} onChange={(colour) => set({ colour })} />
          {mayRegion ? (
            <NumberField
              label={t("shape.region")}
              hint={t("shape.regionHint")}
              at="/region"
              wrong={wrong}
              value={draft.region}
              onInput={(region) => set({ region: region || undefined })}
            />
          ) : (
            draft.region !== undefined && (
              <p class="told">
                <span class="quiet">{t("shape.region")}</span> {draft.region}
              </p>
            )
          )}
          <Sharing
            app={app}
            names={draft.acl}
            onChange={(acl) => set({ acl })}
            may={app.session.may("share_shapes") || app.session.may("admin_shapes")}
            wrong={wrong}
          />
          {shape?.owner && shape.owner.name !== app.session.user && (
            <p class="told">
              <span class="quiet">{t("share.owner")}</span> {shape.owner.name}
            </p>
          )}
        </Sheet>
      </div>
    </>
  );
}

function show(app: App, form: Form): void {
  const box = boundsOf(outline(form));
  if (box) app.chart?.showBox(box);
}

// usePen puts a pen on the map for as long as the sheet is open, and draws the sheet anew when the form changes.
function usePen(app: App, kind: Kind, may: boolean, shape: Shape | undefined, colour: string): Pen | undefined {
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
  useEffect(() => {
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
  useEffect(() => {
    if (!app.chart) return;
    app.chart.shapes.penColour = colour;
    app.chart.redraw();
  }, [colour]);
  return pen.current;
}

// Tools are the hint of what a click does now, and what the keyboard does for those who have none.
function Tools({ pen, kind }: { pen: Pen; kind: Kind }) {
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

function CircleFields({ pen, wrong }: { pen: Pen; wrong: Wrong }) {
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
        wrong={unread ? { general: "", at: { "/circle/center": t("shape.unread") } } : wrong}
        wide
        value={text}
        onInput={type}
        spellcheck={false}
      />
      <NumberField
        label={t("shape.radius")}
        at="/circle"
        wrong={wrong}
        unit="m"
        step="any"
        value={radius > 0 ? Math.round(radius * 10) / 10 : undefined}
        onInput={setRadius}
      />
      <NumberField
        label={t("shape.radius")}
        unit={t("shape.nm")}
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
function Places({ pen, kind, wrong }: { pen: Pen; kind: Kind; wrong: Wrong }) {
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
      wrong={mine && mine.bad > 0 ? { general: "", at: { [at]: t("shape.unreadLine", { n: mine.bad }) } } : wrong}
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
  return { chains: filled.map((chain) => unwrap(chain, filled[0][0][0])), bad: 0 };
}

function Colours({ app, chosen, onChange }: { app: App; chosen: string; onChange: (colour: string) => void }) {
  const all = colours.includes(chosen) ? colours : [...colours, chosen];
  return (
    <div class="field wide colours" role="radiogroup" aria-label={t("shape.colour")}>
      <label>{t("shape.colour")}</label>
      <div>
        {all.map((colour, i) => {
          const name = i < colours.length ? t("colour." + i) : colour;
          return (
            <button
              key={colour}
              type="button"
              role="radio"
              aria-checked={colour === chosen}
              aria-label={name}
              title={name}
              style={{ "--ink": tint(colour || standard, app.settings.palette) } as never}
              onClick={() => onChange(colour)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Facts tells of a shape that is not the user's to change. */
function Facts({ app, shape }: { app: App; shape: Shape }) {
  const places = shape.form.chains.flat();
  return (
    <div class="sheetbox facts">
      <p class="quiet">{t("share.readOnly", { owner: shape.owner?.name ?? t("share.noOwner") })}</p>
      <p class="told">
        <span class="quiet">{t("col.type")}</span> {t("shape." + shape.form.kind)}
      </p>
      <p class="told">
        <span class="quiet">{t("shape.size")}</span> {sizeText(shape.form)}
      </p>
      {shape.region !== undefined && (
        <p class="told">
          <span class="quiet">{t("shape.region")}</span> {shape.region}
        </p>
      )}
      <p class="told">
        <span class="quiet">{t("share.with")}</span> {shape.acl.map((r) => r.name).join(", ") || t("share.nobody")}
      </p>
      <p>
        <button onClick={() => show(app, shape.form)}>{t("shape.show")}</button>
      </p>
      {places.length <= mostTyped && (
        <TextArea
          label={t(shape.form.kind === "circle" ? "shape.centre" : "shape.places")}
          rows={Math.min(10, places.length + 1)}
          value={places.map(write).join("\n")}
          onInput={() => undefined}
          disabled
        />
      )}
    </div>
  );
}

async function remove(app: App, shape: Shape): Promise<void> {
  const filters = await filtersNaming(shape.name);
  const lines = [
    shape.acl.length > 0 && t("share.lose", { names: shape.acl.map((r) => r.name).join(", ") }),
    shape.region !== undefined && t("shape.losesRegion", { n: shape.region }),
    filters.length > 0 && t("share.filters", { names: filters.join(", ") }),
    t("share.forGood"),
  ].filter((line) => line !== false);
  if (!(await app.ask({ title: t("shape.deleteAsk", { name: shape.name }), lines, yes: t("shape.delete"), bad: true }))) return;
  try {
    await send("DELETE", "config/shape/" + shape.uid);
    app.unsaved = false;
    await app.navigation.go("shapes");
    await app.shapes.load();
    app.tell(t("shape.deleted", { name: shape.name }));
  } catch (problem) {
    app.tell(
      stillReferred(problem) ? t("share.referenced", { name: shape.name, why: stillReferred(problem) }) : wrongOf(problem).general,
      true,
    );
  }
}
