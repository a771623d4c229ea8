package layout

import (
	"errors"
	"slices"
	"testing"

	"quaywatch/ship"
	"quaywatch/store/track"
)

func TestSealFindsEveryFlippedBit(t *testing.T) {
	const at0 = 1_700_000_000_000
	var fixes []ship.Fix
	for i := range int64(40) {
		fixes = append(fixes, ship.Fix{At: at0 + 10_000*i, Lon: int32(6_000_000 + 55*i), Lat: int32(32_400_000 + 30*i)})
	}
	key := BlockKey(track.HourOf(at0), 219000001)
	good := Seal(Blocks, key, track.EncodeBlock(track.HourOf(at0), fixes))
	for i := range good {
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[i] ^= 1 << bit
			if got, _, err := ReadBlock(nil, key, bad); !errors.Is(err, track.ErrCorrupt) {
				t.Fatalf("byte %d bit %d: %v, %d fixes", i, bit, err, len(got))
			}
		}
	}
	for n := range len(good) {
		if _, err := Unseal(Blocks, key, good[:n]); err == nil {
			t.Fatalf("cut to %d bytes: no error", n)
		}
	}
	for _, other := range [][]byte{BlockKey(track.HourOf(at0), 219000002), BlockKey(track.HourOf(at0)+1, 219000001), ShipKey(219000001)} {
		if _, err := Unseal(Blocks, other, good); err == nil {
			t.Errorf("under the key %x: no error", other)
		}
	}
	for _, other := range []string{Ships, Static, "series/blocks", "people", "people/names"} {
		if _, err := Unseal(other, key, good); err == nil {
			t.Errorf("in the bucket %s: no error", other)
		}
	}
	joined := append(slices.Clone(key), good...)
	for n := range len(joined) - SealSize {
		if _, err := Unseal(Blocks, joined[:n], joined[n:]); (err == nil) != (n == len(key)) {
			t.Errorf("with the first %d bytes as the key: %v", n, err)
		}
	}
}
