// The shapes: their overview, and the sheet that draws and changes one while the pen is on the map.
import { useEffect, useRef } from "preact/hooks";
import type { App, Props } from "../app";
import { equal } from "../change";
import { mayEdit, mayMake, namesOf, ownerColumn, ThingSheet, Told, useThing, type Fields, type LibraryKind } from "../library/sheet";
import { standard, tint } from "../map/tint";
import { areaText, exactMiles, measured, metres } from "../text/figures";
import { t } from "../text/text";
import { NumberField, Switch, TextArea, TextField } from "../ui/form";
import { Missing, Overview as Table } from "../ui/sheet";
import { toolColumn, type ColumnOf } from "../ui/table";
import { CircleFields, mostTyped, Places, Tools, usePen } from "./drawing";
import { boundsOf, complete, drawn, measure, outline, write, type Form, type Kind } from "../geometry";
import { labelOf, type Shape } from "./library";
import { SectorFacts, sectorBody, SectorFields, sectorOf, type Sector } from "./sector";
import { mayWarn } from "../may";
import { Icon } from "../ui/icon";

const kinds = ["polygon", "circle", "line"] as const;
const icons: Record<Kind, string> = {
  polygon: "M3 5 11 2l3 8-8 4z",
  circle: "M8 2a6 6 0 1 0 .01 0z",
  line: "M2 13 6 5l4 5 4-8",
  point: "M8 5v6M5 8h6",
};
const colours = ["", "#1a56b0", "#1f7a3a", "#7a5200", "#a34700", "#b3261e", "#93218f", "#56636b"];

const library: LibraryKind<Shape, Fields & { color: string; region: number | undefined; sector: Sector | null }> = {
  place: "shapes",
  path: "config/shape",
  rights: "shapes",
  named: true,
  say: (key, values) => t("shape." + key, values),
  changed: (app) => app.shapes.load(),
  holds: (shape) => shape.sector !== undefined,
  fields: (shape) => ({
    name: shape?.name ?? "",
    color: shape?.color ?? "",
    region: shape?.region,
    sector: sectorOf(shape),
    acl: namesOf(shape),
  }),
  words: { name: "col.name", color: "shape.colour", region: "shape.region", sector: "shape.sector", acl: "share.with" },
};

/** sizeText says how large a form is: of an area the area, of a circle the radius, of a line its length. */
function sizeText(f: Form): string {
  const { area, length } = measure(f);
  if (f.kind === "circle") return t("shape.radiusIs", { metres: metres(f.radius), miles: exactMiles(f.radius) });
  if (f.kind === "line") return exactMiles(length);
  return areaText(area);
}

/** Shapes is the panel. */
export function Shapes({ app, path }: Props) {
  useEffect(() => {
    void app.shapes.load();
  }, []);
  const { all, state } = app.shapes;
  const [first, second] = path;
  const edited = useRef<Shape>(undefined); // stays while somebody writes, should another delete it meanwhile
  const there = { data: state === "there" ? all : undefined, problem: state === "failed" ? t("shape.failed") : "" };
  if (first === undefined) return <Overview app={app} all={there} />;
  if (first === "new") {
    const kind = kinds.find((k) => k === second) ?? "polygon";
    return <ShapeSheet key={kind} app={app} kind={kind} />;
  }
  const shape = all.find((s) => s.uid === first) ?? (app.unsaved && edited.current?.uid === first ? edited.current : undefined);
  edited.current = shape;
  if (!shape) return <Missing app={app} kind={library} all={there} />;
  return <ShapeSheet key={shape.uid} app={app} kind={shape.form.kind} read={shape} />;
}

const KindIcon = ({ kind, colour }: { kind: Kind; colour?: string }) => (
  <svg viewBox="0 0 16 16" class="kindicon" style={colour ? { color: colour } : {}} role="img" aria-label={t("shape." + kind)}>
    <path d={icons[kind]} />
  </svg>
);

function Overview({ app, all }: { app: App; all: { data: Shape[] | undefined; problem: string } }) {
  const columns: ColumnOf<Shape>[] = [
    toolColumn("visible", innerWidth < 900 ? 44 : 34, (s) => <Eye app={app} shape={s} />),
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
    ownerColumn(app, "minmax(60px, 1fr)"),
    {
      key: "size",
      heading: t("shape.size"),
      text: (s) => measure(s.form).area || measure(s.form).length / 1e9,
      width: "minmax(72px, 1fr)",
      right: true,
      cell: (s) => <span title={sizeText(s.form)}>{sizeShort(s.form)}</span>,
    },
  ];
  const acts = (
    <span class="icons">
      {kinds.map((kind) => (
        <button
          key={kind}
          title={t("shape.new." + kind)}
          aria-label={t("shape.new." + kind)}
          onClick={() => void app.navigation.go("shapes", "new", kind)}>
          <KindIcon kind={kind} /> {t("shape." + kind)}
        </button>
      ))}
    </span>
  );
  return (
    <Table app={app} kind={library} all={all} id={(s) => s.uid} columns={columns} may={mayMake(app, library)} acts={acts}>
      <div class="onmap">
        <Switch label={t("shape.onMap")} on={app.shapes.visible} onChange={(on) => app.shapes.setVisible(on)} />
      </div>
    </Table>
  );
}

