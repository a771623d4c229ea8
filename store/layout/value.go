package layout

import (
	"encoding/binary"
	"math"

	"quaywatch/ship"
	"quaywatch/store/track"
)

// ReadBlock appends the fixes of a sealed block to dst, its lead included, and returns whether there is a lead.
func ReadBlock(dst []ship.Fix, k, sealed []byte) (fixes []ship.Fix, lead bool, err error) {
	return ReadBlockUntil(dst, k, sealed, math.MaxInt64)
}

// ReadBlockUntil is ReadBlock up to the first fix at that time or later.
func ReadBlockUntil(dst []ship.Fix, k, sealed []byte, until int64) (fixes []ship.Fix, lead bool, err error) {
	hour, _, ok := ReadBlockKey(k)
	b, err := Unseal(Blocks, k, sealed)
	if err != nil || !ok {
		return dst, false, ErrChecksum
	}
	return track.DecodeUntil(dst, hour, b, until)
}

// ReadStatic returns what a sealed static record says.
func ReadStatic(k, sealed []byte) (*ship.Static, *ship.VoyageData, error) {
	b, err := Unseal(Static, k, sealed)
	if err != nil {
		return nil, nil, err
	}
	return track.DecodeStatic(b)
}

// ReadState returns a sealed last state. It has the number of its set of feeds, and not their names.
func ReadState(k, sealed []byte) (ship.State, error) {
	m, ok := ReadShipKey(k)
	b, err := Unseal(Ships, k, sealed)
	if err != nil || !ok {
		return ship.State{}, ErrChecksum
	}
	return track.DecodeState(m, b)
}

// ReadFeeds reads a value of the bucket of the sets of feeds: the number of the set, and the names in it.
func ReadFeeds(k, sealed []byte) (ship.FeedSet, []string, error) {
	v, err := Unseal(Feeds, k, sealed)
	if err != nil || len(k) != 4 {
		return 0, nil, ErrChecksum
	}
	r := track.NewReader(v)
	names := track.ReadNames(&r)
	return ship.FeedSet(binary.BigEndian.Uint32(k)), names, r.End()
}
