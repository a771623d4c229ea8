package track

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

// Keeping is a verdict on the fix that came last and on the one before it, which was held back.
type Keeping uint8

// The parts of a verdict.
const (
	KeepPrevious Keeping = 1 << iota
	KeepThis
)

// Thinner decides for one ship, fix by fix in order of time, which fixes are kept. It holds back one fix, Pending. When the next fix
// comes, Pending is dropped or kept. It is dropped if the straight line from Kept to the next fix passes within thinMetres of it at its
// time. The same must hold for all that were dropped before.
//
// A dropped fix allows a box of velocities from kept; the boxes of all dropped ones are cut with each other. A later fix may end the leg
// when its own velocity lies in what is left.
type Thinner struct {
	Kept, Pending ship.Fix
	HasKept, Held bool

	west, east, south, north float64 // box of velocities, metres/ms
	scale                    float64 // metres in a unit of longitude at kept, 0 until asked for
}

// Add takes the next fix and returns the verdict. With full every fix is kept.
func (t *Thinner) Add(f ship.Fix, full bool) Keeping {
	k := t.Judge(f, full)
	t.Apply(f, k)
	return k
}

// Judge returns the verdict of Add and changes nothing.
func (t *Thinner) Judge(f ship.Fix, full bool) Keeping {
	if full || (!t.HasKept && !t.Held) {
		return KeepThis | t.previous()
	}
	last, from := t.Pending, t.Kept
	if !t.Held {
		last = t.Kept
	}
	limit := int64(thinMoving)
	if resting(last) && resting(f) {
		limit = thinResting
	}
	switch {
	case HourOf(last.At) != HourOf(f.At), f.Mark&^(ship.BySatellite|ship.WrongClock) != 0, (f.Mark^last.Mark)&(ship.WrongClock|ship.Untrusted) != 0,
		f.Status != last.Status, f.At-last.At > limit, pace(f) != pace(last):
		return KeepThis | t.previous()
	case !t.HasKept:
		from = t.Pending // after a restart: the kept fixes are no longer in the log
	}
	var k Keeping
	if t.Held && (!t.HasKept || !t.straight(f)) {
		k, from = KeepPrevious, t.Pending
	}
	if f.At-from.At >= limit || hasTurned(from, f) {
		k |= KeepThis
	}
	return k
}

func (t *Thinner) previous() Keeping {
	if t.Held {
		return KeepPrevious
	}
	return 0
}

// Count returns the fix with how many were left out since the one that was kept before, if the verdict on it is k.
func (t *Thinner) Count(f ship.Fix, k Keeping) ship.Fix {
	f.LeftOut = 0
	if t.Held && k&KeepPrevious == 0 {
		f.LeftOut = min(t.Pending.LeftOut, ship.MostLeftOut-1) + 1
	}
	return f
}

// Apply moves the thinner on by a verdict, its own or one that was read from the log.
func (t *Thinner) Apply(f ship.Fix, k Keeping) {
	f = t.Count(f, k)
	if k&KeepPrevious != 0 && t.Held {
		t.Keep(t.Pending)
	}
	if k&KeepThis != 0 {
		t.Keep(f)
		return
	}
	if t.HasKept {
		t.allowFix(f)
	}
	t.Pending, t.Held = f, true
}

// Keep makes f the last kept fix.
func (t *Thinner) Keep(f ship.Fix) {
	inf := math.Inf(1)
	*t = Thinner{Kept: f, HasKept: true, west: -inf, east: inf, south: -inf, north: inf}
}

// meanVelocity returns the mean motion from kept to f in metres/ms, and the reach of thinMetres over that time.
func (t *Thinner) meanVelocity(f ship.Fix) (east, north, reach float64) {
	ms := float64(f.At - t.Kept.At)
	if t.scale == 0 {
		t.scale = unitMetres * math.Cos(float64(t.Kept.Lat)/600000*math.Pi/180)
	}
	east = float64(wrapUnits(int64(f.Lon)-int64(t.Kept.Lon))) * t.scale / ms
	north = float64(int64(f.Lat)-int64(t.Kept.Lat)) * unitMetres / ms
	return east, north, thinMetres / math.Sqrt2 / ms
}

func (t *Thinner) straight(f ship.Fix) bool {
	east, north, _ := t.meanVelocity(f)
	return east >= t.west && east <= t.east && north >= t.south && north <= t.north
}

func (t *Thinner) allowFix(f ship.Fix) {
	east, north, reach := t.meanVelocity(f)
	t.west, t.east = max(t.west, east-reach), min(t.east, east+reach)
	t.south, t.north = max(t.south, north-reach), min(t.north, north+reach)
}

// resting reports whether the ship lies still or says nothing of its speed, as a base station does.
func resting(f ship.Fix) bool {
	tenths, known := f.SOG.Tenths()
	return !known || tenths <= restSOG
}

// pace tells on which side of 0.2, 0.5 and 3 kn the speed lies, and whether it is one of these. At them rest and slow sailing begin and end, by whichever of <
// and <= a question uses. An unknown speed is a pace of its own.
func pace(f ship.Fix) (class int) {
	tenths, known := f.SOG.Tenths()
	if !known {
		return -1
	}
	for _, limit := range [...]int{2, 5, 30} {
		switch {
		case tenths > limit:
			class += 2
		case tenths == limit:
			class++
		}
	}
	return class
}

// hasTurned reports whether speed or course changed by more than the rule allows.
func hasTurned(a, b ship.Fix) bool {
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

// Thin returns the fixes that a Thinner keeps of a whole track, its last one included. Times that no key can hold are left out.
func Thin(fixes []ship.Fix, full bool) []ship.Fix {
	var t Thinner
	var kept []ship.Fix
	for _, f := range fixes {
		if f.At < 0 || f.At > MaxMillis {
			continue
		}
		pending, held := t.Pending, t.Held
		k := t.Add(f, full)
		if k&KeepPrevious != 0 && held {
			kept = append(kept, pending)
		}
		if k&KeepThis != 0 {
			kept = append(kept, t.Kept)
		}
	}
	if t.Held {
		kept = append(kept, t.Pending)
	}
	return kept
}
