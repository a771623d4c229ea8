package watchdog

import (
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

const (
	typeFishing = ais.ShipType(30)
	leastAtSea  = time.Hour // a ship that left port later is on its way
	wayMarks    = 16        // a window has so many
)

// way is how far a ship sailed lately, as the marks of a chart: the way between two of them is straight.
type way struct {
	Marks []mark  `json:"marks"` // in order, the first as old as the window; at most wayMarks+2
	Lon   float64 `json:"lon"`   // of the last mark, degrees
	Lat   float64 `json:"lat"`
}

// mark is a time, and the metres sailed until then.
type mark struct {
	At     int64   `json:"at"`
	Metres float64 `json:"m"`
}

// fishing takes a report of a ship that may fish in the polygon.
func (m *Machine) fishing(a *Alarm, s *ship.State, l *leg, dst []Event) []Event {
	if !m.area.Contains(l.to) {
		a.Way, a.Count = nil, 0
		share := m.goesOut(a, l)
		if !a.Active {
			return dst
		}
		return m.leave(a, l, share, dst)
	}
	m.comesIn(a, l)
	fishes, judged := m.fishes(a, s, l)
	if !fishes {
		if a.Count = 0; judged {
			a.Initial = false
		}
		if !a.Active {
			return dst
		}
		return m.leave(a, l, 1, dst)
	}
	a.Off = 0
	if a.Active || !m.picks(s) {
		return dst
	}
	if a.Count = min(a.Count+1, int32(m.d.ToActivate)); int(a.Count) < m.d.ToActivate || !m.free(a, l.fix.At) {
		return dst
	}
	e := l.here(Enter)
	e.Initial = a.Initial
	return m.activate(a, e, dst)
}

// fishes tells whether a ship moves as one that fishes: it may fish by its type or status, its mean speed over the window is that of a trawl,
// and it is not in port, nor was lately. Judged tells that it was followed for long enough to say so.
func (m *Machine) fishes(a *Alarm, s *ship.State, l *leg) (fishes, judged bool) {
	code := ais.ShipType(0)
	if s.Static != nil {
		code = s.Static.Type
	}
	if !m.d.AnyType && l.fix.Status != ais.StatusFishing && code != typeFishing {
		a.Way = nil
		return false, code != 0
	}
	knots, ok := a.mean(l, m.d.Window.Milliseconds())
	if !ok {
		return false, false
	}
	if knots < m.d.MinSOG || knots > m.d.MaxSOG {
		return false, true
	}
	if m.d.AtSea == nil {
		return true, true
	}
	out, known := m.d.AtSea(s)
	return !known || out >= leastAtSea, true
}

// mean gives the mean speed over the window in knots; false while the ship is followed for less.
func (a *Alarm) mean(l *leg, window int64) (float64, bool) {
	now := l.fix.At
	if a.Way == nil || !l.joined {
		a.Way = &way{Marks: []mark{{At: now}}, Lon: l.to.Lon, Lat: l.to.Lat}
		return 0, false
	}
	w := a.Way
	last := w.Marks[len(w.Marks)-1]
	sailed := last.Metres + apart(geo.Point{Lon: w.Lon, Lat: w.Lat}, l.to)
	for len(w.Marks) > 1 && w.Marks[1].At <= now-window {
		w.Marks = slices.Delete(w.Marks, 0, 1)
	}
	first := w.Marks[0]
	if now-last.At >= window/wayMarks {
		w.Marks, w.Lon, w.Lat = append(w.Marks, mark{now, sailed}), l.to.Lon, l.to.Lat
	}
	if now-first.At < window {
		return 0, false
	}
	return (sailed - first.Metres) / 1852 / (time.Duration(now-first.At) * time.Millisecond).Hours(), true
}
