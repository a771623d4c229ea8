package tracking

import (
	"math"

	"quaywatch/geo"
)

// way is the way ahead of a tracked ship, in pieces so short that each is straight.
type way struct {
	points []geo.Point
	along  []float64 // metres from the beginning to each point
	stops  []float64 // metres to each waypoint that was still ahead
	end    float64   // metres to where the ship has arrived
	at     int       // the piece that the ship was last on
}

// piece is the most kilometres of a piece of a way.
const piece = 50

// newWay makes a way of legs, each to a waypoint and the last to the end.
func newWay(legs [][]geo.Point) *way {
	w := &way{}
	for i, leg := range legs {
		for k, p := range leg {
			switch n := len(w.points); {
			case n == 0:
				w.along = append(w.along, 0)
			case k == 0:
				continue // the end of the leg before
			default:
				w.along = append(w.along, w.along[n-1]+geo.Distance(w.points[n-1], p))
			}
			w.points = append(w.points, p)
		}
		if i < len(legs)-1 {
			w.stops = append(w.stops, w.totalMetres())
		}
	}
	w.end = w.totalMetres()
	return w
}

// totalMetres returns the metres of the whole way.
func (w *way) totalMetres() float64 { return w.along[len(w.along)-1] }

// ahead is how many pieces beyond the last are looked at first.
const ahead = 8

// distancesAt returns how many metres of the way lie behind a ship, and how far it is beside the way.
func (w *way) distancesAt(p geo.Point, near float64) (behind, beside float64) {
	plane := geo.PlaneAt(p)
	behind, beside, at := w.nearestPlace(plane, max(w.at-1, 0), min(w.at+ahead, len(w.points)-1))
	if beside > near {
		if b, d, i := w.nearestPlace(plane, 0, len(w.points)-1); d < beside {
			behind, beside, at = b, d, i
		}
	}
	w.at = at
	return behind, beside
}

// nearestPlace looks for the place of the way that is nearest to the middle of a plane, from one point to another. Each piece is short beside its distance, or
// near; so the plane is exact where it counts.
func (w *way) nearestPlace(plane geo.Plane, from, to int) (behind, beside float64, at int) {
	beside = math.Inf(1)
	if len(w.points) == 1 {
		return 0, plane.Vector(w.points[0]).Length(), 0
	}
	a := plane.Vector(w.points[from])
	for i := from; i < to; i++ {
		b := plane.Vector(w.points[i+1])
		if d, share := (geo.Vector{}).Beside(a, b); d < beside {
			behind, beside, at = w.along[i]+share*(w.along[i+1]-w.along[i]), d, i
		}
		a = b
	}
	return behind, beside, at
}

// metresAhead returns the metres that a ship has to sail to a place of the way. One before the beginning comes back to it. One beside the way sails in a lane
// of its own as a rule.
func (w *way) metresAhead(along, behind float64, ship geo.Point) float64 {
	if behind > 0 {
		return max(0, along-behind)
	}
	return max(0, w.metresFrom(ship)-(w.end-along))
}

// strayMetres returns how far in metres a ship may be beside its way until it has left it. Lanes run beside a long way, but none leads back from its beginning.
func (w *way) strayMetres(behind float64) float64 {
	if behind == 0 {
		return offMetres
	}
	return max(offMetres, offShare*(w.end-behind))
}
