package learn

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"quaywatch/ais"
	"quaywatch/geo/chart/water"
)

// TestEvidencesAreAMap compares the table with a map over random additions and removals. The cells are few, so that many share their slots.
func TestEvidencesAreAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table evidences
	model := map[water.Square]uint32{}
	for step := range 60_000 {
		c := water.Square{Row: int32(random.IntN(60)), Col: int32(random.IntN(60))}
		_, known := model[c]
		switch {
		case known && random.IntN(2) == 0:
			table.remove(c)
			delete(model, c)
		case !known:
			table.add(evidence{Row: c.Row, Col: c.Col, Ships: [3]uint32{uint32(step + 1)}})
			model[c] = uint32(step + 1)
		}
		if e := table.find(c); (e != nil) != (model[c] != 0) || e != nil && e.Ships[0] != model[c] {
			t.Fatalf("step %d: %v, want %d", step, e, model[c])
		}
		if step%5000 > 0 {
			continue
		}
		for c, m := range model {
			if e := table.find(c); e == nil || e.Ships[0] != m {
				t.Fatalf("step %d: %v is %v, want %d", step, c, e, m)
			}
		}
		if len(table.allEvidence()) != len(model) {
			t.Fatalf("step %d: %d cells, want %d", step, len(table.allEvidence()), len(model))
		}
	}
}

// TestEvidenceIsBounded holds that a learner beside the service takes at most 8 MB.
func TestEvidenceIsBounded(t *testing.T) {
	l := New(load(t), Options{Most: Live})
	for i := range int32(Live) {
		l.cells.add(evidence{Row: i / 1000, Col: i % 1000, Ships: [3]uint32{1}})
	}
	if bytes := len(l.cells.slots) * int(unsafe.Sizeof(evidence{})); bytes > 8<<20 {
		t.Errorf("%d bytes", bytes)
	}
	l.Sail(219000001, 12, sail(fjord, inland, 0), Trust{})
	if l.cells.used != Live || !l.Full() {
		t.Errorf("%d cells, full %v", l.cells.used, l.Full())
	}
}

// TestEvidenceComesBack holds that a learner goes on from evidence as if it had not stopped, and refuses what is damaged.
func TestEvidenceComesBack(t *testing.T) {
	c := load(t)
	whole, first := New(c, Options{}), New(c, Options{})
	for day := range 2 {
		whole.Sail(219000001, 12, sail(fjord, inland, day), Trust{})
		first.Sail(219000001, 12, sail(fjord, inland, day), Trust{})
	}
	data := first.Evidence()
	second := New(c, Options{})
	if err := second.Read(data); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Learner{whole, second} {
		l.Sail(219000002, 12, sail(fjord, inland, 2), Trust{})
		l.Sail(219000003, 12, sail(fjord, inland, 2), Trust{})
	}
	a, _ := whole.Overlay()
	b, _ := second.Overlay()
	cells, _ := a.Cells()
	if len(cells) < 100 || string(a.Encode()) != string(b.Encode()) {
		t.Errorf("%d cells were learned without a stop, others with one", len(cells))
	}
	for n := range len(data) {
		if err := New(c, Options{}).Read(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are evidence", n, len(data))
		}
	}
}

// TestFollowJoinsToWhatIsLearned holds that what was learned before stays, and that it joins further cells to water.
func TestFollowJoinsToWhatIsLearned(t *testing.T) {
	c := load(t)
	o, cells, _ := learned(c, Options{}, asItIs, fjord, inland)
	l := New(c, Options{})
	l.Follow(o)
	from := inland
	from.Lon -= 0.0001
	to := from
	to.Lon -= 0.02
	for day := range 3 {
		l.Sail(219000001+ais.MMSI(day), 12, sail(from, to, day), Trust{})
	}
	more, _ := l.Overlay()
	all, seen := more.Cells()
	if len(all) < cells+50 || len(seen) > 0 {
		t.Errorf("%d cells after %d, %d seen", len(all), cells, len(seen))
	}
	l.Follow(more)
	if known := l.Known(); len(known) < 50 {
		t.Errorf("%d cells are known", len(known))
	} else if l.Forget(known); l.cells.used != 0 {
		t.Errorf("evidence of %d cells stays", l.cells.used)
	}
}
