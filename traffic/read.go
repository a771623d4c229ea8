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

// readAtOnce is how many ships are copied while the lock is held: some microseconds' work.
const readAtOnce = 128

// read yields copies of the states of entries, each valid until the next. The lock is not held while it yields, so the reader may take its
// time. A ship that left the picture meanwhile comes as it was last.
func (p *Picture) read(found entries) iter.Seq[*ship.State] {
	return func(yield func(*ship.State) bool) {
		states := make([]ship.State, 0, min(len(found.list), readAtOnce))
		for some := range slices.Chunk(found.list, readAtOnce) {
			states = p.copies(states[:0], some, found.last)
			for i := range states {
				if !yield(&states[i]) {
					return
				}
			}
		}
	}
}

// copies appends the states of some entries.
func (p *Picture) copies(dst []ship.State, some []*entry, last uint64) []ship.State {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, e := range some {
		if e.number <= last {
			dst = append(dst, e.state)
		}
	}
	return dst
}
