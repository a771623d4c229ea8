package traffic

import (
	"cmp"
	"slices"

	"quaywatch/ship"
)

// Search gives up to limit ships that a quick term finds by name, call sign, MMSI or IMO number. Exact matches come first, then those
// that begin with the term, then those heard last. Ships that left the live picture are found while they are remembered.
func (p *Picture) Search(term *ship.Term, limit int) []ship.State {
	if limit <= 0 {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	var found []hit
	p.signatures.each(term.Signature(), func(slot int) {
		e := p.all[slot]
		rank := term.Rank(&e.state)
		if rank == ship.NotFound {
			return
		}
		if found = append(found, hit{rank, e}); len(found) >= 4*limit+256 {
			found = bestHits(found, limit)
		}
	})
	found = bestHits(found, limit)
	states := make([]ship.State, len(found))
	for i, h := range found {
		states[i] = h.entry.state
	}
	return states
}

// hit is a ship that a search found.
type hit struct {
	rank  ship.Rank
	entry *entry
}

// bestHits sorts the hits, best first, and keeps the first of them; equal ones are in the order of their numbers.
func bestHits(hits []hit, limit int) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(
			cmp.Compare(b.rank, a.rank),
			cmp.Compare(b.entry.state.Heard, a.entry.state.Heard),
			cmp.Compare(a.entry.state.MMSI, b.entry.state.MMSI),
		)
	})
	return hits[:min(limit, len(hits))]
}

// Like gives copies of the ships, also removed ones, whose signature covers one of those that are asked for.
func (p *Picture) Like(asked []ship.Signature) []ship.State {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var found []ship.State
	for i, one := range asked {
		p.signatures.each(one, func(slot int) {
			s := &p.all[slot].state
			known := s.Signature()
			if !slices.ContainsFunc(asked[:i], known.Covers) { // else it is there already
				found = append(found, *s)
			}
		})
	}
	return found
}
