// Package learn finds water that the chart has as land, out of the tracks of ships. A cell is learned water when enough ships sailed in it, on enough days.
// Besides, a chain of such cells must lead from it to water of the chart, or be long enough to stand alone. The package is pure: equal tracks in equal order
// give an equal overlay, and it reads no clock.
//
// It promises no depth, and nothing about a cell in which no ship sailed. Ships that invent their positions are held off by rules. They need static data,
// tracks without jumps at the speed of ships, and company on other days. Whoever invents all of that can still teach a cell.
package learn

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
)

// What a leg must be to teach.
const (
	slowest   = 2.0  // knots, at both ends; at one end of a short leg
	fastest   = 20.0 // knots, at both ends: over land it is rather a car. Of 4,486 positions of ships over land 8 were faster
	longest   = 3 * time.Minute
	shortest  = 25.0             // metres of a short leg: a ship that lies still moves less by the error of its position
	short     = 150.0            // metres; so near together the way between may bend,
	turns     = 30 * time.Second // when the ship had so much time to turn or stop
	ownSide   = 45.0             // metres to either side of the antenna's way, beside half of the breadth: the hull, and the error of the position
	mostBeam  = 60.0             // metres
	mostTurn  = 60.0             // degrees between the leg and the course at either end
	onSpot    = 50.0             // metres; the direction of a shorter leg says nothing
	mostCells = 500_000          // 29 MB
)

// Live is how many cells a learner holds that goes on beside the service: 7.4 MB.
const Live = 200_000

// Alone is how many metres of one stretch ships must have sailed for it to be water without a chain to water of the chart. A ship at 8 knots
// sails them in 73 seconds.
const Alone = 300

// Options say how much it takes to learn a cell.
type Options struct {
	Ships, Days int     // 0 is 3; at most 3
	Alone       float64 // metres; cells that so many ships sailed over at least this length need no chain to water of the chart; 0 = never
	Most        int     // cells that are held at most; 0 is 500,000
}

// Learner takes tracks and gives an overlay. It is for one goroutine.
type Learner struct {
	chart   *chart.Chart
	options Options
	learned *water.Overlay // before; nil for none
	cells   evidences      // of those that are not learned
	news    uint64
	full    bool
}

// New makes a learner over a chart without learned water.
func New(c *chart.Chart, o Options) *Learner {
	if o.Ships == 0 {
		o.Ships = 3
	}
	if o.Days == 0 {
		o.Days = 3
	}
	if o.Most == 0 {
		o.Most = mostCells
	}
	return &Learner{chart: c, options: o}
}

// Clone returns a learner that shares nothing with this one that changes.
func (l *Learner) Clone() *Learner {
	clone := *l
	clone.cells.slots = slices.Clone(l.cells.slots)
	return &clone
}

// Follow goes on from an overlay: what it has as learned is known, and joins further cells to water.
func (l *Learner) Follow(o *water.Overlay) { l.learned = o }

// Known returns the cells of which there is evidence still, and that are learned now.
func (l *Learner) Known() (cells []water.Square) {
	for _, e := range l.cells.allEvidence() {
		if l.learned.Learned(e.waterCell()) {
			cells = append(cells, e.waterCell())
		}
	}
	return cells
}

// Forget drops the evidence of some cells.
func (l *Learner) Forget(cells []water.Square) {
	for _, c := range cells {
		l.cells.remove(c)
	}
}

// News counts what was new: while it stays the same, so does the overlay.
func (l *Learner) News() uint64 { return l.news }

// Full reports whether cells were left out, because there were more than a learner holds.
func (l *Learner) Full() bool { return l.full }

// Sail takes a stretch of the track of a ship that is known by its static data. It also takes its breadth in metres (0 is unknown), and what the steps before
// said of it. It returns what they say with these. A stretch with a doubtful step teaches nothing at all.
func (l *Learner) Sail(m ais.MMSI, breadth float64, t ship.Track, so Trust) Trust {
	doubtful := false
	for i := 1; i < len(t) && !doubtful; i++ {
		doubtful = l.Doubts(t[i-1], t[i])
	}
	for i := 1; i < len(t); i++ {
		switch {
		case doubtful && l.Doubts(t[i-1], t[i]):
			so.Doubt(t[i].Time())
		case Teaches(t[i-1], t[i]) && l.Trusts(&so, t[i]) && !doubtful:
			l.Leg(m, breadth, t[i-1], t[i])
		}
	}
	return so
}

// Leg takes the step from one fix of a ship to the next, which teaches. It allocates nothing where the ship was before.
func (l *Learner) Leg(m ais.MMSI, breadth float64, from, to ship.Fix) {
	if m > 0 && m <= math.MaxUint32 && l.OverLand(from, to) {
		a, b := from.Point(), to.Point()
		l.addLeg(uint32(m), uint16(to.At/(24*time.Hour).Milliseconds()+1), a, b, ownSide+min(breadth, mostBeam)/2)
	}
}

// OverLand reports whether the chart has land on the leg between two fixes. Leg takes nothing from any other.
func (l *Learner) OverLand(from, to ship.Fix) bool {
	return l.chart.LegCrossesLand(from.Point(), to.Point())
}

