//go:build !race

package store

import (
	"testing"

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
