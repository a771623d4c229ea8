package route

import (
	"context"
	"errors"
	"slices"

	"quaywatch/geo/route/sea"
)

// The network has no vertex in the mouth of a small harbour, and a canal begins where it sees one. So a way may lead far off before it turns back into a mouth,
// and past the end of a canal and back. Both are drawn tight. Distances are kilometres.
const (
	loopApart   = 1.0  // points of a way between which a loop lies
	loopTimes   = 3.0  // times as far along the way, and
	loopMore    = 0.5  // so much more
	longestLoop = 80.0 // that is looked for
	bankApart   = 0.5  // from the middle of a canal what lies at its bank is
	leastCut    = 0.2  // of a cut
	cutShare    = 0.01 // of both legs at a corner
	nearMouth   = 0.2  // from the end of a leg the first point that is looked for
	mostCuts    = 4    // rounds
	cornerKm    = 20.0 // from a corner of the coast, within which its land is met
	mouthOff    = 3.0  // from an end, where its mouth is taken to be
	looseLeg    = 5.0  // the least that leads to an end and is looked at
	loosePart   = 0.02 // of both legs, and
	looseMore   = 2.0  // the least by which they are longer than the direct one
)

// tighten draws a smooth line tight. canals tells on which water a canal may be entered on its way; nil is none.
func tighten(l *line, free sight, canals *sea.Water) *line {
	for range mostCuts {
		cut := l.cutCorners(canals, free)
		l.turn()
		cut = l.cutCorners(canals, free) || cut
		l.turn()
		if !cut {
			break
		}
		l = smooth(l, free)
	}
	return l
}

// turn turns a line round.
func (l *line) turn() {
	slices.Reverse(l.points)
	slices.Reverse(l.at)
	slices.Reverse(l.fixed)
}

// dropLoops leaves out where a way leads on and comes back beside itself. It does so past the end of a canal, or where the network enters that farther on. What
// lies at the bank of a canal is taken to open into it, whatever the chart has between.
func (l *line) dropLoops(free sight) {
	for i := 0; i < len(l.fixed); i++ {
		along, saved, last, over := 0.0, 0.0, 0, false
		canal := true // all legs so far are of a canal
		for j := i; j < len(l.fixed) && along < longestLoop; j++ {
			canal = canal && l.fixed[j]
			along += sea.Km(l.at[j], l.at[j+1])
			apart := sea.Km(l.at[i], l.at[j+1])
			if apart > loopApart || along < loopTimes*apart+loopMore || along-apart < saved {
				continue
			}
			seen := !canal && free(l.at[i], l.at[j+1], sea.Exact)
			if seen || canal || apart < bankApart && (l.onCanal(i) || l.onCanal(j+1)) {
				saved, last, over = along-apart, j+1, !seen
			}
		}
		if last > 0 {
			l.drop(i+1, last)
			l.fixed[i] = over
		}
	}
}

// onCanal reports whether a point is one of a canal, or of another way that is led whatever the chart says.
func (l *line) onCanal(i int) bool { return i > 0 && l.fixed[i-1] || i < len(l.fixed) && l.fixed[i] }

// drop leaves out the points from one to before another. The leg over the gap is what the leg to the first of them was.
func (l *line) drop(from, to int) {
	l.points, l.at = slices.Delete(l.points, from, to), slices.Delete(l.at, from, to)
	l.fixed = slices.Delete(l.fixed, from, to)
}

// cutCorners cuts the corners that a line need not sail to, and reports whether there was one.
func (l *line) cutCorners(canals *sea.Water, free sight) (some bool) {
	for i := 1; i < len(l.fixed); i++ {
		for i < len(l.fixed) && !l.fixed[i-1] && l.cutCorner(i, canals, free) {
			some = true
		}
	}
	return some
}

