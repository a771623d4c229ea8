package traffic

import (
	"iter"
	"slices"

	"quaywatch/ship"
)

// entries are what a question found under the lock, to be read after it.
type entries struct {
	list []*entry
	last uint64 // Picture.added when they were found: an entry with a higher number is of another ship by now
}

// What is done at once while the lock is held: some microseconds' work each.
const (
	readAtOnce = 128  // ships that are copied
	lookAtOnce = 4096 // signatures, rows or places of the index that are looked at
)

// walkShips yields copies of the states of all ships that are here when it begins, each valid until the next. The lock is not held while it
// yields. A ship that leaves the picture meanwhile may be left out.
func (p *Picture) walkShips() iter.Seq[*ship.State] {
	return func(yield func(*ship.State) bool) {
		states := make([]ship.State, 0, readAtOnce)
		var last uint64
		copies := func(at int) (more bool) {
			p.mu.RLock()
			defer p.mu.RUnlock()
			if states = states[:0]; at == 0 {
				last = p.added
			}
			for _, e := range p.all[min(at, len(p.all)):min(at+readAtOnce, len(p.all))] {
				if e != nil && e.number <= last {
					states = append(states, e.state)
				}
			}
			return at+readAtOnce < len(p.all)
		}
		for at, more := 0, true; more; at += readAtOnce {
			more = copies(at)
			for i := range states {
				if !yield(&states[i]) {
					return
				}
			}
		}
	}
}

// read yields copies of the states of entries, each valid until the next. The lock is not held while it yields, so the reader may take its
// time. A ship that left the picture meanwhile comes as it was last.
func (p *Picture) read(found entries) iter.Seq[*ship.State] {
	return func(yield func(*ship.State) bool) {
		states := make([]ship.State, 0, min(len(found.list), readAtOnce))
		copies := func(some []*entry) {
			p.mu.RLock()
			defer p.mu.RUnlock()
			states = states[:0]
			for _, e := range some {
				if e.number <= found.last {
					states = append(states, e.state)
				}
			}
		}
		for some := range slices.Chunk(found.list, readAtOnce) {
			copies(some)
			for i := range states {
				if !yield(&states[i]) {
					return
				}
			}
		}
	}
}
