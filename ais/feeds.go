package ais

import "slices"

// Feeds is a set of feeds. The zero Feeds is empty. It is a small value and is copied; the names are shared and not changed.
type Feeds struct {
	Set   uint64   // bit i: Names[i] is in it
	Names []string // at least as many as bits are used
}

// Any tells whether that holds for one of the feeds.
func (f Feeds) Any(holds func(name string) bool) bool {
	for i := 0; f.Set>>i != 0; i++ {
		if f.Set>>i&1 != 0 && holds(f.Names[i]) {
			return true
		}
	}
	return false
}

// With gives the set with one more of its names in it.
func (f Feeds) With(name string) Feeds {
	if i := slices.Index(f.Names, name); i >= 0 {
		f.Set |= 1 << i
	}
	return f
}
