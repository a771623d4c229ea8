// The ship lists: their overview, the sheet of one, and the choice of the list that a ship is put on.
import { useMemo, useRef, useState } from "preact/hooks";
import { send } from "../api";
import type { App, Props } from "../app";
import type { ShipList } from "../contract";
import { put } from "../change";
import {
  filterColumn,
  mayEdit,
  mayMake,
  namesOf,
  ownerColumn,
  ThingSheet,
  Told,
  useThing,
  type Fields,
  type LibraryKind,
} from "../library/sheet";
import { best, classify } from "../query";
import { mmsiText, title, type Ship } from "../ship";
import { flag, learn, number, t, told, typeText } from "../text/text";
import { NumberField, TextArea, TextField } from "../ui/form";
import { Heading } from "../ui/heading";
import { Kind } from "../map/kind";
import { records, useLoaded } from "../ui/load";
import { Missing, Overview } from "../ui/sheet";
import { Table, toolColumn, type ColumnOf } from "../ui/table";
import { generalOf, wrongOf } from "../ui/wrong";
import de from "./de.json";
import en from "./en.json";
import { filterOf, keyOf, merged, nameOf, numberOf, readNumbers, type Listed } from "./lists";

learn({ en, de });

const kind: LibraryKind<ShipList, Fields & { max: number | undefined; ships: Listed[] }> = {
  place: "lists",
  path: "config/shiplist",
  rights: "shiplists",
  needs: "configure_ship_lists",
  named: true,
  locked: (list) => list.read_only === true,
  say: (key, values) => t("list." + key, values),
  fields: (list) => ({ name: list?.name ?? "", max: list?.max || undefined, ships: list?.ships ?? [], acl: namesOf(list) }),
  words: { name: "col.name", max: "list.max", acl: "share.with" },
};

const listed = (ship: Ship): Listed => ({ mmsi: ship.mmsi, ...(ship.name ? { name: ship.name } : {}) });

/** Lists is the panel. */
export function Lists({ app, path }: Props) {
  const [first, second] = path;
  const all = useLoaded(() => records<ShipList>(kind.path), first);
  if (first === undefined) {
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
      ownerColumn(app, "minmax(64px, 1fr)"),
      {
        key: "ships",
        heading: t("list.ships"),
        text: (l) => l.ships.length,
        width: "64px",
        right: true,
        cell: (l) => number(l.ships.length) + (l.max ? `/${number(l.max)}` : ""),
      },
      filterColumn(app, (l) => filterOf(l.name)),
    ];
    return <Overview app={app} kind={kind} all={all} id={(l) => l.uid} columns={columns} may={mayMake(app, kind)} />;
  }
  const ship = second === undefined ? undefined : app.picture.ships.get(Number(second));
  const entry = ship && listed(ship);
  if (all.data && first === "add") return <AddTo app={app} lists={all.data} ship={entry ?? { mmsi: Number(second) }} />;
  const list = all.data?.find((l) => l.uid === first);
  if (!list && first !== "new") return <Missing app={app} kind={kind} all={all} />;
  return <ListSheet key={first} app={app} read={list} begin={entry} />;
}

/** ListSheet makes a list, of the ship that it begins with, or changes one. */
function ListSheet({ app, read, begin }: { app: App; read?: ShipList; begin?: Listed }) {
  const draft = useThing(kind, read, begin ? { ships: [begin] } : {});
  const { thing: list, was, now, set } = draft;
  const both = useRef<Listed[]>(undefined); // the ships, once another change was merged with this one
  const above = list && (
    <div class="bar">
      <button onClick={() => app.search.showFilter(filterOf(list.name))}>{t("share.use")}</button>
      <SelectAll app={app} list={list} />
    </div>
  );
  return (
    <ThingSheet
      app={app}
      kind={kind}
      draft={draft}
      above={above}
      stays={list?.read_only ? t("list.ofWatchdog") : undefined}
      facts={
        <>
          {list?.problem_rule && <Told word={t("list.emptyNow")}>{told(list.problem_rule)}</Told>}
          <Told word={t("share.with")}>{namesOf(list).join(", ") || t("share.nobody")}</Told>
        </>
      }
      below={<Ships app={app} ships={now.ships} />}
      check={(): Record<string, string> =>
        now.max && now.ships.length > now.max ? { "/max": t("list.tooMany", { n: number(now.ships.length) }) } : {}
      }
      more={() => ({ ships: now.ships })}
      redo={(theirs) => ({ ships: (both.current = merged(was.ships, now.ships, theirs.ships)) })}
      full="/max"
      saved={(name) =>
        t("list.saved", { name, n: number((both.current ?? now.ships).length) }) + (both.current ? " " + t("change.merged") : "")
      }
      loses={[now.ships.length > 0 && t("list.losesShips", { n: number(was.ships.length) })]}>
      <div class="fields two">
        <TextField label={t("col.name")} at="/name" value={now.name} maxLength={64} onInput={(name) => set({ name })} />
        <NumberField
          label={t("list.max")}
          hint={t("list.maxHint")}
          at="/max"
          value={now.max}
          onInput={(max) => set({ max: max || undefined })}
        />
      </div>
      <Adder app={app} ships={now.ships} onAdd={(more) => set({ ships: [...more, ...now.ships] })} />
      <Ships app={app} ships={now.ships} onRemove={(ship) => set({ ships: now.ships.filter((s) => s !== ship) })} />
    </ThingSheet>
  );
}

