package admission

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// hall is a table whose clock tests move.
type hall struct {
	*Guests
	t    *testing.T
	now  time.Time
	gone []string
}

func newHall(t *testing.T, l Limits) *hall {
	l.Lately = time.Hour
	return &hall{Guests: New(l), t: t, now: time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)}
}

// come lets a guest in, a second after the last.
func (h *hall) come(caller string) *Guest {
	h.now = h.now.Add(time.Second)
	name := fmt.Sprintf("%s at %d", caller, h.now.Unix())
	g, _ := h.Enter(caller, h.now, func() { h.gone = append(h.gone, name) })
	return g
}

func (h *hall) fill(callers int, each int) {
	for i := range callers {
		for range each {
			h.come(fmt.Sprint("stranger ", i))
		}
	}
}

// TestSilentGuestsOfOneCallerGo: they hold all places, and one that comes from elsewhere gets one.
func TestSilentGuestsOfOneCallerGo(t *testing.T) {
	h := newHall(t, Limits{All: 64})
	h.fill(1, 64)
	if h.come("honest") == nil || len(h.gone) != 1 {
		t.Fatalf("gone %v", h.gone)
	}
	for range 200 {
		h.come("stranger 0")
	}
	if h.count["honest"] != 1 {
		t.Error("the one with most guests took the place of another")
	}
}

func TestProvenGuestsStayHoweverSilent(t *testing.T) {
	h := newHall(t, Limits{All: 64})
	honest := h.come("honest")
	honest.Prove(h.now)
	h.now = h.now.Add(30 * time.Hour)
	for i := range 1000 {
		h.come(fmt.Sprint("stranger ", i))
	}
	if h.count["honest"] != 1 {
		t.Error("it had to go")
	}
}

// TestKnownCallersComeBack: one that proved itself lately gets a place among strangers, and keeps it while it is silent.
func TestKnownCallersComeBack(t *testing.T) {
	h := newHall(t, Limits{All: 64, Reserve: 8})
	honest := h.come("honest")
	honest.Prove(h.now)
	honest.Leave()
	for i := range 64 {
		if g := h.come(fmt.Sprint("stranger ", i)); g != nil {
			g.Begin() // nobody takes its place
		}
	}
	if n, _ := h.Figures(); n != 56 {
		t.Errorf("strangers have %d places, want all but the reserve", n)
	}
	if h.come("honest") == nil {
		t.Fatal("there is no place")
	}
	for i := range 1000 {
		h.come(fmt.Sprint("another ", i))
	}
	if h.count["honest"] != 1 {
		t.Error("it had to go")
	}
}

func TestOneCallerIsBounded(t *testing.T) {
	h := newHall(t, Limits{All: 100, Each: 4})
	var mine []*Guest
	for range 4 {
		mine = append(mine, h.come("a"))
	}
	mine[0].Begin()
	mine[1].Prove(h.now)
	h.come("a")
	if n := h.count["a"]; n != 4 || len(h.gone) != 1 {
		t.Errorf("%d guests, gone %v", n, h.gone)
	}
	if _, there := h.guests[mine[2]]; there {
		t.Error("the quietest that may go stayed")
	}
	for range 10 {
		g := h.come("a")
		g.Begin()
	}
	if h.come("a") != nil {
		t.Error("a guest more than one caller may have, while all are busy or proven")
	}
}

// TestHalfOfAllPlacesIsEnough: proven guests of a caller with more than half of all places go for those of others, down to the half.
func TestHalfOfAllPlacesIsEnough(t *testing.T) {
	h := newHall(t, Limits{All: 10})
	for range 10 {
		h.come("hog").Prove(h.now)
	}
	for i := range 8 {
		if g := h.come(fmt.Sprint("other ", i)); g != nil {
			g.Prove(h.now)
		}
	}
	if n := h.count["hog"]; n != 5 {
		t.Errorf("%d places are left to it", n)
	}
}

func TestSteadyGuestsStay(t *testing.T) {
	h := newHall(t, Limits{All: 10, Each: 2})
	for range 9 {
		if _, ok := h.EnterSteady("proxy", h.now); !ok {
			t.Fatal("no place")
		}
	}
	for i := range 100 {
		h.come(fmt.Sprint("stranger ", i))
	}
	if n := h.count["proxy"]; n != 9 {
		t.Errorf("%d of 9 are left", n)
	}
}

// TestCountsHold: whatever happens, no more guests than places, and the counts are those of the guests.
func TestCountsHold(t *testing.T) {
	h := newHall(t, Limits{All: 20, Each: 6, Reserve: 5})
	dice := rand.New(rand.NewPCG(3, 4))
	var all []*Guest
	for range 20000 {
		caller := fmt.Sprint(dice.IntN(9))
		switch n := dice.IntN(10); {
		case n < 5 || len(all) == 0:
			all = append(all, h.come(caller))
		case n == 5:
			all[dice.IntN(len(all))].Prove(h.now)
		case n == 6:
			g := all[dice.IntN(len(all))]
			g.Begin()
			g.End(h.now)
		default:
			i := dice.IntN(len(all))
			all[i].Leave()
			all = append(all[:i], all[i+1:]...)
		}
		count, strangers := map[string]int{}, 0
		for g := range h.guests {
			if count[g.caller]++; g.rank == stranger {
				strangers++
			}
		}
		if len(h.guests) > 20 || strangers != h.strangers || strangers > 15 || len(count) != len(h.count) {
			t.Fatalf("%d guests, %d strangers, counted %d", len(h.guests), strangers, h.strangers)
		}
		for caller, n := range count {
			if n != h.count[caller] || n > 6 {
				t.Fatalf("%s has %d, counted %d", caller, n, h.count[caller])
			}
		}
	}
}

func TestKnownCallersAreBounded(t *testing.T) {
	h := newHall(t, Limits{All: 10})
	for i := range 2 * mostKnown {
		g := h.come(fmt.Sprint(i))
		g.Prove(h.now)
		g.Leave()
	}
	if n := len(h.known); n > mostKnown {
		t.Errorf("%d are remembered", n)
	}
}

func TestNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fe80::1%eth0": "fe80::",
	} {
		if got := Network(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
