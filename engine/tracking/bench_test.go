package tracking

import (
	"context"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
)

// BenchmarkObserve is a position of one of 5,000 tracked ships, and one of a ship that is not tracked. Each tracked ship reports each 1.7 seconds, which is
// 3,000 a second; an ETA a minute is part of it.
func BenchmarkObserve(b *testing.B) {
	box := newBox(b, []*chart.Port{&westPort, &eastPort})
	const ships = 5000
	states := make([]ship.State, ships)
	for i := range states {
		m := ais.MMSI(219000001 + i)
		at := geo.Destination(off(westPort.Position, 90, 8), float64(i%360), 2000)
		fix := ship.Fix{At: begin.UnixMilli(), Lon: int32(at.Lon * 600000), Lat: int32(at.Lat * 600000), SOG: ais.SOGTenths(120)}
		states[i] = ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: fix}
		one := &TrackedShip{ID: int64(i + 1), Source: End{Ship: m}, Destination: End{Port: 2}, Visits: [2]PortVisit{{Port: 1}, {Port: 2}}}
		box.tracks.makeGoal(one)
		box.tracks.add(one)
	}
	for i := range states {
		box.tracks.Observe(&ship.Update{Now: states[i], Change: ship.ChangedFix, Fix: states[i].Fix})
	}
	box.tracks.Seek(context.Background())
	for name, number := range map[string]ais.MMSI{"tracked": 0, "other": 1e8} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			told := 0
			u := ship.Update{Change: ship.ChangedFix}
			for i := range b.N {
				s := &states[i%ships]
				s.Fix.At += int64(1700 * time.Millisecond / time.Millisecond)
				s.Fix.Lon += 15
				u.Was, u.Now, u.Fix = *s, *s, s.Fix
				u.Now.MMSI += number
				box.tracks.Observe(&u)
			}
			b.StopTimer()
			for _, one := range box.tracks.tracks {
				if one.Status == UnderWay && one.Heard > 0 {
					told++
				}
			}
			if told != ships {
				b.Fatalf("%d ships are under way, want %d", told, ships)
			}
		})
	}
}
