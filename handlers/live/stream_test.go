package live

import (
	"slices"
	"testing"
)

func TestAnEventIDIsOfOneListAndItsQuestions(t *testing.T) {
	id := eventID(3, 5, 7, 9)
	if number, had := parseEventID(id, 3); number != 5 || !slices.Equal(had, []uint32{7, 9}) {
		t.Errorf("%s: %d %v", id, number, had)
	}
	for _, other := range []string{eventID(4, 5, 7), "3-5", "3-x-7", "3-5-100000000", "", eventID(3, 5, make([]uint32, mostAsks+1)...)} {
		if _, had := parseEventID(other, 3); had != nil {
			t.Errorf("%s is taken as one of %d questions", other, len(had))
		}
	}
}
