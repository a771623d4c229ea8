package portcalls

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/portcall"
)

// AtSeaThen returns AtSea of a ship for any time in from <= time < to. It reckons out of the calls that are kept, as far as they were known then.
func (v *Calls) AtSeaThen(ctx context.Context, m ais.MMSI, from, to time.Time) (func(at time.Time) (time.Duration, bool), error) {
	var known []visit // the latest first
	begin, end := portcall.Millis(from.UnixMilli()), portcall.Millis(to.UnixMilli())
	for c, err := range v.callsBack(ctx, m, v.newestKey(m)) {
		if err != nil {
			return nil, err
		}
		stay := visit{from: max(c.Entered, c.Found.Stays[0].Seen), to: c.knownOver()}
		if stay.from >= end {
			continue
		}
		if known = append(known, stay); stay.from <= begin {
			break
		}
	}
	return func(at time.Time) (time.Duration, bool) {
		now := portcall.Millis(at.UnixMilli())
		for i := range known {
			switch stay := &known[i]; {
			case stay.from > now:
			case stay.to == 0 || now < stay.to:
				return 0, true
			default:
				return at.Sub(stay.to.Time()), true
			}
		}
		return 0, false
	}, ctx.Err()
}
