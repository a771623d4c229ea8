package ship

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"quaywatch/geo"
)

// Track is fixes of one ship in the order of time.
type Track []Fix

// GapLimit is how long a leg may last: between two fixes farther apart in time the ship may have been anywhere.
const GapLimit = 30 * time.Minute

// Leg is the step from one fix to the next.
type Leg struct {
	From, To Fix
}

// Length returns the metres of the leg.
func (l Leg) Length() float64 { return geo.Distance(l.From.Point(), l.To.Point()) }

// Duration returns the time that the leg took.
func (l Leg) Duration() time.Duration { return time.Duration(l.To.At-l.From.At) * time.Millisecond }

// Knots returns the speed over the leg.
func (l Leg) Knots() float64 { return l.Length() / 1852 / l.Duration().Hours() }

// Joins reports whether a leg leads from one fix to the next. There is none over a gap longer than GapLimit, and none to the first fix of a new segment. There is
// also none from or to a fix that is untrusted.
func Joins(from, to Fix) bool {
	return to.Mark&NewSegment == 0 && (from.Mark|to.Mark)&Untrusted == 0 && time.Duration(to.At-from.At)*time.Millisecond <= GapLimit
}

// LegBounds returns the rectangle of the leg from one fix to the next, or of the next alone where no leg leads to it. From is the zero Fix for none.
func LegBounds(from, to Fix) geo.Rect {
	p := to.Point()
	bounds := geo.Rect{West: p.Lon, South: p.Lat, East: p.Lon, North: p.Lat}
	if from.At != 0 && Joins(from, to) {
		bounds = bounds.Extend(from.Point())
	}
	return bounds
}

// Trusted returns the fixes that are trusted: the track itself when all are.
func (t Track) Trusted() Track {
	if !slices.ContainsFunc(t, func(f Fix) bool { return !f.Trusted() }) {
		return t
	}
	return slices.DeleteFunc(slices.Clone(t), func(f Fix) bool { return !f.Trusted() })
}

// Within returns the fixes with from <= time < to.
func (t Track) Within(from, to time.Time) Track {
	lo, hi := t.indexAt(from.UnixMilli()), t.indexAt(to.UnixMilli())
	return t[lo:max(lo, hi)]
}

// Overlapping returns the fixes with from <= time < to and the ends of the legs that begin before or end after. So a time that is asked
// in parts gives the same legs as the whole.
func (t Track) Overlapping(from, to time.Time) Track {
	begin := from.UnixMilli()
	lo, hi := t.indexAt(begin), t.indexAt(to.UnixMilli())
	if lo > 0 && lo < len(t) && t[lo].At > begin && Joins(t[lo-1], t[lo]) {
		lo--
	}
	if hi > lo && hi < len(t) && Joins(t[hi-1], t[hi]) {
		hi++
	}
	return t[lo:max(lo, hi)]
}

// indexAt returns the index of the first fix at that time or later, in Unix milliseconds.
func (t Track) indexAt(ms int64) int {
	i, _ := slices.BinarySearchFunc(t, ms, func(f Fix, ms int64) int { return cmp.Compare(f.At, ms) })
	return i
}

// Legs returns the legs of the track in order. Over a gap longer than GapLimit and to the first fix of a new segment there
// is no leg.
func (t Track) Legs() iter.Seq[Leg] {
	return func(yield func(Leg) bool) {
		for i := 1; i < len(t); i++ {
			if Joins(t[i-1], t[i]) && !yield(Leg{t[i-1], t[i]}) {
				return
			}
		}
	}
}

// Length returns the metres that the ship sailed along the legs of the track.
func (t Track) Length() float64 {
	metres := 0.0
	for leg := range t.Legs() {
		metres += leg.Length()
	}
	return metres
}

// Thin returns the first fix of each interval of the given length, never an interpolated one. It begins a segment if a fix that is left out
// before it did. Intervals are counted from the Unix epoch, so that parts of a track are thinned as the whole is. A resolution of zero or
// less gives the track itself.
func (t Track) Thin(resolution time.Duration) Track {
	step := resolution.Milliseconds()
	if step <= 0 || len(t) == 0 {
		return t
	}
	thin := make(Track, 0, len(t))
	last := int64(-1 << 62)
	var begun Mark
	for _, f := range t {
		begun |= f.Mark & NewSegment
		interval := f.At / step
		if f.At < 0 && f.At%step != 0 {
			interval--
		}
		if interval != last {
			f.Mark |= begun
			thin, last, begun = append(thin, f), interval, 0
		}
	}
	return thin
}

// Bounds returns the smallest rectangle that holds the track; it spans 180° where that is smaller.
func (t Track) Bounds() geo.Rect {
	points := make([]geo.Point, len(t))
	for i, f := range t {
		points[i] = f.Point()
	}
	return geo.RectOf(points...)
}
