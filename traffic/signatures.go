package traffic

import (
	"math/bits"
	"slices"

	"quaywatch/ship"
)

// signatures are those of a list of ships, by their place in the list. Each quarter stands for itself, so that a search reads little
// more than one quarter of nearly all ships.
type signatures struct {
	quarters [4][]uint64
}

// add takes the signature of one more place.
func (l *signatures) add(s ship.Signature) {
	for q, list := range l.quarters {
		if len(list) == cap(list) { // append would grow it by a quarter again and again
			list = slices.Grow(list, max(64, len(list)))
		}
		l.quarters[q] = append(list, s[q])
	}
}

// putSignature replaces the signature of a place.
func (l *signatures) putSignature(slot int, s ship.Signature) {
	for q := range l.quarters {
		l.quarters[q][slot] = s[q]
	}
}

// signatureAt returns the signature of a place.
func (l *signatures) signatureAt(slot int) ship.Signature {
	return ship.Signature{l.quarters[0][slot], l.quarters[1][slot], l.quarters[2][slot], l.quarters[3][slot]}
}

// remove moves the last one to a place, and the list ends one earlier.
func (l *signatures) remove(slot int) {
	for q, list := range l.quarters {
		last := len(list) - 1
		list[slot] = list[last]
		l.quarters[q] = list[:last]
	}
}

// each calls fn with every place of a part of the list whose signature covers the one that is asked for.
func (l *signatures) each(asked ship.Signature, from, to int, fn func(slot int)) {
	order := [4]int{0, 1, 2, 3} // the quarter of which most is asked comes first: it leaves out the most
	slices.SortFunc(order[:], func(a, b int) int { return bits.OnesCount64(asked[b]) - bits.OnesCount64(asked[a]) })
	to = min(to, len(l.quarters[0]))
	from = min(from, to)
	var parts [4][]uint64
	var want [4]uint64
	for i, q := range order {
		parts[i], want[i] = l.quarters[q][from:to], asked[q]
	}
	for i, has := range parts[0] {
		if has&want[0] == want[0] && parts[1][i]&want[1] == want[1] && parts[2][i]&want[2] == want[2] && parts[3][i]&want[3] == want[3] {
			fn(from + i)
		}
	}
}
