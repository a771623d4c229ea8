package traffic

import (
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestPictureTellsThatItMoves: also one that follows a log, which has no seconds of its own, and while nothing is heard.
func TestPictureTellsThatItMoves(t *testing.T) {
	for _, clock := range []ais.Clock{ais.ReceiverClock, ais.LogClock} {
		synctest.Test(t, func(t *testing.T) {
			c := DefaultConfig()
			c.Clock = clock
			p, in := New(c), make(chan *ais.Batch)
			if !p.Moved().IsZero() {
				t.Error("it moved before it ran")
			}
			go func() { _ = p.Run(t.Context(), in) }()
			time.Sleep(10*time.Second + time.Millisecond)
			synctest.Wait()
			if ago := time.Since(p.Moved()); ago > time.Second {
				t.Errorf("it moved %v ago", ago)
			}
			close(in)
			synctest.Wait()
		})
	}
}

// TestFixesOfAWrongClockAreMarked: those that are heard while the clock is known to be wrong, and no others.
func TestFixesOfAWrongClockAreMarked(t *testing.T) {
	p := New(DefaultConfig())
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, wrong := range []bool{false, true, true, false} {
		p.DoubtClock(wrong)
		at := start.Add(time.Duration(i) * time.Minute)
		place := ais.Place{Lon: 6000000, Lat: 33600000 + int32(i)*200}
		m := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000001}, Place: place, SOG: ais.SOGTenths(20), Second: 60}
		p.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Hash: uint64(i + 1), Received: at, Feed: "roof"}}})
		s, ok := p.Ship(219000001)
		if !ok || s.Fix.Lat != place.Lat || (s.Fix.Mark&ship.WrongClock != 0) != wrong {
			t.Errorf("report %d: %+v, want the mark %v", i, s.Fix, wrong)
		}
	}
}
