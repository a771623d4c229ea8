//go:build !race

package route

import (
	"math"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// floodKm is how far round a gate the water is flooded.
const floodKm = 50

// place is a cell of a flood.
type place struct{ x, y int }

// flooding is a flood of the water of the chart round one gate, with each gate of the table as a wall.
type flooding struct {
	coast      *land.Level
	walls      []passage.Passage
	gate       []geo.Point
	near       []sea.UnitVector // places within floodKm of which the water is flooded
	origin     geo.Point
	east, step float64 // degrees of a cell
	from       map[place]place
}

// newFlooding prepares a flood with cells that suit the length of a gate. Of a long one only the ends are flooded, where it meets the land: nothing
// leaks in its middle.
func newFlooding(coast *land.Level, all []passage.Passage, gate []geo.Point) *flooding {
	const long = 300 // kilometres
	points, length := []sea.UnitVector{sea.At(gate[0])}, 0.0
	for i := 1; i < len(gate); i++ {
		a, b := sea.At(gate[i-1]), sea.At(gate[i])
		points, length = append(append(points, sea.Between(a, b, 2)...), b), length+sea.Km(a, b)
	}
	f := &flooding{coast: coast, gate: gate, near: points, from: map[place]place{}}
	if length > long {
		f.near = nil
		for i := 1; i < len(points); i++ {
			if p, q := points[i-1].Point(), points[i].Point(); coast.Land(p) && !coast.Land(q) && f.near == nil || !coast.Land(p) && coast.Land(q) && i > len(points)-10 {
				f.near = append(f.near, points[i])
			}
		}
	}
	f.origin = f.near[0].Point()
	f.step = min(max(0.15, length/400), 0.5) / (sea.Radius * math.Pi / 180)
	f.east = f.step / math.Cos(f.origin.Lat*math.Pi/180)
	for _, p := range all {
		wall := passage.Passage{}
		for _, g := range p.Gates {
			for i := 1; i < len(g); i++ {
				for _, v := range append(sea.Between(sea.At(g[i-1]), sea.At(g[i]), 20), sea.At(g[i])) {
					if f.around(v.Point(), floodKm+20) {
						wall.Gates = append(wall.Gates, g[i-1:i+1])
						break
					}
				}
			}
		}
		if len(wall.Gates) > 0 {
			f.walls = append(f.walls, wall)
		}
	}
	return f
}

// around reports whether a place lies within some kilometres of what is flooded round.
func (f *flooding) around(p geo.Point, km float64) bool {
	at := sea.At(p)
	for _, v := range f.near {
		if sea.Km(v, at) < km {
			return true
		}
	}
	return false
}

func (f *flooding) point(c place) geo.Point {
	return geo.Point{Lon: f.origin.Lon + (float64(c.x)+0.37)*f.east, Lat: f.origin.Lat + (float64(c.y)+0.41)*f.step}
}

func (f *flooding) cell(p geo.Point) place {
	return place{int(math.Round((p.Lon-f.origin.Lon)/f.east - 0.37)), int(math.Round((p.Lat-f.origin.Lat)/f.step - 0.41))}
}

// walled reports whether a step goes through a gate.
func (f *flooding) walled(a, b geo.Point) bool {
	for i := range f.walls {
		if f.walls[i].CrossedBy(a, b) {
			return true
		}
	}
	return false
}

// sides returns the cells afloat that touch the gate, on the one side and on the other.
func (f *flooding) sides() (left, right map[place]bool) {
	left, right = map[place]bool{}, map[place]bool{}
	for i := 1; i < len(f.gate); i++ {
		a, b := f.gate[i-1], f.gate[i]
		steps := math.Ceil(math.Hypot((b.Lon-a.Lon)/f.east, (b.Lat-a.Lat)/f.step) * 2)
		for k := 4.0; k <= steps-4; k++ {
			on := geo.Point{Lon: a.Lon + (b.Lon-a.Lon)*k/steps, Lat: a.Lat + (b.Lat-a.Lat)*k/steps}
			if f.coast.Land(on) || !f.around(on, floodKm) {
				continue
			}
			c := f.cell(on)
			for _, q := range []place{c, {c.x + 1, c.y}, {c.x - 1, c.y}, {c.x, c.y + 1}, {c.x, c.y - 1}} {
				p := f.point(q)
				if f.coast.Land(p) || f.coast.LegMeetsCoast(on, p) {
					continue
				}
				if (b.Lon-a.Lon)*(p.Lat-a.Lat)-(b.Lat-a.Lat)*(p.Lon-a.Lon) > 0 {
					left[q] = true
				} else {
					right[q] = true
				}
			}
		}
	}
	return left, right
}

// leak returns a way of the water from one side of the gate to the other; none where both are apart.
func (f *flooding) leak(left, right map[place]bool) (way []geo.Point) {
	var queue []place
	for c := range left {
		if !right[c] {
			queue, f.from[c] = append(queue, c), c
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		if right[c] && !left[c] {
			for ; f.from[c] != c; c = f.from[c] {
				way = append(way, f.point(c))
			}
			return way
		}
		for _, next := range []place{{c.x + 1, c.y}, {c.x - 1, c.y}, {c.x, c.y + 1}, {c.x, c.y - 1}} {
			if _, seen := f.from[next]; seen {
				continue
			}
			p, q := f.point(c), f.point(next)
			if f.around(q, floodKm) && !f.coast.Land(q) && !f.coast.LegMeetsCoast(p, q) && !f.walled(p, q) {
				f.from[next] = c
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// The water on both sides of each gate is apart within 50 km, while all gates are walls: no way gets round one. Gates over banks and reefs of the open
// sea stand free: ships go round them. So do those behind islands: TestFlatsMeetTheLand holds their ends. The ring of the Antarctic has no end.
func TestGatesClose(t *testing.T) {
	free := map[string]bool{"Antarctic": true}
	c, _ := charts(t)
	all, err := passage.All()
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	for _, p := range all {
		for _, gate := range p.Gates {
			if free[p.Name] || p.Flat && p.Name != "Limfjord" && p.Name != "Palk Strait" {
				continue
			}
			f := newFlooding(c.Coast(), all, gate)
			left, right := f.sides()
			if way := f.leak(left, right); way != nil {
				t.Errorf("%s: the water gets round the gate from %v to %v, by %v", p.Name, gate[0], gate[len(gate)-1], way[len(way)/2])
			}
			if len(f.from) > 0 {
				closed++
			} else if len(p.Chain) == 0 {
				t.Errorf("%s: there is no water at the gate from %v to %v", p.Name, gate[0], gate[len(gate)-1])
			}
		}
	}
	if t.Logf("%d gates", closed); closed < 23 {
		t.Errorf("only %d gates stand in the water of the chart", closed)
	}
}

// Each line over flats has water on it, and ends ashore or on another line, so that no way slips past its end. Those that end at sea are counted.
func TestFlatsMeetTheLand(t *testing.T) {
	n, _ := world(t)
	atSea := map[string]int{"Great Bahama Bank": 6, "Little Bahama Bank": 2, "Paracel Islands": 4, "Dangerous Ground": 4, "Wadden Sea of East Frisia": 2,
		"Wadden Sea of North Frisia": 1, "Venetian Lagoon": 4, "Pamlico Sound": 2, "Laguna Madre": 1}
	for _, p := range n.passages {
		if !p.Flat {
			continue
		}
		open := 0
		for i, gate := range p.Gates {
			wet := 0
			for k := 1; k < len(gate); k++ {
				for _, v := range sea.Between(sea.At(gate[k-1]), sea.At(gate[k]), 0.5) {
					if n.water.Afloat(v.Point()) {
						wet++
					}
				}
			}
			if wet == 0 {
				t.Errorf("%s: there is no water at the gate from %v to %v", p.Name, gate[0], gate[len(gate)-1])
			}
			for _, end := range []geo.Point{gate[0], gate[len(gate)-1]} {
				if n.water.Afloat(end) && !n.onGate(end, p.Gates[i]) {
					open++
					t.Logf("%s: %v is at sea", p.Name, end)
				}
			}
		}
		if open != atSea[p.Name] {
			t.Errorf("%s: %d ends of its lines are at sea, want %d", p.Name, open, atSea[p.Name])
		}
	}
}

// onGate reports whether a place lies on a line of the table other than one, to 500 m.
func (n *Network) onGate(at geo.Point, but []geo.Point) bool {
	for _, p := range n.passages {
		for _, gate := range p.Gates {
			for i := 1; i < len(gate); i++ {
				plane := geo.PlaneAt(at)
				off, _ := (geo.Vector{}).Beside(plane.Vector(gate[i-1]), plane.Vector(gate[i]))
				if &gate[0] != &but[0] && geo.Distance(at, gate[i]) < 200_000 && off < 500 {
					return true
				}
			}
		}
	}
	return false
}
