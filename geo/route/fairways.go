package route

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"quaywatch/geo"
	"quaywatch/geo/route/fairway"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// How fairways are joined to the water around them.
const (
	fairwayKm  = 30  // from a point of a fairway to vertices that it sees; from an open end the legs of joinKm
	mostJoined = 40  // legs of a point to vertices
	mostEnd    = 250 // the same of an open end
	betweenKm  = 500 // between two open ends
)

// besideFairway is how many kilometres a place may lie from a fairway that its way begins at.
const besideFairway = 5

// outside is how much longer a kilometre counts in an area that is on no fairway.
const outside = 1.5

// fairways are the fairways of a port, joined to the network. They do not change.
type fairways struct {
	n       *Network
	lines   []fairway.Fairway
	areas   []fairway.FairwayWater
	legs    []fairway.FairwayLeg
	points  []geo.Point
	at      []sea.UnitVector
	afloat  []bool
	ends    []bool              // one leg leads there
	first   uint32              // the number of the first point in a search; the vertices of the network come before
	out     [][]seaLeg          // from points
	in      map[uint32][]seaLeg // from vertices of the network
	scratch sync.Pool           // of *search
	asked   *memory
}

// seaLeg is a leg from a point of a fairway, or to one.
type seaLeg struct {
	to    uint32
	line  int     // of the fairway that it is a part of; -1 for open water
	km    float64 // weighed
	gates passage.PassageSet
}

// Guide has the ways from now on keep to fairways; nil is none. It fails when a fairway has no end in sight of the network, and then those
// from before stay.
func (n *Network) Guide(set *fairway.Fairways) error {
	if set == nil {
		n.fairways.Store(nil)
		return nil
	}
	f := &fairways{n: n, lines: set.Lines, areas: set.Areas, first: uint32(n.file.Vertices()), in: map[uint32][]seaLeg{}, asked: newMemory(mostAsked)}
	net := set.Join()
	f.legs, f.points = net.Legs, net.Points
	f.scratch.New = func() any { return newSearch(n.file.Vertices() + len(f.points)) }
	f.addLegs()
	for k := range f.points {
		f.joinPoint(k)
	}
	f.seeEachOther()
	if err := f.checkReached(); err != nil {
		return err
	}
	n.fairways.Store(f)
	return nil
}

// addLegs takes the legs of the fairways.
func (f *fairways) addLegs() {
	f.out = make([][]seaLeg, len(f.points))
	beside := make([]map[int]bool, len(f.points))
	for k, p := range f.points {
		f.at, f.afloat = append(f.at, sea.At(p)), append(f.afloat, f.n.water.Afloat(p))
		beside[k] = map[int]bool{}
	}
	for _, l := range f.legs {
		km := sea.Km(f.at[l.From], f.at[l.To])
		f.out[l.From] = append(f.out[l.From], seaLeg{f.first + uint32(l.To), l.Line, km, 0})
		if !f.lines[l.Line].OneWay {
			f.out[l.To] = append(f.out[l.To], seaLeg{f.first + uint32(l.From), l.Line, km, 0})
		}
		beside[l.From][l.To], beside[l.To][l.From] = true, true
	}
	for k := range f.points {
		f.ends = append(f.ends, len(beside[k]) == 1)
	}
}

// joinPoint joins a point to the vertices of the network that it sees.
func (f *fairways) joinPoint(k int) {
	if !f.afloat[k] {
		return
	}
	reach, most := [len(joinKm)]float64{fairwayKm, fairwayKm, fairwayKm, joinKm[3]}, mostJoined
	if f.ends[k] {
		reach, most = joinKm, mostEnd
	}
	for _, j := range f.n.joinsSeen(f.at[k], reach) {
		if !f.n.water.Clear(f.at[k], f.n.file.At(j.vertex), sea.Exact) {
			continue
		}
		f.link(uint32(k), j.vertex)
		if most--; most == 0 {
			return
		}
	}
}

// link joins a point and a vertex, there and back.
func (f *fairways) link(k, vertex uint32) {
	at := f.n.file.At(vertex)
	km, gates := f.weighLeg(f.at[k], at), f.n.gates.Of(f.at[k], at)
	f.out[k] = append(f.out[k], seaLeg{vertex, -1, km, gates})
	f.in[vertex] = append(f.in[vertex], seaLeg{f.first + k, -1, km, gates})
}

