package traffic

import (
	"cmp"
	"iter"
	"slices"

	"quaywatch/ship"
)

// Search gives up to limit of the ships for which shown is true, and how many there are. A quick term finds them by name, call sign, MMSI or
// IMO number. Exact matches come first, then those that begin with the term, then those heard last. Ships that left the live picture are
// found while they are remembered.
func (p *Picture) Search(term *ship.Term, limit int, shown func(*ship.State) bool) (ships []ship.State, total int) {
	var found []hit
	var last *hit // what is not better has no place any more; nil while there is room
	for s := range p.read(p.like(term.Signature())) {
		one := hit{term.Rank(s), *s}
		if one.rank == ship.NotFound || !shown(s) {
			continue
		}
		if total++; last != nil && byRank(one, *last) > 0 {
			continue
		}
		if found = append(found, one); len(found) >= 4*limit+256 {
			found = bestHits(found, limit)
			worst := found[len(found)-1]
			last = &worst
		}
	}
	found = bestHits(found, limit)
	states := make([]ship.State, len(found))
	for i := range found {
		states[i] = found[i].state
	}
	return states, total
}

// hit is a ship that a search found.
type hit struct {
	rank  ship.Rank
	state ship.State
}

// byRank orders hits, best first, and equal ones by their numbers.
func byRank(a, b hit) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.state.Heard, a.state.Heard), cmp.Compare(a.state.MMSI, b.state.MMSI))
}

// bestHits sorts the hits, and keeps the first of them.
func bestHits(hits []hit, limit int) []hit {
	slices.SortFunc(hits, byRank)
	return hits[:min(limit, len(hits))]
}

// like gives the entries whose signature covers one of those that are asked for, each once.
func (p *Picture) like(asked ...ship.Signature) entries {
	var found entries
	look := func(i, from int) (more bool) {
		p.mu.RLock()
		defer p.mu.RUnlock()
		if i+from == 0 {
			found.last = p.added
		}
		p.signatures.each(asked[i], from, from+lookAtOnce, func(slot int) {
			e, known := p.all[slot], p.signatures.at(slot)
			if e != nil && e.number <= found.last && !slices.ContainsFunc(asked[:i], known.Covers) { // else it is there already
				found.list = append(found.list, e)
			}
		})
		return from+lookAtOnce < len(p.all)
	}
	for i := range asked {
		for from := 0; look(i, from); from += lookAtOnce {
		}
	}
	return found
}

// Like yields copies of the ships, also removed ones, whose signature covers one of those that are asked for, each valid until the next.
func (p *Picture) Like(asked ...ship.Signature) iter.Seq[*ship.State] {
	return p.read(p.like(asked...))
}
