//go:build !race

package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/store/unconfirmed"
)

// meetTest has a ship heard for the nth time.
func meetTest(db *DB, m ais.MMSI, n uint32, f ship.Fix) {
	u := updateOf(m, f)
	u.Now.Reports, u.Now.First = n, f.At
	db.Observe(u)
}

// TestStrangersSurviveARestart: ships that were heard once or twice are there again after a kill and after a stop, before the log is moved into the
// database and after that, and their first fixes are stored with the third report.
func TestStrangersSurviveARestart(t *testing.T) {
	const once, twice, static = 219000001, 219000002, 219000003
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 4, 10_000)
	meetTest(db, once, 1, fixes[0])
	meetTest(db, twice, 1, fixes[0])
	meetTest(db, twice, 2, fixes[1])
	db.Observe(&ship.Update{Now: ship.State{MMSI: static, Static: &ship.Static{Name: "ANNA", At: at0}, First: at0, Heard: at0, Reports: 1}, Change: ship.ChangedStatic})
	db.Tick(time.UnixMilli(at0 + 60_000))
	must(t, db.sync())
	check := func(when string, db *DB) {
		t.Helper()
		got := map[ais.MMSI]ship.State{}
		for _, s := range db.States() {
			got[s.MMSI] = s
		}
		if len(got) != 3 || got[once].Fix != fixes[0] || got[twice].Fix != fixes[1] || got[twice].Reports != 2 || got[static].Static == nil {
			t.Errorf("%s: %+v", when, got)
		}
	}
	check("after a kill", killTest(t, o))
	for range 3 {
		must(t, db.flushBlocks(true))
	}
	check("after a flush and a kill", killTest(t, o))
	must(t, db.Close())
	db = openTest(t, o)
	check("after a stop", db)
	if _, err := db.Ship(once); !errors.Is(err, records.ErrNotFound) {
		t.Errorf("a ship that is not confirmed is stored: %v", err)
	}
	meetTest(db, twice, 3, fixes[2])
	meetTest(db, once, 2, fixes[1])
	meetTest(db, once, 3, fixes[2])
	for _, m := range []ais.MMSI{once, twice} {
		if got := trackOf(t, db, m); !slices.Equal(got, fixes[:3]) {
			t.Errorf("ship %d: %d fixes of three", m, len(got))
		}
	}
	must(t, db.sync())
	if n := len(killTest(t, o).States()); n != 3 {
		t.Errorf("%d ships after two were confirmed, want 3", n)
	}
}

// TestInventedShipsDoNotGrowTheLog: of a million ships that someone invents the log has some, and it stays as long as it was.
func TestInventedShipsDoNotGrowTheLog(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	db.Tick(time.UnixMilli(at0))
	was := db.Status().LogBytes
	for i := range 1_000_000 {
		meetTest(db, ais.MMSI(200_000_000+i), 1, ship.Fix{At: at0 + int64(i)/10})
		if i%100_000 == 0 {
			db.Tick(time.UnixMilli(at0 + int64(i)/10))
			must(t, db.sync())
		}
	}
	must(t, db.flushBlocks(true))
	s := db.Status()
	if s.LogBytes != was || s.LogWritten == 0 || s.LogWritten > 4<<20 {
		t.Errorf("the log has %d bytes, before %d; %d were written", s.LogBytes, was, s.LogWritten)
	}
	n := 0
	db.strangers.Each(func(*ship.State) { n++ })
	if n != unconfirmed.Most || n < 10_000 {
		t.Errorf("%d strangers are remembered", n)
	}
}
