//go:build !race

package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

// TestStoreIsTheModel drives a store that keeps every fix with random steps: fixes in order and late ones, syncs, flushes,
// compaction, restarts and kills. After each the tracks, states and names are those of the model.
func TestStoreIsTheModel(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { driveModel(t, rand.New(rand.NewPCG(seed, 7)), 150) })
	}
}

// TestThinnedStoreSurvivesKills: with thinning too a restart changes nothing: the same stream with kills in it gives the
// same track as without.
func TestThinnedStoreSurvivesKills(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 3))
		whole := openTest(t, quiet(t.TempDir(), false))
		parts := openTest(t, quiet(t.TempDir(), false))
		f := newFleet(6)
		for step := range int64(600) {
			at := at0 + step*10_000
			for i := range f.updates {
				u := *f.next(i, at+int64(i))
				whole.Observe(&u)
				parts.Observe(&u)
			}
			for _, db := range []*DB{whole, parts} {
				db.Tick(time.UnixMilli(at))
			}
			switch random.IntN(80) {
			case 0:
				must(t, parts.sync())
				parts = killTest(t, parts.options)
			case 1:
				must(t, parts.flushBlocks(false))
				must(t, whole.flushBlocks(false))
			}
		}
		kept := 0
		for i := range f.updates {
			m := f.updates[i].Now.MMSI
			want, got := trackOf(t, whole, m), trackOf(t, parts, m)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, ship %d: %d fixes, want %d%s", seed, m, len(got), len(want), firstDifference(got, want))
			}
			kept += len(got)
			if s, err := parts.Ship(m); err != nil || s.Fix != f.updates[i].Now.Fix {
				t.Fatalf("seed %d, ship %d: last fix %+v, want %+v: %v", seed, m, s.Fix, f.updates[i].Now.Fix, err)
			}
		}
		if kept > 600*6/2 {
			t.Errorf("seed %d: %d of %d fixes kept: not thinned", seed, kept, 600*6)
		}
	}
}

// TestSeriesIsTheModel appends in and out of order, kills, starts again and compacts. After that a series holds what a sorted list does,
// and gives any part of it both ways.
func TestSeriesIsTheModel(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 11))
		db := openTest(t, quiet(t.TempDir(), true))
		s := openSeries(t, db, records.Keep{})
		var model []records.SeriesEntry[string]
		for step := range 60 {
			must(t, db.Together(func(tx *records.Tx) error {
				for i := range random.IntN(40) {
					text := fmt.Sprint("record ", step, ".", i)
					key, err := s.AppendIn(tx, time.UnixMilli(at0+random.Int64N(100)*1000), text)
					model = append(model, records.SeriesEntry[string]{Key: key, Value: text})
					if err != nil {
						return err
					}
				}
				return nil
			}))
			switch random.IntN(12) {
			case 0:
				must(t, db.Compact(t.Context()))
			case 1:
				db = killTest(t, db.options)
				s = openSeries(t, db, records.Keep{})
			case 2:
				must(t, db.Close())
				db = openTest(t, db.options)
				s = openSeries(t, db, records.Keep{})
			}
		}
		slices.SortFunc(model, byKey)
		if got := collect(t, s.Forward(records.Key{}, records.EndKey())); !slices.Equal(got, model) {
			t.Fatalf("seed %d: %d records, want %d", seed, len(got), len(model))
		}
		for range 30 {
			from, to := records.Key{At: at0 + random.Int64N(100_000)}, records.Key{At: at0 + random.Int64N(100_000), Sequence: random.Uint64N(900)}
			var want []records.SeriesEntry[string]
			for _, e := range model {
				if byKey(e, records.SeriesEntry[string]{Key: from}) >= 0 && byKey(e, records.SeriesEntry[string]{Key: to}) < 0 {
					want = append(want, e)
				}
			}
			if got := collect(t, s.Forward(from, to)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v to %v: %d records, want %d", seed, from, to, len(got), len(want))
			}
			slices.Reverse(want)
			if got := collect(t, s.Backward(from, to)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: backward from %v to %v: %d records, want %d", seed, to, from, len(got), len(want))
			}
		}
	}
}

