package portcalls

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/store"
)

// BenchmarkObserve measures what calls cost a position report: of a ship at sea, and of one in a port. Reports of ships that are in no port
// and enter none must not allocate.
func BenchmarkObserve(b *testing.B) {
	ports, err := chart.LoadPorts()
	if err != nil {
		b.Fatal(err)
	}
	aarhus, _ := ports.ByLOCODE("DKAAR")
	for _, place := range []struct {
		name     string
		lon, lat float64
		followed int
	}{{"at sea", 4, 56, 0}, {"in port", aarhus.Position.Lon, aarhus.Position.Lat, 1000}} {
		b.Run(place.name, func(b *testing.B) {
			db, err := store.Open(store.Options{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			v, err := Open(Config{DB: db, Ports: func() *chart.Ports { return ports }})
			if err != nil {
				b.Fatal(err)
			}
			sail := sailing(v, place.lon, place.lat)
			for range 2000 {
				sail()
			}
			b.ReportAllocs()
			for b.Loop() {
				sail()
			}
			if len(v.ships) != place.followed {
				b.Fatalf("%d ships are followed", len(v.ships))
			}
			if allocs := testing.AllocsPerRun(1000, sail); allocs > 0 {
				b.Errorf("%v allocations a report", allocs)
			}
		})
	}
}

// sailing returns a function that reports the next of 1,000 ships around a place.
func sailing(v *Calls, lon, lat float64) func() {
	at, n := begin.UnixMilli(), 0
	report := &ais.Report{}
	u := ship.Update{Report: report, Change: ship.ChangedFix}
	return func() {
		n++
		m := ais.MMSI(219000000 + n%1000)
		at += 10
		fix := ship.Fix{At: at, Lon: int32(lon*600000) + int32(n%1000), Lat: int32(lat * 600000), SOG: ais.SOGTenths(80)}
		u.Was = ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: fix}
		u.Was.Fix.At -= 10_000
		u.Now, u.Fix = ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: fix, Reports: 9}, fix
		v.Observe(&u)
	}
}
