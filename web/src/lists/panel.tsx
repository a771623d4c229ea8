// The ship lists: their overview, the sheet of one, and the choice of the list that a ship is put on.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refusal, send } from "../api";
import type { App, Props } from "../app";
import { clashing, put } from "../change";
import { best, classify } from "../query";
import { aclOf, filtersNaming, mayChange, mayConfigure, Owner, ownerText, sameNames, Sharing } from "../shapes/sharing";
import { title, type Ship } from "../ship";
import { flag, learn, number, t, typeText } from "../text/text";
import {
  NumberField,
  nothingWrong,
  Sheet,
  Table,
  TextArea,
  TextField,
  stillReferred,
  wrongOf,
  type ColumnOf,
  type Wrong,
} from "../ui/form";
import { Kind } from "../ui/kind";
import { Heading } from "../ui/heading";
import de from "./de.json";
import en from "./en.json";
import { filterOf, keyOf, loadLists, merged, nameOf, readNumbers, type Listed, type ShipList } from "./lists";

learn({ en, de });

const mayMake = (app: App): boolean => app.session.may("configure_ship_lists") && mayConfigure(app);
const mayEdit = (app: App, list: ShipList): boolean =>
  app.session.may("configure_ship_lists") && mayChange(app, list.owner, "admin_shiplists");
const listed = (ship: Ship): Listed => ({ mmsi: ship.mmsi, ...(ship.name ? { name: ship.name } : {}) });

/** Lists is the panel. */
export function Lists({ app, path }: Props) {
  const [lists, setLists] = useState<ShipList[]>();
  const [failed, setFailed] = useState("");
  const load = useCallback(
    () =>
      loadLists().then(
        (all) => {
          setLists(all);
          setFailed("");
        },
        (problem) => setFailed(wrongOf(problem).general),
      ),
    [],
  );
  const [first, second] = path;
  useEffect(() => {
    void load();
  }, [first]);
  const ship = second === undefined ? undefined : app.picture.ships.get(Number(second));
  if (first === "new") return <ListSheet key="new" app={app} begin={ship && listed(ship)} />;
  if (lists && first === "add") return <AddTo app={app} lists={lists} ship={ship ? listed(ship) : { mmsi: Number(second) }} />;
  const list = lists?.find((l) => l.uid === first);
  if (list) return <ListSheet key={list.uid} app={app} list={list} />;
  if (first !== undefined)
    return (
      <>
        <Heading app={app} title={t("menu.lists")} back={["lists"]} />
        <p class="empty">{failed || t(lists ? "list.gone" : "list.loading")}</p>
      </>
    );
  return <Overview app={app} lists={lists} failed={failed} />;
}

function Overview({ app, lists, failed }: { app: App; lists: ShipList[] | undefined; failed: string }) {
  const columns: ColumnOf<ShipList>[] = [
    {
      key: "name",
      heading: t("col.name"),
      text: (l) => l.name,
      width: "minmax(120px, 2fr)",
      cell: (l) => (
        <b class="listname" title={l.name}>
          {l.name}
        </b>
      ),
    },
    {
      key: "owner",
      heading: t("share.owner"),
      text: (l) => ownerText(app, l),
      width: "minmax(64px, 1fr)",
      cell: (l) => <Owner app={app} of={l} />,
    },
    {
      key: "ships",
      heading: t("list.ships"),
      text: (l) => l.ships.length,
      width: "64px",
      right: true,
      cell: (l) => number(l.ships.length) + (l.max > 0 ? `/${number(l.max)}` : ""),
    },
    {
      key: "show",
      heading: "",
      text: () => undefined,
      width: innerWidth < 900 ? "48px" : "34px",
      cell: (l) => (
        <button
          class="eye"
          aria-label={t("list.showNamed", { name: l.name })}
          title={t("list.show")}
          onClick={(e) => {
            e.stopPropagation();
            app.search.showFilter(filterOf(l.name));
          }}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 3h12L9.5 8.5V13l-3 1V8.5z" />
          </svg>
        </button>
      ),
    },
  ];
  return (
    <>
      <Heading app={app} title={t("menu.lists")}>
        {mayMake(app) && <button onClick={() => void app.navigation.go("lists", "new")}>{t("list.new")}</button>}
      </Heading>
      <Table
        label={t("menu.lists")}
        columns={columns}
        rows={lists ?? []}
        id={(l) => l.uid}
        onOpen={(l) => void app.navigation.go("lists", l.uid)}
        searchable={(lists?.length ?? 0) > 8}
        empty={<p>{failed || t(!lists ? "list.loading" : mayMake(app) ? "list.noLists" : "list.noneShared")}</p>}
      />
    </>
  );
}