// sizeShort is the size in the width of a column.
const sizeShort = (f: Form): string => (f.kind === "circle" ? `r ${measured(f.radius)}` : sizeText(f));

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
      <Icon
        d={
          hidden
            ? "M2 8c3 4 9 4 12 0M2.5 11l1.2-1.5M8 13v-2M13.5 11l-1.2-1.5"
            : "M1.5 8C4.5 3.5 11.5 3.5 14.5 8c-3 4.500-10 4.500-13 0zM8 6a2 2 0 1 0 .01 0z"
        }
      />
    </button>
  );
}

/** ShapeSheet draws a new shape or changes one; of a shape of others it tells what is known. */
function ShapeSheet({ app, kind, read }: { app: App; kind: Kind; read?: Shape }) {
  const draft = useThing(library, read); // the library reads all anew once a minute
  const { thing: shape, now, set } = draft;
  const pen = usePen(app, kind, shape ? mayEdit(app, library, shape) : mayMake(app, library), shape, now.color);
  const form = pen?.form ?? shape?.form;
  const redrawn = pen !== undefined && (shape ? pen.form !== shape.form : pen.form.chains.length > 0);
  useEffect(() => {
    if (shape) show(app, shape.form);
  }, []);
  const size = form && complete(form) && (
    <Told word={t("shape.size")}>
      {sizeText(form)}
      {form.kind === "polygon" && ` · ${t("shape.around", { miles: exactMiles(measure(form).length) })}`}
      {form.kind === "circle" && ` · ${areaText(measure(form).area)}`}
    </Told>
  );
  const mayRegion = app.session.may("add_remove_region") || (app.session.may("change_region") && shape?.region !== undefined);
  return (
    <ThingSheet
      app={app}
      kind={library}
      draft={draft}
      title={shape ? labelOf(shape) : t("shape.new." + kind)}
      redrawn={redrawn}
      above={pen && <Tools pen={pen} kind={kind} />}
      acts={
        shape &&
        mayWarn(app) && <button onClick={() => void app.navigation.go("watchdogs", "warn", "shape", shape.uid)}>{t("card.warn")}</button>
      }
      facts={shape && <Facts app={app} shape={shape} />}
      check={(): Record<string, string> => ({
        ...(form && complete(form) ? {} : { "": t("shape.incomplete." + kind) }),
        ...(now.sector?.groups.length === 0 ? { "/sector/groups": t("form.missing") } : {}),
      })}
      more={() => ({
        ...(draft.changed.includes("sector") && { sector: sectorBody(now.sector, shape) }),
        ...(pen && (redrawn || !shape) && { type: kind, ...drawn(pen.form) }),
      })}
      clash={(theirs) => (redrawn && kinds.some((part) => !equal(shape![part], theirs[part])) ? [t("shape.drawing")] : [])}
      loses={[
        shape?.sector !== undefined && t("shape.losesSector", { names: shape.sector.groups.map((ref) => ref.name).join(", ") }),
        shape?.region !== undefined && t("shape.losesRegion", { n: shape.region }),
      ]}>
      <TextField label={t("col.name")} at="/name" value={now.name} maxLength={64} onInput={(name) => set({ name })} />
      {pen && (kind === "circle" ? <CircleFields pen={pen} /> : <Places pen={pen} kind={kind} />)}
      {size}
      <Colours app={app} chosen={now.color} onChange={(color) => set({ color })} />
      {mayRegion ? (
        <NumberField
          label={t("shape.region")}
          hint={t("shape.regionHint")}
          at="/region"
          value={now.region}
          onInput={(region) => set({ region: region || undefined })}
        />
      ) : (
        now.region !== undefined && <Told word={t("shape.region")}>{now.region}</Told>
      )}
      {kind !== "line" && app.session.may("admin_shapes") && (
        <SectorFields app={app} now={now.sector} onChange={(sector) => set({ sector })} />
      )}
    </ThingSheet>
  );
}

function show(app: App, form: Form): void {
  const box = boundsOf(outline(form));
  if (box) app.chart?.showBox(box);
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
    <>
      <Told word={t("col.type")}>{t("shape." + shape.form.kind)}</Told>
      <Told word={t("shape.size")}>{sizeText(shape.form)}</Told>
      {shape.region !== undefined && <Told word={t("shape.region")}>{shape.region}</Told>}
      <SectorFacts sector={sectorOf(shape)} />
      <Told word={t("share.with")}>{namesOf(shape).join(", ") || t("share.nobody")}</Told>
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
    </>
  );
}