// seeEachOther joins open ends to points of fairways that they see.
func (f *fairways) seeEachOther() {
	for a := range f.points {
		for b := range a {
			km := sea.Km(f.at[a], f.at[b])
			near := km <= fairwayKm && (f.ends[a] || f.ends[b]) || km <= betweenKm && f.ends[a] && f.ends[b]
			if !near || !f.afloat[a] || !f.afloat[b] || !f.n.water.Clear(f.at[a], f.at[b], sea.Exact) {
				continue
			}
			km, gates := f.weighLeg(f.at[a], f.at[b]), f.n.gates.Of(f.at[a], f.at[b])
			f.out[a] = append(f.out[a], seaLeg{f.first + uint32(b), -1, km, gates})
			f.out[b] = append(f.out[b], seaLeg{f.first + uint32(a), -1, km, gates})
		}
	}
}

// checkReached looks for fairways that nothing leads to.
func (f *fairways) checkReached() error {
	reached := make([]bool, len(f.points))
	var queue []int
	for _, legs := range f.in {
		for _, l := range legs {
			if k := int(l.to - f.first); !reached[k] {
				reached[k], queue = true, append(queue, k)
			}
		}
	}
	beside := make([][]int, len(f.points))
	for a, legs := range f.out {
		for _, l := range legs {
			if b := int(l.to) - int(f.first); b >= 0 { // one-way or not
				beside[a], beside[b] = append(beside[a], b), append(beside[b], a)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, k := range beside[queue[0]] {
			if !reached[k] {
				reached[k], queue = true, append(queue, k)
			}
		}
	}
	for _, l := range f.legs {
		if !reached[l.From] {
			line := &f.lines[l.Line]
			a, b := line.Points[0], line.Points[len(line.Points)-1]
			return fmt.Errorf("fairway %q: no point of it, nor of one that it meets, is afloat in our chart and sees the open water: lead its end at %g, %g or %g, %g to there",
				line.Name, a.Lon, a.Lat, b.Lon, b.Lat)
		}
	}
	return nil
}

// weighLeg returns what a leg on no fairway counts, in kilometres.
func (f *fairways) weighLeg(a, b sea.UnitVector) float64 {
	return sea.Km(a, b) + (outside-1)*f.kmInside(a, b)
}

// kmInside returns how many kilometres of a leg lie in areas.
func (f *fairways) kmInside(a, b sea.UnitVector) (km float64) {
	for i := range f.areas {
		km += f.areas[i].Inside(a, b)
	}
	return km
}

// placeOf returns the place of a vertex or point.
func (f *fairways) placeOf(v uint32) sea.UnitVector {
	if v >= f.first {
		return f.at[v-f.first]
	}
	return f.n.file.At(v)
}

// passable returns for each fairway whether a ship fits.
func (f *fairways) passable(s fairway.ShipSize) (open []bool, all bool) {
	all = true
	for i := range f.lines {
		fits := f.lines[i].Passes(s)
		open, all = append(open, fits), all && fits
	}
	return open, all
}

// access is a way between a stop and a vertex or point.
type access struct {
	vertex uint32
	km     float64     // weighed
	way    []geo.Point // from the stop to where the leg to the vertex begins
	onLand float64     // kilometres of it
	joined bool        // the way ends at the vertex
	line   int         // of the fairway that the leg is a part of; -1 for open water, which is tested when it is its turn
	leg    int         // of the fairway
	share  float64     // of that leg that lies before the end of the way
	begun  float64     // kilometres of the way alone, weighed
}

// accesses returns the ways out of a stop, or in. Its end may be missing, where it lies ashore.
func (f *fairways) accesses(p geo.Point, e *end, open []bool, out bool) (all []access) {
	if e != nil {
		all = f.overWater(e)
	}
	return append(all, f.overFairways(p, open, out)...)
}

// landFactor is what a kilometre on land counts at an end of a way, as it does where an approach is found.
const landFactor = 20

// overWater returns the ways to the vertices and points that an end sees.
func (f *fairways) overWater(e *end) (all []access) {
	begun := (landFactor - 1) * e.onLand
	for i := 1; i < len(e.way); i++ {
		begun += f.weighLeg(sea.At(e.way[i-1]), sea.At(e.way[i]))
	}
	if e.port {
		all = append(all, access{vertex: e.vertex, km: begun, way: e.way, onLand: e.onLand, joined: true, line: -1})
	}
	to := func(v uint32) {
		all = append(all, access{vertex: v, km: begun + f.weighLeg(e.at, f.placeOf(v)), way: e.way, onLand: e.onLand, line: -1})
	}
	if !e.port && e.near {
		to(e.vertex)
	}
	for _, j := range e.joins {
		to(j.vertex)
	}
	for k, at := range f.at {
		if km := sea.Km(e.at, at); f.afloat[k] && (km < fairwayKm || km < betweenKm && f.ends[k]) {
			to(f.first + uint32(k))
		}
	}
	return all
}

// beside is a fairway near a place.
type beside struct {
	leg    int
	metres float64
	share  float64 // of the leg that lies before the nearest point
}

// nearestFairways returns the fairways that a place lies beside, the nearest first.
func (f *fairways) nearestFairways(p geo.Point, open []bool) (near []beside) {
	const most, farther = 8, 2000
	plane := geo.PlaneAt(p)
	for i, l := range f.legs {
		a, b := plane.Vector(f.points[l.From]), plane.Vector(f.points[l.To])
		if metres, share := (geo.Vector{}).Beside(a, b); metres <= 1000*besideFairway && open[l.Line] {
			near = append(near, beside{i, metres, share})
		}
	}
	slices.SortFunc(near, func(a, b beside) int { return cmp.Or(cmp.Compare(a.metres, b.metres), cmp.Compare(a.leg, b.leg)) })
	for i := range near {
		if i == most || near[i].metres > near[0].metres+farther {
			return near[:i]
		}
	}
	return near
}

// overFairways returns the ways by the fairways that a place lies beside, straight to the nearest point of each.
func (f *fairways) overFairways(p geo.Point, open []bool, out bool) (all []access) {
	plane := geo.PlaneAt(p)
	for _, b := range f.nearestFairways(p, open) {
		l := f.legs[b.leg]
		u, v := plane.Vector(f.points[l.From]), plane.Vector(f.points[l.To])
		at := plane.Point(u.Along(u.To(v), b.share))
		a := access{way: []geo.Point{p, at}, line: l.Line, leg: b.leg, share: b.share}
		a.begun = f.weighLeg(sea.At(p), sea.At(at))
		if !f.n.afloat(p, at) {
			a.onLand = b.metres / 1000
			a.begun += (landFactor - 1) * a.onLand
		}
		km := sea.Km(f.at[l.From], f.at[l.To])
		onward, back := a, a
		onward.km, back.km = a.begun+(1-b.share)*km, a.begun+b.share*km
		onward.vertex, back.vertex = f.first+uint32(l.To), f.first+uint32(l.From)
		both := !f.lines[l.Line].OneWay
		if out || both {
			all = append(all, onward)
		}
		if !out || both {
			all = append(all, back)
		}
	}
	return all
}

// matters reports whether a fairway may shorten a way, or whether the way leads through an area.
func (f *fairways) matters(w *Way, from, to geo.Point, open []bool) bool {
	if w == nil || len(f.nearestFairways(from, open)) > 0 || len(f.nearestFairways(to, open)) > 0 {
		return true
	}
	a, b, counted := sea.At(from), sea.At(to), f.countedKm(w)
	for _, at := range f.at {
		if sea.Km(a, at)+sea.Km(at, b) < counted {
			return true
		}
	}
	return false
}

// countedKm returns what a way that knew no fairways counts, in kilometres.
func (f *fairways) countedKm(w *Way) float64 {
	if w == nil {
		return math.Inf(1)
	}
	km := (landFactor - 1) * (w.SnapFrom + w.SnapTo) / 1000
	for i, fixed := range w.fixed {
		a, b := sea.At(w.Points[i]), sea.At(w.Points[i+1])
		if km += sea.Km(a, b); !fixed {
			km += (outside - 1) * f.kmInside(a, b)
		}
	}
	return km
}
