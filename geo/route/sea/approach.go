package sea

import (
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/queue"
)

// The grid of an approach.
const (
	approachStep = 0.002 // degrees of latitude; as wide as it is high
	landFactor   = 20    // a kilometre on land costs as much as so many afloat
	mostCells    = 400_000
	mostLand     = 50 // kilometres
	mostCost     = mostLand*landFactor + 150
	kmPerDegree  = Radius * math.Pi / 180
)

// WayToWater is the way with the least land from a place to water.
type WayToWater struct {
	Way    []geo.Point // from the place to the last point, which is afloat
	OnLand float64     // kilometres of it that are land in our chart
	Target int         // which target is seen from the last point
}

// Approach seeks the way with the least land from a place to the first point that is afloat, lies beside a target, and sees it. It fails
// where a flood of 400,000 cells of 220 m reaches none, or only over more than some 50 km of land.
func (w *Water) Approach(from geo.Point, targets []UnitVector) (WayToWater, bool) {
	if len(targets) == 0 || !w.waterWithin(from) {
		return WayToWater{}, false
	}
	f := newFlood(w, from, targets)
	for len(f.queue) > 0 && len(f.cells) < mostCells {
		at := f.queue.Pop()
		if at.Rank > mostCost {
			break
		}
		cell := f.cells[at.Value]
		if cell.done {
			continue
		}
		cell.done = true
		f.cells[at.Value] = cell
		if target, ok := f.seenTarget(at.Value, cell); ok {
			way, onLand := f.wayTo(at.Value)
			return WayToWater{f.pull(way), onLand, target}, true
		}
		f.spreadCell(at.Value, cell)
	}
	return WayToWater{}, false
}

// waterWithin looks for water on circles round a place. It spares the flood for places far inland.
func (w *Water) waterWithin(p geo.Point) bool {
	if w.Afloat(p) {
		return true
	}
	v := At(p)
	heading := HeadingAt(v)
	for km := 0.5; km < mostLand; km += 1 + km/20 {
		for bin := 0.0; bin < Bins; bin += 4 {
			if w.Afloat(heading.Toward(v, bin, km).Point()) {
				return true
			}
		}
	}
	return false
}

// flood is a search over a grid of square cells round a place.
type flood struct {
	water   *Water
	from    geo.Point
	lonStep float64
	targets []UnitVector
	beside  map[cellKey][]int32 // targets by the cells round them
	cells   map[cellKey]floodCell
	queue   queue.Queue[float64, cellKey] // the cells by their cost
}

type cellKey struct{ x, y int32 }

type floodCell struct {
	cost   float64
	parent cellKey
	land   bool
	done   bool
}

func newFlood(w *Water, from geo.Point, targets []UnitVector) *flood {
	f := &flood{water: w, from: from, lonStep: approachStep / max(math.Cos(from.Lat*math.Pi/180), 0.02), targets: targets,
		beside: make(map[cellKey][]int32, 9*len(targets)), cells: map[cellKey]floodCell{}}
	for i, t := range targets {
		p := t.Point()
		east := math.Mod(p.Lon-from.Lon+540, 360) - 180
		x, y := int32(math.Round(east/f.lonStep)), int32(math.Round((p.Lat-from.Lat)/approachStep))
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				f.beside[cellKey{x + dx, y + dy}] = append(f.beside[cellKey{x + dx, y + dy}], int32(i))
			}
		}
	}
	f.cells[cellKey{}] = floodCell{land: !w.Afloat(from)}
	f.queue.Push(0, cellKey{})
	return f
}

// cellMiddle returns the middle of a cell.
func (f *flood) cellMiddle(k cellKey) geo.Point {
	return geo.Point{Lon: f.from.Lon + float64(k.x)*f.lonStep, Lat: f.from.Lat + float64(k.y)*approachStep}.Normalized()
}

// seenTarget returns a target beside an afloat cell that is seen from it.
func (f *flood) seenTarget(k cellKey, cell floodCell) (target int, ok bool) {
	near := f.beside[k]
	if cell.land || len(near) == 0 {
		return 0, false
	}
	here := At(f.cellMiddle(k))
	for _, i := range near {
		if f.water.Clear(here, f.targets[i], Exact) {
			return int(i), true
		}
	}
	return 0, false
}

// spreadCell offers the eight cells round a cell.
func (f *flood) spreadCell(k cellKey, cell floodCell) {
	for dx := int32(-1); dx <= 1; dx++ {
		for dy := int32(-1); dy <= 1; dy++ {
			next := cellKey{k.x + dx, k.y + dy}
			was, seen := f.cells[next]
			if next == k || was.done {
				continue
			}
			if !seen {
				p := f.cellMiddle(next)
				if !p.Valid() {
					continue
				}
				was = floodCell{cost: math.Inf(1), land: !f.water.Afloat(p)}
			}
			if cost := cell.cost + stepCost(dx, dy, cell.land, was.land); cost < was.cost {
				was.cost, was.parent = cost, k
				f.queue.Push(cost, next)
			}
			f.cells[next] = was
		}
	}
}

// stepKm returns the length of a step between two cells.
func stepKm(dx, dy int32) float64 {
	return math.Hypot(float64(dx), float64(dy)) * approachStep * kmPerDegree
}

func stepCost(dx, dy int32, from, to bool) float64 {
	factor := 1.0
	for _, land := range []bool{from, to} {
		if land {
			factor += (landFactor - 1) / 2.0
		}
	}
	return factor * stepKm(dx, dy)
}

// wayTo returns the cells from the place to a cell, and the kilometres of land.
func (f *flood) wayTo(k cellKey) (way []cellKey, onLand float64) {
	for way = []cellKey{k}; k != (cellKey{}); way = append(way, k) {
		cell := f.cells[k]
		for _, land := range []bool{cell.land, f.cells[cell.parent].land} {
			if land {
				onLand += stepKm(k.x-cell.parent.x, k.y-cell.parent.y) / 2
			}
		}
		k = cell.parent
	}
	slices.Reverse(way)
	return way, onLand
}

// pull draws the way straight where it is afloat, and keeps the first and last cell of each stretch of land.
func (f *flood) pull(way []cellKey) []geo.Point {
	points := []geo.Point{f.cellMiddle(way[0])}
	for at := 0; at < len(way)-1; {
		next := at + 1
		if f.cells[way[at]].land {
			for next < len(way)-1 && f.cells[way[next]].land {
				next++
			}
		} else {
			next = f.farthest(way, at)
		}
		points = append(points, f.cellMiddle(way[next]))
		at = next
	}
	return points
}

// farthest returns the last cell of a stretch of water that is seen from its cell at.
func (f *flood) farthest(way []cellKey, at int) int {
	from, last := At(f.cellMiddle(way[at])), at+1
	for next := at + 1; next < len(way) && !f.cells[way[next]].land && next < at+500; next++ {
		if f.water.Clear(from, At(f.cellMiddle(way[next])), Exact) {
			last = next
		} else if next > last+20 {
			break
		}
	}
	return last
}
