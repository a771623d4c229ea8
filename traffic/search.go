package traffic

import (
	"cmp"
	"iter"
	"slices"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Hits keeps the best ships of a search, as few bytes of each, and counts all. Exact matches come first, then those that begin with the term, then those heard
// last. Then come those with the lowest numbers.
type Hits struct {
	most  int
	kept  []hit
	worst hit // when full: what is not better has no place any more
	full  bool
	total int
}

// hit is a ship that a search found.
type hit struct {
	heard int64
	mmsi  ais.MMSI
	rank  ship.Rank
}

// NewHits makes Hits that keep so many ships.
func NewHits(most int) *Hits { return &Hits{most: most} }

// Add takes a ship that the term finds. No ship is added twice.
func (h *Hits) Add(rank ship.Rank, s *ship.State) {
	h.total++
	found := hit{s.Heard, s.MMSI, rank}
	if h.most == 0 || h.full && byRank(found, h.worst) > 0 {
		return
	}
	if h.kept = append(h.kept, found); len(h.kept) >= 2*h.most+256 {
		h.sort()
		h.worst, h.full = h.kept[len(h.kept)-1], true
	}
}

// Total returns how many ships were added.
func (h *Hits) Total() int { return h.total }

// Best returns the numbers of the best ships, best first.
func (h *Hits) Best() []ais.MMSI {
	h.sort()
	numbers := make([]ais.MMSI, len(h.kept))
	for i, found := range h.kept {
		numbers[i] = found.mmsi
	}
	return numbers
}

// sort sorts what is kept, and keeps the first of it.
func (h *Hits) sort() {
	slices.SortFunc(h.kept, byRank)
	h.kept = h.kept[:min(h.most, len(h.kept))]
}

func byRank(a, b hit) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.heard, a.heard), cmp.Compare(a.mmsi, b.mmsi))
}

// like returns the entries whose signature covers one of those that are asked for, each once.
func (p *Picture) like(asked ...ship.Signature) entries {
	var found entries
	look := func(i, from int) (more bool) {
		p.mu.RLock()
		defer p.mu.RUnlock()
		if i+from == 0 {
			found.last = p.added
		}
		p.signatures.each(asked[i], from, from+lookAtOnce, func(slot int) {
			e, known := p.all[slot], p.signatures.signatureAt(slot)
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
