package statistic_test

import (
	"math"
	"slices"
	"sort"
	"time"

	"quaywatch/geo"
	"quaywatch/ship"
)

// brute tells the visits of one ship from its whole track at once: all parts of legs that are inside, then cut, joined and merged.
// Its geometry is the schoolbook's, in degrees about a base.
type brute struct {
	base       geo.Point
	polygon    geo.Polygon
	begin, end int64
	cuts       []int64 // ends of intervals
	track      ship.Track
}

// piece is a time inside.
type piece struct {
	in, out int64
	metres  float64
	inside  int64 // milliseconds
	before  bool  // it was inside before in
	still   bool  // it was inside at out, which an end of a time made
	silent  bool
}

func (b *brute) contains(p geo.Point) bool {
	x, y := xy(b.base, p)
	in := false
	for i, ring := range b.polygon {
		if odd := b.odd(ring, x, y); i == 0 {
			in = odd
		} else if odd {
			return false
		}
	}
	return in
}

// odd counts the edges of a ring to the east of a place.
func (b *brute) odd(ring []geo.Point, x, y float64) bool {
	odd := false
	for i := 1; i < len(ring); i++ {
		ax, ay := xy(b.base, ring[i-1])
		bx, by := xy(b.base, ring[i])
		if (ay > y) != (by > y) && x < ax+(y-ay)/(by-ay)*(bx-ax) {
			odd = !odd
		}
	}
	return odd
}

// leg returns the pieces of a leg.
func (b *brute) leg(f, g ship.Fix, whole bool) (pieces []piece) {
	x1, y1 := xy(b.base, f.Point())
	x2, y2 := xy(b.base, g.Point())
	cuts := []float64{0, 1}
	for _, ring := range b.polygon {
		for i := 1; i < len(ring); i++ {
			ax, ay := xy(b.base, ring[i-1])
			bx, by := xy(b.base, ring[i])
			d := (x2-x1)*(by-ay) - (y2-y1)*(bx-ax)
			s := ((ax-x1)*(by-ay) - (ay-y1)*(bx-ax)) / d
			u := ((ax-x1)*(y2-y1) - (ay-y1)*(x2-x1)) / d
			if d != 0 && u >= 0 && u <= 1 && s > 0 && s < 1 {
				cuts = append(cuts, s)
			}
		}
	}
	sort.Float64s(cuts)
	metres, long := geo.Distance(f.Point(), g.Point()), g.At-f.At
	for i := 1; i < len(cuts); i++ {
		m := (cuts[i-1] + cuts[i]) / 2
		if !whole && !b.contains(geo.Point{Lon: b.base.Lon + x1 + m*(x2-x1), Lat: b.base.Lat + y1 + m*(y2-y1)}) {
			continue
		}
		in, out := f.At+int64(math.Round(cuts[i-1]*float64(long))), f.At+int64(math.Round(cuts[i]*float64(long)))
		if in < out {
			pieces = append(pieces, piece{in: in, out: out, metres: metres * float64(out-in) / float64(long), inside: out - in})
		}
	}
	return pieces
}

// raw returns all pieces of the track.
func (b *brute) raw() (pieces []piece) {
	for i, f := range b.track {
		if i > 0 {
			g := b.track[i-1]
			from, to, long := b.contains(g.Point()), b.contains(f.Point()), f.At-g.At
			if leadsOn(g, f) || f.Mark&ship.NewSegment == 0 && long <= 3_600_000 && (from || to) {
				pieces = append(pieces, b.leg(g, f, long > 1_800_000 && from && to)...)
				continue
			}
		}
		if b.contains(f.Point()) {
			pieces = append(pieces, piece{in: f.At, out: f.At, before: true})
		}
	}
	return pieces
}

// cut keeps what is in the period, in pieces that end with the intervals.
func (b *brute) cut(pieces []piece) (kept []piece) {
	limits, held := append([]int64{b.begin, b.end}, b.cuts...), false // held: a leg ends inside at begin
	for _, p := range pieces {
		rest := []piece{p}
		for _, limit := range limits {
			var next []piece
			for _, p := range rest {
				if p.in < limit && limit < p.out {
					share := float64(limit-p.in) / float64(p.out-p.in)
					next = append(next, piece{in: p.in, out: limit, metres: p.metres * share, inside: limit - p.in, before: p.before, still: true},
						piece{in: limit, out: p.out, metres: p.metres * (1 - share), inside: p.out - limit, before: true, still: p.still})
				} else {
					next = append(next, p)
				}
			}
			rest = next
		}
		for _, p := range rest {
			if p.in >= b.begin && p.in < b.end {
				p.before = p.before || p.in == b.begin && held
				kept = append(kept, p)
			}
		}
		held = held || p.in < b.begin && p.out == b.begin
	}
	slices.SortStableFunc(kept, func(a, b piece) int { return int(a.in - b.in) })
	return kept
}

// visits joins the pieces that follow each other, and merges what is hardly apart.
func (b *brute) visits() (visits []piece) {
	for _, p := range b.cut(b.raw()) {
		if len(visits) > 0 && b.joins(&visits[len(visits)-1], &p) {
			last := &visits[len(visits)-1]
			last.out, last.still = p.out, p.still
			last.metres, last.inside = last.metres+p.metres, last.inside+p.inside
			continue
		}
		visits = append(visits, p)
	}
	for i := range visits {
		b.ending(&visits[i], visits[i+1:])
	}
	return visits
}

func (b *brute) joins(last, p *piece) bool {
	for _, cut := range b.cuts {
		if last.in < cut && cut <= p.in {
			return false
		}
	}
	if p.in == last.out {
		return true
	}
	samples := 0
	for _, f := range b.track {
		if f.At > last.out && f.At < p.in {
			samples++
		}
	}
	return samples < 2 && p.in-last.out < 5*60*1000
}

// ending tells how a visit ended.
func (b *brute) ending(v *piece, later []piece) {
	v.still = v.still || slices.Contains(b.cuts, v.out) && len(later) > 0 && later[0].in == v.out
	i := slices.IndexFunc(b.track, func(f ship.Fix) bool { return f.At == v.out })
	if i < 0 || !b.contains(b.track[i].Point()) {
		return
	}
	switch {
	case v.out == b.end:
		v.still = true
	case i+1 < len(b.track): // perhaps after the end: a silence over it is one too
		v.silent = b.track[i+1].At-v.out > 3_600_000
	case b.end-v.out > 3_600_000:
		v.silent = true
	default:
		v.still = true
	}
}

// cutsOf returns the ends of the days, weeks or months in a time.
func cutsOf(begin, end time.Time, starts func(time.Time) bool) (cuts []int64) {
	for day := begin.Truncate(24 * time.Hour); day.Before(end); day = day.AddDate(0, 0, 1) {
		if starts(day) {
			cuts = append(cuts, day.UnixMilli())
		}
	}
	return cuts
}
