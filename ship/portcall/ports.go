package portcall

import (
	"math"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// The borders of a port that has none drawn, in metres around its position, as Global Fishing Watch has them. The outer one is
// chart.DefaultRadius. Two of them keep a ship on the border from coming and going all the time.
const (
	enterRadius = 3000
	exitRadius  = chart.DefaultRadius
	exitBeyond  = 500 // metres outside a drawn border
)

// berthReach is how far from the position of a berth a ship may lie that is at it, in metres, beside half of the berth's length.
const berthReach = 60

// Ports are the ports of a time, with their borders ready for the question which of them a ship is in. They are never changed.
type Ports struct {
	list  *chart.Ports
	areas map[uint64]*area // of the ports with drawn borders or berths
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

// NewPorts makes ports ready.
func NewPorts(list *chart.Ports) *Ports {
	p := &Ports{list: list, areas: map[uint64]*area{}}
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

// area gives what there is of a port; false for one that is not in the list any more.
func (p *Ports) area(id uint64) (area, bool) {
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
func (p *Ports) entered(dst []uint64, room []*chart.Port, place geo.Point) ([]uint64, []*chart.Port) {
	room = p.list.At(room[:0], place)
	for _, port := range room {
		if port.Drawn() || geo.Distance(port.Position, place) <= enterRadius {
			dst = append(dst, port.ID)
		}
	}
	return dst, room
}

// holds tells whether a ship at a place has entered the port.
func (a *area) holds(place geo.Point) bool {
	if a.outer == nil {
		return geo.Distance(a.port.Position, place) <= enterRadius
	}
	return a.outer.Contains(a.plane.Vector(place))
}

// gone tells whether a place lies clearly outside of the port.
func (a *area) gone(place geo.Point) bool {
	if a.outer == nil {
		return geo.Distance(a.port.Position, place) > exitRadius
	}
	v := a.plane.Vector(place)
	return !a.outer.Contains(v) && a.outer.Far(v, exitBeyond)
}

// alongside tells whether a place lies in an inner shape.
func (a *area) alongside(place geo.Point) bool {
	v := a.plane.Vector(place)
	for i := range a.inner {
		if a.inner[i].contains(v) {
			return true
		}
	}
	return false
}

// berth gives the berth that a place is at, nil for none.
func (a *area) berth(place geo.Point) (nearest *chart.Berth) {
	v, least := a.plane.Vector(place), 1.0
	for i := range a.quays {
		q := &a.quays[i]
		if share := q.at.To(v).Length() / q.reach; share <= least {
			nearest, least = q.berth, share
		}
	}
	return nearest
}

// berthID gives the id of the berth that a place is at, 0 for none.
func (a *area) berthID(place geo.Point) int64 {
	if b := a.berth(place); b != nil {
		return b.ID
	}
	return 0
}

// rank orders the ports that a ship may have stopped in: an inner shape or a berth decides, then a drawn border, then the nearer position.
type rank struct {
	level  int // 2, 1 or 0
	metres float64
}

func (r rank) before(o rank) bool {
	if r.level != o.level {
		return r.level > o.level
	}
	return r.metres < o.metres
}

func (a *area) rank(place geo.Point) rank {
	r := rank{metres: geo.Distance(a.port.Position, place)}
	switch {
	case a.alongside(place) || a.berth(place) != nil:
		r.level = 2
	case a.outer != nil && a.holds(place):
		r.level = 1
	}
	return r
}
