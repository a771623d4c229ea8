package portcalls

import (
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// mostNewcomers is how many ships are followed that were heard once or twice. Whoever invents numbers fills this place, and not that of ships.
const mostNewcomers = 2000

// follower returns the follower of the ship of an update, nil for a ship that is near no port, or when there is no place. A ship that was hardly heard is a
// newcomer. Neither it nor a call of it is stored, as its track is not, and it gives way to the next newcomer.
func (v *Calls) follower(u *ship.Update) *portcall.Follower {
	m := u.Now.MMSI
	if f := v.ships[m]; f != nil {
		return f
	}
	f, known := v.newcomers[m]
	if !known {
		if u.Change&ship.ChangedFix == 0 || !u.Fix.Trusted() || !v.engine.Enters(u.Fix) {
			return nil
		}
		f = portcall.Begin(fixBefore(u), draughtOf(u.AsHeard().Voyage))
	}
	if !u.Now.Confirmed() {
		if !known && len(v.newcomers) >= mostNewcomers {
			for other := range v.newcomers {
				delete(v.newcomers, other)
				break
			}
		}
		v.newcomers[m] = f
		return f
	}
	delete(v.newcomers, m)
	if !v.makeRoom(u.Now.Static != nil) {
		return nil
	}
	v.ships[m] = f
	v.changeOf(m)
	for _, c := range []*portcall.Call{f.Before, f.Call} {
		if c != nil {
			v.noteCall(c)
		}
	}
	return f
}