// addLeg notes the ship in all cells whose middle lies near its way and that have land.
func (l *Learner) addLeg(m uint32, day uint16, a, b geo.Point, half float64) {
	plane := geo.PlaneAt(a)
	from, to := geo.Vector{}, plane.Vector(b)
	low := plane.Point(geo.Vector{X: min(0, to.X) - half, Y: min(0, to.Y) - half})
	high := plane.Point(geo.Vector{X: max(0, to.X) + half, Y: max(0, to.Y) + half})
	for row := water.CellAt(low).Row; row <= water.CellAt(high).Row; row++ {
		lat := water.Square{Row: row}.Center().Lat
		first, last := water.CellAt(geo.Point{Lon: low.Lon, Lat: lat}), water.CellAt(geo.Point{Lon: high.Lon, Lat: lat})
		if last.Col < first.Col { // over 180°, where nothing is learned
			continue
		}
		for c := first; c.Col <= last.Col; c.Col++ {
			if plane.Vector(c.Center()).EdgeDistance(from, to) <= half {
				l.noteCell(c, m, day)
			}
		}
	}
}

func (l *Learner) noteCell(c water.Square, m uint32, day uint16) {
	e := l.cells.find(c)
	switch {
	case e != nil:
		if fresh, two := add(&e.Ships, m), add(&e.Days, day); fresh || two {
			l.news++
		}
	case l.learned.Learned(c) || !l.hasLand(c):
	case l.cells.used >= l.options.Most:
		l.full = true
	default:
		l.cells.add(evidence{Row: c.Row, Col: c.Col, Ships: [3]uint32{m}, Days: [3]uint16{day}})
		l.news++
	}
}

// add puts a value into the first free place, unless it is there, and reports whether it did.
func add[T uint32 | uint16](to *[3]T, v T) bool {
	for i := range to {
		if to[i] == v {
			return false
		}
		if to[i] == 0 {
			to[i] = v
			return true
		}
	}
	return false
}

func (l *Learner) hasLand(c water.Square) bool {
	for _, p := range c.Corners() {
		if l.chart.Land(p) {
			return true
		}
	}
	return l.chart.Land(c.Center())
}

// Overlay returns what is learned so far, with what was learned before, and whether it was too much for an overlay.
func (l *Learner) Overlay() (o *water.Overlay, full bool) {
	enough, all := map[water.Square]bool{}, l.cells.allEvidence()
	for i := range all {
		if e := &all[i]; e.Ships[l.options.Ships-1] != 0 && e.Days[l.options.Days-1] != 0 {
			enough[e.waterCell()] = true
		}
	}
	joined := map[water.Square]bool{}
	for i := range all {
		c := all[i].waterCell()
		if !enough[c] || joined[c] {
			continue
		}
		part, stays := l.joinedCells(c, enough)
		for _, p := range part {
			if stays {
				joined[p] = true
			} else {
				delete(enough, p)
			}
		}
	}
	var learned, seen []water.Square
	if l.learned != nil {
		learned, seen = l.learned.Cells()
		seen = slices.DeleteFunc(seen, func(c water.Square) bool { return joined[c] })
	}
	for i := range all {
		c := all[i].waterCell()
		switch {
		case l.learned.Learned(c):
		case joined[c]:
			learned = append(learned, c)
		default:
			seen = append(seen, c)
		}
	}
	return water.New(sorted(learned), sorted(seen))
}

// joinedCells returns the cells that a chain joins to a cell, and whether they stay. They stay when one of them lies at known water, or when they may stand alone.
func (l *Learner) joinedCells(first water.Square, enough map[water.Square]bool) (part []water.Square, stays bool) {
	part = []water.Square{first}
	known := map[water.Square]bool{first: true}
	for i := 0; i < len(part); i++ {
		c := part[i]
		stays = stays || l.atWater(c) || l.besideLearned(c)
		for _, n := range c.Beside() {
			if enough[n] && !known[n] {
				known[n] = true
				part = append(part, n)
			}
		}
	}
	return part, stays || l.standsAlone(part)
}

// standsAlone reports whether enough ships sailed far enough in a part.
func (l *Learner) standsAlone(part []water.Square) bool {
	if l.options.Alone <= 0 {
		return false
	}
	sailed := map[uint32]geo.Rect{}
	for _, c := range part {
		at := c.Center()
		for _, m := range l.cells.find(c).Ships {
			if bounds, ok := sailed[m]; ok {
				sailed[m] = bounds.Extend(at)
			} else {
				sailed[m] = geo.RectOf(at)
			}
		}
	}
	delete(sailed, 0)
	ships := 0
	for _, b := range sailed {
		if geo.Distance(geo.Point{Lon: b.West, Lat: b.South}, geo.Point{Lon: b.East, Lat: b.North}) >= l.options.Alone {
			ships++
		}
	}
	return ships >= l.options.Ships
}

// besideLearned reports whether a chain that was found before ends beside a cell.
func (l *Learner) besideLearned(c water.Square) bool {
	for _, n := range c.Beside() {
		if l.learned.Learned(n) {
			return true
		}
	}
	return false
}

// atWater reports whether the chart has water at one of the corners of a cell.
func (l *Learner) atWater(c water.Square) bool {
	for _, p := range c.Corners() {
		if !l.chart.Land(p) {
			return true
		}
	}
	return false
}

// sorted puts cells in the order of rows, so that the same ones are left out of an overlay that is too small.
func sorted(cells []water.Square) []water.Square {
	slices.SortFunc(cells, func(a, b water.Square) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col)) })
	return cells
}
