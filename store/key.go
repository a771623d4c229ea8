package store

import (
	"encoding/binary"
	"math"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// blockKey is hour 4 | mmsi 8.
func blockKey(hour uint32, m ais.MMSI) []byte {
	var k [12]byte
	binary.BigEndian.PutUint32(k[:4], hour)
	binary.BigEndian.PutUint64(k[4:], uint64(m))
	return k[:]
}

func readBlockKey(k []byte) (hour uint32, m ais.MMSI, ok bool) {
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
	return binary.BigEndian.AppendUint64(shipKey(m), uint64(track.ClampMillis(ms)))
}

func readStaticKey(k []byte) (m ais.MMSI, ms int64, ok bool) {
	if len(k) != 16 {
		return 0, 0, false
	}
	return ais.MMSI(binary.BigEndian.Uint64(k)), int64(binary.BigEndian.Uint64(k[8:])), true
}

// idKey is id 8, of a Table.
func idKey(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

// readBlock appends the fixes of a sealed block to dst, its lead included, and returns whether there is a lead.
func readBlock(dst []ship.Fix, k, sealed []byte) (fixes []ship.Fix, lead bool, err error) {
	return readBlockUntil(dst, k, sealed, math.MaxInt64)
}

// readBlockUntil is readBlock up to the first fix at that time or later.
func readBlockUntil(dst []ship.Fix, k, sealed []byte, until int64) (fixes []ship.Fix, lead bool, err error) {
	hour, _, ok := readBlockKey(k)
	b, err := unseal(bucketBlocks, k, sealed)
	if err != nil || !ok {
		return dst, false, errChecksum
	}
	return track.DecodeUntil(dst, hour, b, until)
}

// readStatic returns what a sealed static record says.
func readStatic(k, sealed []byte) (*ship.Static, *ship.VoyageData, error) {
	b, err := unseal(bucketStatic, k, sealed)
	if err != nil {
		return nil, nil, err
	}
	return track.DecodeStatic(b)
}

// readState returns a sealed last state, with the feeds that heard the ship at its last fix.
func (db *DB) readState(k, sealed []byte) (ship.State, error) {
	m, ok := readShipKey(k)
	b, err := unseal(bucketShips, k, sealed)
	if err != nil || !ok {
		return ship.State{}, errChecksum
	}
	s, err := track.DecodeState(m, b)
	s.Feeds = db.Feeds(s.Fix.Feeds)
	return s, err
}
