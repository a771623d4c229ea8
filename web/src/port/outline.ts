// What the map shows of a port: its borders, quays and berths.
import type { PortInfo } from "../contract";
import { portKey } from "../map/harbours";
import type { MapShape } from "../map/shapes";
import { formOf } from "../geometry";
import { berthRadius } from "./model";

/** shapesOf are the borders and berths of a port. */
export function shapesOf(port: PortInfo): MapShape[] {
  const outer = port.outer && shape(port, "", { polygon: port.outer });
  return [...(outer ? [outer] : []), ...quaysOf(port)];
}

/** quaysOf are the inner shapes and the berths of a port. */
export const quaysOf = (port: PortInfo): MapShape[] =>
  [
    ...port.inner.map((polygon) => shape(port, "", { polygon })),
    ...(port.berths ?? []).map(
      ({ name, position }) => position && shape(port, name, { circle: { center: position, radius: berthRadius } }),
    ),
  ].filter((one) => one !== undefined);

function shape(port: PortInfo, label: string, drawn: Parameters<typeof formOf>[0]): MapShape | undefined {
  const form = formOf(drawn);
  return form && { key: portKey(port.id), label, form, colour: "" };
}
