//go:build !race

package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/store/track"
)

// TestHeadsTellWhatBlocksHold, whether the blocks are in the database or not yet: how many fixes, of whom and where.
func TestHeadsTellWhatBlocksHold(t *testing.T) {
	for _, flushed := range []bool{false, true} {
		db := openTest(t, quiet(t.TempDir(), true))
		for m := ais.MMSI(219000001); m < 219000005; m++ {
			for _, f := range sail(at0, 120, 60_000) {
				f.Lon += int32(m-219000001) * 1_000_000 // far from each other
				observe(db, m, f)
			}
		}
		if flushed {
			must(t, db.flushBlocks(true))
		}
		second := time.UnixMilli(at0 + track.HourMillis).UTC().Truncate(time.Hour)
		heads := func(ships []ais.MMSI, least int) (counts map[ais.MMSI]int, places map[ais.MMSI]geo.Rect) {
			counts, places = map[ais.MMSI]int{}, map[ais.MMSI]geo.Rect{}
			must(t, db.Heads(t.Context(), second, ships, func(m ais.MMSI, head track.Head) bool {
				counts[m] += head.Count
				places[m] = head.Touches
				return len(counts) != least
			}))
			return counts, places
		}
		counts, places := heads(nil, 0)
		for m := ais.MMSI(219000001); m < 219000005; m++ {
			all, err := db.Track(t.Context(), m, second, second.Add(time.Hour))
			must(t, err)
			inside := all.Within(second, second.Add(time.Hour))
			if lead := counts[m] - len(inside); len(inside) < 30 || lead < 0 || lead > 1 || !places[m].Intersects(inside.Bounds()) {
				t.Errorf("flushed %v: of %d %d fixes at %v, and %d are there", flushed, m, counts[m], places[m], len(inside))
			}
		}
		if places[219000001].Intersects(places[219000002]) {
			t.Errorf("flushed %v: two are at one place: %v", flushed, places)
		}
		if one, _ := heads([]ais.MMSI{1, 219000002, 219999999}, 0); len(one) != 1 || one[219000002] != counts[219000002] {
			t.Errorf("flushed %v: of one ship %v", flushed, one)
		}
		if none, _ := heads([]ais.MMSI{}, 0); len(none) != 0 {
			t.Errorf("of no ship: %v", none)
		}
		if some, _ := heads(nil, 2); len(some) != 2 {
			t.Errorf("flushed %v: more after the end: %v", flushed, some)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Heads(gone, second, nil, func(ais.MMSI, track.Head) bool { return true }); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that has gone: %v", err)
		}
	}
}
