// Package unconfirmed remembers ships that are not yet confirmed: anyone can invent an MMSI, so a ship is stored from its third report on. The
// memory of all of them is bounded. It is not safe for concurrent use.
package unconfirmed

import (
	"math/bits"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Confirmed is how many reports of a ship it takes until it is stored.
const Confirmed = 3

const (
	groupMillis = 5 * 60 * 1000
	mostLogged  = 10_000 // reports in groupMillis that wait to be logged: more are inventions
)

// The index is a power of two of sets of ten. By chance alone, ten ships in a set at once are next to impossible where no one invents them.
const (
	setBits = 10
	ways    = 10
	Most    = ways << setBits // ships that are remembered at most
	part    = 128             // slots that are made at once: growing copies nothing
)

// set finds ships by their numbers. It fits a line of the processor's cache, so a look-up touches no ship but the right one.
type set struct {
	mmsi [ways]uint32 // the low bits, 1 for none; 0 is a free place
	slot [ways]uint16
}

// stranger is what is remembered of a ship.
type stranger struct {
	state  ship.State // as it was heard last; no MMSI in a free slot
	n      int8
	logged int8 // of the n fixes
	fixes  [Confirmed - 1]ship.Fix
}

// ShipTable remembers ships that are not yet confirmed and their last two fixes. It grows to Most ships. When the places of a set are taken, a
// newcomer gets that of the ship that was heard longest ago.
type ShipTable struct {
	sets    [1 << setBits]set
	slots   []*[part]stranger
	made    int // slots that were given out once
	free    []uint16
	waiting [(Most + 63) / 64]uint64 // slots with something that is not yet in the log
	met     int                      // reports that were marked in the group
	group   int64                    // of groupMillis
}

// Meet remembers a report of a ship, and marks the ship for the log. When isFix, f is its fix; of more than two fixes the newest are kept. Of
// reports within five minutes of now, 10,000 are marked; more are inventions.
func (t *ShipTable) Meet(state *ship.State, f ship.Fix, isFix bool, now int64) {
	slot := t.putReport(state, f, isFix)
	if group := now / groupMillis; group != t.group {
		t.group, t.met = group, 0
	}
	if t.met++; t.met <= mostLogged {
		t.markWaiting(slot)
	}
}

// Restore remembers a state that the log holds.
func (t *ShipTable) Restore(state *ship.State) {
	s := t.strangerAt(t.putReport(state, state.Fix, state.HasFix))
	s.logged = s.n
}

// Recall returns the remembered fixes of a ship and forgets it. They are good until the next call.
func (t *ShipTable) Recall(m ais.MMSI) []ship.Fix {
	in, i := t.find(m)
	if i < 0 {
		return nil
	}
	s := t.strangerAt(in.slot[i])
	t.free = append(t.free, in.slot[i])
	in.mmsi[i] = 0
	s.state = ship.State{}
	return s.fixes[:s.n]
}

// Each calls fn with the state of each ship. It may recall the ship.
func (t *ShipTable) Each(fn func(state *ship.State)) {
	for i := range t.made {
		if s := t.strangerAt(uint16(i)); s.state.MMSI != 0 {
			fn(&s.state)
		}
	}
}

// MarkAll marks all that is known of ships for the log anew, but of those that were not heard since.
func (t *ShipTable) MarkAll(since int64) {
	for i := range t.made {
		if s := t.strangerAt(uint16(i)); s.state.MMSI != 0 && s.state.Heard >= since {
			s.logged = 0
			t.markWaiting(uint16(i))
		}
	}
}

// Log hands to log what is marked of at most so many ships: Restore of all of it, in order, gives the same again. It reports whether there may be more.
func (t *ShipTable) Log(most int, log func(state *ship.State)) (more bool) {
	for i := range t.waiting {
		for ; t.waiting[i] != 0; most-- {
			if most == 0 {
				return true
			}
			bit := bits.TrailingZeros64(t.waiting[i])
			t.waiting[i] &^= 1 << bit
			t.strangerAt(uint16(64*i + bit)).logFixes(log)
		}
	}
	return false
}

func (s *stranger) logFixes(log func(state *ship.State)) {
	if s.state.MMSI == 0 {
		return
	}
	for _, f := range s.fixes[s.logged:s.n] {
		if s.state.HasFix && f == s.state.Fix {
			continue // the state itself has it
		}
		was := s.state
		was.Fix, was.HasFix, was.Static, was.Voyage = f, true, nil, nil // the state follows
		log(&was)
	}
	log(&s.state)
	s.logged = s.n
}

func (t *ShipTable) markWaiting(slot uint16) { t.waiting[slot/64] |= 1 << (slot % 64) }

// putReport puts a report into the ship's slot, a new one when it has none.
func (t *ShipTable) putReport(state *ship.State, f ship.Fix, isFix bool) (slot uint16) {
	in, i := t.find(state.MMSI)
	if i < 0 {
		i = t.freePlace(in)
		in.mmsi[i] = shipKey(state.MMSI)
	}
	s := t.strangerAt(in.slot[i])
	if s.state.MMSI != state.MMSI {
		s.n, s.logged = 0, 0
	}
	s.state = *state
	if isFix && (s.n == 0 || s.fixes[s.n-1].At != f.At) {
		s.add(f)
	}
	return in.slot[i]
}

func (s *stranger) add(f ship.Fix) {
	if int(s.n) == len(s.fixes) {
		copy(s.fixes[:], s.fixes[1:])
		s.n--
		s.logged = max(0, s.logged-1)
	}
	s.fixes[s.n] = f
	s.n++
}

// find returns the set of a ship and its place there, -1 when it has none.
func (t *ShipTable) find(m ais.MMSI) (in *set, i int) {
	const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ over the golden ratio: spreads neighbouring numbers
	in = &t.sets[uint64(m)*golden>>(64-setBits)]
	k := shipKey(m)
	for i := range in.mmsi {
		if in.mmsi[i] == k && t.strangerAt(in.slot[i]).state.MMSI == m {
			return in, i
		}
	}
	return in, -1
}

// freePlace returns a place in a set with a slot: a free one, or that of the ship that was heard longest ago.
func (t *ShipTable) freePlace(in *set) int {
	oldest := 0
	for i := range in.mmsi {
		if in.mmsi[i] == 0 {
			in.slot[i] = t.freeSlot()
			return i
		}
		if t.strangerAt(in.slot[i]).state.Heard < t.strangerAt(in.slot[oldest]).state.Heard {
			oldest = i
		}
	}
	return oldest
}

// freeSlot returns a slot that no ship has.
func (t *ShipTable) freeSlot() (slot uint16) {
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
		return slot
	}
	if t.made%part == 0 {
		t.slots = append(t.slots, new([part]stranger))
	}
	t.made++
	return uint16(t.made - 1)
}

func (t *ShipTable) strangerAt(slot uint16) *stranger { return &t.slots[slot/part][slot%part] }

// shipKey is what stands for a ship in its set.
func shipKey(m ais.MMSI) uint32 { return max(uint32(m), 1) }
