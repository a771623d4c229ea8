package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// trawler is a ship of type 30 that sails along a bearing through the place of a port.
type trawler struct {
	*box
	voyages *portcalls.Calls
	mmsi    ais.MMSI
	port    geo.Point
	now     time.Time
	metres  float64 // from the port
	bearing float64
	kept    bool // its reports are stored
}

// sails sails for so long, inward with a negative speed.
func (s *trawler) sails(knots float64, length time.Duration) {
	for end := s.now.Add(length); s.now.Before(end); {
		s.now = s.now.Add(10 * time.Second)
		s.metres += knots * 1852 / 360
		s.report(max(knots, -knots))
	}
}

func (s *trawler) report(knots float64) {
	p := geo.Destination(s.port, s.bearing, s.metres)
	was, known := s.states[s.mmsi]
	now := was
	if !known {
		now = ship.State{MMSI: s.mmsi, Class: ship.ClassA, Reports: ship.ConfirmedReports - 1, Static: &ship.Static{Type: 30}}
	}
	now.Reports++
	now.HasFix, now.Heard = true, s.now.UnixMilli()
	now.Fix = ship.Fix{At: s.now.UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(int(knots*10 + 0.5))}
	s.states[s.mmsi] = now
	u := &ship.Update{Report: &ais.Report{}, Was: was, Now: now, Fix: now.Fix, Change: ship.ChangedFix}
	observers := []traffic.Observer{s.voyages, s.watch}
	if s.kept {
		observers = append(observers, s.db)
	}
	for _, o := range observers {
		o.Tick(s.now)
		o.Observe(u)
	}
}

// newTrawler returns a trawler so far from Aarhus, whose border is the circle of 4 km, with a watchdog around the port.
func newTrawler(t *testing.T, metres float64) *trawler {
	b := newBox(t)
	v, err := portcalls.Open(portcalls.Config{DB: b.db, Ports: b.areas.Ports.Current})
	if err != nil {
		t.Fatal(err)
	}
	b.watch.config.AtSea = v.AtSea
	port, ok := b.areas.Ports.Current().ByLOCODE("DKAAR")
	if !ok {
		t.Fatal("no port")
	}
	b.define(`{"name":"no fishing","type":"fishing","fishing":` + areaOf(9.9, 55.8, 10.9, 56.5) + `}`)
	return &trawler{box: b, voyages: v, mmsi: 219640001, port: port.Position, bearing: 90, metres: metres, now: begin}
}

// fishes returns when it was told to fish, in minutes after a time.
func (s *trawler) fishes(since time.Time) (minutes []int) {
	s.t.Helper()
	s.watch.Save(true)
	for e, err := range s.watch.After(0) {
		if err != nil {
			s.t.Fatal(err)
		}
		if e.Kind == "enter" {
			minutes = append(minutes, int(time.UnixMilli(e.Time).Sub(since).Minutes()))
		}
	}
	return minutes
}

// TestATrawlerThatComesHome: inside of the border of a port no ship fishes, and for an hour after it left; whether it called there or not.
func TestATrawlerThatComesHome(t *testing.T) {
	for _, knots := range []float64{1, 2.5, 4} {
		t.Run(fmt.Sprint(knots), func(t *testing.T) {
			s := newTrawler(t, 9000)
			s.sails(-9, 18*time.Minute) // to within 4 km
			s.sails(-knots, time.Duration(s.metres/knots/1852*60*0.9)*time.Minute)
			s.sails(0, 2*time.Hour)
			if got := s.fishes(begin); len(got) > 0 {
				t.Fatalf("told after %v minutes", got)
			}
			s.sails(9, time.Duration((4000-s.metres)/9/1852*60)*time.Minute+time.Minute)
			left := s.now
			s.sails(2.5, 2*time.Hour)
			if got := s.fishes(left); len(got) != 1 || got[0] < 55 || got[0] > 75 {
				t.Errorf("told %v minutes after it left", got)
			}
		})
	}
}

// TestATrawlerThatPassesAPort: it sails through the border, does not stop, and fishes.
func TestATrawlerThatPassesAPort(t *testing.T) {
	s := newTrawler(t, 4300)
	s.sails(-6, 10*time.Minute)
	s.sails(6, 10*time.Minute)
	left := s.now
	s.sails(2.5, 2*time.Hour)
	if got := s.fishes(left); len(got) != 1 || got[0] < 50 || got[0] > 75 {
		t.Errorf("told %v minutes after it left", got)
	}
}

// TestATrawlerAtSea: far from a port it is told as soon as the window is full.
func TestATrawlerAtSea(t *testing.T) {
	s := newTrawler(t, 9000)
	s.sails(2.5, time.Hour)
	if got := s.fishes(begin); !slices.Equal(got, []int{10}) {
		t.Errorf("told after %v minutes", got)
	}
}
