package live

import "testing"

func TestAnEventIDIsOfOneListAndOneQuestion(t *testing.T) {
	id := eventID(3, 5, 7)
	if number, ok := parseEventID(id, 3, 7); number != 5 || !ok {
		t.Errorf("%s: %d %v", id, number, ok)
	}
	if _, ok := parseEventID(id, 3, 8); ok {
		t.Error("an id of another question is taken")
	}
	if _, ok := parseEventID(id, 4, 7); ok {
		t.Error("an id of another list is taken")
	}
}
