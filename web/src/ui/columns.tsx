import type { App } from "../app";
import { columnNames, type Column } from "../sort";
import { t } from "../text/text";
import { usePanel } from "./header";

/** Columns chooses the columns of the ship list. */
export function Columns({ app }: { app: App }) {
  const { open, setOpen, box } = usePanel();
  const chosen = app.settings.columns;
  const all = columnNames.filter((column) => column !== "name");
  const choose = (column: Column, on: boolean): void => {
    const others = (app.settings.columns ?? []).filter((c) => c !== column); // of now: what is drawn may be older
    app.settings.setColumns(on ? [...others, column] : others);
  };
  return (
    <div class="columns" ref={box}>
      <button class="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("list.columns")}
      </button>
      {open && (
        <div class="panel">
          <label class="check">
            <input type="checkbox" checked={!chosen} onChange={(e) => app.settings.setColumns(e.currentTarget.checked ? undefined : all)} />{" "}
            {t("list.fitting")}
          </label>
          {all.map((column) => (
            <label class="check" key={column}>
              <input
                type="checkbox"
                disabled={!chosen}
                checked={chosen?.includes(column) ?? false}
                onChange={(e) => choose(column, e.currentTarget.checked)}
              />{" "}
              {t("col." + column)}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
