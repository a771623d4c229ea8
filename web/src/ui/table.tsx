import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { finder } from "../letters";
import { keep, kept } from "../storage";
import { number, t } from "../text/text";

/** ColumnOf is a column of a table: text is what it sorts, searches and shows by; cell draws it otherwise. One that is empty in every row is not shown. */
export interface ColumnOf<R> {
  key: string;
  heading: string;
  text: (row: R) => string | number | undefined;
  cell?: (row: R) => ComponentChildren;
  width?: string; // of a grid column
  from?: number; // pixels of the table from which it is shown
  right?: boolean;
}

/** toolColumn is a column of icons or buttons: it has no heading and is not searched. */
export const toolColumn = <R,>(key: string, width: number, cell: (row: R) => ComponentChildren): ColumnOf<R> => ({
  key,
  heading: "",
  text: () => undefined,
  width: width + "px",
  cell,
});

/** useRowsInSight tells which rows of a scrolled box are in sight, of which alone there need be elements; bar is the width of its scroll bar. */
export function useRowsInSight(rowHeight: number) {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [{ width, height, bar }, setSize] = useState({ width: 600, height: 700, bar: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      const b = box.current;
      if (b) setSize({ width: b.clientWidth, height: b.clientHeight, bar: b.offsetWidth - b.clientWidth });
    };
    measure(); // an observer speaks first before the next paint, and until then a column of a wide table would have no width
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(scroll / rowHeight) - 4),
    last = first + Math.ceil(height / rowHeight) + 8;
  const reveal = (index: number): void => {
    const top = index * rowHeight,
      b = box.current!;
    if (top < b.scrollTop) b.scrollTop = top;
    else if (top + rowHeight > b.scrollTop + b.clientHeight) b.scrollTop = top + rowHeight - b.clientHeight;
  };
  return { box, width, bar, first, last, reveal, onScroll: () => setScroll(box.current!.scrollTop) };
}

const narrowest = 340; // pixels of a table that gives its columns their least width

/** Sorting is the column that a table is sorted by, and whether from the largest down. */
export interface Sorting {
  key: string;
  down: boolean;
}

// keptOrder is how this browser sorted such a table last.
function keptOrder(place: string): Sorting | undefined {
  const [key, down] = kept(place).split(" ");
  return key ? { key, down: down === "down" } : undefined;
}

/** rowsBy puts rows into an order. What is not known stands last. */
export function rowsBy<R>(columns: readonly ColumnOf<R>[], rows: readonly R[], order: Sorting): R[] {
  const by = columns.find((c) => c.key === order.key) ?? columns[0],
    sign = order.down ? -1 : 1;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const keyed = rows.map((row) => ({ row, key: by.text(row) }));
  keyed.sort((a, b) => {
    const none = (v: unknown): boolean => v === undefined || v === "";
    if (none(a.key) || none(b.key)) return (none(a.key) ? 1 : 0) - (none(b.key) ? 1 : 0);
    return sign * (typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : collator.compare(String(a.key), String(b.key)));
  });
  return keyed.map((k) => k.row);
}

/** fitting returns the columns that a width has room for, the first ones first, at least the first. */
export function fitting<C extends { width?: string }>(columns: readonly C[], width: number): C[] {
  let room = width - 20;
  const least = ({ width = "" }: C): number => Number(/\d+/.exec(width)?.[0] ?? 60) + 8;
  return columns.filter((c, i) => (room >= least(c) || i === 0) && ((room -= least(c)), true));
}

