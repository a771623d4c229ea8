// Speaks AIS for the tests: just the messages that they need, by ITU-R M.1371-5, as NMEA sentences.

class Bits {
  text = "";
  unsigned(value, width) {
    this.text += (value >>> 0).toString(2).padStart(width, "0").slice(-width);
    return this;
  }
  signed(value, width) {
    return this.unsigned(value < 0 ? value + 2 ** width : value, width);
  }
  letters(text, count) {
    for (const letter of text.padEnd(count, "@").slice(0, count)) {
      const code = letter.charCodeAt(0);
      this.unsigned(code >= 64 ? code - 64 : code, 6);
    }
    return this;
  }
}

// armour gives the payload characters and the number of fill bits.
function armour(bits) {
  const fill = (6 - (bits.length % 6)) % 6;
  const padded = bits + "0".repeat(fill);
  let payload = "";
  for (let i = 0; i < padded.length; i += 6) {
    const v = parseInt(padded.slice(i, i + 6), 2);
    payload += String.fromCharCode(v < 40 ? v + 48 : v + 56);
  }
  return { payload, fill };
}

const checksum = (body) =>
  [...body]
    .reduce((sum, c) => sum ^ c.charCodeAt(0), 0)
    .toString(16)
    .toUpperCase()
    .padStart(2, "0");
let group = 0;

function sentences(bits) {
  const { payload, fill } = armour(bits);
  const parts = payload.match(/.{1,60}/g);
  const id = parts.length > 1 ? (group = (group + 1) % 10) : "";
  return parts
    .map((part, i) => {
      const body = `AIVDM,${parts.length},${i + 1},${id},A,${part},${i === parts.length - 1 ? fill : 0}`;
      return `!${body}*${checksum(body)}\r\n`;
    })
    .join("");
}

/** position is message 1; absent heading, cog and sog are sent as not available. */
export function position({ mmsi, lon, lat, sog, cog, heading, status = 0 }) {
  return sentences(
    new Bits()
      .unsigned(1, 6)
      .unsigned(0, 2)
      .unsigned(mmsi, 30)
      .unsigned(status, 4)
      .signed(-128, 8)
      .unsigned(sog === undefined ? 1023 : Math.round(sog * 10), 10)
      .unsigned(1, 1)
      .signed(Math.round(lon * 600000), 28)
      .signed(Math.round(lat * 600000), 27)
      .unsigned(cog === undefined ? 3600 : Math.round(cog * 10), 12)
      .unsigned(heading ?? 511, 9)
      .unsigned(new Date().getUTCSeconds(), 6)
      .unsigned(0, 2)
      .unsigned(0, 3)
      .unsigned(0, 1)
      .unsigned(0, 19).text,
  );
}

/** voyage is message 5. */
export function voyage({
  mmsi,
  imo = 0,
  callsign = "",
  name = "",
  type = 0,
  dim = [0, 0, 0, 0],
  draught = 0,
  destination = "",
  eta = [0, 0, 24, 60],
}) {
  return sentences(
    new Bits()
      .unsigned(5, 6)
      .unsigned(0, 2)
      .unsigned(mmsi, 30)
      .unsigned(0, 2)
      .unsigned(imo, 30)
      .letters(callsign, 7)
      .letters(name, 20)
      .unsigned(type, 8)
      .unsigned(dim[0], 9)
      .unsigned(dim[1], 9)
      .unsigned(dim[2], 6)
      .unsigned(dim[3], 6)
      .unsigned(1, 4)
      .unsigned(eta[0], 4)
      .unsigned(eta[1], 5)
      .unsigned(eta[2], 5)
      .unsigned(eta[3], 6)
      .unsigned(Math.round(draught * 10), 8)
      .letters(destination, 20)
      .unsigned(0, 1)
      .unsigned(0, 1).text,
  );
}

