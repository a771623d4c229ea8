package statistic

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Bounds of what is held of a ship.
const (
	MostDayCells  = 5000  // of one DensityDay; a day of more cells has several
	mostTripCells = 10000 // that a trip remembers; then another begins
)

// LatticeCell is a cell of a lattice, by its column and row.
type LatticeCell struct{ X, Y int32 }

// Lattice cuts the leg from a to b at the borders of cells. It calls fn with the parts in order, in shares of the leg. The first part begins with 0, each
// other where the one before ends, and the last ends with 1.
type Lattice func(a, b geo.Point, fn func(at LatticeCell, from, to float64))

// DensityQuestion asks where ships spend their time.
type DensityQuestion struct {
	Period Period
	Area   *geo.Area // of a polygon or a circle
	Split  Lattice
}

// CellTime is what a ship did in a cell on one day.
type CellTime struct {
	LatticeCell
	Millis    int64 // that it was in the cell and in the area, under way or at rest
	Trips     int   // that first touched the cell on that day
	Crossings int   // how often it entered the cell
}

// DensityDay is where a ship was on one day of UTC.
type DensityDay struct {
	MMSI  ais.MMSI
	Day   time.Time  // its midnight
	Cells []CellTime // by rows from the south, each from the west
	seen  quarters
}

// Moments returns what a reader must be allowed to have seen, as those of SOGDay.
func (d DensityDay) Moments() []Moment { return d.seen }

// Density adds up how long each ship was in each cell of an area. A leg lasts in each cell as long as its share there: the ship sails it evenly. A leg of a
// ship at rest counts as well, and none counts that does not join (ship.Joins). Times are whole milliseconds, so those of the cells sum to the time in the area.
//
// A trip is a track without a silence or a jump. It ends too when the ship was outside of the area for more than 30 minutes, and when it touched 10,000
// cells. It counts once in each cell, on the day on which it first touches it. What comes back into the area enters a cell again.
//
// It holds one day and one trip of each ship of a day.
type Density struct {
	q      DensityQuestion
	tell   func(DensityDay)
	ships  map[ais.MMSI]*densityShip
	within bool // the part that is taken lies within the area as a whole
	leg    leg  // that is taken
	spans  []geo.Span
}

// densityShip is the day of a ship that is not yet over, and its trip.
type densityShip struct {
	last  ship.Fix
	day   int64 // days since the Unix epoch
	cells map[LatticeCell]*CellTime
	seen  quarters
	trip  map[LatticeCell]struct{}
	in    bool        // it is in the area, in the cell at
	at    LatticeCell // where it is, or was before it left
	left  int64       // when it was in the area last
}

// NewDensity answers a question and tells each day of each ship once, in several pieces where it has many cells.
func NewDensity(q DensityQuestion, tell func(DensityDay)) *Density {
	return &Density{q: q, tell: tell, ships: map[ais.MMSI]*densityShip{}}
}

// Take takes a part of a track.
func (d *Density) Take(m ais.MMSI, part ship.Track) {
	v := d.ships[m]
	if v == nil {
		v = &densityShip{last: ship.Fix{At: never}}
		d.ships[m] = v
	}
	part = newer(part, v.last.At)
	if len(part) == 0 {
		return
	}
	if v.last.At == never {
		v.last = part[0]
	}
	within, certain := d.q.Area.Side(partBounds(v.last, part))
	if certain && !within && !v.in {
		v.passBy(part)
		return
	}
	d.within = certain && within
	for _, f := range part {
		if f.At > v.last.At {
			d.leg = leg{ship.Leg{From: v.last, To: f}, m}
			d.addLeg(v, &d.leg)
			v.last = f
		}
	}
}

// passBy takes a part that lies outside of the area, as the fix before it does.
func (v *densityShip) passBy(part ship.Track) {
	for i := range part {
		if !ship.Joins(v.last, part[i]) {
			v.trip = nil
		}
		v.last = part[i]
	}
}

