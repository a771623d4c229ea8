//go:build !race

package portcalls

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/store"
)

// empty returns the calls of a store that has none, for so many ships at once; 0 is the default.
func empty(t *testing.T, ports *chart.Ports, most int) *Calls {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	v, err := Open(Config{DB: db, Ports: func() *chart.Ports { return ports }, Most: most})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestInventedShipsAreBounded lets more ships into a port than are followed. Those that only pass leave nothing behind.
func TestInventedShipsAreBounded(t *testing.T) {
	ports, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	v := empty(t, ports, 10)
	aarhus, _ := ports.ByLOCODE("DKAAR")
	at := begin
	// hear lets 40 ships report at a distance from the port.
	hear := func(metres float64, reports uint32) {
		at = at.Add(time.Minute)
		place := geo.Destination(aarhus.Position, 90, metres)
		for i := range 40 {
			fix := ship.Fix{At: at.UnixMilli(), Lon: int32(place.Lon * 600000), Lat: int32(place.Lat * 600000), SOG: ais.SOGTenths(90)}
			now := ship.State{MMSI: ais.MMSI(219000001 + i), Class: ship.ClassA, HasFix: true, Fix: fix, Reports: reports}
			v.Observe(&ship.Update{Report: &ais.Report{}, Now: now, Fix: fix, Change: ship.ChangedFix})
		}
		v.Tick(at)
		v.Save()
	}
	rows := func() int {
		all, err := v.rows.All()
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if hear(950, 1); len(v.ships) != 0 || len(v.newcomers) != 40 || rows() != 0 {
		t.Errorf("%d of the numbers that were heard once are ships, %d newcomers, %d kept", len(v.ships), len(v.newcomers), rows())
	}
	if hear(900, 3); len(v.ships) != 10 || rows() != 10 {
		t.Errorf("%d ships are followed, %d kept, want 10", len(v.ships), rows())
	}
	hear(9000, 4)
	if hear(9500, 5); len(v.ships)+len(v.newcomers) != 0 || rows() != 0 {
		t.Errorf("%d ships are followed and %d kept that only passed", len(v.ships), rows())
	}
	if hear(800, 6); len(v.ships) != 10 {
		t.Errorf("%d ships are followed when there is place again", len(v.ships))
	}
}

// TestInventedShipsGiveWay lets ships without static data lie in a port until all places are taken. A ship with static data has its call, and
// of the others one ends.
func TestInventedShipsGiveWay(t *testing.T) {
	ports, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	v := empty(t, ports, 10)
	aarhus, _ := ports.ByLOCODE("DKAAR")
	at := begin
	// lie lets ships with numbers from first to last lie for half an hour.
	lie := func(first, last int, static *ship.Static) {
		for range 30 {
			at = at.Add(time.Minute)
			for i := first; i <= last; i++ {
				place := geo.Destination(aarhus.Position, 90, float64(10*i))
				fix := ship.Fix{At: at.UnixMilli(), Lon: int32(place.Lon * 600000), Lat: int32(place.Lat * 600000), SOG: ais.SOGTenths(0), Status: ais.StatusMoored}
				now := ship.State{MMSI: ais.MMSI(219000000 + i), Class: ship.ClassA, HasFix: true, Fix: fix, Reports: 5, Static: static}
				v.Observe(&ship.Update{Report: &ais.Report{}, Now: now, Fix: fix, Change: ship.ChangedFix})
			}
			v.Tick(at)
			v.Save()
		}
	}
	open := func() (list []ais.MMSI) {
		err := v.InTime(t.Context(), begin, at.Add(time.Hour), func(c *KeptCall) bool {
			if c.Found.Open() {
				list = append(list, c.MMSI)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	lie(1, 10, nil)
	if list := open(); len(list) != 10 || len(v.ships) != 10 {
		t.Fatalf("%d ships are followed, open calls of %v", len(v.ships), list)
	}
	lie(21, 22, &ship.Static{})
	if list := open(); len(list) != 10 || !slices.Contains(list, 219000021) || !slices.Contains(list, 219000022) {
		t.Errorf("open calls of %v", list)
	}
	lie(11, 14, nil)
	lie(23, 30, &ship.Static{})
	lie(41, 42, &ship.Static{})
	if list := open(); len(list) != 10 || !slices.Contains(list, 219000021) || slices.Contains(list, 219000041) {
		t.Errorf("open calls of %v, want those of the first ten ships with static data", list)
	}
}
