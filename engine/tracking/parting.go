package tracking

import (
	"context"
	"errors"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route"
	"quaywatch/geo/route/passage"
	"quaywatch/ship/portcall"
)

// Choice is what a ship does at a passage that it may not fit through. A size that a crew typed is no wall: what the ship does rules.
type Choice struct {
	Passage string `json:"passage"`
	Through bool   `json:"through,omitempty"` // else it sails round
	Sure    bool   `json:"sure,omitempty"`    // it has passed where the ways part, and kept to its way since
}

// Doubt is a passage ahead that the ship may not fit through.
type Doubt struct {
	route.Obstacle
	Open bool // the ship may go through or round; else it goes through
}

// parting is a place ahead where a way through a passage and a way round it part.
type parting struct {
	other   *way // the one that the ship is not led on
	through bool // it is the one through the passage
	behind  float64
	passage string
	doubts  []Doubt // of the way through
	again   bool    // another passage comes after it, so that other ways are to be looked for when the ship has chosen
	longer  float64 // metres by which the way round was longer when both were found
}

// partedMetres is by how much one of two ways has to become longer against the other until the ship has left it. A ship that sails away from a way makes it
// longer by what it sails. It comes as much nearer to the end of the other.
const partedMetres = 2 * 1852

// ways are what was found for a track.
type ways struct {
	legs    [][]geo.Point // that the ship fits through, as far as there are such
	through [][]geo.Point // shorter ones, through passages that it may not fit through; nil for none
	tight   []Doubt       // on legs
	narrow  []Doubt       // on through
	metres  [2]float64    // of both
}

// passages returns those that legs do not lead through.
func (w *ways) passages() (names []string) {
	for _, d := range w.narrow {
		if !slices.ContainsFunc(w.tight, func(t Doubt) bool { return t.Passage == d.Passage }) {
			names = append(names, d.Passage)
		}
	}
	return names
}

// add puts the way to the next stop on. Free is the shorter one.
func (w *ways) add(fits, free *route.Way, part bool) {
	if part && w.through == nil {
		w.through = append([][]geo.Point{}, w.legs...)
		w.narrow, w.metres[1] = slices.Clone(w.tight), w.metres[0]
	}
	w.legs = append(w.legs, fits.Line(piece))
	w.tight = appendDoubts(w.tight, fits, w.metres[0])
	w.metres[0] += fits.Distance
	if w.through == nil {
		return
	}
	w.through = append(w.through, free.Line(piece))
	w.narrow = appendDoubts(w.narrow, free, w.metres[1])
	w.metres[1] += free.Distance
}

func appendDoubts(list []Doubt, w *route.Way, behind float64) []Doubt {
	for _, o := range w.Tight {
		o.Ahead += behind
		list = append(list, Doubt{Obstacle: o})
	}
	return list
}

// fitting finds a way that the ship fits through, and one through any passage where there is no such.
func (t *TrackedShips) fitting(ctx context.Context, leg route.Query) (route.Way, error) {
	w, err := t.config.Find(ctx, leg)
	if errors.Is(err, route.ErrTooDeep) || errors.Is(err, route.ErrTooLarge) {
		leg.Any = true
		return t.config.Find(ctx, leg)
	}
	return w, err
}

// both finds the ways to each stop. These are the way that the ship fits through, and a shorter way through passages that may be too small for it.
func (t *TrackedShips) both(ctx context.Context, legs []route.Query) (w ways, err error) {
	for _, leg := range legs {
		fits, err := t.fitting(ctx, leg)
		if err != nil {
			return w, err
		}
		free, part := fits, slices.ContainsFunc(fits.Obstacles, func(o route.Obstacle) bool { return o.Fit != passage.Fits })
		if part {
			leg.Any = true
			if free, err = t.config.Find(ctx, leg); err != nil {
				return w, err
			}
		}
		w.add(&fits, &free, part)
	}
	return w, nil
}

// choice returns what the ship does at a passage, as far as it is known.
func (t *TrackedShip) choice(name string) (c Choice) {
	for _, c := range t.Choices {
		if c.Passage == name {
			return c
		}
	}
	return Choice{Passage: name}
}

// noteChoice notes what the ship does at a passage.
func (t *TrackedShip) noteChoice(c Choice) {
	others := slices.DeleteFunc(slices.Clone(t.Choices), func(o Choice) bool { return o.Passage == c.Passage })
	t.Choices, t.changed = append(others, c), true
}

// doubt makes all that the ship has chosen unsure: it has left its way.
func (t *TrackedShip) doubt() {
	t.Choices = slices.Clone(t.Choices)
	for i := range t.Choices {
		t.Choices[i].Sure = false
	}
}

// passagesTaken returns the passages that the ship surely takes.
func (t *TrackedShip) passagesTaken() (names []string) {
	for _, c := range t.Choices {
		if c.Through && c.Sure {
			names = append(names, c.Passage)
		}
	}
	return names
}

