//go:build !race

package store

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// What is imported of a ship that the log of the service still remembers is there too, before and after Close.
func TestImportOfAShipInTheLog(t *testing.T) {
	const m = ais.MMSI(219000001)
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	observe(db, m, sail(at0+track.HourMillis, 5, 1000)...)
	must(t, db.Close())
	db, err = Open(o)
	must(t, err)
	first := sail(at0-track.HourMillis, 5, 1000)
	said := Said{&ship.Static{Name: "IMPORTED", At: at0}, &ship.VoyageData{Destination: "KIEL", At: at0}}
	_, err = db.ImportTracks([]Imported{{MMSI: m, Fixes: first, Said: []Said{said}}})
	must(t, err)
	look := func(when string) {
		t.Helper()
		s, err := db.Ship(m)
		must(t, err)
		if s.Static == nil || s.Static.Name != "IMPORTED" || s.Voyage == nil || s.First != at0-track.HourMillis || s.Fix.At != at0+track.HourMillis+4000 {
			t.Errorf("%s: %+v", when, s)
		}
		if s.Age == ship.Removed {
			t.Errorf("%s: the import removed the ship", when)
		}
	}
	look("at once")
	must(t, db.Close())
	db = openTest(t, o)
	look("after a restart")
}

func TestImportTracks(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 1000, 10_000)
	observe(db, 219000001, fixes[200:300]...)
	shuffled := append(append(ship.Track{}, fixes[500:]...), fixes[:500]...)
	anna := &ship.Static{Name: "ANNA", At: at0}
	for range 2 { // twice is once
		n, err := db.ImportTracks([]Imported{{MMSI: 219000001, Class: ship.ClassB, Fixes: shuffled, Said: []Said{{Static: anna}}}, {MMSI: 219000002, Fixes: fixes}})
		if err != nil || n != 2*len(fixes) {
			t.Errorf("%d fixes taken: %v", n, err)
		}
	}
	if got := trackOf(t, db, 219000001); !slices.Equal(got, fixes) {
		t.Errorf("%d fixes, want %d", len(got), len(fixes))
	}
	if st, _, err := db.StaticAt(219000001, time.UnixMilli(at0+1)); err != nil || *st != *anna {
		t.Errorf("static data %+v: %v", st, err)
	}
	for m, class := range map[ais.MMSI]ship.Class{219000001: ship.ClassB, 219000002: ship.ClassUnknown} {
		if s, err := db.Ship(m); err != nil || s.Fix != fixes[len(fixes)-1] || s.Class != class {
			t.Errorf("state %+v: %v", s, err)
		}
	}
	if _, err := db.ImportTracks([]Imported{{Fixes: fixes}}); err == nil {
		t.Error("imported a ship without an MMSI")
	}
	must(t, db.flushBlocks(true))
	if r := closeAndCheck(t, db); r.Static != 1 || r.Fixes != 2000 {
		t.Errorf("%+v", r)
	}
}
