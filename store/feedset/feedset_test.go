package feedset

import (
	"fmt"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// TestSetsAreBounded: sets beyond the last number are not known, and nothing else changes.
func TestSetsAreBounded(t *testing.T) {
	s := New()
	for i := range track.MostFeedSets + 10 {
		n := s.add([]string{fmt.Sprint("feed ", i)})
		if known := n != 0; known != (i < track.MostFeedSets-1) {
			t.Fatalf("set %d has the number %d", i, n)
		}
	}
	if n := s.add([]string{"feed 7"}); n != 8 || s.Next() != track.MostFeedSets {
		t.Errorf("feed 7 has the number %d of %d", n, s.Next())
	}
}

// TestNumbersStay: a set has its number by the names of its feeds, in whatever order and under whatever bits the picture has them.
func TestNumbersStay(t *testing.T) {
	s := New()
	before, after := []string{"roof", "pier"}, []string{"pier", "mast", "roof"}
	heard := func(list *[]string, set uint64) ship.FeedSet {
		return s.Number(&ship.State{Feeds: ais.Feeds{Names: list, Set: set}})
	}
	both, roof := heard(&before, 3), heard(&before, 1)
	if both == 0 || roof == 0 || both == roof {
		t.Fatalf("%d, %d", both, roof)
	}
	if again, alone := heard(&after, 5), heard(&after, 4); again != both || alone != roof {
		t.Errorf("%d, %d after the feeds changed, %d and %d before", again, alone, both, roof)
	}
	if names := s.Of(both).List(); !slices.Equal(slices.Sorted(slices.Values(names)), []string{"pier", "roof"}) {
		t.Errorf("%v", names)
	}
	if first, sets := s.Fresh(); first != 1 || len(sets) != 2 {
		t.Errorf("%d sets from %d on are not stored", len(sets), first)
	}
	s.Stored(s.Next())
	if _, sets := s.Fresh(); len(sets) != 0 || !s.Take(both, []string{"pier", "roof"}) || s.Take(both, []string{"mast"}) {
		t.Errorf("%v", sets)
	}
	if one := s.Number(&ship.State{Feed: "one of a hundred"}); one != s.Next()-1 || s.Of(99).Set != 0 {
		t.Errorf("a feed without a bit has the number %d", one)
	}
}