func TestRetentionKeepsExactlyItsDays(t *testing.T) {
	o := quiet(t.TempDir(), false)
	o.Retention = 7 * 24 * time.Hour
	db := openTest(t, o)
	const day = 24 * track.HourMillis
	ctx := t.Context()
	for hour := range int64(30 * 24) {
		for m := range ais.MMSI(12) {
			u := updateOf(219000001+m, sail(at0+hour*track.HourMillis, 1, 0)[0])
			for _, f := range sail(at0+hour*track.HourMillis, 10, 300_000) {
				u.Fix, u.Now.Fix, u.Now.Heard = f, f, f.At
				if hour%48 == 3 {
					u.Now.Static, u.Change = &ship.Static{Name: "DAY " + time.UnixMilli(f.At).UTC().Format("2"), At: f.At}, ship.ChangedFix|ship.ChangedStatic
				}
				db.Observe(u)
				u.Change = ship.ChangedFix
			}
		}
		must(t, db.sync())
		db.Tick(time.UnixMilli(at0 + (hour+1)*track.HourMillis + flushDelay))
		must(t, db.flushBlocks(false))
		must(t, db.retain(ctx, time.UnixMilli(at0+60*day)))
		if hour%100 == 99 {
			must(t, db.Compact(ctx))
		}
	}
	now := at0 + 30*day + flushDelay
	s := db.Status()
	if want := track.HourStart(track.HourOf(now - 7*day)); s.Oldest.UnixMilli() != want {
		t.Errorf("oldest %v, want %v", s.Oldest, time.UnixMilli(want).UTC())
	}
	got := trackOf(t, db, 219000001)
	if first := got[0].At; first < now-7*day-track.HourMillis || first > now-7*day+track.HourMillis {
		t.Errorf("first fix %v", got[0].Time())
	}
	for _, days := range []int64{1, 3, 6, 20} { // the newest before retention holds for the time since
		st, _, err := db.StaticAt(219000001, time.UnixMilli(now-days*day))
		if days < 7 && (err != nil || st.Name == "") {
			t.Errorf("static data %d days ago: %v", days, err)
		}
		if days > 7 && !errors.Is(err, records.ErrNotFound) {
			t.Errorf("static data %d days ago is still there: %v", days, err)
		}
	}
	if s.LogBytes > wal.SegmentAt(4) {
		t.Errorf("the log grew to %d bytes", s.LogBytes)
	}
	must(t, db.Compact(ctx))
	if after := db.Status(); after.DBBytes-after.FreeBytes > 2<<20 {
		t.Errorf("%d bytes for a week of twelve ships", after.DBBytes)
	}
}

func TestCompactOffline(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	for m := range ais.MMSI(3000) {
		observe(db, 219000001+m, sail(at0, 300, 10_000)...)
		if m%500 == 0 {
			must(t, db.sync())
		}
	}
	must(t, db.sync())
	must(t, db.flushBlocks(true))
	must(t, db.dropBlocks(t.Context(), track.HourOf(at0)+1))
	observe(db, 219000001, sail(at0+5*track.HourMillis, 10, 10_000)...)
	must(t, db.Close())
	before, err := os.Stat(filepath.Join(db.options.Dir, layout.DBName))
	must(t, err)
	must(t, records.Compact(o.Dir))
	after, err := os.Stat(filepath.Join(db.options.Dir, layout.DBName))
	must(t, err)
	if after.Size()*3 > before.Size() {
		t.Errorf("from %d to %d bytes", before.Size(), after.Size())
	}
	if got := trackOf(t, openTest(t, o), 219000001); !slices.Equal(got, sail(at0+5*track.HourMillis, 10, 10_000)) {
		t.Errorf("%d fixes after compaction", len(got))
	}
}

func TestSettledSourceLosesNothing(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	f := newFleet(50)
	n := 0
	for at := at0; n < 600_000; at += 1000 {
		for i := range f.updates {
			db.Observe(f.next(i, at+int64(i)))
			if n++; n%20_000 == 0 {
				db.Tick(time.UnixMilli(at))
				must(t, db.Settle())
			}
		}
	}
	must(t, db.Settle())
	s := db.Status()
	if s.Dropped != 0 || s.Pending != 0 || s.Oldest.UnixMilli() != at0 {
		t.Errorf("after %d fixes: %+v", n, s)
	}
	if got := trackOf(t, killTest(t, o), f.updates[0].Now.MMSI); len(got) != n/50 {
		t.Errorf("%d fixes of a ship, want %d", len(got), n/50)
	}
}
