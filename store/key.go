package store

import (
	"encoding/binary"
	"math"

	"quaywatch/ais"
)

// hourMillis is the length of a bucket of time.
const hourMillis = 60 * 60 * 1000

// maxMillis is the last time that a key can hold: the end of bucket 2³²-1, in the year 491936.
const maxMillis = (math.MaxUint32+1)*hourMillis - 1

// bucketOf gives the bucket of a time in Unix milliseconds, 0 <= ms <= maxMillis: the hours since 1970.
func bucketOf(ms int64) uint32 { return uint32(ms / hourMillis) }

// bucketStart gives the first millisecond of a bucket.
func bucketStart(bucket uint32) int64 { return int64(bucket) * hourMillis }

// clampMillis brings a time into what a key can hold.
func clampMillis(ms int64) int64 { return max(0, min(ms, maxMillis)) }

// blockKey is bucket 4 | mmsi 8.
func blockKey(bucket uint32, m ais.MMSI) []byte {
	var k [12]byte
	binary.BigEndian.PutUint32(k[:4], bucket)
	binary.BigEndian.PutUint64(k[4:], uint64(m))
	return k[:]
}

func readBlockKey(k []byte) (bucket uint32, m ais.MMSI, ok bool) {
	if len(k) != 12 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(k), ais.MMSI(binary.BigEndian.Uint64(k[4:])), true
}

// shipKey is mmsi 8.
func shipKey(m ais.MMSI) []byte { return binary.BigEndian.AppendUint64(nil, uint64(m)) }

func readShipKey(k []byte) (ais.MMSI, bool) {
	if len(k) != 8 {
		return 0, false
	}
	return ais.MMSI(binary.BigEndian.Uint64(k)), true
}

// staticKey is mmsi 8 | time 8.
func staticKey(m ais.MMSI, ms int64) []byte {
	return binary.BigEndian.AppendUint64(shipKey(m), uint64(clampMillis(ms)))
}

func readStaticKey(k []byte) (m ais.MMSI, ms int64, ok bool) {
	if len(k) != 16 {
		return 0, 0, false
	}
	return ais.MMSI(binary.BigEndian.Uint64(k)), int64(binary.BigEndian.Uint64(k[8:])), true
}

// idKey is id 8, of a Table.
func idKey(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }
