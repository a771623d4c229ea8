package watchdog_test

import (
	"math"

	"quaywatch/ais"
	"quaywatch/ship"
)

// berths tells where a ship lies, by brute force: it keeps all places, and measures them again from the first one for each report.
type berths struct {
	metres func(x1, y1, x2, y2 float64) float64
	parts  func(x1, y1, x2, y2 float64) bool // a border or line lies between two places
	all    []berthed
}

// berthed is a report as it came, and what became of it.
type berthed struct {
	fix  ship.Fix
	x, y float64
	lay  int     // the report at whose place the ship lies, -1 for none
	out  bool    // it is out of reach, but not yet clearly
	away float64 // metres from the middle, when it came
}

func (r *berthed) rests() bool {
	knots, known := r.fix.SOG.Knots()
	if s := r.fix.Status; s == ais.StatusMoored || s == ais.StatusAtAnchor || s == ais.StatusAground {
		return !known || knots <= 1
	}
	return known && knots < 0.5
}

// behind reports whether a place lies behind a ship, by its course at another one.
func (b *berths) behind(was, r *berthed) bool {
	course, known := was.fix.COG.Degrees()
	east, north := degrees(was.y)
	bearing := math.Atan2((r.x-was.x)*east, (r.y-was.y)*north) * 180 / math.Pi
	return known && math.Abs(math.Remainder(bearing-course, 360)) > 90
}

// hear returns the place of a report: that of the report at whose place the ship lies, else its own.
func (b *berths) hear(fix ship.Fix, x, y float64, forgot bool) (float64, float64) {
	r := berthed{fix: fix, x: x, y: y, lay: -1}
	n := len(b.all)
	if n > 0 && fix.Mark&ship.NewSegment == 0 {
		was := &b.all[n-1]
		if r.lay = was.lay; forgot {
			r.lay = -1
		}
		if r.lay < 0 && (was.rests() || b.behind(was, &r)) && r.rests() && b.metres(was.x, was.y, x, y) <= 100 && b.parts(was.x, was.y, x, y) {
			r.lay = n - 1
		}
		if r.lay >= 0 {
			b.measure(&r)
		}
	}
	if b.all = append(b.all, r); r.lay < 0 {
		return x, y
	}
	return b.all[r.lay].x, b.all[r.lay].y
}

// measure compares a report with those since the ship lies, and notes when it lies no more.
func (b *berths) measure(r *berthed) {
	x, y, reach, _, row := b.stand(r.lay, r.fix.Status)
	r.away = b.metres(x, y, r.x, r.y)
	knots, known := r.fix.SOG.Knots()
	r.out = r.away > reach
	if known && knots >= 2 || r.out && (row >= 2 || r.away >= 2*reach || known && knots >= 0.5) {
		r.lay = -1
	}
	if r.lay < 0 || r.out {
		return
	}
	lay := r.lay
	b.all = append(b.all, *r)
	x, y, reach, places, _ := b.stand(lay, r.fix.Status)
	b.all = b.all[:len(b.all)-1]
	if places >= 10 && b.metres(b.all[lay].x, b.all[lay].y, x, y) > reach {
		r.lay = -1
	}
}

// stand returns the middle of the places since a report, how many they are, how far from it a ship may be, and how many reports in a row are beyond.
func (b *berths) stand(lay int, status ais.NavStatus) (x, y, reach float64, n, row int) {
	var middle []*berthed
	squares, steps, swing, swings := 0.0, 0, 0.0, 1
	for i := lay; i < len(b.all); i++ {
		is := &b.all[i]
		if i > lay && is.out {
			row++
			continue
		}
		if row = 0; i > lay {
			swing, swings = swing+is.away, swings+1
			if was := &b.all[i-1]; i-1 > lay && !was.out {
				squares, steps = squares+math.Pow(b.metres(is.x, is.y, was.x, was.y), 2), steps+1
			}
		}
		if len(middle) < 30 {
			middle = append(middle, is)
		}
	}
	for _, p := range middle {
		x, y = x+p.x/float64(len(middle)), y+p.y/float64(len(middle))
	}
	if steps > 0 {
		reach = 4 * math.Sqrt(squares/float64(steps)/2)
	}
	if status == ais.StatusAtAnchor {
		reach = math.Max(reach, 4*swing/float64(swings))
	}
	return x, y, math.Min(400, math.Max(50, reach)*(1+2/float64(len(middle)))), len(middle), row
}
