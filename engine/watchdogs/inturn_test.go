package watchdogs

import (
	"slices"
	"testing"

	"quaywatch/ais"
)

// enters makes events of an owner of the ships from first on, each with what it begins.
func enters(owner string, watchdog uint64, first, n int) []raised {
	list := make([]raised, n)
	for i := range list {
		list[i] = raised{event: Event{Owner: owner, Watchdog: watchdog, Ship: ShipOfEvent{MMSI: ais.MMSI(first + i)}}, begins: true, began: &began{owner: owner}}
	}
	return list
}

// TestOwnersTakeTurns: who has few events waits for none who has many, those of an owner stay in order, and what ends an event comes behind it.
func TestOwnersTakeTurns(t *testing.T) {
	crowd, harbour := enters("crowd", 1, 0, 100), enters("harbour", 2, 0, 3)
	end := raised{began: crowd[99].began, ends: true, untold: true}
	pending := slices.Concat(crowd, []raised{end}, harbour, enters("pilot", 3, 0, 20))
	var taken []raised
	for parts := 0; len(pending) > 0; parts++ {
		now, later := inTurn(pending, 30)
		if len(now) != min(30, len(pending)) || len(now)+len(later) != len(pending) {
			t.Fatalf("%d and %d of %d", len(now), len(later), len(pending))
		}
		of := map[string]int{}
		for i := range now {
			of[now[i].owner()]++
		}
		if parts == 0 && (of["harbour"] != 3 || of["pilot"] != 13 || of["crowd"] != 14) {
			t.Errorf("the first commit has %v", of)
		}
		waits := shipsOf(later)
		for i := range later {
			if !waits[watched{later[i].event.Watchdog, later[i].event.Ship.MMSI}] {
				t.Errorf("the alarm of %v does not wait with its event", later[i].event.Ship.MMSI)
			}
		}
		taken, pending = append(taken, now...), later
	}
	next := map[string]ais.MMSI{}
	for i := range taken {
		r := &taken[i]
		if r.ends {
			if next["crowd"] != 100 {
				t.Errorf("the end comes after %d events of its owner", next["crowd"])
			}
			continue
		}
		if r.event.Ship.MMSI != next[r.event.Owner] {
			t.Fatalf("%s: ship %d, want %d", r.event.Owner, r.event.Ship.MMSI, next[r.event.Owner])
		}
		next[r.event.Owner]++
	}
}

// TestMoreOwnersThanPlaces: each owner comes in the end, the one with few events first.
func TestMoreOwnersThanPlaces(t *testing.T) {
	var pending []raised
	for i, owner := range []string{"a", "b", "c", "d", "e"} {
		pending = append(pending, enters(owner, uint64(i), 0, 5-i)...)
	}
	for n := 0; len(pending) > 0; n++ {
		now, later := inTurn(pending, 2)
		if len(now) == 0 || n > 10 {
			t.Fatalf("%d events wait for good", len(pending))
		}
		pending = later
	}
}
