// What changed of a ship, in words.
import type { Ship } from "../ship";
import { draught, size } from "../text/figures";
import { learn, number, t, typeName } from "../text/text";
import { etaText } from "../text/eta";
import type { Change, Hull, Value } from "./change";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

const labels: Record<string, string> = {
  status: "card.status",
  destination: "card.destination",
  eta: "card.crewEta",
  draught: "card.draught",
  name: "changes.name",
  callsign: "card.callsign",
  imo: "card.imo",
  type: "changes.type",
  size: "card.size",
};

/** labelOf names the field of a change. */
export const labelOf = ({ field }: Change): string => (labels[field] ? t(labels[field]) : field);

/** changeText says from what to what a field changed. */
export const changeText = (c: Change): string => `${valueText(c.field, c.was, c)} → ${valueText(c.field, c.now, c)}`;

function valueText(field: string, value: Value, c: Change): string {
  if (value === null) return t("changes.nothing");
  switch (field) {
    case "status":
      return t("status." + value);
    case "type":
      return typeName(value as number);
    case "draught":
      return draught(value as number);
    case "eta":
      return etaText({ eta: value as string } as Ship) ?? "";
    case "size":
      return hullText(value as Hull, sameSize(c.was as Hull, c.now as Hull));
  }
  return String(value);
}

const sameSize = (a: Hull, b: Hull): boolean => a.dim_a + a.dim_b === b.dim_a + b.dim_b && a.dim_c + a.dim_d === b.dim_c + b.dim_d;

// Where the antenna alone moved, the four measures say so.
const hullText = ({ dim_a: a, dim_b: b, dim_c: c, dim_d: d }: Hull, parts: boolean): string =>
  parts ? `${number(a)} + ${number(b)} × ${number(c)} + ${number(d)} m` : size(a + b, c + d);
