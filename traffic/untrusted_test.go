package traffic_test

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/traffic"
)

// moored makes a report of a ship that says that it is moored, or with a speed that it is under way.
func moored(where ais.Place, tenths int) *ais.PositionReport {
	p := position(anna, where)
	p.SOG, p.Status = ais.SOGTenths(tenths), ais.StatusMoored
	if tenths > 0 {
		p.Status = ais.StatusUnderWayEngine
	}
	return p
}

// TestALieAtTheBerthIsMarked: the receiver of a moored ship tells a place 5 km off for 20 minutes. A ship that reports under way there is trusted.
func TestALieAtTheBerthIsMarked(t *testing.T) {
	for _, under := range []bool{false, true} {
		var j journal
		p := traffic.New(traffic.DefaultConfig())
		seconds, untrusted := 0.0, 0
		hear := func(minutes int, lat float64, tenths int) {
			for range minutes / 3 {
				seconds += 180
				p.Apply(batch(heard(moored(at(lat, 10), tenths), seconds)), &j)
				s, _ := p.Ship(anna)
				if s.Fix != j.last.Fix {
					t.Fatalf("the picture has %+v, and told %+v", s.Fix, j.last.Fix)
				}
				if !s.Fix.Trusted() {
					untrusted++
				}
			}
		}
		hear(60, 54, 0)
		away, want := 0, 7
		if under {
			away, want = 95, 0
		}
		hear(21, 54.045, away)
		hear(60, 54, 0)
		if untrusted != want || p.Stats().Untrusted != uint64(want) {
			t.Errorf("under way %v: %d untrusted, counted %d, want %d", under, untrusted, p.Stats().Untrusted, want)
		}
		if s, _ := p.Ship(anna); !s.Fix.Trusted() || s.Fix.Lat != 54*600000 {
			t.Errorf("under way %v: at the end %+v", under, s.Fix)
		}
	}
}
