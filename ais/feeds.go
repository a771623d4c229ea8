package ais

import (
	"math/bits"
	"slices"
	"strings"
)

// MostFeeds is how many feeds a set can tell apart.
const MostFeeds = 64

// OfSatellites tells by the tags of a feed whether satellites are its receivers; case and white space around do not count.
func OfSatellites(tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return strings.EqualFold(strings.TrimSpace(tag), "satellite") })
}

// Feeds is a set of feeds. The zero Feeds is empty. It is a small value and is copied; the names are shared and not changed.
type Feeds struct {
	Set   uint64    // bit i: Names[i] is in it
	Names *[]string // at least as many as bits are used
}

// FeedBit gives the place of a feed in a set by its index; 0, none, for those beyond the first MostFeeds.
func FeedBit(index int) uint64 { return 1 << index }

// Any tells whether that holds for one of the feeds.
func (f Feeds) Any(holds func(name string) bool) bool {
	for set := f.Set; set != 0; set &= set - 1 {
		if holds((*f.Names)[bits.TrailingZeros64(set)]) {
			return true
		}
	}
	return false
}

// With gives the set with one more of its names in it.
func (f Feeds) With(name string) Feeds {
	if f.Names == nil {
		return f
	}
	if i := slices.Index(*f.Names, name); i >= 0 {
		f.Set |= FeedBit(i)
	}
	return f
}

// Of gives those of the set for which that holds.
func (f Feeds) Of(holds func(name string) bool) Feeds {
	for set := f.Set; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); !holds((*f.Names)[i]) {
			f.Set &^= FeedBit(i)
		}
	}
	return f
}
