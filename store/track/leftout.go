package track

import "quaywatch/ship"

// LeftOut returns until when after a kept fix thinning may have left out fixes, in Unix milliseconds; next is the kept one that follows. It is the time of the
// first where nothing can have been left out. What a Thinner drops lies within its limit of the fix kept before, and is of the same kind.
func LeftOut(kept, next ship.Fix) int64 {
	limit := int64(thinMoving)
	if resting(kept) && resting(next) {
		limit = thinResting
	}
	switch {
	case HourOf(kept.At) != HourOf(next.At), next.Mark&^(ship.BySatellite|ship.WrongClock) != 0, (kept.Mark^next.Mark)&(ship.WrongClock|ship.Untrusted) != 0,
		kept.Status != next.Status, pace(kept) != pace(next), next.At-kept.At >= 2*limit:
		return kept.At
	}
	return min(next.At, kept.At+limit)
}
