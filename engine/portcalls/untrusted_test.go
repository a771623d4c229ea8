//go:build !race

package portcalls

import (
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// liar is a ship with two boxes that hear it: one looks for calls live, the other afterwards.
type liar struct {
	live, late *harbour
	at         time.Time
}

func newLiar(t *testing.T) *liar {
	l := &liar{newHarbour(t, nil), newHarbour(t, nil), begin}
	for _, h := range []*harbour{l.live, l.late} {
		h.ports = chart.NewPorts([]*chart.Port{drawnHarbour(8000, nil)})
		h.followPorts()
	}
	return l
}

// report has it report after some time, so many metres east of its berth.
func (l *liar) report(after time.Duration, metres, knots float64, status ais.NavStatus) {
	l.at = l.at.Add(after)
	p := geo.Destination(sim.DefaultAt, 90, metres)
	m := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000001}, Status: status, Second: 60, SOG: ais.SOGTenths(int(10 * knots)),
		Place: ais.Place{Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000)}}
	l.live.take(l.at, m, l.live.db, l.live.Calls)
	l.late.take(l.at, m, l.late.db)
	l.live.Save()
}

// lie has it tell for some time that it is moored at a place.
func (l *liar) lie(long time.Duration, metres float64) {
	for range int(long / (3 * time.Minute)) {
		l.report(3*time.Minute, metres, 0, ais.StatusMoored)
	}
}

// sail has it sail from one place to another.
func (l *liar) sail(from, to float64) {
	step := math.Copysign(10*1852/360*3, to-from)
	for at := from + step; (to-at)*step > 0; at += step {
		l.report(30*time.Second, at, 10, ais.StatusUnderWayEngine)
	}
}

// TestAReceiverThatLiesMakesNoCall: what it tells from the berth makes no departure and no second call, live and afterwards. A ship that sails there
// and back makes two calls.
func TestAReceiverThatLiesMakesNoCall(t *testing.T) {
	const out = 8 * 1852
	for name, c := range map[string]struct {
		then func(l *liar)
		want int
	}{
		"5 km":                   {func(l *liar) { l.lie(20*time.Minute, 5000) }, 1},
		"out of port":            {func(l *liar) { l.lie(20*time.Minute, out) }, 1},
		"frozen there":           {func(l *liar) { l.lie(time.Hour, out) }, 1},
		"to and fro":             {func(l *liar) { l.lie(9*time.Minute, out); l.lie(6*time.Minute, 0); l.lie(30*time.Minute, -out) }, 1},
		"drifts fast":            {func(l *liar) { l.drift(20, 800) }, 1},
		"drifts slowly":          {func(l *liar) { l.drift(20, 150) }, 1},
		"sails there":            {func(l *liar) { l.sail(0, out); l.sail(out, 0) }, 2},
		"calls at the other end": {func(l *liar) { l.sail(0, out); l.lie(time.Hour, out); l.sail(out, 0) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLiar(t)
			l.sail(2*out, 0)
			l.lie(2*time.Hour, 0)
			c.then(l)
			l.lie(2*time.Hour, 0)
			l.live.Tick(l.at)
			l.late.Tick(l.at)
			l.live.Stop()
			if _, err := l.late.Detect(t.Context(), time.Time{}, endOfTime, nil); err != nil {
				t.Fatal(err)
			}
			l.late.Stop()
			n, differ := sameCalls(t, name, l.live.Calls, l.late.Calls)
			if n != c.want || differ > 0 {
				t.Errorf("%d calls, want %d; %d have other times afterwards", n, c.want, differ)
			}
			all, _ := callsOf(t, l.live.Calls)
			for m := range all {
				if now := all[m][0].Found; !now.Open() || len(now.Stays) != 1 || now.Stays[0].Over {
					t.Errorf("the last call has ended, or has a second stay:\n%s", linesOf(all[m]))
				}
			}
		})
	}
}

// drift has its receiver drift off in reports of three minutes, so many metres each.
func (l *liar) drift(reports int, metres float64) {
	for i := range reports {
		l.report(3*time.Minute, metres*float64(i+1), 0, ais.StatusMoored)
	}
}

// TestHonestShipsAreTrusted: the ships of the simulated harbour sail, moor, anchor and swing, and each of their places is trusted.
func TestHonestShipsAreTrusted(t *testing.T) {
	h := newHarbour(t, nil)
	sail(t, func(at time.Time, m ais.Message) { h.take(at, m) })
	if s := h.picture.Stats(); s.Untrusted > 0 || s.Fixes < 10_000 {
		t.Errorf("of %d places %d are untrusted", s.Fixes, s.Untrusted)
	}
}
