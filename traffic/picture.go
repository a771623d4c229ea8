// Package traffic is now: the latest state of every ship that is heard, by number and by place. It promises one order of updates, the
// same for the same reports. Readers never see half an update, and memory is bounded, whatever is sent. It keeps no history and touches
// no disk.
//
// No reader holds the lock of the picture for longer than a few hundred ships take. It is given copies, and may take its time over them.
//
// Locks: the picture has a lock for readers and its writer, and a lock for edits that wait. Each Paced has a lock for its inbox, and a PacedSet has a lock for
// its list. No two of them are held together. Observers are called without any of them.
package traffic

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/rtree"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/ship/receiver"
)

// Picture is the traffic picture. One goroutine writes it (Run); any number may read it.
type Picture struct {
	Pulse
	config Config

	mu         sync.RWMutex
	ships      map[ais.MMSI]*entry
	all        []*entry // the same; each stays in its slot, so that a walk may rest. A free slot is nil
	free       []int    // the free slots of all
	index      rtree.RTreeGN[float32, *entry]
	signatures signatures // of all, in the same order
	departed   *departed  // nil in a paced picture: the picture that it follows has it
	now        time.Time
	counts     counts
	feeds      []feedCount

	// What follows belongs to the writer alone.
	unconfirmed list          // the longest silent last
	strangers   census        // how often numbers were heard that had to leave unconfirmed
	spareAt     int           // where in all the search for ships to forget goes on
	silentAt    int           // where in all the search for silent ships goes on
	base        time.Time     // the first time told; all durations count from it
	ticked      time.Time     // the last second told to the observers
	walked      time.Duration // time of the last walk, since base
	recent      recent
	copies      copies
	update      ship.Update
	gone        []ship.State // evicted during this report, still to be told
	feed        int          // index of the feed of the last report
	names       *[]string    // of feeds, in their order; replaced, not changed
	added       uint64       // how many entries were made so far

	manual manualEdits
}

// entry is one ship of the picture.
type entry struct {
	state        ship.State   // as readers see it
	manual       *manualEntry // nil while nothing was entered by hand, as for nearly all ships
	gate         *ship.Gate   // nil while nothing is held back
	rival        *rival       // nil while nobody else uses the number
	receiver     receiver.ReceiverMemory
	heard        time.Duration
	hearing      hearing
	box          box
	number       uint64 // of Picture.added
	slot         int    // in Picture.all
	older, newer *entry
	listed       bool // in Picture.unconfirmed
	kept         bool // entered by hand: never evicted
	stored       bool // the store had it at the start
}

// New makes an empty picture.
func New(c Config) *Picture {
	if c.Clock == ais.ReceiverClock {
		c.Limits.WrongClock = wrongClock
	}
	p := &Picture{
		config: c,
		ships:  make(map[ais.MMSI]*entry),
		recent: newRecent(c.DuplicateWindow),
		manual: manualEdits{wake: wake.NewKick()},
	}
	p.departed = newDeparted(&p.mu, c.MaxNameless)
	return p
}

