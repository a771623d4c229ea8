package portcall_test

import (
	"slices"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// lie returns the positions of a ship that comes from 8 km off in a direction, and lies at a place for an hour.
func lie(place geo.Point, direction float64) (fixes []ship.Fix) {
	for i := range 8 {
		fixes = append(fixes, fixAt(i, place, direction, float64(8-i)*1000, 120))
	}
	for i := range 60 {
		fixes = append(fixes, fixAt(8+i, place, 0, 0, 0))
	}
	return fixes
}

// TestOneBorder: a ship that lies anywhere within the circle that a map shows around a port is in a call there, and one beyond it in none.
func TestOneBorder(t *testing.T) {
	port := &chart.Port{ID: 1, Name: "KIEL", Position: geo.Point{Lon: 10, Lat: 54}, Placed: true}
	ports := portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil)
	for metres, want := range map[float64]int{100: 1, 2990: 1, 3010: 1, 3500: 1, 3990: 1, 4010: 0, 4400: 0} {
		for _, direction := range []float64{0, 90, 225} {
			found := calls(ports, lie(geo.Destination(port.Position, direction, metres), direction))
			if len(found) != want {
				t.Errorf("%.0f m off: %d calls, want %d", metres, len(found), want)
			}
			if len(found) == 1 && (found[0].Entered == 0 || found[0].Arrived() == 0) {
				t.Errorf("%.0f m off: entered %s, arrived %s", metres, found[0].Entered.Time(), found[0].Arrived().Time())
			}
		}
	}
}

// TestTheBorderIsSeen: of a ship that sails in past the circle of a port, however short its legs are, it is known when it passed, by the same border that lets it
// in. The ring of corners that stands for the circle is up to 5 m inside of it.
func TestTheBorderIsSeen(t *testing.T) {
	port := &chart.Port{ID: 1, Name: "KIEL", Position: geo.Point{Lon: 10, Lat: 54}, Placed: true}
	e := portcall.NewEngine(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), func(*portcall.Call) {})
	for n := range 400 {
		direction, metres := float64(n)*0.9, 4030.0
		before := fixAt(0, port.Position, direction, metres, 80)
		for i := 1; metres > 3950; i++ {
			metres -= 0.7 + float64(n%7)
			fix := fixAt(i, port.Position, direction, metres, 80)
			if e.Enters(fix) {
				f := portcall.Begin(before, 0)
				if e.Step(f, fix); len(f.Near) != 1 || f.Near[0].Entered == 0 {
					t.Fatalf("%.1f degrees, %.1f m: it is not known when the ship came in", direction, metres)
				}
				break
			}
			before = fix
		}
	}
}

// ness is a tongue of land between two meridians.
type ness struct{ west, east float64 }

func (n ness) Land(p geo.Point) bool { return p.Lon >= n.west && p.Lon <= n.east }

// TestTheNearerWater: of two ports on both sides of a tongue of land the ship is in the one to which water leads, though the other is nearer.
// A quay before a port parts nobody from it.
func TestTheNearerWater(t *testing.T) {
	west := &chart.Port{ID: 1, Name: "WEST", Position: geo.Point{Lon: 10, Lat: 54}, Placed: true}
	east := &chart.Port{ID: 2, Name: "EAST", Position: geo.Point{Lon: 10.06, Lat: 54}, Placed: true} // 3.9 km
	place := geo.Point{Lon: 10.034, Lat: 54}                                                         // 2.2 km from WEST, 1.7 km from EAST
	list := chart.NewPorts([]*chart.Port{west, east})
	for _, tt := range []struct {
		name string
		land func(geo.Point) bool
		want uint64
	}{
		{"no coast is known", nil, east.ID},
		{"no land between", ness{20, 21}.Land, east.ID},
		{"land before EAST", ness{10.04, 10.05}.Land, west.ID},
		{"a quay before EAST", ness{10.0585, 10.06}.Land, east.ID},
		{"land before both", ness{10.0005, 10.0335}.Land, east.ID},
	} {
		found := calls(portcall.NewPorts(list, tt.land), lie(place, 0))
		if i := slices.IndexFunc(found, func(c *portcall.Call) bool { return c.Port == tt.want }); i < 0 || len(found) != 1 {
			t.Errorf("%s: %d calls, want one at %d", tt.name, len(found), tt.want)
		}
	}
}
