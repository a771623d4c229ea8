// Where a watchdog watches: what is drawn with the pen, a copy of a shape, or a port.
import { useContext, useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import type { PortOfList } from "../map/harbours";
import { findPorts } from "../ports";
import { Drawing } from "../shapes/draw";
import { boundsOf, complete, outline, type Kind } from "../shapes/geometry";
import { t } from "../text/text";
import { Choice, Field } from "../ui/form";
import { below, Errors } from "../ui/wrong";
import { allFeeds, fits, kinds, type Spot } from "./kinds";
import { keyOf, type Type, type Watchdog } from "./watchdogs";

interface Props {
  app: App;
  type: Type;
  spot: Spot;
  stored?: Watchdog;
  colour: string;
  may: boolean;
  onChange: (spot: Spot) => void;
}

/** Where chooses how the place is given, and has the pen. */
export function Where({ app, type, spot, stored, colour, may, onChange }: Props) {
  const wrong = useContext(Errors);
  const { draws, anywhere } = kinds[type],
    shapes = app.shapes.all.filter((s) => fits(type, s.form.kind)),
    shape = shapes.find((s) => s.uid === spot.how);
  useEffect(() => {
    app.shapes.choose(shape?.uid ?? "");
    return () => app.shapes.choose("");
  }, [shape?.uid]);
  if (type === "feed") return <Feed app={app} value={spot.feed} onChange={(feed) => onChange({ ...spot, feed })} />;
  if (type === "box" || type === "zone") return null;
  if (type === "port") return <Port app={app} value={spot.port} onInput={(port) => onChange({ ...spot, port })} />;
  const choose = (how: string): void => {
    const form = how === "stored" ? stored?.form : shapes.find((s) => s.uid === how)?.form;
    const box = form && boundsOf(outline(form));
    if (box) app.chart?.showBox(box);
    onChange({ ...spot, how, form });
  };
  const options = [
    ...(stored?.form ? [{ value: "stored", label: t("dog.how.stored") }] : []),
    ...(anywhere ? [{ value: "anywhere", label: t("dog.how.anywhere") }] : []),
    ...draws.map((form) => ({ value: form as string, label: t("dog.how." + form) })),
    ...shapes.map((s) => ({ value: s.uid, label: t("dog.how.shape", { name: s.name }) })),
  ];
  const begun = spot.form && complete(spot.form) ? { uid: "", form: spot.form } : undefined; // drawn for another type
  const seed = spot.how === "stored" && stored?.form ? { uid: keyOf(stored.uid), form: stored.form } : begun;
  const told = type === "polygon" || type === "line" ? "" : below(wrong, "/" + type); // else the field of the places tells it
  return (
    <>
      {options.length > 1 && <Choice label={t("dog.where")} value={spot.how} options={options} onChange={choose} />}
      {shape && <p class="quiet hint">{t("dog.copied")}</p>}
      {!shape && may && spot.how !== "anywhere" && (
        <Drawing
          key={type + spot.how}
          app={app}
          form={spot.how === "stored" ? stored!.form!.kind : (spot.how as Kind)}
          seed={seed}
          colour={colour}
          onForm={(form) => onChange({ ...spot, form })}
        />
      )}
      {told !== "" && <p class="problem">{told}</p>}
    </>
  );
}

// Feed chooses a receiver, or all.
function Feed({ app, value, onChange }: { app: App; value: string; onChange: (feed: string) => void }) {
  const names = [...new Set([...app.feeds.list.map((feed) => feed.name), value])].filter((name) => name !== allFeeds);
  return (
    <Choice
      label={t("dog.type.feed")}
      at="/feed"
      value={value}
      options={[{ value: allFeeds, label: t("dog.feeds.all") }, ...names.map((name) => ({ value: name, label: name }))]}
      onChange={onChange}
    />
  );
}

const rest = 150; // milliseconds of typing before the server is asked
const offers = 8;

// Port is a field that offers the ports that the text may mean.
function Port({ app, value, onInput }: { app: App; value: string; onInput: (text: string) => void }) {
  const [ports, setPorts] = useState<PortOfList[]>([]);
  const text = value.trim();
  useEffect(() => {
    if (text.length < 2 || !app.session.may("view_port")) return setPorts([]);
    let late = false;
    const timer = setTimeout(() => {
      findPorts(text, offers).then(
        (found) => late || setPorts(found),
        () => undefined, // it can be typed all the same
      );
    }, rest);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [text]);
  return (
    <Field label={t("menu.port")} hint={t("dog.portHint")} at="/port">
      {(aria) => (
        <>
          <input
            {...aria}
            type="text"
            list={aria.id + "-ports"}
            value={value}
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            onInput={(e) => onInput(e.currentTarget.value)}
          />
          <datalist id={aria.id + "-ports"}>
            {ports.map((p) => (
              <option key={p.id} value={p.locode || p.name} label={p.name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
