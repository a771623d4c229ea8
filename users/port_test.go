package users

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
)

// TestFiltersReadDestinations holds what a destination means, in the words of crews, and that to ask for it again allocates nothing.
func TestFiltersReadDestinations(t *testing.T) {
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	areas, err := Open(db.Database, access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	areas.PortFilters.Know(func(m ais.MMSI, _ time.Time) (ship.OpenCall, bool) {
		return ship.OpenCall{Port: 1}, m == 219000001
	})
	for text, want := range map[string]int{
		"to Rotterdam": 3, "nach NLRTM": 3, "to Netherlands": 3, "nach Niederlande": 3, "to Hamburg": 1, "to NOWHERE": 1, "in port to Rotterdam": 1, "to Denmark": 0,
	} {
		f, err := ship.ParseFilter(text, areas.Library.Anything())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		picked := 0
		match := func() {
			picked = 0
			for i, typed := range []string{"NL RTM", "ROTTERDAM", "DE HAM>NL RTM", "HAMBURG", "NOWHERE AT ALL", ""} {
				s := ship.State{MMSI: ais.MMSI(219000000 + i), Voyage: &ship.VoyageData{Destination: typed}, Static: &ship.Static{Name: "ANNA"}}
				if f.Match(&s, time.Time{}) {
					picked++
				}
			}
		}
		if match(); picked != want {
			t.Errorf("%s: picks %d, want %d", text, picked, want)
		}
		one := ship.State{Voyage: &ship.VoyageData{Destination: "NL RTM"}, Static: &ship.Static{Name: "ANNA"}}
		if n := testing.AllocsPerRun(100, func() { f.Match(&one, time.Time{}) }); n != 0 {
			t.Errorf("%s: %v allocations a match", text, n)
		}
	}
}

// BenchmarkBound asks whether a destination that was read before means a port.
func BenchmarkBound(b *testing.B) {
	db, err := store.Open(store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	areas, err := Open(db.Database, access.Options{})
	if err != nil {
		b.Fatal(err)
	}
	is, ok := areas.PortFilters.boundFor("Rotterdam")
	if !ok || !is("NL RTM") {
		b.Fatal("NL RTM is not Rotterdam")
	}
	b.ReportAllocs()
	for b.Loop() {
		is("NL RTM")
	}
}