// Restore puts ships into the picture as they were, without telling observers. Above MaxShips the ones silent for longest are left out.
// So are numbers that no radio has: such ships exist only while they are entered by hand. Call it before Run.
func (p *Picture) Restore(states []ship.State) {
	oldest := p.oldestRestored(states)
	for i := range states {
		if feed := states[i].Feed; feed != "" {
			p.feedOf(feed) // so that it is known: a new one takes the lock
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range states {
		s := &states[i]
		if s.MMSI == 0 || s.MMSI > ship.LargestMMSI || p.ships[s.MMSI] != nil {
			continue
		}
		if s.Heard < oldest {
			p.departed.add(s)
			continue
		}
		e := p.add(s.MMSI)
		e.stored = true
		if e.heard = time.Duration(s.Heard) * time.Millisecond; !p.base.IsZero() { // without a base only to order them
			e.heard = p.pastDuration(s.Heard)
		}
		now := *s
		p.restoreFeeds(e, &now)
		p.putState(e, &now)
	}
	p.gone = p.gone[:0]
}

// Learn has the receiver of a restored ship remembered by what is stored of its track. So a receiver that lies goes on to be known. Call it before Run.
func (p *Picture) Learn(m ais.MMSI, stored ship.Track) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.ships[m]
	if e == nil || !e.state.HasFix {
		return
	}
	var memory receiver.ReceiverMemory
	var before ship.Fix
	for _, f := range append(slices.Clip(stored.Within(time.Time{}, ship.Time(e.state.Fix.At))), e.state.Fix) {
		memory.Learn(before, f)
		before = f
	}
	e.receiver = memory
}

// oldestRestored returns the time heard from which ships are restored, so that there are not more than MaxShips but for those of one time.
func (p *Picture) oldestRestored(states []ship.State) int64 {
	if len(states) <= p.config.MaxShips {
		return math.MinInt64
	}
	heard := make([]int64, len(states))
	for i := range states {
		heard[i] = states[i].Heard
	}
	slices.Sort(heard)
	return heard[len(heard)-p.config.MaxShips]
}

// Ship returns the ship with number m; also one that is no longer in the live picture but still remembered (Age Removed).
func (p *Picture) Ship(m ais.MMSI) (ship.State, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if e := p.ships[m]; e != nil {
		return e.state, true
	}
	return ship.State{}, false
}

// Ships returns the ships with these numbers that are here, in their order.
func (p *Picture) Ships(numbers []ais.MMSI) []ship.State {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var ships []ship.State
	for _, m := range numbers {
		if e := p.ships[m]; e != nil {
			ships = append(ships, e.state)
		}
	}
	return ships
}

// Without returns those of the numbers that are of no ship here.
func (p *Picture) Without(numbers []ais.MMSI) []ais.MMSI {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var absent []ais.MMSI
	for _, m := range numbers {
		if p.ships[m] == nil {
			absent = append(absent, m)
		}
	}
	return absent
}

// Each calls fn with a copy of every ship of the live picture until fn returns false. The state is valid only during the call.
func (p *Picture) Each(fn func(*ship.State) bool) {
	for s := range p.walkShips() {
		if s.Age != ship.Removed && !fn(s) {
			return
		}
	}
}

// Len returns the number of ships in the live picture, lost ones included.
func (p *Picture) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.ships) - p.counts.removed()
}

// Now returns the picture's time: of the last tick or report, by the picture's clock. It is zero before the first.
func (p *Picture) Now() time.Time {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.now
}

// add makes an entry for a number that is not in the picture. The caller holds the lock.
func (p *Picture) add(m ais.MMSI) *entry {
	e := p.makeRoom()
	p.added++
	if len(p.free) == 0 {
		p.free, p.all = append(p.free, len(p.all)), append(p.all, nil)
		p.signatures.add(ship.Signature{}) // until put
	}
	last := len(p.free) - 1
	*e = entry{slot: p.free[last], number: p.added}
	p.free, p.all[e.slot] = p.free[:last], e
	p.departed.remove(m)
	p.ships[m] = e
	p.counts.ships[ship.ClassUnknown][ship.Live]++ // as the zero state says, until put
	return e
}

// putState replaces the state of e by now, in every order that the picture keeps. The caller holds the lock.
func (p *Picture) putState(e *entry, now *ship.State) {
	p.counts.ships[e.state.Class][e.state.Age]--
	p.counts.ships[now.Class][now.Age]++
	p.countFeeds(countingFeeds(&e.state), countingFeeds(now))
	if e.state.Static != now.Static || e.state.MMSI != now.MMSI {
		p.signatures.putSignature(e.slot, now.Signature())
	}
	e.state = *now
	p.updateIndex(e)
	p.rankEntry(e)
}

// remove takes e out of every order that the picture keeps. The caller holds the lock.
func (p *Picture) remove(e *entry) {
	p.countFeeds(countingFeeds(&e.state), 0)
	p.counts.ships[e.state.Class][e.state.Age]--
	delete(p.ships, e.state.MMSI)
	p.all[e.slot] = nil
	p.free = append(p.free, e.slot)
	p.signatures.putSignature(e.slot, ship.Signature{})
	p.displace(e)
	if e.listed {
		p.unconfirmed.remove(e)
	}
}
