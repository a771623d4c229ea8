package layout

import (
	"encoding/binary"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// BlockKey is hour 4 | mmsi 8, of the fixes of a ship in an hour. The hour is that of track.HourOf.
func BlockKey(hour uint32, m ais.MMSI) []byte {
	var k [12]byte
	binary.BigEndian.PutUint32(k[:4], hour)
	binary.BigEndian.PutUint64(k[4:], uint64(m))
	return k[:]
}

// ReadBlockKey reads what BlockKey makes. ok is false for a key that no block has.
func ReadBlockKey(k []byte) (hour uint32, m ais.MMSI, ok bool) {
	if len(k) != 12 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(k), ais.MMSI(binary.BigEndian.Uint64(k[4:])), true
}

// ShipKey is mmsi 8, of a last state.
func ShipKey(m ais.MMSI) []byte { return binary.BigEndian.AppendUint64(nil, uint64(m)) }

// ReadShipKey reads what ShipKey makes. ok is false for a key that no last state has.
func ReadShipKey(k []byte) (ais.MMSI, bool) {
	if len(k) != 8 {
		return 0, false
	}
	return ais.MMSI(binary.BigEndian.Uint64(k)), true
}

// StaticKey is mmsi 8 | time 8, of what a ship was from a time on, in Unix milliseconds.
func StaticKey(m ais.MMSI, ms int64) []byte {
	return binary.BigEndian.AppendUint64(ShipKey(m), uint64(track.ClampMillis(ms)))
}

// ReadStaticKey reads what StaticKey makes. ok is false for a key that no static record has.
func ReadStaticKey(k []byte) (m ais.MMSI, ms int64, ok bool) {
	if len(k) != 16 {
		return 0, 0, false
	}
	return ais.MMSI(binary.BigEndian.Uint64(k)), int64(binary.BigEndian.Uint64(k[8:])), true
}

// RecordKey is id 8, of a record of a Table.
func RecordKey(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

// SeriesKey is time 8 | sequence 8, of a Series. The time is in Unix milliseconds.
func SeriesKey(ms int64, sequence uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(ms)), sequence)
}

// ReadSeriesKey reads what SeriesKey makes. ok is false for a key that no record of a series has.
func ReadSeriesKey(k []byte) (ms int64, sequence uint64, ok bool) {
	if len(k) != 16 {
		return 0, 0, false
	}
	return int64(binary.BigEndian.Uint64(k)), binary.BigEndian.Uint64(k[8:]), true
}

// FeedKey is number 4, of a set of feeds.
func FeedKey(n ship.FeedSet) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
