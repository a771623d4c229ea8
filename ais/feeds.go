package ais

import (
	"math/bits"
	"slices"
	"strings"
)

// MostFeeds is how many feeds a set can tell apart.
const MostFeeds = 64

// HasSatelliteTag reports whether a feed with these tags receives by satellite: one is "satellite". Case and white space around do not count.
func HasSatelliteTag(tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return strings.EqualFold(strings.TrimSpace(tag), "satellite") })
}

// Feeds is a set of feeds. The zero Feeds is empty. It is a small value and is copied; the names are shared and not changed.
type Feeds struct {
	Set   uint64    // bit i: Names[i] is in it
	Names *[]string // at least as many as bits are used
}

// FeedBit returns the bit of a feed in a set by its index. It is 0, no bit, from index MostFeeds on.
func FeedBit(index int) uint64 { return 1 << index }

// Any reports whether holds is true for one of the feeds of the set.
func (f Feeds) Any(holds func(name string) bool) bool {
	for set := f.Set; set != 0; set &= set - 1 {
		if holds((*f.Names)[bits.TrailingZeros64(set)]) {
			return true
		}
	}
	return false
}

// List returns the names of the feeds of the set, in the order of Names.
func (f Feeds) List() (names []string) {
	f.Any(func(name string) bool { names = append(names, name); return false })
	return names
}

// With returns the set with one more feed in it. A name that is not in Names changes nothing.
func (f Feeds) With(name string) Feeds {
	if f.Names == nil {
		return f
	}
	if i := slices.Index(*f.Names, name); i >= 0 {
		f.Set |= FeedBit(i)
	}
	return f
}

// Filter returns the feeds of the set for which holds is true.
func (f Feeds) Filter(holds func(name string) bool) Feeds {
	for set := f.Set; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); !holds((*f.Names)[i]) {
			f.Set &^= FeedBit(i)
		}
	}
	return f
}
