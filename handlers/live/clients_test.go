package live

import (
	"fmt"
	"testing"
)

// hall is the places of live streams, with the streams that had to go.
type hall struct {
	clients
	gone []string
}

func newHall(most int) *hall {
	return &hall{clients: newClients(most, StreamsOfOne)}
}

// open opens streams of a caller until one is refused, and returns how many it opened.
func (h *hall) open(owner string, stranger bool, count int) (opened int) {
	for range count {
		if !h.enterClient(&client{owner, stranger, func(error) { h.gone = append(h.gone, owner) }}, 1) {
			return opened
		}
		opened++
	}
	return opened
}

// Streams of callers without a name, from many addresses, leave a quarter of the places.
func TestStrangersLeaveStreamsToUsers(t *testing.T) {
	h, got := newHall(256), 0
	for i := range 6 {
		got += h.open(fmt.Sprint("address ", i), true, StreamsOfOne+1)
	}
	if open, _ := h.figures(); got != 192 || open != 192 || h.open("user 1", false, 1) != 1 || len(h.gone) != 0 {
		t.Fatalf("strangers have %d of 256 places, %v went", got, h.gone)
	}
}

// The address with the most streams loses one to a newcomer from another address, and never gets it back from one that has fewer.
func TestTheAddressWithMostStreamsLosesOne(t *testing.T) {
	h := newHall(16) // of them 12 for strangers
	if h.open("greedy", true, 13) != 12 {
		t.Fatal("one address has not all places that strangers may have")
	}
	if h.open("modest", true, 2) != 2 || fmt.Sprint(h.gone) != "[greedy greedy]" {
		t.Fatalf("%v went for a newcomer", h.gone)
	}
	if h.open("greedy", true, 1) != 0 {
		t.Error("the address with the most streams gets one more")
	}
	if n := h.open("modest", true, 10); n != 4 || len(h.streams["greedy"]) != 6 {
		t.Errorf("another address got %d more, %d are left", n, len(h.streams["greedy"]))
	}
}

// Where all places are taken, strangers go for a user, and of users the one with the most streams.
func TestAUserGetsThePlaceOfAStranger(t *testing.T) {
	h := newHall(16)
	h.open("address 1", true, 5)
	h.open("address 2", true, 7)
	h.open("user 1", false, 4)
	if h.open("user 2", false, 1) != 1 || fmt.Sprint(h.gone) != "[address 2]" {
		t.Fatalf("%v went for a user", h.gone)
	}
	if n := h.open("user 1", false, 20); n != 11 || len(h.streams) != 2 {
		t.Fatalf("a user has %d more streams, of %d callers", n, len(h.streams))
	}
	h.gone = nil
	if h.open("user 3", false, 1) != 1 || fmt.Sprint(h.gone) != "[user 1]" {
		t.Errorf("%v went for a user without a stream", h.gone)
	}
	if h.open("address 1", true, 1) != 0 {
		t.Error("a user's stream went for a stranger's")
	}
}

// A stream that had to go gives nothing back when it ends.
func TestAPlaceIsGivenBackOnce(t *testing.T) {
	h := newHall(4)
	first := &client{"a", false, func(error) {}}
	h.enterClient(first, 1)
	h.open("a", false, 3)
	h.open("b", false, 1)
	for _, c := range append([]*client{first}, h.streams["a"]...) {
		h.freePlaces(c, false)
		h.freePlaces(c, false)
	}
	if open, _ := h.figures(); open != 1 || len(h.streams) != 1 || h.strangers != 0 {
		t.Errorf("%d streams are open of %d callers", open, len(h.streams))
	}
}

// Nobody gets more answers by asking for several in one stream, and one that is refused keeps no place.
func TestAStreamTakesAPlaceForEachQuestion(t *testing.T) {
	h := newHall(3 * StreamsOfOne)
	several := &client{"user 1", false, func(error) { h.gone = append(h.gone, "user 1") }}
	if !h.enterClient(several, StreamsOfOne-1) || h.enterClient(&client{owner: "user 1"}, 2) || h.open("user 1", false, 2) != 1 {
		t.Errorf("user 1 has %d places", len(h.streams["user 1"]))
	}
	h.freePlaces(several, false)
	if open, _ := h.figures(); open != 1 || len(h.gone) != 0 {
		t.Errorf("%d places are taken after most were given back, %v went", open, h.gone)
	}
}