// cutCorner moves a corner along the leg behind it, as far as the point before sees it. It reports whether that makes the line shorter. A leg of a canal is
// entered on its way only where the line turns back into it, and only on water of the chart.
func (l *line) cutCorner(i int, canals *sea.Water, free sight) bool {
	a, b, c := l.at[i-1], l.at[i], l.at[i+1]
	ab, bc := sea.Km(a, b), sea.Km(b, c)
	if ab+bc-sea.Km(a, c) < max(leastCut, cutShare*(ab+bc)) {
		return false
	}
	if l.fixed[i] && (canals == nil || b.Plus(-1, a).Dot(c.Plus(-1, b)) > 0 || !canals.Clear(b, c, sea.Exact)) {
		return false
	}
	if near := min(ab/2, bc/2, cornerKm); !l.fixed[i] && !free(alongLeg(b, a, near/ab), alongLeg(b, c, near/bc), sea.Quick) {
		return false // a corner of the coast
	}
	sees := func(off float64) bool { // the place so far from c
		q := alongLeg(b, c, 1-off/bc)
		return free(a, q, sea.Quick) && free(a, q, sea.Exact) && (l.fixed[i] || free(q, c, sea.Exact))
	}
	if bc > nearMouth && !sees(0.9*bc) {
		return false
	}
	if sees(0) {
		l.fixed[i-1] = false
		l.drop(i, i+1)
		return true
	}
	off := nearMouth
	for off < bc && !sees(off) {
		off *= 2
	}
	if off >= bc {
		return false
	}
	q := alongLeg(b, c, 1-off/bc)
	if ab+bc-sea.Km(a, q)-sea.Km(q, c) < leastCut || !free(a, q, sea.Exact) || !l.fixed[i] && !free(q, c, sea.Exact) {
		return false
	}
	l.at[i], l.points[i] = q, q.Point()
	return true
}

// alongLeg returns the place at a share of a leg.
func alongLeg(a, b sea.UnitVector, share float64) sea.UnitVector {
	return sea.At(sea.UnitVector{}.Plus(1-share, a).Plus(share, b).Point())
}

// throughMouth looks for another way where the leg to an end comes from far off although the sea before the end is open. It is one to a place before the
// mouth of the harbour, from where more is seen. It returns the shorter line with its ends.
func (n *Network) throughMouth(ctx context.Context, s *search, l *line, from, to *end, first bool, limit limits) (*line, *end, *end, error) {
	e := to
	if first {
		e = from
		l.turn()
		defer l.turn()
	}
	mouth, ok := n.looseMouth(l, e, n.open(limit.closed))
	if !ok {
		return l, from, to, nil
	}
	before := *e
	before.way, before.at = append(slices.Clone(e.way), mouth.Point()), mouth
	before.port, before.near, before.marked, before.joins = false, false, none, nil
	if !n.see(&before) {
		return l, from, to, nil
	}
	a, b := from, &before
	if first {
		a, b = &before, to
	}
	other, err := n.drawnLine(ctx, s, a, b, limit)
	switch {
	case errors.Is(err, ErrNoRoute):
		return l, from, to, nil
	case err != nil:
		return l, from, to, err
	case other.km() < l.km():
		return other, a, b, nil
	}
	return l, from, to, nil
}

// looseMouth returns the place before the mouth of an end that a line comes to from far off, if it does.
func (n *Network) looseMouth(l *line, e *end, free sight) (mouth sea.UnitVector, loose bool) {
	end := slices.Index(l.points, e.way[len(e.way)-1])
	if end < 2 || l.fixed[end-1] || l.fixed[end-2] {
		return mouth, false
	}
	a, b, c := l.at[end-2], l.at[end-1], l.at[end]
	both, bc := sea.Km(a, b)+sea.Km(b, c), sea.Km(b, c)
	if bc < looseLeg || both-sea.Km(a, c) < max(looseMore, loosePart*both) || !free(a, alongLeg(b, c, 0.05), sea.Exact) {
		return mouth, false
	}
	return alongLeg(b, c, 1-mouthOff/bc), true
}

// km returns the length of a line.
func (l *line) km() (sum float64) {
	for i := range l.fixed {
		sum += sea.Km(l.at[i], l.at[i+1])
	}
	return sum
}
