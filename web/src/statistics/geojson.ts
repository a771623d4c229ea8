// The records of a result that have a place, as GeoJSON (RFC 7946), made in the browser.
import type { Column } from "./columns";
import type { Row } from "./row";

// geometryOf is the track of a record where it has one, else its place.
function geometryOf({ of, lon, lat }: Row): object | undefined {
  const way = of.track?.coordinates.map(([x, y]) => [x, y]) ?? [];
  if (way.length > 1) return { type: "LineString", coordinates: way };
  return lon === undefined || lat === undefined ? undefined : { type: "Point", coordinates: [lon, lat] };
}

/** placed tells whether one of the rows has a place. */
export const placed = (rows: readonly Row[]): boolean => rows.some((row) => geometryOf(row) !== undefined);

/** geojsonOf writes the rows that have a place, with the figures of their columns: times are UTC, distances metres, spans seconds. */
export function geojsonOf(columns: readonly Column[], rows: readonly Row[]): string {
  const features = rows.flatMap((row) => {
    const geometry = geometryOf(row);
    if (!geometry) return [];
    const figures = columns.map((column) => [column.key, (column.file ?? column.text)(row) ?? null]);
    return [{ type: "Feature", geometry, properties: { mmsi: row.ships.map(({ mmsi }) => mmsi), ...Object.fromEntries(figures) } }];
  });
  return JSON.stringify({ type: "FeatureCollection", features });
}
