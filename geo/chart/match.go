package chart

// end is where a piece of coast meets the rim of a sheet.
type end struct {
	at    float64 // the way along the rim, 0..4
	piece int
	exit  bool // the piece ends here; else it begins
}

// onward says where a ring goes on from the end of a piece.
type onward struct {
	piece     int
	clockwise bool // against the way along the rim: only where the coast is at fault
}

// matchEnds returns for each piece where its ring goes on: land is on the rim from an exit counter-clockwise to an entry. In a sound coast the
// two alternate. Rounding lets narrow lands cross themselves; then an entry may come just before its exit. So the ends are matched like
// brackets, in both senses, from a place on the rim that is sea.
func matchEnds(ends []end) []onward {
	next := make([]onward, len(ends)/2)
	var open []end
	first := seaBefore(ends)
	for i := range ends {
		e := ends[(first+i)%len(ends)]
		if n := len(open); n > 0 && open[n-1].exit != e.exit {
			exit, entry := open[n-1], e
			if e.exit {
				exit, entry = e, open[n-1]
			}
			next[exit.piece] = onward{entry.piece, e.exit}
			open = open[:n-1]
			continue
		}
		open = append(open, e)
	}
	return next
}

// seaBefore returns the index of an end before which the rim is sea. Each exit adds a land and each entry takes one away. The depth that
// counts as sea is the one with which most of the rim is either sea or one land.
func seaBefore(ends []end) int {
	length := map[int]float64{}
	before := make([]int, len(ends))
	depth := 0
	for i, e := range ends {
		before[i] = depth
		if depth--; e.exit {
			depth += 2
		}
		until := ends[0].at + 4
		if i+1 < len(ends) {
			until = ends[i+1].at
		}
		length[depth] += until - e.at
	}
	best, sea := -1, 0
	for i, d := range before {
		if best < 0 || length[d]+length[d+1] > length[sea]+length[sea+1] {
			best, sea = i, d
		}
	}
	return max(best, 0)
}