/** safety is message 14. */
export const safety = ({ mmsi, text }) =>
  sentences(new Bits().unsigned(14, 6).unsigned(0, 2).unsigned(mmsi, 30).unsigned(0, 2).letters(text, text.length).text);

/** addressed is message 12. */
export const addressed = ({ mmsi, to, text }) =>
  sentences(
    new Bits().unsigned(12, 6).unsigned(0, 2).unsigned(mmsi, 30).unsigned(0, 2).unsigned(to, 30).unsigned(0, 2).letters(text, text.length)
      .text,
  );

/** base is message 4. */
export function base({ mmsi, lon, lat }) {
  const now = new Date();
  return sentences(
    new Bits()
      .unsigned(4, 6)
      .unsigned(0, 2)
      .unsigned(mmsi, 30)
      .unsigned(now.getUTCFullYear(), 14)
      .unsigned(now.getUTCMonth() + 1, 4)
      .unsigned(now.getUTCDate(), 5)
      .unsigned(now.getUTCHours(), 5)
      .unsigned(now.getUTCMinutes(), 6)
      .unsigned(now.getUTCSeconds(), 6)
      .unsigned(1, 1)
      .signed(Math.round(lon * 600000), 28)
      .signed(Math.round(lat * 600000), 27)
      .unsigned(1, 4)
      .unsigned(0, 10)
      .unsigned(0, 1)
      .unsigned(0, 19).text,
  );
}

/** aid is message 21. */
export function aid({ mmsi, lon, lat, name, kind = 1, virtual = 0, off = 0 }) {
  return sentences(
    new Bits()
      .unsigned(21, 6)
      .unsigned(0, 2)
      .unsigned(mmsi, 30)
      .unsigned(kind, 5)
      .letters(name, 20)
      .unsigned(0, 1)
      .signed(Math.round(lon * 600000), 28)
      .signed(Math.round(lat * 600000), 27)
      .unsigned(0, 9)
      .unsigned(0, 9)
      .unsigned(0, 6)
      .unsigned(0, 6)
      .unsigned(7, 4)
      .unsigned(60, 6)
      .unsigned(off, 1)
      .unsigned(0, 8)
      .unsigned(0, 1)
      .unsigned(virtual, 1)
      .unsigned(0, 1)
      .unsigned(0, 1).text,
  );
}

/** freighter is what a ship says of itself, where a test does not ask for it. */
export const freighter = {
  callsign: "TEST",
  imo: 0,
  type: 70,
  dim: [60, 12, 8, 9],
  draught: 5,
  destination: "DKAAR",
  eta: [11, 21, 18, 30],
};

/** fleet are ships of many kinds around a place, and two whose names are meant to do harm (AIS's letters have no "|"). */
export function fleet(count = 60) {
  const types = [70, 80, 60, 40, 52, 30, 36, 55, 0, 71, 84, 69, 50, 37];
  const words = ["NORDIC", "BALTIC", "HAV", "STENA", "ANNA", "WESTER"],
    seconds = ["STAR", "WIND", "QUEEN", "TRADER"];
  return Array.from({ length: count }, (_, i) => ({
    mmsi: 219018000 + i,
    imo: 9300000 + i,
    callsign: "OW" + i,
    type: types[i % types.length],
    name: i === 0 ? "<SCRIPT SRC=//A.CO>" : i === 1 ? "=CMD' /C CALC'!A0" : `${words[i % 6]} ${seconds[(i >> 1) % 4]} ${i}`,
    dim: [60 + (i % 90), 12, 8, 9],
    draught: 4 + (i % 60) / 10,
    destination: i % 3 ? "DKAAR" : "SE GOT",
    eta: [11, 21, 18, 30],
    lon: 10.26 + ((i * i * 7) % 61) / 400,
    lat: 56.03 + ((i * 23) % 60) / 500,
    cog: (i * 47) % 360,
    heading: (i * 47) % 360,
    sog: i % 4 === 3 ? 0 : 6 + (i % 9),
    status: i % 4 === 3 ? 5 : 0,
  }));
}
