package route

import (
	"context"
	"slices"
	"time"

	"quaywatch/geo/route/fairway"
)

// SpeedLimit is how much of a way lies on fairways with a limit of speed.
type SpeedLimit struct{ Knots, Metres float64 }

// addLimit adds what lies on fairways with a limit.
func (w *Way) addLimit(s SpeedLimit) {
	for i := range w.SpeedLimits {
		if w.SpeedLimits[i].Knots == s.Knots {
			w.SpeedLimits[i].Metres += s.Metres
			return
		}
	}
	w.SpeedLimits = append(w.SpeedLimits, s)
}

// Time returns how long a ship takes at a speed in knots, above 0. On fairways with a limit it sails no faster than that.
func (w *Way) Time(knots float64) time.Duration {
	hours := w.Distance / 1852 / knots
	for _, s := range w.SpeedLimits {
		if s.Knots < knots {
			hours += s.Metres / 1852 * (1/s.Knots - 1/knots)
		}
	}
	return time.Duration(hours * float64(time.Hour))
}

// guided returns the way between two stops that keeps to the fairways. w is the way without them, nil where err says why there is none.
func (f *fairways) guided(ctx context.Context, q question, w *Way, err error) (*Way, error) {
	known, round, ok := f.asked.get(q)
	if ok {
		return known, nil
	}
	open, all := f.passable(q.size)
	if ctx.Err() != nil || q.from == q.to || !f.matters(w, q.from, q.to, open) {
		return w, err
	}
	best, stopped := f.shortest(ctx, q, open, w)
	if stopped == nil && !all {
		var free *Way
		if free, stopped = f.shortest(ctx, q, slices.Repeat([]bool{true}, len(f.lines)), best); free != best {
			if best == nil {
				return nil, f.tooLarge(q.size)
			}
			limited := *best
			limited.DraughtLimited = limited.DraughtLimited || f.tooLarge(q.size) == ErrTooDeep
			best = &limited
		}
	}
	if stopped != nil {
		return nil, stopped
	}
	if best == nil {
		return nil, err
	}
	if w != nil && best != w {
		kept := *best
		kept.barred, kept.DraughtLimited = w.barred&^best.gates, best.DraughtLimited || w.DraughtLimited
		best = &kept
	}
	f.asked.putWay(q, best, round)
	return best, nil
}

// tooLarge tells which of its sizes closes fairways to a ship.
func (f *fairways) tooLarge(s fairway.ShipSize) error {
	if _, all := f.passable(fairway.ShipSize{Length: s.Length, Beam: s.Beam}); all {
		return ErrTooDeep
	}
	return ErrTooLarge
}
