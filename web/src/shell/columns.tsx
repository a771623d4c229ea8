import type { App } from "../app";
import { columnNames, ofPort, usual, type Column } from "../sort";
import { t } from "../text/text";
import { ColumnChoice } from "../ui/columns";

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
