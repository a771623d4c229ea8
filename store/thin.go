package store

import (
	"math"

	"quaywatch/ship"
)

// The rule of thinning (docs/format.md states what it costs).
const (
	thinMetres  = 25         // how far a fix that is dropped may lie from the straight line between those kept
	thinMoving  = 60 * 1000  // milliseconds after which a ship under way gets a fix at the latest
	thinResting = 360 * 1000 // and one at rest
	thinSOG     = 10         // tenths of a knot
	thinCOG     = 50         // tenths of a degree
	thinCOGFrom = 30         // tenths of a knot, below which the COG is noise
)

// unitMetres is one ais.PlaceUnit of latitude in metres: 111320 m a degree, the longest a degree is.
const unitMetres = 111320.0 / 600000

// keeping is a verdict on the fix that came last and on the one before it, which was held back.
type keeping uint8

const (
	keepPrevious keeping = 1 << iota
	keepThis
)

// thinner decides for one ship, fix by fix in order of time, which fixes are kept. It holds back one fix, pending: with
// the next one it is either dropped, because the straight line from kept to the next one passes within thinMetres of it
// and of all that were dropped before, at their times, or kept.
//
// A dropped fix allows a box of velocities from kept; the boxes of all dropped ones are cut with each other. A later fix
// may end the leg when its own velocity lies in what is left.
type thinner struct {
	kept, pending ship.Fix
	hasKept, held bool

	west, east, south, north float64 // box of velocities, metres/ms
	scale                    float64 // metres in a unit of longitude at kept, 0 until asked for
}

// add takes the next fix and gives the verdict. With full every fix is kept.
func (t *thinner) add(f ship.Fix, full bool) keeping {
	k := t.judge(f, full)
	t.apply(f, k)
	return k
}

func (t *thinner) judge(f ship.Fix, full bool) keeping {
	if full || (!t.hasKept && !t.held) {
		return keepThis | t.previous()
	}
	last, from := t.pending, t.kept
	if !t.held {
		last = t.kept
	}
	limit := int64(thinMoving)
	if resting(last) && resting(f) {
		limit = thinResting
	}
	switch {
	case bucketOf(last.At) != bucketOf(f.At), f.Mark&^ship.FromSky != 0, f.Status != last.Status, f.At-last.At > limit:
		return keepThis | t.previous()
	case !t.hasKept:
		from = t.pending // after a restart: her kept fixes are no longer in the log
	}
	var k keeping
	if t.held && (!t.hasKept || !t.straight(f)) {
		k, from = keepPrevious, t.pending
	}
	if f.At-from.At >= limit || turned(from, f) {
		k |= keepThis
	}
	return k
}

func (t *thinner) previous() keeping {
	if t.held {
		return keepPrevious
	}
	return 0
}

// apply moves the thinner on by a verdict, its own or one that was read from the log.
func (t *thinner) apply(f ship.Fix, k keeping) {
	if k&keepPrevious != 0 && t.held {
		t.keep(t.pending)
	}
	if k&keepThis != 0 {
		t.keep(f)
		return
	}
	if t.hasKept {
		t.allow(f)
	}
	t.pending, t.held = f, true
}

// keep makes f the last kept fix.
func (t *thinner) keep(f ship.Fix) {
	inf := math.Inf(1)
	*t = thinner{kept: f, hasKept: true, west: -inf, east: inf, south: -inf, north: inf}
}

// velocity gives the mean motion from kept to f in metres/ms, and the reach of thinMetres over that time.
func (t *thinner) velocity(f ship.Fix) (east, north, reach float64) {
	ms := float64(f.At - t.kept.At)
	if t.scale == 0 {
		t.scale = unitMetres * math.Cos(float64(t.kept.Lat)/600000*math.Pi/180)
	}
	east = float64(wrapUnits(int64(f.Lon)-int64(t.kept.Lon))) * t.scale / ms
	north = float64(int64(f.Lat)-int64(t.kept.Lat)) * unitMetres / ms
	return east, north, thinMetres / math.Sqrt2 / ms
}

func (t *thinner) straight(f ship.Fix) bool {
	east, north, _ := t.velocity(f)
	return east >= t.west && east <= t.east && north >= t.south && north <= t.north
}

func (t *thinner) allow(f ship.Fix) {
	east, north, reach := t.velocity(f)
	t.west, t.east = max(t.west, east-reach), min(t.east, east+reach)
	t.south, t.north = max(t.south, north-reach), min(t.north, north+reach)
}

// resting tells whether she lies still or says nothing of her speed, as a base station does.
func resting(f ship.Fix) bool {
	tenths, known := f.SOG.Tenths()
	return !known || tenths <= restSOG
}

// turned tells whether speed or course changed by more than the rule allows.
func turned(a, b ship.Fix) bool {
	if (a.SOG == 0) != (b.SOG == 0) || abs(int(a.SOG)-int(b.SOG)) > thinSOG {
		return true
	}
	speed, _ := b.SOG.Tenths()
	from, ok1 := a.COG.Tenths()
	to, ok2 := b.COG.Tenths()
	if speed < thinCOGFrom || !ok1 || !ok2 {
		return false
	}
	d := abs(from - to)
	return min(d, 3600-d) > thinCOG
}

func abs(v int) int { return max(v, -v) }
