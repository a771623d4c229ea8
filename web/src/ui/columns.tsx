import type { App } from "../app";
import { columnNames, ofPort, usual, type Column } from "../sort";
import { t } from "../text/text";
import { usePanel } from "./header";

interface ChoiceProps {
  all: readonly { key: string; heading: string }[];
  /** chosen are the columns that the user chose; undefined: those that fit. */
  chosen: readonly string[] | undefined;
  choose: (key: string, on: boolean) => void;
  /** fitting has the table choose, or not. */
  fitting: (on: boolean) => void;
}

/** ColumnChoice chooses the columns of a table. */
export function ColumnChoice({ all, chosen, choose, fitting }: ChoiceProps) {
  const { open, setOpen, box } = usePanel();
  return (
    <div class="columns" ref={box}>
      <button class="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("list.columns")}
      </button>
      {open && (
        <div class="panel">
          <label class="check">
            <input type="checkbox" checked={!chosen} onChange={(e) => fitting(e.currentTarget.checked)} /> {t("list.fitting")}
          </label>
          {all.map(({ key, heading }) => (
            <label class="check" key={key}>
              <input
                type="checkbox"
                disabled={!chosen}
                checked={chosen?.includes(key) ?? false}
                onChange={(e) => choose(key, e.currentTarget.checked)}
              />{" "}
              {heading}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}

/** offered tells whether the user may have a column of the ship list. */
export const offered = (app: App, column: Column): boolean =>
  !ofPort.has(column) || (app.session.may("view_port") && app.session.may("view_history"));

/** Columns chooses the columns of the ship list. */
export function Columns({ app }: { app: App }) {
  const all = columnNames.filter((column) => column !== "name" && offered(app, column));
  const choose = (key: string, on: boolean): void => {
    const others = (app.settings.columns ?? []).filter((c) => c !== key); // of now: what is drawn may be older
    app.settings.setColumns(on ? [...others, key as Column] : others);
  };
  return (
    <ColumnChoice
      all={all.map((key) => ({ key, heading: t("col." + key) }))}
      chosen={app.settings.columns}
      choose={choose}
      fitting={(on) => app.settings.setColumns(on ? undefined : [...usual])}
    />
  );
}
