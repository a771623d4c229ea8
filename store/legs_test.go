//go:build !race

package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// legSet gives the legs of tracks that overlap a time, and fails when another one is among them.
func legSet(t *testing.T, from, to int64, m ais.MMSI, fixes ship.Track, into map[string]int) {
	t.Helper()
	for leg := range fixes.Legs() {
		if leg.To.At <= from || leg.From.At >= to {
			t.Fatalf("the leg from %v to %v does not overlap %v to %v", leg.From.Time(), leg.To.Time(), time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC())
		}
		into[fmt.Sprint(m, leg.From.At, leg.To.At)]++
	}
}

// TestATimeInPartsGivesTheSameLegs makes ships with silences of all lengths and late fixes, flushed or not. The legs of a time are those
// of its parts together, each once in the whole, and they are the legs of the model.
func TestATimeInPartsGivesTheSameLegs(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 9))
		db := openTest(t, quiet(t.TempDir(), true))
		ships := map[ais.MMSI]ship.Track{}
		for m := ais.MMSI(219000001); m < 219000006; m++ {
			at := at0 + random.Int64N(track.HourMillis)
			for at < at0+6*track.HourMillis {
				f := sail(at, 1, 0)[0]
				if random.IntN(40) == 0 {
					f.Mark = ship.NewSegment
				}
				ships[m] = append(ships[m], f)
				at += []int64{10_000, 60_000, 360_000, 1_800_000, 1_801_000, 4_000_000}[max(0, random.IntN(40)-34)]
			}
			var late ship.Track
			for i, f := range ships[m] {
				if i > 0 && random.IntN(20) == 0 {
					late = append(late, f)
					continue
				}
				observe(db, m, f)
			}
			if seed%2 == 0 {
				must(t, db.flushBlocks(true))
			}
			for _, f := range late {
				u := updateOf(m, f)
				u.Change, u.Now.Fix = ship.LateFix, ships[m][len(ships[m])-1]
				db.Observe(u)
			}
		}
		if seed == 3 {
			db.Tick(time.UnixMilli(at0 + 4*track.HourMillis))
			must(t, db.flushBlocks(false))
		}
		for range 30 {
			from := at0 + random.Int64N(5*track.HourMillis)
			to := from + 1 + random.Int64N(3*track.HourMillis)
			if random.IntN(2) == 0 {
				from, to = from/track.HourMillis*track.HourMillis, to/track.HourMillis*track.HourMillis+track.HourMillis
			}
			checkParts(t, db, ships, from, from+(to-from)/2, to)
		}
	}
}

func checkParts(t *testing.T, db *DB, ships map[ais.MMSI]ship.Track, from, middle, to int64) {
	t.Helper()
	want := map[string]int{}
	for m, fixes := range ships {
		for leg := range fixes.Legs() {
			if leg.To.At > from && leg.From.At < to {
				want[fmt.Sprint(m, leg.From.At, leg.To.At)]++
			}
		}
	}
	passing := func(from, to int64) map[string]int {
		got := map[string]int{}
		everywhere := geo.Rect{West: -180, South: -90, East: 180, North: 90}
		must(t, db.Passing(t.Context(), everywhere, time.UnixMilli(from), time.UnixMilli(to), func(m ais.MMSI, fixes ship.Track) error {
			legSet(t, from, to, m, fixes, got)
			return nil
		}))
		return got
	}
	tracks := func(from, to int64) map[string]int {
		got := map[string]int{}
		for m := range ships {
			fixes, err := db.Track(t.Context(), m, time.UnixMilli(from), time.UnixMilli(to))
			must(t, err)
			legSet(t, from, to, m, fixes, got)
		}
		return got
	}
	for name, ask := range map[string]func(from, to int64) map[string]int{"Passing": passing, "Track": tracks} {
		whole, parts := ask(from, to), ask(from, middle)
		for leg := range ask(middle, to) {
			parts[leg] = 1
		}
		if !sameCounts(whole, want) || !sameCounts(parts, want) {
			t.Fatalf("%s from %v for %v: %d legs, in two parts %d, want %d", name, time.UnixMilli(from).UTC(), time.Duration(to-from)*time.Millisecond,
				len(whole), len(parts), len(want))
		}
	}
}

func sameCounts(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, n := range a {
		if b[k] != n {
			return false
		}
	}
	return true
}
