package portcall

import (
	"math"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// exitBeyond is how far outside of the border of a port a ship has left it, in metres. A ship enters at the border itself: the one that was
// drawn, or the circle of chart.DefaultRadius that every map shows. The distance keeps a ship on the border from coming and going all the time.
const exitBeyond = 500

// berthReach is how far from the position of a berth a ship that is at it may lie. It is in metres, beside half of the berth's length.
const berthReach = 60

// PortAreas are the ports of a time, with their borders ready for the question which of them a ship is in. They are never changed.
type PortAreas struct {
	list  *chart.Ports
	areas map[uint64]*area     // of the ports with drawn borders or berths
	land  func(geo.Point) bool // nil where nobody knows the coast
}

// area is what the engine asks of a port.
type area struct {
	port  *chart.Port
	plane geo.Plane
	outer geo.Rings // nil for a port without a drawn border
	inner []shape
	quays []quay
}

// shape is a polygon with the box around it.
type shape struct {
	rings     geo.Rings
	low, high geo.Vector
}

func newShape(rings geo.Rings) shape {
	s := shape{rings: rings, low: geo.Vector{X: math.Inf(1), Y: math.Inf(1)}, high: geo.Vector{X: math.Inf(-1), Y: math.Inf(-1)}}
	rings.Edges(func(v, _ geo.Vector) bool {
		s.low, s.high = geo.Vector{X: min(s.low.X, v.X), Y: min(s.low.Y, v.Y)}, geo.Vector{X: max(s.high.X, v.X), Y: max(s.high.Y, v.Y)}
		return true
	})
	return s
}

func (s *shape) contains(v geo.Vector) bool {
	return v.X >= s.low.X && v.X <= s.high.X && v.Y >= s.low.Y && v.Y <= s.high.Y && s.rings.Contains(v)
}

// quay is a berth with a position.
type quay struct {
	at    geo.Vector
	reach float64 // metres
	berth *chart.Berth
}

// NewPorts makes ports ready. Where land lies parts ports that are near each other on its two sides. Where land is nil the nearer position counts.
func NewPorts(list *chart.Ports, land func(geo.Point) bool) *PortAreas {
	p := &PortAreas{list: list, areas: map[uint64]*area{}, land: land}
	for _, port := range list.All() {
		if !port.Drawn() && len(port.Inner)+len(port.Berths) == 0 {
			continue
		}
		a := newArea(port)
		p.areas[port.ID] = &a
	}
	return p
}

func newArea(port *chart.Port) area {
	a := area{port: port, plane: geo.PlaneAt(port.Position)}
	if port.Drawn() {
		a.plane = geo.PlaneAt(port.Outer.Bounds().Center())
		a.outer = a.plane.Rings(port.Outer)
	}
	for _, inner := range port.Inner {
		a.inner = append(a.inner, newShape(a.plane.Rings(inner)))
	}
	for i := range port.Berths {
		if b := &port.Berths[i]; b.Position != nil {
			a.quays = append(a.quays, quay{a.plane.Vector(*b.Position), b.Length/2 + berthReach, b})
		}
	}
	return a
}

// areaOf returns what there is of a port; false for one that is not in the list any more.
func (p *PortAreas) areaOf(id uint64) (area, bool) {
	if a := p.areas[id]; a != nil {
		return *a, true
	}
	port, ok := p.list.ByID(id)
	if !ok || !port.Placed {
		return area{}, false
	}
	return newArea(port), true
}

// entered appends the ids of the ports that a place lies so far inside of that a ship there has entered them.
func (p *PortAreas) entered(dst []uint64, room []*chart.Port, place geo.Point) ([]uint64, []*chart.Port) {
	room = p.list.At(room[:0], place)
	for _, port := range room {
		dst = append(dst, port.ID)
	}
	return dst, room
}

// borderTest returns what tells whether a place is inside of the port, by the same border as Ports.entered. There the circle of a port is a ring of corners, which
// is a few metres inside of it.
func (a *area) borderTest() func(geo.Point) bool {
	if a.outer == nil {
		return geo.NewArea(a.port.Area()).Contains
	}
	return func(place geo.Point) bool { return a.outer.Contains(a.plane.Vector(place)) }
}

// isOutside reports whether a place lies clearly outside of the port.
func (a *area) isOutside(place geo.Point) bool {
	if a.outer == nil {
		return geo.Distance(a.port.Position, place) > chart.DefaultRadius+exitBeyond
	}
	v := a.plane.Vector(place)
	return !a.outer.Contains(v) && a.outer.Far(v, exitBeyond)
}

// isAlongside reports whether a place lies in an inner shape.
func (a *area) isAlongside(place geo.Point) bool {
	v := a.plane.Vector(place)
	for i := range a.inner {
		if a.inner[i].contains(v) {
			return true
		}
	}
	return false
}

// berthAt returns the berth that a place is at, nil for none.
func (a *area) berthAt(place geo.Point) (nearest *chart.Berth) {
	v, least := a.plane.Vector(place), 1.0
	for i := range a.quays {
		q := &a.quays[i]
		if share := q.at.To(v).Length() / q.reach; share <= least {
			nearest, least = q.berth, share
		}
	}
	return nearest
}

// isAtQuay reports whether a place lies in an inner shape or at a berth: a ship that rests there is alongside.
func (a *area) isAtQuay(place geo.Point) bool { return a.isAlongside(place) || a.berthAt(place) != nil }

// berthID returns the id of the berth that a place is at, 0 for none.
func (a *area) berthID(place geo.Point) int64 {
	if b := a.berthAt(place); b != nil {
		return b.ID
	}
	return 0
}

// rank orders the ports that a ship may have stopped in. An inner shape or a berth decides, then a drawn border, then the nearer water.
type rank struct {
	level  int // 2, 1 or 0
	metres float64
}

// How far it is over land: no ship sails there, and the way round is unknown. A quay and the town behind it are narrow.
const (
	landCounts = 5.0  // times as much as water
	landStep   = 50.0 // metres between two places that are asked
)

func (r rank) ranksBefore(o rank) bool {
	if r.level != o.level {
		return r.level > o.level
	}
	return r.metres < o.metres
}

func (a *area) rankOf(place geo.Point, land func(geo.Point) bool) rank {
	r := rank{metres: overWater(place, a.port.Position, land)}
	switch {
	case a.isAtQuay(place):
		r.level = 2
	case a.outer != nil && a.outer.Contains(a.plane.Vector(place)):
		r.level = 1
	}
	return r
}

// overWater returns the metres of the straight way between two places near each other, with those over land counted several times.
func overWater(from, to geo.Point, land func(geo.Point) bool) float64 {
	metres := geo.Distance(from, to)
	if land == nil {
		return metres
	}
	steps := int(metres/landStep) + 1
	ashore := 0
	for i := range steps {
		share := (float64(i) + 0.5) / float64(steps)
		lon := from.Lon + share*geo.Point{Lon: to.Lon - from.Lon}.Normalized().Lon
		if land(geo.Point{Lon: lon, Lat: from.Lat + share*(to.Lat-from.Lat)}.Normalized()) {
			ashore++
		}
	}
	return metres * (1 + (landCounts-1)*float64(ashore)/float64(steps))
}