// lead takes the ways that were found. It reports whether others are to be looked for.
func (t *TrackedShip) lead(w *ways) (again bool) {
	t.way, t.off, t.behind, t.parting, t.Doubts = newWay(w.legs), 0, 0, nil, w.tight
	t.way.endAtArea(t.goal.arrived)
	names := w.passages()
	if len(names) == 0 {
		return false
	}
	c := t.choice(names[0])
	if c.Sure {
		return false // it sails round
	}
	p := &parting{other: newWay(w.through), through: true, passage: names[0], doubts: w.narrow, again: len(names) > 1}
	p.other.endAtArea(t.goal.arrived)
	t.Doubts = slices.Clone(w.narrow)
	inside := false
	for i := range t.Doubts {
		d := &t.Doubts[i]
		d.Open = slices.Contains(names, d.Passage)
		inside = inside || d.Passage == p.passage && d.Inside
	}
	if t.Source.Ship == 0 {
		return false // nobody sails
	}
	t.parting = p
	if c.Through {
		t.switchWay()
	}
	place := t.fix.Point()
	t.behind, _ = t.way.distancesAt(place, offMetres)
	p.behind, _ = p.other.distancesAt(place, offMetres)
	p.longer = t.longer(place)
	if inside && !t.InPort {
		return t.decide(true)
	}
	return false
}

// switchWay leads the ship on the other way.
func (t *TrackedShip) switchWay() {
	p := t.parting
	t.way, p.other, t.behind, p.behind, p.through, t.off = p.other, t.way, p.behind, t.behind, !p.through, 0
	if ahead := len(t.Waypoints) - t.nextWaypoint(); len(t.way.stops) > ahead {
		t.way.stops = t.way.stops[len(t.way.stops)-ahead:]
	}
}

// longer returns by how many metres the way round is longer than that through, from a place.
func (t *TrackedShip) longer(place geo.Point) float64 {
	here, other := t.way.metresFrom(place), t.parting.other.metresFrom(place)
	if t.parting.through {
		return here - other
	}
	return other - here
}

// checkParting looks whether the ship has passed where the ways part. It reports whether it has, and whether others are to be looked for.
func (t *TrackedShip) checkParting(place geo.Point) (parted, again bool) {
	p := t.parting
	if p == nil {
		return false, false
	}
	p.behind, _ = p.other.distancesAt(place, offMetres)
	switch grown := t.longer(place) - p.longer; {
	case t.InPort:
		return false, false
	case grown >= partedMetres:
		return true, t.decide(true)
	case grown <= -partedMetres:
		return true, t.decide(false)
	}
	return false, false
}

// decide leads the ship on the way that it took. It reports whether others are to be looked for.
func (t *TrackedShip) decide(through bool) (again bool) {
	p := t.parting
	if through == p.through {
		t.switchWay()
	}
	t.noteChoice(Choice{Passage: p.passage, Through: through, Sure: true})
	t.parting, t.Doubts = nil, nil
	if through {
		t.Doubts = p.doubts
	}
	return p.again
}

// dropPassages leaves out the passages that the ship has gone through.
func (t *TrackedShip) dropPassages() {
	for len(t.Doubts) > 0 && !t.Doubts[0].Open && t.behind > t.Doubts[0].Ahead+1852 {
		t.Doubts = t.Doubts[1:]
	}
}

// cover makes the interval of the latest estimate cover both ways.
func (t *TrackedShip) cover(now portcall.Millis, e estimate, all *pastErrors) {
	if t.parting == nil || e.anchored {
		return
	}
	other := t.parting.other
	e.remaining = other.metresAhead(other.end, t.parting.behind, t.fix.Point())
	there := e.estimateAt(now, all)
	t.Latest.Parts, t.Latest.Low, t.Latest.High = true, min(t.Latest.Low, there.Low), max(t.Latest.High, there.High)
}

// soundEstimates returns the estimates that tell how wrong ETAs are. None of them covers two ways, and none is of a way that the ship did not sail.
func (t *TrackedShip) soundEstimates() []Estimate {
	return slices.DeleteFunc(slices.Clone(t.History), func(e Estimate) bool { return e.Parts || e.At <= t.Wrong })
}

// A way was wrong when another one, from the same place, is longer or shorter by more than this share and these metres.
const (
	wrongShare  = 0.1
	wrongMetres = 10 * 1852
)

// wrong notes that the estimates up to now are of a wrong way, if the one that was found now has another length.
func (t *TrackedShip) wrong(had *way, left float64, now portcall.Millis) {
	if had == nil {
		return
	}
	if off := t.metresLeft() - left; max(off, -off) > max(wrongMetres, wrongShare*left) {
		t.Wrong, t.changed = now, true
	}
}

// metresFrom returns the metres from a place to the end of a way, over the next miles of it.
func (w *way) metresFrom(place geo.Point) float64 {
	behind, beside := w.distancesAt(place, offMetres)
	best := beside + w.end - behind
	for k := 1.0; k <= 4; k++ { // a ship beside its way comes back to it aslant
		at := behind + k*beside
		if at > w.end {
			break
		}
		best = min(best, geo.Distance(place, w.pointAt(at))+w.end-at)
	}
	return best
}

// pointAt returns the place so many metres from the beginning of a way, at the piece that the ship is on or after it.
func (w *way) pointAt(metres float64) geo.Point {
	for i := w.at; i+1 < len(w.points); i++ {
		if length := w.along[i+1] - w.along[i]; metres <= w.along[i+1] && length > 0 {
			share := max(0, metres-w.along[i]) / length
			plane := geo.PlaneAt(w.points[i])
			v := plane.Vector(w.points[i+1])
			return plane.Point(geo.Vector{X: share * v.X, Y: share * v.Y})
		}
	}
	return w.points[len(w.points)-1]
}
