package watchdogs

import (
	"cmp"
	"maps"
	"slices"

	"quaywatch/ais"
)

// owner returns whose event it is. What ends an event without one of its own belongs to the owner of that event.
func (r *raised) owner() string {
	if r.began != nil {
		return r.began.owner
	}
	return r.event.Owner
}

// inTurn takes at most n of the events that wait, and returns them and those that wait longer. Owners take turns: one that has few events waits for none
// that has many. Those of an owner stay in their order.
func inTurn(pending []raised, n int) (now, later []raised) {
	if len(pending) <= n {
		return pending, nil
	}
	left := placesOf(pending, n)
	now, later = make([]raised, 0, n), make([]raised, 0, len(pending)-n)
	for i := range pending {
		if of := pending[i].owner(); left[of] > 0 {
			left[of]--
			now = append(now, pending[i])
		} else {
			later = append(later, pending[i])
		}
	}
	return now, later
}

// placesOf returns how many of n places each owner of events gets. These are equal parts, and what some do not need goes to those that have more.
func placesOf(pending []raised, n int) map[string]int {
	waits := map[string]int{}
	for i := range pending {
		waits[pending[i].owner()]++
	}
	owners := slices.SortedFunc(maps.Keys(waits), func(a, b string) int { return cmp.Compare(waits[a], waits[b]) })
	for i, of := range owners {
		waits[of] = min(waits[of], n/(len(owners)-i))
		n -= waits[of]
	}
	return waits
}

// watched is a ship of a watchdog.
type watched struct {
	watchdog uint64
	mmsi     ais.MMSI
}

// shipsOf returns of which ships events wait: their alarms are stored with them, and not before.
func shipsOf(pending []raised) map[watched]bool {
	ships := make(map[watched]bool, len(pending))
	for i := range pending {
		ships[watched{pending[i].event.Watchdog, pending[i].event.Ship.MMSI}] = true
	}
	return ships
}
