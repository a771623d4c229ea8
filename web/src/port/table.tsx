// A list of a port as a table: its order, its columns, and the table as a file.
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "../app";
import type { PortInfo } from "../contract";
import { linesOf, saveCSV } from "../statistics/csv";
import { keep, kept } from "../storage";
import { dateTime, wall, zone } from "../text/clock";
import { t } from "../text/text";
import { ColumnChoice } from "../ui/columns";
import { Kind } from "../map/kind";
import { fitting, rowsBy, Table, toolColumn, type Sorting } from "../ui/table";
import type { Column } from "./columns";
import type { Tab } from "./day";
import { choose } from "./lanes";
import type { Expected, Visit } from "./model";
import { lay } from "./print";

const paperWidth = 1180; // pixels for the columns of a page on its side, in letters of 9 points

type Row = Visit | Expected;

interface TableProps<R extends Row> {
  app: App;
  port: PortInfo;
  tab: Tab;
  columns: Column<R>[];
  rows: readonly R[];
  order: Sorting; // at first
  day: string; // of the file's name
  kind: string; // of ship, "all" for all
  span?: { begin: number; end: number }; // that the list is about
}

// chosenOf reads which columns the user chose; undefined: those that fit.
function chosenOf(tab: Tab): string[] | undefined {
  const keys = kept("port.columns." + tab)
    .split(" ")
    .filter(Boolean);
  return keys.length > 0 ? keys : undefined;
}

const fileOf = ({ locode, name }: PortInfo, tab: Tab, day: string): string =>
  `${locode || name.replace(/[^\p{L}\p{N}]+/gu, "-")}-${tab === "in" ? "in-port" : tab}-${day}.csv`;

/** PortTable is the table. A click on a row selects its ship. */
export function PortTable<R extends Row>({ app, port, tab, columns, rows, order: usual, day, kind, span }: TableProps<R>) {
  const [chosen, setChosen] = useState(() => chosenOf(tab));
  const [order, setOrder] = useState<Sorting>(() => {
    const [key, down] = kept("port.order." + tab).split(" ");
    return key ? { key, down: down === "down" } : usual;
  });
  const choice = (next: string[] | undefined): void => {
    setChosen(next);
    keep("port.columns." + tab, next?.join(" ") ?? "");
  };
  const reorder = (next: Sorting): void => {
    setOrder(next);
    keep("port.order." + tab, next.key + (next.down ? " down" : ""));
    const column = columns.find(({ key }) => key === next.key);
    if (column) app.say(t("say.sorted", { column: column.heading }));
  };
  const others = columns.slice(1); // the name of the ship is always there
  const wanted = chosen ? columns.filter(({ key }, i) => i === 0 || chosen.includes(key)) : columns;
  const save = (): void => {
    const lines = rowsBy(columns, rows, order).map((row) => [row.ship.mmsi, ...wanted.map((c) => (c.file ?? c.words)(row))]);
    saveCSV(fileOf(port, tab, day), linesOf([["MMSI", ...wanted.map((c) => c.heading)], ...lines]));
  };
  const print = useRef(() => {});
  print.current = () => {
    const now = app.picture.now(),
      told = wanted.filter((c, i) => i === 0 || chosen || rows.some((row) => c.words(row) !== "")),
      shown = fitting(told, paperWidth);
    lay({
      title: `${t("port." + tab)} · ${port.name}${port.locode ? ` (${port.locode})` : ""}`,
      lines: [
        [span && `${dateTime(span.begin)} – ${dateTime(span.end)}`, kind !== "all" && t("group." + kind)].filter(Boolean).join(" · "),
        `${t("port.times", { zone: zone(now) })} · ${t("port.printed", { time: dateTime(now) })} · ${rows.length}`,
      ].filter(Boolean),
      headings: shown.map((c) => c.heading),
      rows: rowsBy(columns, rows, order).map((row) => shown.map((c) => c.words(row))),
    });
  };
  useEffect(() => {
    const before = (): void => print.current(); // also where the browser's own menu prints
    addEventListener("beforeprint", before);
    return () => {
      removeEventListener("beforeprint", before);
      document.querySelector(".printed")?.remove();
    };
  }, []);
  const symbol = toolColumn<R>("kind", 20, ({ group }) => <Kind group={group} palette={app.settings.palette} degrees={0} size={18} />);
  return (
    <div class="porttable">
      <div class="tools">
        <span class="quiet">{t("port.times", { zone: zone(app.picture.now()) })}</span>
        <ColumnChoice
          all={others}
          chosen={chosen}
          choose={(key, on) => choice([...(chosen ?? []).filter((one) => one !== key), ...(on ? [key] : [])])}
          fitting={(on) => choice(on ? undefined : others.map(({ key }) => key))}
        />
        <button class="small" title={t("port.csvHint")} onClick={save}>
          {t("port.csv")}
        </button>
        <button
          class="small"
          onClick={() => {
            print.current();
            globalThis.print();
          }}>
          {t("port.print")}
        </button>
      </div>
      <Table
        label={t("port." + tab)}
        columns={[symbol, ...wanted]}
        rows={rows}
        id={({ key }) => key}
        chosen={rows.find(({ ship }) => ship.mmsi === app.selection.mmsi)?.key}
        onOpen={({ ship }) => choose(app, ship)}
        order={order}
        onOrder={reorder}
        searchable={false}
        dense
        asked={chosen !== undefined}
        empty=""
      />
    </div>
  );
}

/** dayOf is the day of a time, as the clock on the wall has it. */
export const dayOf = (time: number): string => wall(time).slice(0, 10);