// addLeg takes a leg.
func (d *Density) addLeg(v *densityShip, l *leg) {
	if !ship.Joins(l.From, l.To) {
		v.in, v.trip = false, nil
		return
	}
	from, to := l.From.Point(), l.To.Point()
	if d.spans = d.spans[:0]; d.within {
		d.spans = append(d.spans, geo.Span{From: 0, To: 1})
	} else {
		d.spans = d.q.Area.Inside(from, to, d.spans)
	}
	until := 0.0
	for _, span := range d.spans {
		v.in = v.in && span.From == until
		until = span.To
		a, b := from, to
		if span.From > 0 {
			a = l.pointAt(span.From)
		}
		if span.To < 1 {
			b = l.pointAt(span.To)
		}
		d.q.Split(a, b, func(at LatticeCell, from, to float64) {
			d.addTime(v, l, at, l.timeAt(legShare(span, from)), l.timeAt(legShare(span, to)))
		})
	}
	v.in = v.in && until == 1
}

// legShare returns the share of a leg of a share of a part of it. At the ends of the part it is exact.
func legShare(span geo.Span, share float64) float64 {
	if share == 1 {
		return span.To
	}
	return span.From + share*(span.To-span.From)
}

// addTime takes the time in one cell, in Unix milliseconds.
func (d *Density) addTime(v *densityShip, l *leg, at LatticeCell, from, to int64) {
	begin, end := d.q.Period.Begin.UnixMilli(), d.q.Period.End.UnixMilli()
	if from >= end || to < begin || to == begin && from < begin {
		return
	}
	from, to = max(from, begin), min(to, end)
	d.open(v, l.mmsi, floorDiv(from, dayMillis))
	d.countCell(v, l, at, from)
	for from < to {
		d.open(v, l.mmsi, floorDiv(from, dayMillis))
		until := min(to, (v.day+1)*dayMillis)
		d.cellAt(v, l, at).Millis += until - from
		from = until
	}
	v.left = to
}

// open begins a day, and tells the one before.
func (d *Density) open(v *densityShip, m ais.MMSI, day int64) {
	if day != v.day {
		d.tellRecord(m, v)
		v.day = day
	}
}

// countCell counts a trip and a crossing where they are new.
func (d *Density) countCell(v *densityShip, l *leg, at LatticeCell, ms int64) {
	if !v.in && ms-v.left > ship.GapLimit.Milliseconds() || len(v.trip) >= mostTripCells && v.at != at {
		v.trip = nil
	}
	if v.trip == nil {
		v.trip = map[LatticeCell]struct{}{}
	}
	if _, touched := v.trip[at]; !touched {
		v.trip[at] = struct{}{}
		d.cellAt(v, l, at).Trips++
	}
	if !v.in || v.at != at {
		d.cellAt(v, l, at).Crossings++
	}
	v.in, v.at = true, at
}

// cellAt returns a cell of the day, and notes that the leg is part of it. A day that is full is told before.
func (d *Density) cellAt(v *densityShip, l *leg, at LatticeCell) *CellTime {
	c := v.cells[at]
	if c == nil {
		if len(v.cells) >= MostDayCells {
			d.tellRecord(l.mmsi, v)
		}
		if v.cells == nil {
			v.cells = map[LatticeCell]*CellTime{}
		}
		c = &CellTime{LatticeCell: at}
		v.cells[at] = c
	}
	v.seen.addReport(l.mmsi, l.From)
	return c
}

// Over tells the days that are over, and forgets the ships that are silent or away since. A ship comes back on a new trip: it was away for 30 minutes.
func (d *Density) Over(now time.Time) {
	ms := now.UnixMilli()
	for _, m := range slices.Sorted(maps.Keys(d.ships)) {
		v := d.ships[m]
		if ms-v.last.At > ship.GapLimit.Milliseconds() && (len(v.cells) == 0 || ms >= (v.day+1)*dayMillis) {
			d.tellRecord(m, v)
			delete(d.ships, m)
		}
	}
}

// End tells the days that are not over.
func (d *Density) End() {
	for _, m := range slices.Sorted(maps.Keys(d.ships)) {
		d.tellRecord(m, d.ships[m])
	}
}

// tellRecord tells what a ship did since the last record.
func (d *Density) tellRecord(m ais.MMSI, v *densityShip) {
	if len(v.cells) > 0 {
		day := DensityDay{MMSI: m, Day: time.UnixMilli(v.day * dayMillis).UTC(), seen: v.seen}
		for _, c := range v.cells {
			day.Cells = append(day.Cells, *c)
		}
		slices.SortFunc(day.Cells, func(a, b CellTime) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
		d.tell(day)
	}
	v.cells, v.seen = nil, nil
}
