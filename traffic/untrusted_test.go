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

// TestALieAtTheBerthIsMarked: the receiver of a ship at its berth tells a place 5 km off for 20 minutes, with a speed or without. A ship that sails there is
// trusted.
func TestALieAtTheBerthIsMarked(t *testing.T) {
	for name, c := range map[string]struct {
		tenths int     // that it tells while it is off
		first  float64 // degrees of latitude that it is off at first
		more   float64 // and more each three minutes
		want   int     // untrusted
	}{
		"tells no speed": {0, 0.045, 0, 7},
		"tells a speed":  {95, 0.045, 0, 7},
		"sails there":    {95, 0.0075, 0.0075, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var j journal
			p := traffic.New(traffic.DefaultConfig())
			seconds, untrusted := 0.0, 0
			hear := func(minutes int, off, more float64, tenths int) {
				for range minutes / 3 {
					seconds += 180
					p.Apply(batch(heard(moored(at(54+off, 10), tenths), seconds)), &j)
					s, _ := p.Ship(anna)
					if s.Fix != j.last.Fix {
						t.Fatalf("the picture has %+v, and told %+v", s.Fix, j.last.Fix)
					}
					if !s.Fix.Trusted() {
						untrusted++
					}
					off += more
				}
			}
			hear(60, 0, 0, 0)
			hear(21, c.first, c.more, c.tenths)
			hear(60, 0, 0, 0)
			if untrusted != c.want || p.Stats().Untrusted != uint64(c.want) {
				t.Errorf("%d untrusted, counted %d, want %d", untrusted, p.Stats().Untrusted, c.want)
			}
			if s, _ := p.Ship(anna); !s.Fix.Trusted() || s.Fix.Lat != 54*600000 {
				t.Errorf("at the end %+v", s.Fix)
			}
		})
	}
}
