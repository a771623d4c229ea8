// Package feedset numbers the sets of feeds that heard ships, by the names of the feeds. It opens nothing.
package feedset

import (
	"slices"
	"strings"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// Sets are the sets of feeds with their numbers. Bits of the picture mean something else after a restart, and a feed that was renamed is another feed. A number is
// never given twice. It is for one goroutine at a time.
type Sets struct {
	known   []ais.Feeds // by number; the first is the set that is not known
	names   [][]string  // the same, sorted
	numbers map[string]ship.FeedSet
	stored  int // so many are in the database

	list  *[]string               // the feeds of the picture, by bit
	sets  map[uint64]ship.FeedSet // its sets
	last  uint64                  // the set asked for last; most ships have the same
	lastN ship.FeedSet            // its number
}

// New returns the sets of a new store: none is known.
func New() Sets {
	return Sets{known: make([]ais.Feeds, 1), names: make([][]string, 1), numbers: map[string]ship.FeedSet{}, stored: 1}
}

// Of returns the feeds of a number. They are empty for 0, and for a number that was not given.
func (s *Sets) Of(n ship.FeedSet) ais.Feeds {
	if int(n) >= len(s.known) {
		return ais.Feeds{}
	}
	return s.known[n]
}

// Names returns the names of the feeds of a number that was given. They must not be changed.
func (s *Sets) Names(n ship.FeedSet) []string { return s.names[n] }

// Next returns the number after the highest that was given.
func (s *Sets) Next() ship.FeedSet { return ship.FeedSet(len(s.names)) }

// Number returns the number of the feeds that hear a ship, a new one when there is none.
func (s *Sets) Number(state *ship.State) ship.FeedSet {
	f := state.Feeds
	if f.Set == 0 { // there are more feeds than bits: the one that heard it counts
		if state.Feed == "" {
			return 0
		}
		return s.add([]string{state.Feed})
	}
	if s.list == f.Names && s.last == f.Set {
		return s.lastN
	}
	if s.list != f.Names {
		s.list, s.sets = f.Names, map[uint64]ship.FeedSet{}
	}
	n, ok := s.sets[f.Set]
	if !ok {
		n = s.add(f.List())
		s.sets[f.Set] = n
	}
	s.last, s.lastN = f.Set, n
	return n
}

func (s *Sets) add(names []string) ship.FeedSet {
	slices.Sort(names)
	key := strings.Join(names, "\x00")
	n, ok := s.numbers[key]
	if !ok && len(s.known) < track.MostFeedSets {
		n = ship.FeedSet(len(s.known))
		s.Take(n, names)
	}
	return n
}

// Take learns a set from the disk or makes one. It returns false when the number is that of another set.
func (s *Sets) Take(n ship.FeedSet, names []string) bool {
	if n == 0 || n >= track.MostFeedSets || len(names) > ais.MostFeeds {
		return false
	}
	for int(n) >= len(s.known) {
		s.known, s.names = append(s.known, ais.Feeds{}), append(s.names, nil)
	}
	if s.names[n] != nil {
		return slices.Equal(s.names[n], names)
	}
	s.names[n] = names
	s.known[n] = ais.Feeds{Set: 1<<len(names) - 1, Names: &names}
	s.numbers[strings.Join(names, "\x00")] = n
	return true
}

// Fresh returns the sets that are not in the database yet, and the number of the first. A set without names is none.
func (s *Sets) Fresh() (first ship.FeedSet, sets [][]string) {
	return ship.FeedSet(s.stored), s.names[s.stored:]
}

// Stored notes that all sets before a number are in the database.
func (s *Sets) Stored(before ship.FeedSet) { s.stored = max(s.stored, int(before)) }
