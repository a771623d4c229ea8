//go:build !race

package store

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// leaveTest has a ship leave the picture.
func leaveTest(db *DB, m ais.MMSI, last ship.Fix) {
	u := updateOf(m, last)
	u.Was, u.Fix = u.Now, ship.Fix{}
	u.Now.Age, u.Change = ship.Removed, ship.ChangedAge
	db.Observe(u)
}

// TestShipsThatLeftTakeNoMemory: when very many ships have left the picture they are written and forgotten, and those that sail stay in memory. Nothing of
// either is lost, also by a kill right after; one that comes back goes on with its track.
func TestShipsThatLeftTakeNoMemory(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 6, 10_000)
	const here, back = 100, mostDeparted/2 + 1000
	for m := range ais.MMSI(mostDeparted + 1) {
		observe(db, 1000+m, fixes[:3]...)
		if m%500 == 0 {
			must(t, db.sync())
		}
	}
	observe(db, here, fixes[:3]...)
	for len(db.wantKeeper) > 0 {
		<-db.wantKeeper
	}
	for m := range ais.MMSI(mostDeparted + 1) {
		leaveTest(db, 1000+m, fixes[2])
	}
	select {
	case <-db.wantKeeper:
	default:
		t.Error("nobody asks for room")
	}
	db.Tick(time.UnixMilli(fixes[5].At))
	must(t, db.sync())
	before, err := db.Ship(back)
	must(t, err)
	must(t, db.makeRoom(time.Now()))
	if s := db.Status(); s.OpenShips != 1 || db.departed > mostDeparted {
		t.Errorf("%d ships in memory, want the one that sails", s.OpenShips)
	}
	check := func(when string, db *DB, m ais.MMSI, want []ship.Fix) {
		t.Helper()
		if got := trackOf(t, db, m); !slices.Equal(got, want) {
			t.Errorf("%s, ship %d: %d fixes of %d", when, m, len(got), len(want))
		}
	}
	if after, err := db.Ship(back); err != nil || after != before {
		t.Errorf("a ship that left is %+v, and was %+v, %v", after, before, err)
	}
	killed := killTest(t, o)
	for _, m := range []ais.MMSI{here, back, 1000, 1000 + mostDeparted} {
		check("there", db, m, fixes[:3])
		check("after a kill", killed, m, fixes[:3])
	}
	observe(db, back, fixes[2:]...) // the last one was heard by another receiver too
	observe(db, here, fixes[3:]...)
	check("back", db, back, fixes)
	must(t, db.flushBlocks(true))
	check("back and written", db, back, fixes)
	check("sailed on", db, here, fixes)
}

// TestADiskThatDoesNotKeepUpTakesNoNewShips: a ship that is known goes on while too many that left wait for the disk.
func TestADiskThatDoesNotKeepUpTakesNoNewShips(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	fixes := sail(at0, 4, 10_000)
	observe(db, 100, fixes[:2]...)
	db.departed = 2*mostDeparted + 1
	dropped := db.Status().Dropped
	observe(db, 200, fixes[0])
	observe(db, 100, fixes[2:]...)
	if s := db.Status(); s.Dropped != dropped+1 || len(trackOf(t, db, 100)) != len(fixes) {
		t.Errorf("%d dropped, %d fixes", s.Dropped-dropped, len(trackOf(t, db, 100)))
	}
	must(t, db.flushDeparted()) // it counts them anew
	observe(db, 200, fixes...)
	if got := trackOf(t, db, 200); !slices.Equal(got, fixes) {
		t.Errorf("%d fixes of a new ship", len(got))
	}
}
