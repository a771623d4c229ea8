package sim

import "math"

// rail is a planned way that a ship follows to its end: a line with rounded corners that crosses no land.
type rail struct {
	points []vec
	length []float64 // from the beginning to each point
}

// newRail makes a rail of its points; consecutive points that coincide are joined.
func newRail(points []vec) *rail {
	r := &rail{points: points[:1:1], length: []float64{0}}
	for _, p := range points[1:] {
		last := len(r.points) - 1
		if step := p.distance(r.points[last]); step > 0.01 {
			r.points = append(r.points, p)
			r.length = append(r.length, r.length[last]+step)
		}
	}
	return r
}

func (r *rail) endLength() float64 { return r.length[len(r.length)-1] }

// placeAt returns the place and direction after the distance s. The search begins at leg; found is the leg for the next search.
func (r *rail) placeAt(s float64, leg int) (place, direction vec, found int) {
	last := len(r.points) - 2
	if last < 0 {
		return r.points[0], vec{}, 0
	}
	if leg > last || r.length[leg] > s {
		leg = 0
	}
	for leg < last && r.length[leg+1] < s {
		leg++
	}
	step := r.points[leg+1].minus(r.points[leg])
	f := (s - r.length[leg]) / (r.length[leg+1] - r.length[leg])
	return r.points[leg].plus(step.times(max(0, min(1, f)))), step.unit(), leg
}

// nearestAlong returns the distance along the rail at which the rail is nearest to a place.
func (r *rail) nearestAlong(to vec) float64 {
	best, bestDistance := 0.0, math.Inf(1)
	for s := 0.0; s < r.endLength(); s += 50 {
		if p, _, _ := r.placeAt(s, 0); p.distance(to) < bestDistance {
			best, bestDistance = s, p.distance(to)
		}
	}
	return best
}

// reversed returns the same way back.
func reversed(points []vec) []vec {
	out := make([]vec, len(points))
	for i, p := range points {
		out[len(points)-1-i] = p
	}
	return out
}

// smooth turns a way from cell to cell into one that a ship would sail. Legs are straight for as long as the water allows
// and lie up to keep metres to starboard; corners are rounded. The parts follow each other; each ends where the next begins.
func (w *water) smooth(keep float64, parts ...[]vec) []vec {
	points := w.straighten(parts[0])
	for _, part := range parts[1:] {
		points = append(points, w.straighten(part)[1:]...)
	}
	points = w.keepStarboard(points, keep)
	for _, cut := range []float64{450, 160, 60} {
		points = w.roundCorners(points, cut)
	}
	return points
}

// straighten replaces parts of a way by straight legs. A leg comes no nearer to the shore than the way does, or than 600 m.
func (w *water) straighten(points []vec) []vec {
	out := points[:1:1]
	for i := 0; i < len(points)-1; {
		reach := 1
		for reach < 64 && i+2*reach < len(points) && w.isSafeLeg(points[i:i+2*reach+1]) {
			reach *= 2
		}
		for more := reach / 2; more > 0; more /= 2 {
			if i+reach+more < len(points) && w.isSafeLeg(points[i:i+reach+more+1]) {
				reach += more
			}
		}
		i += reach
		out = append(out, points[i])
	}
	return out
}

// isSafeLeg reports whether the straight leg from the first to the last point is as safe as the way along the points.
func (w *water) isSafeLeg(points []vec) bool {
	need := uint8(4)
	for _, p := range points {
		need = min(need, w.roomAt(p))
	}
	a, b := points[0], points[len(points)-1]
	n := int(a.distance(b)/(w.size/2)) + 1
	for i := range n {
		if w.roomAt(a.mix(b, float64(i)/float64(n))) < need {
			return false
		}
	}
	return !w.crossesShore(a, b)
}

func (w *water) roomAt(v vec) uint8 {
	if c := w.cellAt(v); c >= 0 {
		return w.room[c]
	}
	return 0
}

// keepStarboard moves the inner points to the right of the way, at most a third of the way to the shore.
func (w *water) keepStarboard(points []vec, keep float64) []vec {
	out := append([]vec(nil), points...)
	for i := 1; i < len(points)-1; i++ {
		along := points[i+1].minus(points[i]).unit().plus(points[i].minus(points[i-1]).unit()).unit()
		room := max(0, float64(w.roomAt(points[i]))-1) * w.size / 3
		out[i] = points[i].plus(along.starboard().times(min(keep, room)))
	}
	for again := true; again; {
		again = false
		for i := 1; i < len(out); i++ {
			moved := out[i] != points[i] || out[i-1] != points[i-1]
			if moved && w.crossesShore(out[i-1], out[i]) {
				out[i-1], out[i] = points[i-1], points[i]
				again = true
			}
		}
	}
	return out
}

// roundCorners cuts each corner at most cut metres before and after it, unless the cut crosses land.
func (w *water) roundCorners(points []vec, cut float64) []vec {
	if len(points) < 3 {
		return points
	}
	out := points[:1:1]
	for i := 1; i < len(points)-1; i++ {
		in, off := points[i].minus(points[i-1]), points[i+1].minus(points[i])
		if math.Abs(turnBetween(in.bearing(), off.bearing())) < 2 {
			out = append(out, points[i])
			continue
		}
		a := points[i].minus(in.unit().times(min(cut, in.length()*0.4)))
		b := points[i].plus(off.unit().times(min(cut, off.length()*0.4)))
		if w.crossesShore(a, b) {
			out = append(out, points[i])
		} else {
			out = append(out, a, b)
		}
	}
	return append(out, points[len(points)-1])
}
