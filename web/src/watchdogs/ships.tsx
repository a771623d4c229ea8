import { useState } from "preact/hooks";
import type { App } from "../app";
import type { ShipList } from "../contract";
import { title } from "../ship";
import { t } from "../text/text";
import { Choice, TextArea } from "../ui/form";
import { records, useLoaded } from "../ui/load";
import { filterOf, shipOf } from "./kind";
import { kinds, type Spot } from "./kinds";
import type { Type } from "./watchdogs";

interface Props {
  app: App;
  filter: string;
  /** offered is a ship that can be chosen, beside the one that is selected. */
  offered?: number;
  onInput: (filter: string) => void;
}

/** nameOf names a ship as the picture knows it. */
export const nameOf = (app: App, mmsi: number): string =>
  title(app.picture.ships.get(mmsi) ?? (app.selection.ship?.mmsi === mmsi ? app.selection.ship : { mmsi }));

/** Ships chooses which ships are meant: all, one, or those that a filter lets pass. */
export function Ships({ app, filter, offered = 0, onInput }: Props) {
  const [own, setOwn] = useState(false); // a filter is typed
  const one = shipOf(filter),
    how = own || (filter !== "" && one === 0) ? "filter" : one !== 0 ? String(one) : "all";
  const ships = [...new Set([one, offered, app.selection.mmsi])].filter((mmsi) => mmsi !== 0);
  const choose = (value: string): void => {
    setOwn(value === "filter");
    if (value !== "filter") onInput(value === "all" ? "" : filterOf(Number(value)));
  };
  return (
    <>
      <Choice
        label={t("dog.ships")}
        value={how}
        options={[
          ...ships.map((mmsi) => ({ value: String(mmsi), label: t("dog.ships.one", { name: nameOf(app, mmsi) }) })),
          { value: "all", label: t("dog.ships.all") },
          { value: "filter", label: t("dog.ships.filter") },
        ]}
        onChange={choose}
      />
      {how === "filter" && (
        <TextArea label={t("dog.filter")} hint={t("dog.filterHint")} at="/filter" rows={2} value={filter} onInput={onInput} />
      )}
    </>
  );
}

interface OwnProps {
  app: App;
  type: Type;
  spot: Spot;
  offered?: number;
  onChange: (spot: Spot) => void;
}

/** OwnShips chooses the ship, or the ship list, that what is watched names by itself. */
export function OwnShips({ app, type, spot, offered = 0, onChange }: OwnProps) {
  const wants = kinds[type].own ?? [],
    may = wants.includes("list") && app.session.may("view_shiplist");
  const { data = [] } = useLoaded(() => (may ? records<ShipList>("config/shiplist") : Promise.resolve([])), String(may));
  const lists = [...new Set([spot.shiplist, ...data.map((list) => list.name)])].filter((name) => name !== "");
  const ships = [...new Set([spot.mmsi, offered, app.selection.mmsi])].filter((mmsi) => mmsi !== 0);
  const choose = (value: string): void => {
    const list = value.startsWith("list:") ? value.slice(5) : "";
    onChange({ ...spot, mmsi: list === "" ? Number(value) : 0, shiplist: list });
  };
  return (
    <Choice
      label={t("dog.ships")}
      at={`/${type}/mmsi`}
      hint={ships.length === 0 && lists.length === 0 ? t("dog.ships.hint") : undefined}
      value={spot.shiplist === "" ? String(spot.mmsi) : "list:" + spot.shiplist}
      options={[
        { value: "0", label: t(wants.includes("must") ? "dog.ships.pick" : "dog.ships.anchored") },
        ...ships.map((mmsi) => ({ value: String(mmsi), label: t("dog.ships.one", { name: nameOf(app, mmsi) }) })),
        ...lists.map((name) => ({ value: "list:" + name, label: t("dog.ships.list", { name }) })),
      ]}
      onChange={choose}
    />
  );
}