/** Adder adds one ship by search or number, or many by pasted numbers. */
function Adder({ app, ships, onAdd }: { app: App; ships: Listed[]; onAdd: (more: Listed[]) => void }) {
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
          ? t("list.added", { name: fresh[0].name || numberOf(fresh[0]) })
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
    s.mmsi ? t("list.byMMSI", { n: mmsiText(s.mmsi) }) : s.imo ? t("list.byIMO", { n: s.imo }) : t("list.byName", { name: s.name ?? "" });
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
                    <span class="quiet">
                      {[typeText(ship), flag(ship), ship.name ? mmsiText(ship.mmsi) : undefined].filter(Boolean).join(" · ")}
                    </span>
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
  const columns: ColumnOf<Listed>[] = [
    toolColumn("kind", 20, (s) => {
      const ship = heard(s);
      return ship && <Kind group={ship.group} palette={app.settings.palette} degrees={0} size={18} />;
    }),
    { key: "name", heading: t("col.name"), text: (s) => nameOf(app.picture, s), width: "minmax(90px, 2fr)" },
    { key: "number", heading: t("card.mmsi"), text: numberOf, width: "90px" },
    {
      key: "heard",
      heading: "",
      text: (s) => (heard(s) ? "" : t("list.notHeard")),
      width: "minmax(0, 1fr)",
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
          toolColumn<Listed>("remove", innerWidth < 900 ? 44 : 30, (s) => (
            <button
              type="button"
              class="eye"
              aria-label={t("list.remove", { name: nameOf(app.picture, s) || numberOf(s) })}
              onClick={(e) => {
                e.stopPropagation();
                e.currentTarget.closest<HTMLElement>(".rows")?.focus();
                onRemove(s);
              }}>
              ×
            </button>
          )),
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
      (problem) => app.tell(generalOf(wrongOf(problem)), true),
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
  const name = ship.name || numberOf(ship),
    mine = lists.filter((l) => mayEdit(app, kind, l));
  const add = async (list: ShipList): Promise<void> => {
    setBusy(true);
    try {
      const now = await send<ShipList>("GET", `${kind.path}/${list.uid}`);
      const added = (to: ShipList): object => ({ ships: merged([], [ship], to.ships) });
      await put(app, `${kind.path}/${list.uid}`, list.name, now, added(now), () => [], added);
      await app.navigation.go("map");
      app.tell(t("list.isOn", { name, list: list.name }));
    } catch (problem) {
      app.tell(generalOf(wrongOf(problem)), true);
      setBusy(false);
    }
  };
  return (
    <>
      <Heading app={app} title={t("list.addTo", { name })} />
      <ul class="choices">
        {mine.map((list) => {
          const there = list.ships.some((s) => keyOf(s) === keyOf(ship)),
            full = list.max !== undefined && list.ships.length >= list.max;
          return (
            <li key={list.uid}>
              <button disabled={busy || there || full} onClick={() => void add(list)}>
                <b>{list.name}</b> <span class="quiet">{there ? t("list.there") : full ? t("list.full") : number(list.ships.length)}</span>
              </button>
            </li>
          );
        })}
        {mayMake(app, kind) && (
          <li>
            <button onClick={() => void app.navigation.go("lists", "new", String(ship.mmsi))}>{t("list.new")} …</button>
          </li>
        )}
      </ul>
      {mine.length === 0 && !mayMake(app, kind) && <p class="empty">{t("list.mayNot")}</p>}
    </>
  );
}