/** Table shows rows to sort and search; only those in sight exist, so that twenty thousand cost no more than forty. */
export function Table<R>({
  label,
  columns,
  rows,
  id,
  onOpen,
  chosen,
  empty,
  sort,
  order: given,
  onOrder,
  tools,
  searchable = true,
  dense = false,
  asked = false,
}: {
  label: string;
  columns: ColumnOf<R>[];
  rows: readonly R[];
  id: (row: R) => string;
  onOpen?: (row: R) => void;
  chosen?: string;
  empty: ComponentChildren;
  sort?: Sorting;
  /** order is how the table is sorted where others keep that, as an address; onOrder tells them of another. */
  order?: Sorting;
  onOrder?: (order: Sorting) => void;
  /** tools stand beside the search. A function gets the rows that are found, in their order. */
  tools?: ComponentChildren | ((found: readonly R[]) => ComponentChildren);
  searchable?: boolean;
  /** dense has lower rows, and as many of the columns as there is room for, the first ones first. */
  dense?: boolean;
  /** asked shows columns that are empty too, since the user asked for them. */
  asked?: boolean;
}) {
  const [text, setText] = useState("");
  const place = "table." + columns.map((c) => c.key).join(".");
  const [own, setOwn] = useState(() => keptOrder(place) ?? sort ?? { key: columns[0].key, down: false });
  const order = given ?? own;
  const reorder = (next: Sorting): void => {
    if (onOrder) return onOrder(next);
    setOwn(next);
    keep(place, next.key + (next.down ? " down" : ""));
  };
  const [at, setAt] = useState(-1);
  const found = useMemo(() => {
    const fits = finder(text);
    const hits = rows.filter((row) => fits(columns.map((c) => c.text(row) ?? "").join(" ")));
    return rowsBy(columns, hits, order);
  }, [rows, text, order.key, order.down, columns.map((c) => c.key).join()]);
  const rowHeight = innerWidth < 900 ? 48 : dense ? 23 : 30;
  const { box, width, bar, first, last, reveal, onScroll } = useRowsInSight(rowHeight);
  const told = (c: ColumnOf<R>, row: R): boolean => (c.text(row) ?? "") !== "" || (c.heading === "" && c.text(row) === undefined);
  const filled = useMemo(
    () => new Set(columns.filter((c, i) => i === 0 || rows.length === 0 || rows.some((row) => told(c, row))).map((c) => c.key)),
    [rows, columns.map((c) => c.key).join()],
  );
  const wanted = columns.filter((c) => width >= (c.from ?? 0) && (filled.has(c.key) || asked));
  const shown = dense ? fitting(wanted, width) : wanted;
  const least = width < narrowest ? (w: string) => w.replace(/minmax\(\d+px/, "minmax(0") : (w: string) => w;
  const template = shown.map((c) => least(c.width ?? "minmax(0, 1fr)")).join(" ");
  const visible = found.slice(first, last);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(found.length - 1, to));
    setAt(next);
    reveal(next);
  };
  useEffect(() => {
    const index = chosen ? found.findIndex((row) => id(row) === chosen) : -1;
    if (index >= 0) move(index); // it may have been chosen elsewhere, as on the map
  }, [chosen]);
  const key = (e: KeyboardEvent): void => {
    if (e.target !== e.currentTarget) return;
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[e.key];
    if (by !== undefined && found.length > 0) {
      e.preventDefault();
      move(by === -1e9 ? 0 : at + by);
    } else if (e.key === "Enter" && found[at]) onOpen?.(found[at]);
  };
  return (
    <div class={dense ? "tablebox dense" : "tablebox"} style={{ "--columns": template, "--row": `${rowHeight}px` } as never}>
      {(searchable || tools) && (
        <div class="tools">
          {searchable && (
            <input
              class="sift"
              type="search"
              aria-label={t("table.search", { name: label })}
              placeholder={t("table.find")}
              value={text}
              onInput={(e) => {
                setText(e.currentTarget.value);
                setAt(-1);
                if (box.current) box.current.scrollTop = 0;
              }}
            />
          )}
          <span class="quiet">
            {text === "" ? number(rows.length) : t("list.rows", { shown: number(found.length), all: number(rows.length) })}
          </span>
          {typeof tools === "function" ? tools(found) : tools}
        </div>
      )}
      <div class="table" role="grid" aria-label={label} aria-rowcount={found.length + 1}>
        <div class="row headings" role="row" aria-rowindex={1} style={{ paddingRight: `${8 + bar}px` }}>
          {shown.map((c) => (
            <span
              key={c.key}
              role="columnheader"
              class={c.right ? "right" : ""}
              aria-sort={order.key !== c.key ? "none" : order.down ? "descending" : "ascending"}>
              {!c.heading && <span class="unseen">{t("table.tools")}</span>}
              {c.heading && (
                <button
                  type="button"
                  aria-label={t("list.sort", { column: c.heading })}
                  onClick={() => reorder({ key: c.key, down: order.key === c.key && !order.down })}>
                  {c.heading}
                  {order.key === c.key && <i aria-hidden="true">{order.down ? "▾" : "▴"}</i>}
                </button>
              )}
            </span>
          ))}
        </div>
        <div class="rows" ref={box} tabIndex={0} role="rowgroup" aria-label={label} onKeyDown={key} onScroll={onScroll}>
          <div class="all" style={{ height: `${found.length * rowHeight}px` }} onMouseOver={titleCut}>
            {visible.map((row, i) => (
              <div
                key={id(row)}
                class={"row" + (first + i === at ? " at" : "") + (onOpen ? " opens" : "")}
                role="row"
                aria-rowindex={first + i + 2}
                aria-selected={chosen === id(row)}
                style={{ transform: `translateY(${(first + i) * rowHeight}px)` }}
                onClick={() => {
                  setAt(first + i);
                  onOpen?.(row);
                }}>
                {shown.map((c) => (
                  <span
                    key={c.key}
                    role="gridcell"
                    class={c.right ? "right" : ""}
                    title={c.cell ? undefined : String(c.text(row) ?? "")}
                    data-drawn={c.cell !== undefined}>
                    {c.cell ? c.cell(row) : c.text(row)}
                  </span>
                ))}
              </div>
            ))}
          </div>
          {found.length === 0 && (
            <div class="empty" role="row">
              <div role="gridcell">{rows.length === 0 ? empty : t("table.none", { text })}</div>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

// titleCut gives the cell under the pointer that is drawn otherwise, and cut, its text as a title.
function titleCut(e: MouseEvent): void {
  const cell = (e.target as Element).closest<HTMLElement>("[data-drawn=true]");
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? (cell.textContent ?? "") : "";
}
