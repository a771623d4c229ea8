package traffic_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// A box that believed in a wrong year must not hold what it hears later for old when its clock is put right.
func TestClockSetBackFreezesNoShip(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var j journal
	p.Apply(batch(heard(position(anna, at(54, 10)), 9*365*24*3600)), &j) // the clock says 2035
	p.Apply(batch(heard(position(anna, at(54.001, 10)), 0)), &j)         // and is put right
	p.Apply(batch(heard(position(anna, at(54.002, 10)), 10)), &j)
	s, _ := p.Ship(anna)
	if where := at(54.002, 10); s.Fix.Lat != where.Lat || !s.Fix.Time().Equal(noon.Add(10*time.Second)) {
		t.Errorf("the ship stands still at %v of %v", s.Fix.Point(), s.Fix.Time())
	}
	if heard := ship.Time(s.Heard); !heard.Equal(noon.Add(10 * time.Second)) {
		t.Errorf("heard at %v", heard)
	}
}

// In a log the order of lines proves nothing about a clock: what is older stays late.
func TestOlderLinesOfALogStayLate(t *testing.T) {
	p := traffic.New(logConfig())
	var j journal
	p.Apply(batch(heard(position(anna, at(54.01, 10)), 7200), heard(position(anna, at(54, 10)), 0)), &j)
	if s, _ := p.Ship(anna); !s.Fix.Time().Equal(noon.Add(2 * time.Hour)) {
		t.Errorf("a log's older line moved the ship back to %v", s.Fix.Time())
	}
}

// A box without a battery wakes up before the time of what it stored: ships that are not heard fall silent all the same.
func TestStoredByALaterClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := traffic.New(traffic.DefaultConfig())
		later := time.Now().AddDate(26, 0, 0)
		p.Restore([]ship.State{{MMSI: anna, Class: ship.ClassA, Feed: "roof", HasFix: true, Reports: 5, Heard: later.UnixMilli(),
			Fix: ship.Fix{At: later.UnixMilli(), Lat: 54 * 600000, Lon: 10 * 600000}}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx, make(chan *ais.Batch)) }()
		time.Sleep(7 * time.Minute) // of the bubble's clock
		synctest.Wait()
		if s, ok := p.Ship(anna); !ok || s.Age != ship.Lost {
			t.Errorf("silent for seven minutes and %v", s.Age)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// After a long time without power no ship of the day before is shown as if it were there, not for a moment.
func TestFirstTickJudgesAll(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(500)
	for i := range states {
		if i%2 == 0 {
			states[i].Heard = noon.Add(-48 * time.Hour).UnixMilli()
		}
	}
	p.Restore(states)
	p.Tick(noon.Add(time.Second))
	if n := p.Len(); n != 250 {
		t.Errorf("%d ships in the picture, want the 250 that were heard just now", n)
	}
}
