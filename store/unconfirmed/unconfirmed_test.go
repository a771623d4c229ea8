package unconfirmed

import (
	"math/rand/v2"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// hear has a ship heard with a fix of a time.
func hear(t *ShipTable, m ais.MMSI, at int64) {
	f := ship.Fix{At: at}
	t.Meet(&ship.State{MMSI: m, Heard: at, HasFix: true, Fix: f}, f, true, at)
}

// count returns how many ships are remembered.
func count(t *ShipTable) (n int) {
	t.Each(func(*ship.State) { n++ })
	return n
}

// logged returns what is to be logged, as another table that reads it back.
func logged(t *ShipTable) (restored *ShipTable, states int) {
	restored = &ShipTable{}
	for more := true; more; {
		more = t.Log(7, func(s *ship.State) {
			was := *s
			restored.Restore(&was)
			states++
		})
	}
	return restored, states
}

// TestFirstFixesAreKept: of a thousand ships that appear at once, none loses a fix from before its third report.
func TestFirstFixesAreKept(t *testing.T) {
	table := &ShipTable{}
	const ships = 1000
	for round := range Confirmed - 1 {
		for i := range ships {
			hear(table, ais.MMSI(219000000+7919*i), int64(1000*round+i+1))
		}
	}
	for i := range ships {
		fixes := table.Recall(ais.MMSI(219000000 + 7919*i))
		if len(fixes) != Confirmed-1 || fixes[0].At != int64(i+1) || fixes[1].At != int64(1000+i+1) {
			t.Fatalf("ship %d: %v is remembered", i, fixes)
		}
	}
	if n := count(table); n != 0 {
		t.Errorf("%d ships are remembered after all were recalled", n)
	}
}

// TestNewestAreKept: in a flood of inventions the newest are remembered, and the table does not grow.
func TestNewestAreKept(t *testing.T) {
	table := &ShipTable{}
	for i := range 100 * Most {
		hear(table, ais.MMSI(1+i), int64(i+1))
	}
	if n := count(table); n != Most || table.made != Most {
		t.Errorf("%d ships in %d slots, want %d", n, table.made, Most)
	}
	last := ais.MMSI(100 * Most)
	if fixes := table.Recall(last); len(fixes) != 1 || fixes[0].At != int64(last) {
		t.Errorf("the newest stranger: %v", fixes)
	}
}

// TestNumbersThatShareTheirLowBits: two ships whose numbers differ in the high bits alone are two ships.
func TestNumbersThatShareTheirLowBits(t *testing.T) {
	table := &ShipTable{}
	numbers := []ais.MMSI{1 << 32, 2 << 32, 219000001, 219000001 + 1<<32}
	for i, m := range numbers {
		hear(table, m, int64(i+1))
	}
	for i, m := range numbers {
		if fixes := table.Recall(m); len(fixes) != 1 || fixes[0].At != int64(i+1) {
			t.Errorf("ship %d: %v", m, fixes)
		}
	}
}

// TestTableAgainstAModel: whatever is met and recalled in any order, the table knows the last two fixes of each ship, and so does a table that was
// restored from all that was logged.
func TestTableAgainstAModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table, log, model := &ShipTable{}, &ShipTable{}, map[ais.MMSI][]ship.Fix{}
	for step := range 20_000 {
		m := ais.MMSI(1 + r.IntN(300))
		switch r.IntN(10) {
		case 0:
			if got := table.Recall(m); !slices.Equal(got, model[m]) {
				t.Fatalf("step %d, ship %d: %v, want %v", step, m, got, model[m])
			}
			log.Recall(m) // what is confirmed is no longer read from there
			delete(model, m)
		case 1:
			table.Log(r.IntN(40), func(s *ship.State) { log.Restore(s) })
		default:
			at := int64(step+1) * 1000
			hear(table, m, at)
			if l := append(model[m], ship.Fix{At: at}); len(l) > 2 {
				model[m] = l[1:]
			} else {
				model[m] = l
			}
		}
	}
	table.Log(Most, func(s *ship.State) { log.Restore(s) })
	for m, want := range model {
		if got := log.Recall(m); !slices.Equal(got, want) {
			t.Errorf("ship %d was logged with %v, want %v", m, got, want)
		}
		if got := table.Recall(m); !slices.Equal(got, want) {
			t.Errorf("ship %d: %v, want %v", m, got, want)
		}
	}
	if n := count(table) + count(log); n != 0 {
		t.Errorf("%d ships more than the model has", n)
	}
}

// TestWhatIsLogged: each report is logged once, a late fix and one without a fix too. What is marked anew is logged whole, but for ships
// that were silent.
func TestWhatIsLogged(t *testing.T) {
	table := &ShipTable{}
	hear(table, 1, 1000)
	late := ship.Fix{At: 500}
	table.Meet(&ship.State{MMSI: 1, Heard: 1500, HasFix: true, Fix: ship.Fix{At: 1000}}, late, true, 1500)
	table.Meet(&ship.State{MMSI: 2, Heard: 2000}, ship.Fix{}, false, 2000)
	hear(table, 3, 3000)
	restored, n := logged(table)
	if got := restored.Recall(1); n != 4 || count(restored) != 2 || !slices.Equal(got, []ship.Fix{late, {At: 1000}}) {
		t.Errorf("%d states of three ships, of the first %v", n, got)
	}
	if _, n := logged(table); n != 0 {
		t.Errorf("%d states are logged again", n)
	}
	hear(table, 3, 4000)
	if _, n := logged(table); n != 1 {
		t.Errorf("%d states for one new fix", n)
	}
	table.MarkAll(2000)
	restored, n = logged(table)
	if got := restored.Recall(3); n != 3 || len(got) != 2 || count(restored) != 1 {
		t.Errorf("%d states of two ships anew, of the last %v", n, got)
	}
}

// TestInventionsAreNotLogged: of reports within five minutes the log gets 10,000.
func TestInventionsAreNotLogged(t *testing.T) {
	table := &ShipTable{}
	sum := 0
	for i := range 50_000 {
		hear(table, ais.MMSI(1+i), int64(i+1))
		if i%100 == 0 {
			_, n := logged(table)
			sum += n
		}
	}
	if sum != mostLogged {
		t.Errorf("%d states, want %d", sum, mostLogged)
	}
	hear(table, 1, groupMillis)
	if _, n := logged(table); n != 1 {
		t.Errorf("%d states in the next five minutes, want 1", n)
	}
}

// BenchmarkMeet is a report of a newcomer and the recall of another one.
func BenchmarkMeet(b *testing.B) {
	table, state := &ShipTable{}, ship.State{HasFix: true}
	met := 0
	for b.Loop() {
		met++
		state.MMSI, state.Heard, state.Fix.At = ais.MMSI(219000000+met), int64(met), int64(met)
		table.Meet(&state, state.Fix, true, int64(met))
		if met > 2000 && len(table.Recall(ais.MMSI(219000000+met-2000))) != 1 {
			b.Fatal("a ship is not remembered")
		}
	}
}
