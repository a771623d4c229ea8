//go:build !race

package store

import (
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// aged is a store of ten days, one block each.
func aged(t *testing.T) (db *DB, last time.Time, left func() int) {
	o := quiet(t.TempDir(), true)
	o.Retention = 24 * time.Hour * 10
	db = openTest(t, o)
	const day = 24 * track.HourMillis
	for d := range int64(10) {
		observe(db, 219000001, sail(at0+d*day, 1, 0)...)
	}
	must(t, db.flushBlocks(true))
	last = time.UnixMilli(at0 + 9*day)
	db.Tick(last)
	must(t, db.retain(t.Context(), last))
	return db, last, func() int { return len(trackOf(t, db, 219000001)) }
}

func TestWrongYearTakesADayInAnHourAtMost(t *testing.T) {
	db, last, left := aged(t)
	wrong := last.AddDate(9, 0, 0)
	for start := range 3 { // a restart in between, which begins at the wrong time
		db.heldSince, db.kept = time.Time{}, 0
		for minute := range 60 {
			now := wrong.Add(time.Duration(60*start+minute) * time.Minute)
			db.Tick(now)
			must(t, db.retain(t.Context(), now))
		}
		if n := left(); n != 10 {
			t.Fatalf("%d of 10 fixes after %d starts of less than an hour", n, start+1)
		}
	}
	for hour := 1; hour <= 3; hour++ {
		now := wrong.Add(time.Duration(hour+2) * time.Hour)
		db.Tick(now)
		must(t, db.retain(t.Context(), now))
		if n := left(); n != 10-hour {
			t.Fatalf("%d fixes after %d hours", n, hour)
		}
	}
	db.Tick(last.Add(time.Hour)) // put right
	must(t, db.retain(t.Context(), last.Add(5*time.Hour)))
	if n := left(); n != 7 {
		t.Errorf("%d fixes after the clock was put right", n)
	}
}

func TestDataFromTheFutureMakesNothingOld(t *testing.T) {
	db, last, left := aged(t)
	for hour := range 5 {
		db.Tick(last.AddDate(9, 0, 0).Add(time.Duration(hour) * time.Hour))
		must(t, db.retain(t.Context(), last.Add(time.Duration(hour)*time.Hour)))
	}
	if n := left(); n != 10 {
		t.Errorf("%d of 10 fixes", n)
	}
}

func TestPlayedLogAgesByItsOwnClock(t *testing.T) {
	db, last, left := aged(t)
	must(t, db.retain(t.Context(), last.AddDate(9, 0, 0)))
	if n := left(); n != 10 {
		t.Errorf("%d of 10 fixes of a log of years ago", n)
	}
	db.Tick(last.AddDate(0, 0, 6))
	must(t, db.retain(t.Context(), last.AddDate(9, 0, 0)))
	if n := left(); n != 5 {
		t.Errorf("%d fixes six days on, want 5", n)
	}
}

// TestStoredTimesAreNoClock: a start may not take stored times, which may be wrong, for the time.
func TestStoredTimesAreNoClock(t *testing.T) {
	db, last, _ := aged(t)
	observe(db, 219000002, sail(last.AddDate(9, 0, 0).UnixMilli(), 1, 0)...)
	must(t, db.flushBlocks(true))
	o := db.options
	must(t, db.Close())
	db, err := Open(o)
	must(t, err)
	must(t, db.retain(t.Context(), last.AddDate(9, 0, 5)))
	must(t, db.Close())
	again := openTest(t, o)
	if n := len(trackOf(t, again, 219000001)); n != 10 {
		t.Errorf("%d of 10 fixes", n)
	}
}

// TestShipsOfLongAgoAreForgotten: of a ship heard before retention only, nothing is left; of all others everything.
func TestShipsOfLongAgoAreForgotten(t *testing.T) {
	for _, retention := range []time.Duration{24 * time.Hour, 0} {
		o := quiet(t.TempDir(), true)
		o.Retention = retention
		db := openTest(t, o)
		const ships = 1500 // more than are dropped at once
		for m := range ais.MMSI(ships) {
			u := updateOf(219000001+m, sail(at0, 1, 0)[0])
			u.Now.Static, u.Change = &ship.Static{Name: "INVENTED", At: at0}, ship.ChangedFix|ship.ChangedStatic
			db.Observe(u)
		}
		now := at0 + 40*track.HourMillis
		observe(db, 219000001, sail(now, 1, 0)...)
		db.Tick(time.UnixMilli(now))
		must(t, db.flushBlocks(true))
		must(t, db.retain(t.Context(), time.UnixMilli(now)))
		left := 0
		must(t, db.EachShip(func(ship.State) error { left++; return nil }))
		want, statics := 1, 1
		if retention == 0 {
			want, statics = ships, ships
		}
		n := 0
		must(t, db.View(func(tx *bolt.Tx) error { n = tx.Bucket([]byte(layout.Static)).Inspect().KeyN; return nil }))
		if left != want || n != statics {
			t.Errorf("retention %v: %d ships and %d static records, want %d and %d", retention, left, n, want, statics)
		}
		if st, _, err := db.StaticAt(219000001, time.UnixMilli(now)); err != nil || st.Name != "INVENTED" {
			t.Errorf("retention %v: static data of a ship that is still heard: %+v %v", retention, st, err)
		}
	}
}
