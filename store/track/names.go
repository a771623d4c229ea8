package track

import "quaywatch/ais"

// MostFeedSets is how many sets of feeds get a number. A set that comes later is not known.
const MostFeedSets = 1 << 16

// AppendNames writes the names of the feeds of a set: their number, then each.
func AppendNames(dst []byte, names []string) []byte {
	dst = AppendVarint(dst, uint64(len(names)))
	for _, name := range names {
		dst = append(AppendVarint(dst, uint64(len(name))), name...)
	}
	return dst
}

// NamesSize returns the most bytes that an introduction of a set of feeds takes.
func NamesSize(names []string) int {
	n := 4 * 5
	for _, name := range names {
		n += 5 + len(name)
	}
	return n
}

// ReadNames takes names as AppendNames writes them.
func ReadNames(r *Reader) []string {
	n := r.Varint()
	if n == 0 || n > ais.MostFeeds {
		r.Bad = true
	}
	names := make([]string, 0, min(n, ais.MostFeeds))
	for range n {
		if r.Bad {
			return nil
		}
		names = append(names, r.Text())
	}
	return names
}
