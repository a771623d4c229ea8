// The sheet of a watchdog: when it tells, of which ships, where, how gravely, and what it would have told.
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { App } from "../app";
import { equal } from "../change";
import { aclOf } from "../library/acl";
import { mayEdit, mayMake, ThingSheet, Told, useThing } from "../library/sheet";
import { boundsOf, complete, outline, type Form } from "../geometry";
import { t, told } from "../text/text";
import { Choice, NumberField, Switch, TextField } from "../ui/form";
import { firstSpot, proposedOf, suggestion, type Begun } from "./begin";
import { Hours } from "./calendar";
import { DryRun } from "./dryrun";
import { Escalate } from "./escalate";
import { marks, severities, type Severity } from "./event";
import { Exactly } from "./exactly";
import { Hail } from "./hail";
import { filterOf, kind, shipOf } from "./kind";
import { fits, kinds, numbersOf, objectOf, spotOf, typeFor, types, type Numbers } from "./kinds";
import { pausedText } from "./list";
import { Notices } from "./notices";
import { OwnShips, Ships } from "./ships";
import { colours, type Type, type Watchdog } from "./watchdogs";
import { Where } from "./where";

interface Props {
  app: App;
  begun?: Begun;
  read?: Watchdog;
}

const filled = (form: Form | undefined): boolean => form !== undefined && form.chains.length > 0;

