// Where a watchdog watches: what is drawn with the pen, a copy of a shape, or a port.
import { useContext, useEffect, useState } from "preact/hooks";
import type { App } from "../app";
import { lastPorts } from "../home";
import type { ListedPort } from "../contract";
import "../planner/offers.css";
import { findPorts } from "../ports";
import { Drawing } from "../shapes/draw";
import { boundsOf, complete, outline, type Kind } from "../geometry";
import { flag, t } from "../text/text";
import { Choice, Field } from "../ui/form";
import { usePick } from "../ui/pick";
import { below, Errors, type Wrong } from "../ui/wrong";
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

// placeOnly leaves out what the fields of the numbers and the ship of a type tell themselves.
function placeOnly(wrong: Wrong, type: Type): Wrong {
  const elsewhere = ["mmsi", ...kinds[type].numbers.map((n) => n.key)].map((key) => `/${type}/${key}`);
  return { ...wrong, at: Object.fromEntries(Object.entries(wrong.at).filter(([pointer]) => !elsewhere.includes(pointer))) };
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
  const told = type === "polygon" || type === "line" ? "" : below(placeOnly(wrong, type), "/" + type); // else the field of the places tells it
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

// Port is a field that offers the ports that the text may mean, and those that were open last while it is empty.
function Port({ app, value, onInput }: { app: App; value: string; onInput: (text: string) => void }) {
  const [found, setFound] = useState<ListedPort[]>([]),
    [open, setOpen] = useState(false);
  const text = value.trim(),
    may = app.session.may("view_port");
  useEffect(() => {
    if (text.length < 2 || !may) return setFound([]);
    let late = false;
    const timer = setTimeout(() => {
      findPorts(text, offers).then(
        (found) => late || setFound(found),
        () => undefined, // it can be typed all the same
      );
    }, rest);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [text]);
  const ports = !open ? [] : text === "" && may ? lastPorts() : found;
  const take = (at: number): void => {
    setOpen(false);
    onInput(ports[at].locode || ports[at].name);
  };
  const named = ports.some((p) => p.locode === text || p.name === text); // Enter then goes to the form
  const pick = usePick(ports.length, take, () => (text === "" || named || ports.length === 0 ? -1 : 0));
  return (
    <Field label={t("menu.port")} hint={t("dog.portHint")} at="/port">
      {(aria) => (
        <div class="porting" onFocusOut={() => setOpen(false)}>
          <input
            {...aria}
            type="text"
            role="combobox"
            aria-expanded={ports.length > 0}
            aria-controls={aria.id + "-ports"}
            aria-autocomplete="list"
            aria-activedescendant={pick.active >= 0 ? `${aria.id}-${ports[pick.active].id}` : undefined}
            value={value}
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            onFocus={() => setOpen(true)}
            onInput={(e) => {
              pick.reset();
              setOpen(true);
              onInput(e.currentTarget.value);
            }}
            onKeyDown={pick.onKeyDown}
          />
          <ul class="offers" role="listbox" id={aria.id + "-ports"} aria-label={t("port.offered")} hidden={ports.length === 0}>
            {ports.map((p, i) => (
              <li
                key={p.id}
                id={`${aria.id}-${p.id}`}
                role="option"
                aria-selected={i === pick.active}
                onPointerDown={(e) => e.preventDefault()}
                onClick={() => take(i)}>
                <b>{p.name}</b> <span class="quiet">{[p.locode, flag(p)].filter(Boolean).join(" · ")}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Field>
  );
}
