// A harbour with quays and its day: ships that lie there, came, left and anchor, as a CSV of positions that ends now.
/** minute is a minute in milliseconds. */
export const minute = 60e3;

/** aarhus is where the port of the list stands, and its number. */
export const aarhus = { id: 22781475, lon: 10.22, lat: 56.15 };

const east = (metres) => metres / 111320 / Math.cos((56.15 * Math.PI) / 180);
const north = (metres) => metres / 111320;
const square = (lon, lat, metres) => {
  const [x, y] = [east(metres), north(metres)];
  return {
    type: "Polygon",
    coordinates: [
      [
        [lon - x, lat - y],
        [lon + x, lat - y],
        [lon + x, lat + y],
        [lon - x, lat + y],
        [lon - x, lat - y],
      ].map((place) => place.map((v) => Number(v.toFixed(6)))),
    ],
  };
};
const berth = (name, metresEast, length, more) => ({
  name,
  length,
  ...more,
  position: { type: "Point", coordinates: [Number((aarhus.lon + east(metresEast)).toFixed(6)), aarhus.lat] },
});

/** quays are the borders and berths of the port. */
export const quays = {
  outer: square(aarhus.lon, aarhus.lat, 3500),
  inner: [square(aarhus.lon, aarhus.lat, 1500)],
  berths: [
    berth("Quay 1", -1000, 200, { max_draught: 11 }),
    berth("Quay 2", -500, 300),
    berth("Quay 10", 0, 250),
    berth("<b>Quay</b> 20", 700, 180),
  ],
};

/** fleet are the ships: where each lies east and north of the port, for how many minutes, and how long ago it left. */
export const fleet = [
  { mmsi: 235088101, name: "LONG STAY", type: 70, length: 134, lies: [-1000, 0], minutes: 1700 },
  { mmsi: 235088102, name: "OIL QUEEN", type: 80, length: 180, lies: [-500, 0], minutes: 300, anchored: 120 },
  { mmsi: 235088103, name: "TWIN ONE", type: 60, length: 160, lies: [0, 0], minutes: 400 },
  { mmsi: 235088104, name: "TWIN TWO", type: 60, length: 120, lies: [20, 10], minutes: 200 },
  { mmsi: 235088105, name: "", type: 89, length: 90, lies: [300, 900], minutes: 150 },
  { mmsi: 235088106, name: "SWINGER", type: 70, length: 100, lies: [2400, 0], minutes: 240, anchor: true },
  { mmsi: 235088107, name: "GONE AGAIN", type: 70, length: 140, lies: [700, 0], minutes: 200, gone: 120 },
  { mmsi: 235088108, name: "<img src=x onerror=alert(1)>", type: 52, length: 30, lies: [-300, -800], minutes: 100 },
];

/** cameToday tells whether so many of some ships may be all that came today, where the harbour ends at a time: alongside, or at their anchorage. A stay
 * is found some minutes beside its beginning, so a ship that came about midnight may count or not. */
export function cameToday(count, ships, end) {
  const begin = new Date().setUTCHours(0, 0, 0, 0),
    after = (minutes) => ships.filter((one) => end - ((one.gone ?? 0) + one.minutes) * minute > begin + minutes * minute).length;
  return count >= after(10) && count <= after(-10);
}

/** kalundborg is a second port of the list. */
const kalundborg = { id: 22794429, lon: 11.08919, lat: 55.68643 };

/** crowd are 500 ships that lie in another port. */
export const crowd = Array.from({ length: 500 }, (_, i) => ({
  mmsi: 236000000 + i,
  name: `CROWD ${i}`,
  type: 70,
  length: 90,
  lies: [(i % 25) * 40 - 500, Math.floor(i / 25) * 40 - 400],
  minutes: 14,
  approach: 2,
  port: kalundborg,
}));

/** lastMinute returns the beginning of the minute before this one, when the past of a harbour ends. */
export const lastMinute = () => Math.floor(Date.now() / minute) * minute - minute;

/** harbour gives the positions, a minute each. */
export function harbour(ships = fleet, end = lastMinute()) {
  return ["mmsi,time,longitude,latitude,sog,name,type_code,length,draught", ...ships.flatMap((one) => past(one, end))].join("\n");
}

function past(one, end) {
  const rows = [];
  const { lon, lat } = one.port ?? aarhus;
  const add = (time, metresEast, metresNorth, sog) => rows.push({ time, lon: lon + east(metresEast), lat: lat + north(metresNorth), sog });
  const left = end - (one.gone ?? 0) * minute,
    came = left - one.minutes * minute;
  const swings = (from, to, x, y) => {
    for (let time = from, i = 0; time < to; time += minute, i++) add(time, x + 60 * Math.cos(i / 10), y + 60 * Math.sin(i / 10), 0.2);
  };
  const start = came - (one.anchored ?? 0) * minute;
  for (let m = one.approach ?? 40; m > 0; m--)
    add(start - m * minute, Math.max(one.lies[0], 0) + m * 250 + 2400 * (one.anchored ? 1 : 0), one.lies[1], 8);
  if (one.anchored) swings(start, came - 10 * minute, 2400, 300);
  if (one.anchored) for (let m = 10; m > 0; m--) add(came - m * minute, one.lies[0] + m * 280, one.lies[1], 9);
  if (one.anchor) swings(came, left, ...one.lies);
  else for (let time = came; time <= left; time += minute) add(time, ...one.lies, 0);
  if (one.gone) for (let m = 1; m <= one.gone; m++) add(left + m * minute, one.lies[0] + m * 280, one.lies[1], 9);
  return text(one, rows);
}

function text({ mmsi, name, type, length }, rows) {
  return rows.map(({ time, lon, lat, sog }) =>
    [
      mmsi,
      new Date(time).toISOString(),
      lon.toFixed(6),
      lat.toFixed(6),
      sog.toFixed(1),
      name,
      type,
      length,
      type === 60 ? 6.1 : 8.4,
    ].join(),
  );
}
