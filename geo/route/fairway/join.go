package fairway

import (
	"cmp"
	"math"
	"slices"

	"quaywatch/geo"
)

// Meets is how near two fairways come, in metres, where they are joined.
const Meets = 25

// FairwayLeg is a piece of a fairway between two points of a Net.
type FairwayLeg struct{ From, To, Line int }

// Net is fairways joined: where two cross, or an end lies on another, they have a point in common.
type Net struct {
	Points []geo.Point
	Legs   []FairwayLeg
}

// piece is a leg of a line as it was drawn, with the places where others meet it.
type piece struct {
	line   int
	a, b   geo.Point
	bounds geo.Rect
	cuts   []cut
}

type cut struct {
	share float64
	at    geo.Point
}

// Join joins the fairways.
func (f *Fairways) Join() *Net {
	pieces := f.allPieces()
	for i := range pieces {
		for k := i + 1; k < len(pieces); k++ {
			if pieces[i].bounds.Intersects(pieces[k].bounds) {
				cutLegs(&pieces[i], &pieces[k])
			}
		}
	}
	n := &Net{}
	for i := range pieces {
		n.add(&pieces[i])
	}
	return n
}

// allPieces returns all legs as they were drawn.
func (f *Fairways) allPieces() (all []piece) {
	for i, l := range f.Lines {
		for k := 1; k < len(l.Points); k++ {
			a, b := l.Points[k-1], l.Points[k]
			all = append(all, piece{line: i, a: a, b: b, bounds: geo.RectOf(a, b).Expand(Meets)})
		}
	}
	return all
}

// cutLegs cuts two legs where they meet: at an end of one that lies on the other, or where they cross.
func cutLegs(p, q *piece) {
	plane := geo.PlaneAt(p.a)
	touched := false
	for _, t := range []struct{ on, end *piece }{{p, q}, {q, p}} {
		for _, end := range []geo.Point{t.end.a, t.end.b} {
			a, b, at := plane.Vector(t.on.a), plane.Vector(t.on.b), plane.Vector(end)
			if distance, share := at.Beside(a, b); distance <= Meets {
				t.on.cuts = append(t.on.cuts, cut{share, end})
				touched = true
			}
		}
	}
	if touched {
		return
	}
	if share, _, _, ok := geo.Crosses(p.a, p.b, geo.Line{q.a, q.b}); ok {
		a, b := plane.Vector(p.a), plane.Vector(p.b)
		at := plane.Point(a.Along(a.To(b), share))
		_, beside := plane.Vector(at).Beside(plane.Vector(q.a), plane.Vector(q.b))
		p.cuts, q.cuts = append(p.cuts, cut{share, at}), append(q.cuts, cut{beside, at})
	}
}

// add takes a leg in its pieces.
func (n *Net) add(p *piece) {
	slices.SortStableFunc(p.cuts, func(a, b cut) int { return cmp.Compare(a.share, b.share) })
	last := n.pointNumber(p.a)
	for _, c := range append(p.cuts, cut{1, p.b}) {
		if next := n.pointNumber(c.at); next != last {
			n.Legs = append(n.Legs, FairwayLeg{last, next, p.line})
			last = next
		}
	}
}

// pointNumber returns the number of a place: that of one that is so near that both are the same.
func (n *Net) pointNumber(p geo.Point) int {
	const degrees = Meets / 110_000.0
	for i, q := range n.Points {
		if math.Abs(q.Lat-p.Lat) <= degrees && geo.Distance(q, p) <= Meets {
			return i
		}
	}
	n.Points = append(n.Points, p)
	return len(n.Points) - 1
}
