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
	steadyShare = 0.75      // of the window a ship that begins to fish sails at the speed of a trawl: one that slows down for its port does not
)

// way is how far a ship sailed lately, as the marks of a chart: the way between two of them is straight. The marks stand at fixed times, so that
// they do not depend on which reports were heard.
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
func (m *Machine) fishing(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	if !m.area.Contains(l.to) {
		m.followOutside(a, s, l)
		a.Count = 0
		share := m.goesOut(a, l)
		if !a.Active {
			return dst
		}
		return m.countOutside(a, l, share, dst)
	}
	m.comesIn(a, l)
	fishes, judged := m.fishes(a, s, l)
	if !fishes && judged {
		a.Initial = false
	}
	e := l.here(Enter)
	e.Initial = a.Initial
	return m.does(a, s, l, fishes, e, dst)
}

// mayFish reports whether a ship may fish, by its type or status.
func (m *Machine) mayFish(s *ship.State, l *leg) bool {
	return m.d.AnyType || l.fix.Status == ais.StatusFishing || s.Static != nil && s.Static.Type == typeFishing
}

// followOutside follows a ship that may fish and is so near that it can be inside within the window, at the speed of a trawl. So what it did before counts
// when it comes in.
func (m *Machine) followOutside(a *ShipMemory, s *ship.State, l *leg) {
	if !m.mayFish(s, l) || !m.around.isNear(l.to, m.trawlMetres()) {
		a.Way = nil
		return
	}
	a.mean(l, m)
}

// trawlMetres returns how far a ship that fishes sails within the window, at the most, and how far from what is watched that begins.
func (m *Machine) trawlMetres() float64 {
	return m.d.Buffer + m.trawl[1]*1852*m.d.Window.Hours()
}

// fishes reports whether a ship moves as one that fishes. It may fish by its type or status, and its mean speed over the window is that of a trawl. It is not
// in port, nor was lately. Judged tells that it was followed for long enough to say so.
func (m *Machine) fishes(a *ShipMemory, s *ship.State, l *leg) (fishes, judged bool) {
	code := ais.ShipType(0)
	if s.Static != nil {
		code = s.Static.Type
	}
	if !m.mayFish(s, l) {
		a.Way = nil
		m.noFishing(ByType, l, float64(code), float64(typeFishing))
		return false, code != 0
	}
	knots, share, ok := a.mean(l, m)
	if !ok {
		m.noFishing(ByWindow, l, 0, m.d.Window.Minutes())
		return false, false
	}
	goesOn := a.Active && (m.d.Type == Fishing || a.Told == Trawling)
	if !m.trawls(knots) || !goesOn && share < steadyShare {
		m.noFishing(BySpeed, l, knots, m.d.MaxSOG)
		return false, true
	}
	if m.d.AtSea == nil {
		return true, true
	}
	out, known := m.d.AtSea(s)
	if known && out < leastAtSea {
		m.noFishing(ByPort, l, out.Minutes(), leastAtSea.Minutes())
		return false, true
	}
	return true, true
}

// noFishing tells why a ship does not fish. Over a cable it is no obstacle: a ship that fishes is one of the risks.
func (m *Machine) noFishing(kind ObstacleKind, l *leg, is, asks float64) {
	if m.d.Type == Fishing {
		m.tellObstacle(kind, l.fix.At, is, asks)
	}
}

// trawls reports whether a speed in knots is that of a ship that fishes.
func (m *Machine) trawls(knots float64) bool { return knots >= m.trawl[0] && knots <= m.trawl[1] }

// mean returns the mean speed over the window in knots, and the share of the window that it sailed at the speed of a trawl. It returns false while the ship is
// followed for less.
func (a *ShipMemory) mean(l *leg, m *Machine) (knots, share float64, ok bool) {
	now, window := l.fix.At, m.d.Window.Milliseconds()
	if a.Way == nil || !l.joined {
		a.Way = &way{Marks: []mark{{At: now}}, Lon: l.to.Lon, Lat: l.to.Lat}
		return 0, 0, false
	}
	w := a.Way
	w.updateMarks(l, window)
	here := mark{now, w.metresTo(l.to)}
	if first := w.Marks[0]; now-first.At >= window {
		knots, share, ok = first.knotsTo(here), w.timeShare(here, m.trawls), true
	}
	return knots, share, ok
}

// updateMarks sets the marks that stand on a leg, and takes away those that are older than the window, but for the latest of these.
func (w *way) updateMarks(l *leg, window int64) {
	now, step := l.fix.At, (window+wayMarks-1)/wayMarks
	from := max(w.Marks[len(w.Marks)-1].At, now-window-step)
	for at := from - from%step + step; at <= now; at += step {
		p := l.pointAt(float64(at-l.begin) / float64(now-l.begin))
		w.Marks = append(w.Marks, mark{at, w.metresTo(p)})
		w.Lon, w.Lat = p.Lon, p.Lat
	}
	old := 0
	for old+1 < len(w.Marks) && w.Marks[old+1].At <= now-window {
		old++
	}
	w.Marks = slices.Delete(w.Marks, 0, old)
}

// metresTo returns how far the ship has sailed when it has come from the last mark to a place.
func (w *way) metresTo(to geo.Point) float64 {
	return w.Marks[len(w.Marks)-1].Metres + metresBetween(geo.Point{Lon: w.Lon, Lat: w.Lat}, to)
}

// knotsTo returns the mean speed from a mark to a later one.
func (m mark) knotsTo(to mark) float64 {
	return (to.Metres - m.Metres) / 1852 / (time.Duration(to.At-m.At) * time.Millisecond).Hours()
}

// timeShare returns the share of the time, from the first mark to a later place, in which the function is picks the speed. The speed is that between two marks.
func (w *way) timeShare(here mark, is func(knots float64) bool) float64 {
	within := int64(0)
	for i, from := range w.Marks {
		to := here
		if i+1 < len(w.Marks) {
			to = w.Marks[i+1]
		}
		if to.At > from.At && is(from.knotsTo(to)) {
			within += to.At - from.At
		}
	}
	return float64(within) / float64(here.At-w.Marks[0].At)
}
