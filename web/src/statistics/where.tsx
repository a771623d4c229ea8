// Where a statistic asks: saved shapes, or what is drawn with the pen.
import { useContext, useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { PlaceField } from "../register/place";
import registerDe from "../register/de.json";
import registerEn from "../register/en.json";
import { Drawing } from "../shapes/draw";
import { boundsOf, complete, outline, type Form, type Kind } from "../geometry";
import { learn, t } from "../text/text";
import { Choice } from "../ui/form";
import { below, Errors } from "../ui/wrong";
import { isDrawn, type Spot } from "./draft";
import type { Place } from "./kinds";

learn({ en: registerEn, de: registerDe });

/** colour is that of what a statistic asks about, on the map. */
export const colour = "#93218f";

/** useAsked shows places on the map for as long as they are looked at. */
export function useAsked(app: App, forms: readonly Form[], name: (i: number) => string): void {
  const key = JSON.stringify(forms);
  useEffect(() => {
    app.shapes.showAsked(forms.map((form, i) => ({ key: `asked:${i}`, label: name(i), form, colour })));
    return () => app.shapes.showAsked([]);
  }, [key]);
}

/** showForms brings the map to places. */
export function showForms(app: App, forms: readonly Form[]): void {
  const box = boundsOf(forms.flatMap(outline));
  if (box) app.chart?.showBox(box);
}

interface Props {
  app: App;
  place: Place;
  spots: Spot[];
  onChange: (spots: Spot[]) => void;
}

/** Where chooses the places of a form. */
export function Where({ app, place, spots, onChange }: Props) {
  const wrong = useContext(Errors),
    [at, setAt] = useState(Math.max(0, spots.length - 1)); // of several the one that is drawn
  const each = spots.map((spot, i) => nameOf(app, spot, i)),
    told = below(wrong, "/" + place.key, each),
    many = place.most > 1;
  const rest = many ? spots.filter((spot, i) => i !== at && spot.form && complete(spot.form)) : [];
  useAsked(
    app,
    rest.map((spot) => spot.form!),
    () => "",
  );
  const put = (i: number, spot: Spot | undefined): void =>
    onChange(spot ? [...spots.slice(0, i), spot, ...spots.slice(i + 1)] : spots.filter((_, n) => n !== i));
  const drop = (i: number): void => {
    put(i, undefined);
    setAt(Math.max(0, at > i ? at - 1 : Math.min(at, spots.length - 2)));
  };
  const now = spots[at],
    whole = now?.form !== undefined && complete(now.form);
  return (
    <fieldset class="statwhere">
      <legend>{t(many ? "statplaces." + place.draws[0] : "stat.where")}</legend>
      {many && (
        <ol>
          {spots.map((spot, i) => (
            <li key={i}>
              <button type="button" aria-pressed={i === at} onClick={() => setAt(i)}>
                {nameOf(app, spot, i)}
              </button>
              {spots.length > 1 && (
                <button type="button" class="square" aria-label={t("form.remove", { name: nameOf(app, spot, i) })} onClick={() => drop(i)}>
                  ×
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
      <One key={at} app={app} place={place} spot={now} onChange={(spot) => (now ? put(at, spot) : onChange(spot ? [spot] : []))} />
      {many && (
        <p>
          <button
            type="button"
            disabled={!whole || spots.length >= place.most}
            onClick={() => {
              onChange([...spots, { how: place.draws[0] }]);
              setAt(spots.length);
            }}>
            {t("statadd." + place.draws[0])}
          </button>
        </p>
      )}
      {told !== "" && <p class="problem">{told}</p>}
    </fieldset>
  );
}

const nameOf = (app: App, spot: Spot, i: number): string =>
  `${i + 1} · ${app.shapes.all.find((s) => s.uid === spot.how)?.name ?? t(spot.form && complete(spot.form) ? "stat.drawn" : "stat.toDraw")}`;

interface OneProps {
  app: App;
  place: Place;
  spot: Spot | undefined;
  onChange: (spot: Spot | undefined) => void;
}

// One chooses one place: none where it may be left out, one that is drawn, or a saved shape.
function One({ app, place, spot, onChange }: OneProps) {
  const shapes = app.shapes.all.filter((s) => place.draws.includes(s.form.kind)),
    shape = shapes.find((s) => s.uid === spot?.how);
  useEffect(() => {
    app.shapes.choose(shape?.uid ?? "");
    return () => app.shapes.choose("");
  }, [shape?.uid]);
  if (place.draws[0] === "point") return <PointField app={app} spot={spot} onChange={onChange} />;
  const choose = (how: string): void => {
    const form = shapes.find((s) => s.uid === how)?.form;
    if (form) showForms(app, [form]);
    onChange(how === "" ? undefined : { how, form });
  };
  const options = [
    ...(place.least === 0 ? [{ value: "", label: t("stat.anywhere") }] : []),
    ...place.draws.map((form) => ({ value: form as string, label: t("stathow." + form) })),
    ...shapes.map((s) => ({ value: s.uid, label: s.name })),
    ...(spot && !shape && !isDrawn(spot) ? [{ value: spot.how, label: t("shape.gone") }] : []),
  ];
  return (
    <>
      <Choice
        label={t(place.draws[0] === "line" ? "stat.line" : "stat.area")}
        value={spot?.how ?? ""}
        options={options}
        onChange={choose}
      />
      {spot && isDrawn(spot) && (
        <Drawing
          key={spot.how}
          app={app}
          form={spot.how as Kind}
          seed={spot.form && complete(spot.form) ? { uid: "", form: spot.form } : undefined}
          colour={colour}
          onForm={(form) => onChange({ ...spot, form })}
        />
      )}
    </>
  );
}

// PointField is a place: typed, or picked on the map.
function PointField({ app, spot, onChange }: Pick<OneProps, "app" | "spot" | "onChange">) {
  const at = spot?.form?.chains[0]?.[0];
  return (
    <PlaceField
      app={app}
      may
      hint={t("stat.pointHint")}
      position={at && { type: "Point", coordinates: [at[0], at[1]] }}
      onChange={(position) => onChange({ how: "point", form: position && { kind: "point", chains: [[position.coordinates]], radius: 0 } })}
    />
  );
}
