package statistic

import (
	"time"

	"quaywatch/ais"
)

// What a transfer was.
const (
	Board     = "board"
	Disembark = "disembark"
)

// PilotAboard is how long a pilot stays on a ship at most. What lies farther apart does not tell of one pilotage.
const PilotAboard = 24 * time.Hour

// Aboard reports whether pilots came or went. It remembers the transfers of a day or two. The zero Aboard is ready.
type Aboard struct {
	last   map[ais.MMSI]served
	tidied int64 // Unix milliseconds
}

// served is the last transfer of a ship.
type served struct {
	at   int64 // Unix milliseconds
	end  int64 // the same
	kind string
}

// Kind tells what a transfer was, Board or Disembark. It must be asked for all transfers in the order of their times. left is when the ship last left a port
// before it, and next is when the ship next came to a port. Each is zero where it is not known.
//
// Who came by the transfer before goes by this one. Without a transfer since the ship left its port, a pilot goes if the port that it left is nearer in time
// than the next. Else the pilot comes. A transfer or a port that is longer ago than PilotAboard does not count. A boat that comes while another is alongside does
// what that does.
func (a *Aboard) Kind(t *Transfer, left, next time.Time) string {
	a.dropOld(t.At())
	before, known := a.last[t.Ship.MMSI]
	since, until, most := t.At()-unixOr(left, never), unixOr(next, -never)-t.At(), PilotAboard.Milliseconds()
	kind := Board
	if known && t.goesOn(before.end) {
		kind = before.kind
	} else if known && t.At()-before.at <= min(most, since) {
		if before.kind == Board {
			kind = Disembark
		}
	} else if since <= min(most, until) {
		kind = Disembark
	}
	a.last[t.Ship.MMSI] = served{t.At(), t.BoatEnd.Fix.At, kind}
	return kind
}

// dropOld forgets, once a day, what is too old to tell of a pilotage.
func (a *Aboard) dropOld(now int64) {
	if a.last != nil && now-a.tidied < PilotAboard.Milliseconds() {
		return
	}
	kept := map[ais.MMSI]served{}
	for m, boarding := range a.last {
		if now-boarding.at <= PilotAboard.Milliseconds() {
			kept[m] = boarding
		}
	}
	a.last, a.tidied = kept, now
}

// unixOr returns a time in Unix milliseconds, otherwise where it is not known.
func unixOr(at time.Time, otherwise int64) int64 {
	if at.IsZero() {
		return otherwise
	}
	return at.UnixMilli()
}
