package watchdogs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// indexOf makes an index of the numbers first to first+n-1, some of which were lost to damage. It returns the origin of each, as the index knows it.
func indexOf(x *index, random *rand.Rand, first uint64, n int) map[uint64]EventOrigin {
	of := map[uint64]EventOrigin{}
	for i := range n {
		number := first + uint64(i)
		if i > 0 && random.IntN(10) == 0 && i < n-1 {
			of[number] = EventOrigin{}
			continue
		}
		from := EventOrigin{Watchdog: random.Uint64N(4), Owner: string(rune('a' + random.IntN(3)))}
		of[number] = from
		x.add(number, int64(i), &from)
	}
	return of
}

// TestWhatIsNotWantedIsPassedOver holds the runs of an index against a look at each number, in both directions.
func TestWhatIsNotWantedIsPassedOver(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		w := &Watch{}
		first, n := 1+random.Uint64N(50), 1+random.IntN(60)
		of := indexOf(&w.index, random, first, n)
		owner := string(rune('a' + random.IntN(4)))
		wanted := WantedBy(w, func(o EventOrigin) bool { return o.Owner == owner })
		if random.IntN(5) == 0 {
			wanted = Wanted{}
		}
		wants := func(n uint64) bool {
			from, known := of[n]
			return known && (from == EventOrigin{} || from.Owner == owner || wanted.not == nil)
		}
		from, last, most := random.Uint64N(120), min(random.Uint64N(120), w.index.last()), 1+random.IntN(5)
		var got, want, back, wantBack []uint64
		for a, b, more := w.index.run(wanted, from, last, most); more; a, b, more = w.index.run(wanted, b, last, most) {
			if b-a >= uint64(most) {
				t.Fatalf("a run of %d, at most %d", b-a+1, most)
			}
			for n := a; n <= b; n++ {
				got = append(got, n)
			}
		}
		for n := from + 1; n <= last; n++ {
			if wants(n) {
				want = append(want, n)
			}
		}
		for a, b, more := w.index.runBefore(wanted, from, most); more; a, b, more = w.index.runBefore(wanted, a, most) {
			for n := b; n >= a; n-- {
				back = append(back, n)
			}
		}
		for n := int64(from) - 1; n > 0; n-- {
			if wants(uint64(n)) {
				wantBack = append(wantBack, uint64(n))
			}
		}
		if !slices.Equal(got, want) || !slices.Equal(back, wantBack) {
			t.Fatalf("of %d events from %d on, after %d up to %d: %v, want %v; before: %v, want %v", n, first, from, last, got, want, back, wantBack)
		}
	}
}

// TestOriginsOfForgottenEventsGo: an index that forgets its first events knows the others as before, and no origin that none of them has.
func TestOriginsOfForgottenEventsGo(t *testing.T) {
	w := &Watch{}
	for n := range uint64(2*MostEvents + 1) {
		w.index.add(n+1, int64(n), &EventOrigin{Watchdog: n / 1000, Owner: "a"})
	}
	x := &w.index
	if x.first != MostEvents+1 || len(x.origins.of) != len(x.times) || len(x.origins.list) != 2+MostEvents/1000 {
		t.Fatalf("from %d on, %d origins of %d events, %d of them different", x.first, len(x.origins.of), len(x.times), len(x.origins.list)-1)
	}
	last := uint64(2*MostEvents) / 1000
	wanted := WantedBy(w, func(o EventOrigin) bool { return o.Watchdog == last })
	if from, to, found := x.run(wanted, 0, x.last(), 10); !found || from != x.last() || to != x.last() {
		t.Errorf("%d to %d, %v", from, to, found)
	}
}