/** ListSheet makes a list or changes one; a list of others is shown as it is. */
function ListSheet({ app, list, begin }: { app: App; list?: ShipList; begin?: Listed }) {
  const may = list ? mayEdit(app, list) : mayMake(app);
  const read = useRef(list); // what is on the screen may have been read anew
  const begun = useRef({
    name: list?.name ?? "",
    max: list?.max || undefined,
    ships: list?.ships ?? [],
    acl: list?.acl.map((r) => r.name) ?? ([] as string[]),
  });
  const [draft, setDraft] = useState(() => ({ ...begun.current, ships: begin ? [begin] : begun.current.ships }));
  const [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const set = (part: Partial<typeof draft>): void => setDraft((d) => ({ ...d, ...part }));
  const was = begun.current;
  const dirty = draft.name !== was.name || draft.max !== was.max || draft.ships !== was.ships || !sameNames(draft.acl, was.acl);
  useEffect(() => {
    app.unsaved = may && dirty;
  }, [dirty, may]);
  useEffect(
    () => () => {
      app.unsaved = false;
    },
    [],
  );

  const save = async (): Promise<void> => {
    const name = draft.name.trim();
    if (name === "") return setWrong({ general: t("form.look"), at: { "/name": t("list.nameMissing") } });
    if (draft.max && draft.ships.length > draft.max)
      return setWrong({ general: t("form.look"), at: { "/max": t("list.tooMany", { n: number(draft.ships.length) }) } });
    const from = read.current,
      body: Record<string, unknown> = { ships: draft.ships };
    if (name !== was.name) body.name = name;
    if (draft.max !== was.max) body.max = draft.max ?? 0;
    if (!sameNames(draft.acl, was.acl)) body.acl = aclOf(draft.acl, from?.acl ?? []);
    let ships = draft.ships;
    try {
      if (from) {
        const words = { name: t("col.name"), max: t("list.max"), acl: t("share.with") };
        const flat = (l: ShipList): typeof was => ({
          name: l.name,
          max: l.max || undefined,
          ships: l.ships,
          acl: l.acl.map((r) => r.name),
        });
        const now = await put(
          app,
          "config/shiplist/" + from.uid,
          from.name,
          from,
          body,
          (theirs) =>
            clashing(was, { ...draft, name }, flat(theirs), ["name", "max", "acl"]).map((key) => words[key as keyof typeof words]),
          (theirs) => ({ ...body, ships: (ships = merged(was.ships, draft.ships, theirs.ships)) }),
        );
        if (!now) return;
      } else await send("POST", "config/shiplist", body);
      app.unsaved = false;
      await app.navigation.go("lists");
      app.tell([t("list.saved", { name, n: number(ships.length) }), ships !== draft.ships && t("change.merged")].filter(Boolean).join(" "));
    } catch (problem) {
      setWrong(
        problem instanceof Refusal && problem.code === "name_taken"
          ? { general: t("form.look"), at: { "/name": t("list.nameTaken") } }
          : problem instanceof Refusal && problem.code === "limit_reached"
            ? { general: t("form.look"), at: { "/max": problem.message } }
            : wrongOf(problem),
      );
    }
  };

  const heading = (
    <Heading app={app} title={list?.name ?? t("list.new")} back={["lists"]}>
      {list && may && <button onClick={() => void remove(app, list)}>{t("list.delete")}</button>}
    </Heading>
  );
  const acts = list && (
    <div class="bar">
      <button onClick={() => app.search.showFilter(filterOf(list.name))}>{t("list.show")}</button>
      <SelectAll app={app} list={list} />
    </div>
  );
  if (!may) {
    return list ? (
      <>
        {heading}
        {acts}
        <div class="sheetbox facts">
          <p class="quiet">{t("share.readOnly", { owner: list.owner?.name ?? t("share.noOwner") })}</p>
          <p class="told">
            <span class="quiet">{t("share.with")}</span> {list.acl.map((r) => r.name).join(", ") || t("share.nobody")}
          </p>
        </div>
        <Ships app={app} ships={list.ships} />
      </>
    ) : (
      <>
        {heading}
        <p class="empty">{t("list.mayNot")}</p>
      </>
    );
  }
  return (
    <>
      {heading}
      {acts}
      <div class="sheetbox">
        <Sheet wrong={wrong} save={t("list.save")} unsaved={dirty} onSave={save} onCancel={() => void app.navigation.go("lists")}>
          <div class="fields two">
            <TextField label={t("col.name")} at="/name" wrong={wrong} value={draft.name} maxLength={64} onInput={(name) => set({ name })} />
            <NumberField
              label={t("list.max")}
              hint={t("list.maxHint")}
              at="/max"
              wrong={wrong}
              value={draft.max}
              onInput={(max) => set({ max: max || undefined })}
            />
          </div>
          <Adder app={app} ships={draft.ships} onAdd={(more) => set({ ships: [...more, ...draft.ships] })} wrong={wrong} />
          <Ships app={app} ships={draft.ships} onRemove={(ship) => set({ ships: draft.ships.filter((s) => s !== ship) })} />
          <Sharing
            app={app}
            names={draft.acl}
            onChange={(acl) => set({ acl })}
            may={app.session.may("share_shiplists") || app.session.may("admin_shiplists")}
            wrong={wrong}
          />
        </Sheet>
      </div>
    </>
  );
}

/** Adder adds one ship by search or number, or many by pasted numbers. */
function Adder({ app, ships, onAdd, wrong }: { app: App; ships: Listed[]; onAdd: (more: Listed[]) => void; wrong: Wrong }) {
  const [text, setText] = useState("");
  const [said, setSaid] = useState("");
  const [many, setMany] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const known = useMemo(() => new Set(ships.map(keyOf)), [ships]);
  const add = (more: Listed[], bad: string[] = []): void => {
    const fresh = more
      .filter((s) => !known.has(keyOf(s)))
      .map((s) => {
        const name = nameOf(app.picture, s);
        return name && !s.name ? { ...s, name } : s;
      });
    if (fresh.length > 0) onAdd(fresh);
    setText("");
    setSaid(
      [
        more.length === 1 && fresh.length === 1
          ? t("list.added", { name: fresh[0].name || String(fresh[0].mmsi ?? fresh[0].imo ?? fresh[0].callsign) })
          : t("list.addedMany", { n: number(fresh.length) }),
        more.length > fresh.length && t("list.already", { n: number(more.length - fresh.length) }),
        bad.length > 0 && t("list.notRead", { words: bad.slice(0, 5).join(" ") + (bad.length > 5 ? " …" : "") }),
      ]
        .filter(Boolean)
        .join(" "),
    );
  };
  const word = text.trim(),
    found = word === "" ? [] : best(app.picture.ships.values(), classify(word), 6);
  const asNumber = readNumbers(word).ships[0];
  const loose: Listed | undefined =
    word === ""
      ? undefined
      : asNumber
        ? asNumber.mmsi && found.some((s) => s.mmsi === asNumber.mmsi)
          ? undefined
          : asNumber
        : word.length >= 3 && !/^\d+$/.test(word)
          ? { name: word }
          : undefined;
  const options = [
    ...found.map((ship) => ({ entry: listed(ship), ship: ship as Ship | undefined })),
    ...(loose ? [{ entry: loose, ship: undefined }] : []),
  ];
  const loosely = (s: Listed): string =>
    s.mmsi ? t("list.byMMSI", { n: s.mmsi }) : s.imo ? t("list.byIMO", { n: s.imo }) : t("list.byName", { name: s.name ?? "" });
  // Enter takes the first that is meant, as the search does; it does not save the list.
  const enter = (e: KeyboardEvent): void => {
    if (e.key !== "Enter" || !(e.target instanceof HTMLInputElement)) return;
    e.preventDefault();
    const meant = options.find((o) => !known.has(keyOf(o.entry)));
    if (meant) add([meant.entry]);
  };
  const take = (entry: Listed): void => {
    add([entry]);
    box.current?.querySelector("input")?.focus(); // what had the focus is gone
  };
  return (
    <div class="adder" ref={box} onKeyDown={enter}>
      <TextField
        label={t("list.addShip")}
        at="/ships"
        wrong={wrong}
        value={text}
        placeholder={t("list.addHint")}
        autocomplete="off"
        spellcheck={false}
        onInput={(v) => {
          setText(v);
          setSaid("");
        }}
      />
      {options.length > 0 && (
        <ul class="options" aria-label={t("search.results")}>
          {options.map(({ entry, ship }) => (
            <li key={keyOf(entry)}>
              <button type="button" disabled={known.has(keyOf(entry))} onClick={() => take(entry)}>
                {ship ? (
                  <>
                    <Kind group={ship.group} palette={app.settings.palette} degrees={0} size={18} />
                    <b>{title(ship)}</b>{" "}
                    <span class="quiet">{[typeText(ship), flag(ship), ship.name ? ship.mmsi : undefined].filter(Boolean).join(" · ")}</span>
                  </>
                ) : (
                  loosely(entry)
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      {many === undefined ? (
        <p>
          <button type="button" class="small" onClick={() => setMany("")}>
            {t("list.many")}
          </button>
        </p>
      ) : (
        <div class="many">
          <TextArea label={t("list.manyLabel")} hint={t("list.manyHint")} value={many} rows={4} onInput={setMany} />
          <p>
            <button
              type="button"
              disabled={many.trim() === ""}
              onClick={() => {
                const read = readNumbers(many);
                add(read.ships, read.bad);
                setMany(undefined);
              }}>
              {t("list.addAll", { n: number(readNumbers(many).ships.length) })}
            </button>
          </p>
        </div>
      )}
      <p class="quiet" role="status">
        {said}
      </p>
    </div>
  );
}

/** Ships is the table of the ships of a list. */
function Ships({ app, ships, onRemove }: { app: App; ships: Listed[]; onRemove?: (ship: Listed) => void }) {
  const heard = (s: Listed): Ship | undefined => (s.mmsi ? app.picture.ships.get(s.mmsi) : undefined);
  const number = (s: Listed): string => (s.mmsi ? String(s.mmsi) : s.imo ? `IMO ${s.imo}` : (s.callsign ?? ""));
  const columns: ColumnOf<Listed>[] = [
    {
      key: "kind",
      heading: "",
      text: () => undefined,
      width: "20px",
      cell: (s) => {
        const ship = heard(s);
        return ship && <Kind group={ship.group} palette={app.settings.palette} degrees={0} size={18} />;
      },
    },
    { key: "name", heading: t("col.name"), text: (s) => nameOf(app.picture, s), width: "minmax(90px, 1fr)" },
    { key: "number", heading: t("card.mmsi"), text: number, width: "90px" },
    {
      key: "heard",
      heading: "",
      text: (s) => (heard(s) ? "" : t("list.notHeard")),
      width: "88px",
      from: 300,
      cell: (s) =>
        !heard(s) && (
          <span class="quiet" title={t("list.notHeard")}>
            {t("list.notHeard")}
          </span>
        ),
    },
    ...(onRemove
      ? [
          {
            key: "remove",
            heading: "",
            text: () => undefined,
            width: innerWidth < 900 ? "44px" : "30px",
            cell: (s: Listed) => (
              <button
                type="button"
                class="eye"
                aria-label={t("list.remove", { name: nameOf(app.picture, s) || number(s) })}
                onClick={(e) => {
                  e.stopPropagation();
                  e.currentTarget.closest<HTMLElement>(".rows")?.focus();
                  onRemove(s);
                }}>
                ×
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <div class="listships">
      <Table
        label={t("list.ships")}
        columns={columns}
        rows={ships}
        id={keyOf}
        onOpen={(s) => {
          if (heard(s)) app.selection.select(s.mmsi!, "go");
        }}
        searchable={ships.length > 12}
        empty={<p>{t("list.noShips")}</p>}
      />
    </div>
  );
}

// SelectAll has all open windows of the user go to the ships of the list, as another program can by POST /ship/select.
function SelectAll({ app, list }: { app: App; list: ShipList }) {
  const heard = list.ships.filter((s) => s.mmsi && app.picture.ships.has(s.mmsi)).slice(0, 1000);
  if (heard.length === 0) return null;
  const select = (): void =>
    void send("POST", "portserver/ship/select", { owner: list.name.slice(0, 60), ships: heard.map((s) => ({ mmsi: s.mmsi })) }).catch(
      (problem) => app.tell(wrongOf(problem).general, true),
    );
  return (
    <button title={t("list.selectHint")} onClick={select}>
      {t("list.select")}
    </button>
  );
}

/** AddTo puts one ship on a list. */
function AddTo({ app, lists, ship }: { app: App; lists: ShipList[]; ship: Listed }) {
  const [busy, setBusy] = useState(false);
  const name = ship.name || String(ship.mmsi),
    mine = lists.filter((l) => mayEdit(app, l));
  const add = async (list: ShipList): Promise<void> => {
    setBusy(true);
    try {
      const now = await send<ShipList>("GET", "config/shiplist/" + list.uid);
      const added = (to: ShipList): object => ({ ships: merged([], [ship], to.ships) });
      await put(app, "config/shiplist/" + list.uid, list.name, now, added(now), () => [], added);
      await app.navigation.go("map");
      app.tell(t("list.isOn", { name, list: list.name }));
    } catch (problem) {
      app.tell(wrongOf(problem).general, true);
      setBusy(false);
    }
  };
  return (
    <>
      <Heading app={app} title={t("list.addTo", { name })} />
      <ul class="choices">
        {mine.map((list) => {
          const there = list.ships.some((s) => keyOf(s) === keyOf(ship)),
            full = list.max > 0 && list.ships.length >= list.max;
          return (
            <li key={list.uid}>
              <button disabled={busy || there || full} onClick={() => void add(list)}>
                <b>{list.name}</b> <span class="quiet">{there ? t("list.there") : full ? t("list.full") : number(list.ships.length)}</span>
              </button>
            </li>
          );
        })}
        {mayMake(app) && (
          <li>
            <button onClick={() => void app.navigation.go("lists", "new", String(ship.mmsi))}>{t("list.new")} …</button>
          </li>
        )}
      </ul>
      {mine.length === 0 && !mayMake(app) && <p class="empty">{t("list.mayNot")}</p>}
    </>
  );
}

async function remove(app: App, list: ShipList): Promise<void> {
  const filters = await filtersNaming(list.name);
  const lines = [
    list.ships.length > 0 && t("list.losesShips", { n: number(list.ships.length) }),
    list.acl.length > 0 && t("share.lose", { names: list.acl.map((r) => r.name).join(", ") }),
    filters.length > 0 && t("share.filters", { names: filters.join(", ") }),
    t("share.forGood"),
  ].filter((line) => line !== false);
  if (!(await app.ask({ title: t("list.deleteAsk", { name: list.name }), lines, yes: t("list.delete"), bad: true }))) return;
  try {
    await send("DELETE", "config/shiplist/" + list.uid);
    app.unsaved = false;
    await app.navigation.go("lists");
    app.tell(t("list.deleted", { name: list.name }));
  } catch (problem) {
    app.tell(
      stillReferred(problem) ? t("share.referenced", { name: list.name, why: stillReferred(problem) }) : wrongOf(problem).general,
      true,
    );
  }
}