/** DogSheet makes a watchdog or changes one. */
export function DogSheet({ app, begun = {}, read }: Props) {
  const [type, setType] = useState<Type>(read?.type ?? begun.type ?? (begun.shape ? typeFor(begun.shape.form.kind) : "polygon"));
  const asks = !read && !begun.type; // the type is still to be chosen
  const draft = useThing(kind, read, read ? {} : proposedOf(app, begun, type));
  const { thing: dog, now, set } = draft;
  const may = dog ? mayEdit(app, kind, dog) : mayMake(app, kind);
  const [spot, setSpot] = useState(() => (dog ? spotOf(dog) : firstSpot(type, asks, begun))),
    [first] = useState(spot);
  const [numbers, setNumbers] = useState<Numbers>(() => numbersOf(type, dog)),
    { draws, anywhere, own, shipless } = kinds[type];
  const { port, feed, mmsi, shiplist } = spot;
  const redrawn = spot.form !== first.form && (dog !== undefined || filled(spot.form)),
    moved = redrawn || !equal([port, feed, mmsi, shiplist], [first.port, first.feed, first.mmsi, first.shiplist]);
  const other = !equal(numbers, numbersOf(type, dog));
  useSuggestion(dog ? "" : suggestion(app, type, spot), now.name, (name) => set({ name }));
  useEffect(() => {
    if (first.form) show(app, first.form);
  }, []);
  const choose = (next: Type): void => {
    const ship = own ? mmsi : shipOf(now.filter),
      fresh = firstSpot(next, true, { mmsi: ship });
    const stays = spot.form && fits(next, spot.form.kind) && spot.how !== "";
    setType(next);
    setSpot({ ...fresh, port, ...(stays && { how: spot.how, form: spot.form }) });
    setNumbers(numbersOf(next));
    const filter = kinds[next].shipless ? "" : kinds[next].own ? (ship ? "" : now.filter) : own && ship ? filterOf(ship) : now.filter;
    set({
      filter,
      time_between_triggers: kinds[next].rest ?? 0,
      shiplist_timeout: "",
      ...(kinds[next].shipless && { create_shiplist: false }),
    });
  };
  const check = (): Record<string, string> => ({
    ...(type === "port" && port.trim() === "" ? { "/port": t("form.missing") } : {}),
    ...(own?.includes("must") && mmsi === 0 && shiplist === "" ? { [`/${type}/mmsi`]: t("form.missing") } : {}),
    ...(draws.length > 0 && !(spot.form && complete(spot.form)) && !(anywhere && spot.how === "anywhere")
      ? { "": t(`shape.incomplete.${spot.form?.kind ?? spot.how}`) }
      : {}),
    ...Object.fromEntries(
      kinds[type].numbers.flatMap(({ key }) => (numbers[key] === undefined ? [[`/${type}/${key}`, t("form.missing")]] : [])),
    ),
    ...(now.check_direction && now.min_cog === undefined ? { "/min_cog": t("form.missing") } : {}),
    ...(now.send_ship_notification && now.ship_notification_text.trim() === "" ? { "/ship_notification_text": t("form.missing") } : {}),
    ...(now.check_direction && now.max_cog === undefined ? { "/max_cog": t("form.missing") } : {}),
  });
  const telling = { app, type, mmsi: mmsi || shipOf(now.filter) || (begun.mmsi ?? 0), now, set, wrong: draft.wrong };
  const object = (): object => objectOf(type, spot, numbers);
  // body is the whole definition, for a dry run.
  const body = useMemo(() => {
    const { acl: _, ...rest } = now,
      given = Object.entries(rest).filter(([, value]) => (value ?? "") !== "");
    return { ...Object.fromEntries(given), name: now.name.trim() || t("dog.new"), type, ...object() };
  }, [now, type, spot, numbers]);
  return (
    <ThingSheet
      app={app}
      kind={kind}
      draft={draft}
      title={dog?.name ?? (asks ? t("dog.warn") : t("dog.when." + type))}
      redrawn={moved || other}
      facts={dog && <Facts dog={dog} />}
      check={check}
      more={() => ({
        ...(draft.changed.includes("escalate_to") && { escalate_to: aclOf(now.escalate_to, dog?.escalate_to ?? []) }),
        ...(dog ? {} : { type }),
        ...(moved || other || !dog ? object() : {}),
      })}
      clash={(theirs) => ((moved || other) && !equal(dog![type], theirs[type]) ? [t("shape.drawing")] : [])}
      loses={[t("dog.loses")]}>
      {dog?.problem_rule && <Told word={t("dog.idle")}>{told(dog.problem_rule)}</Told>}
      {dog?.paused && <Told word={t("dog.paused")}>{pausedText(dog.paused, app.picture.now())}</Told>}
      {asks && (
        <Choice
          label={t("dog.when")}
          at="/type"
          value={type}
          options={types.map((value) => ({ value, label: t("dog.warn." + value) }))}
          onChange={(value) => choose(value as Type)}
        />
      )}
      {shipless ? null : own ? (
        <OwnShips app={app} type={type} spot={spot} offered={begun.mmsi} onChange={setSpot} />
      ) : (
        <Ships app={app} filter={now.filter} offered={begun.mmsi} onInput={(filter) => set({ filter })} />
      )}
      <Where app={app} type={type} spot={spot} stored={dog} colour={colours[now.severity]} may={may} onChange={setSpot} />
      {kinds[type].numbers.map(({ key, word = key, unit, min, max }) => (
        <NumberField
          key={key}
          label={t("dog." + word)}
          at={`/${type}/${key}`}
          unit={unit}
          min={min}
          max={max}
          value={numbers[key]}
          onInput={(value) => setNumbers((was) => ({ ...was, [key]: value }))}
        />
      ))}
      <Hours value={now.calendar ?? undefined} onChange={(calendar) => set({ calendar: calendar ?? null })} />
      <Choice
        label={t("dog.severity")}
        at="/severity"
        value={now.severity}
        options={severities.map((value) => ({ value, label: `${marks[value]} ${t("severity." + value)}: ${t("dog.does." + value)}` }))}
        onChange={(severity) => set({ severity: severity as Severity })}
      />
      <TextField label={t("col.name")} at="/name" value={now.name} maxLength={64} onInput={(name) => set({ name })} />
      <Escalate app={app} now={now} set={set} wrong={draft.wrong} />
      <Notices {...telling} refuse={draft.setWrong} />
      {!shipless && <Hail {...telling} />}
      {!shipless && <Exactly type={type} now={now} set={set} wrong={draft.wrong} />}
      {app.session.may("view_history") && !shipless && (
        <DryRun
          app={app}
          severity={now.severity}
          filter={now.filter}
          body={body}
          check={() => {
            const bad = check();
            if (Object.keys(bad).length > 0) draft.refuse(bad);
            return Object.keys(bad).length === 0;
          }}
          refuse={draft.setWrong}
        />
      )}
      {dog && <Switch label={t("dog.enabled")} at="/enabled" on={now.enabled} onChange={(enabled) => set({ enabled })} />}
    </ThingSheet>
  );
}

// useSuggestion proposes a name until somebody types another. It does so before anything more is typed: what is typed is never replaced.
function useSuggestion(text: string, name: string, set: (name: string) => void): void {
  const [last, setLast] = useState(name);
  useLayoutEffect(() => {
    if (text === "" || text === last || name !== last) return;
    setLast(text);
    set(text);
  }, [text]);
}

function show(app: App, form: Form): void {
  const box = boundsOf(outline(form));
  if (box) app.chart?.showBox(box);
}

/** Facts is what a user that cannot change a watchdog is told of it. */
export const Facts = ({ dog }: { dog: Watchdog }) => (
  <>
    <Told word={t("dog.watches")}>{t("dog.type." + dog.type)}</Told>
    <Told word={t("dog.severity")}>{t("severity." + dog.severity)}</Told>
    {dog.port && <Told word={t("menu.port")}>{dog.port.name || dog.port.locode}</Told>}
    {dog.filter && <Told word={t("dog.filter")}>{dog.filter}</Told>}
    <Told word={t("dog.enabled")}>{t(dog.enabled ? "dog.on" : "dog.off")}</Told>
    {dog.problem_rule && <Told word={t("dog.idle")}>{told(dog.problem_rule)}</Told>}
  </>
);
