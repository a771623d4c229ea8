//go:build !race

package watchdogs

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// fewRings are ceilings that thirty ships reach in five areas of one owner, and not in one.
func fewRings() ceiling.Limits {
	return ceiling.Limits{Definition: ceiling.Rate{Burst: 40, PerMinute: 60}, Owner: ceiling.Rate{Burst: 60, PerMinute: 120}, All: ceiling.Rate{Burst: 1000, PerMinute: 600},
		Pause: 10 * time.Minute, Longest: time.Hour}
}

// crowdOf makes five areas of one owner and one of another, all over the same water, and returns the number of the last.
func (b *box) crowdOf() (harbour uint64) {
	for i := range 5 {
		b.insertOf("crowd", fmt.Sprintf(`{"name":"square %d","type":"polygon","polygon":%s}`, i, areaOf(10, 54, 11, 55)))
	}
	harbour = b.insertOf("harbour", `{"name":"basin","type":"polygon","polygon":`+areaOf(10, 54, 11, 55)+`}`).ID
	b.watch.Compile()
	return harbour
}

// thirty lets as many ships report from the water.
func (b *box) thirty(at time.Time) {
	b.watch.Tick(at)
	for i := range 30 {
		b.hear(ais.MMSI(211000001+i), at, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	}
}

// kinds counts the events that are stored, by their owner and kind, and returns what those tell that count others.
func (b *box) kinds() (count map[string]int, more uint64) {
	b.t.Helper()
	b.watch.Save(false)
	count = map[string]int{}
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		if count[e.Owner+" "+string(e.Kind)]++; e.Kind == "more" {
			more += e.Pause.Held
		}
	}
	return count, more
}

// held returns what the watchdogs that are paused have held back so far.
func (b *box) held() (held uint64) {
	for id := range b.watch.dogs {
		if p, is := Paused(b.watch, id); is {
			held += p.Held
		}
	}
	return held
}

// TestWhatRingsTooOftenIsPaused: the watchdogs of an owner that ring too often are paused, those of others ring as ever. Each event is told or counted, the
// count is told as one event when the pause is over, and who is inside is told then.
func TestWhatRingsTooOftenIsPaused(t *testing.T) {
	b := newBox(t)
	b.limits = fewRings()
	b.start()
	harbour := b.crowdOf()
	b.thirty(begin)
	count, _ := b.kinds()
	told, held := count["crowd enter"], b.held()
	if told+int(held) != 150 || told < 60 || told > 90 || count["crowd paused"] != 5 {
		t.Errorf("%d told, %d held back, %d paused of 150 of 5", told, held, count["crowd paused"])
	}
	if _, is := Paused(b.watch, harbour); is || count["harbour enter"] != 30 || count["harbour paused"] != 0 {
		t.Errorf("the other owner: paused %t, %v", is, count)
	}
	if s := b.watch.Status(); s.Paused != 5 || s.Held != held || s.Events != 185 {
		t.Errorf("%+v", s)
	}
	for second := range 500 { // a ship that stays counts once
		b.thirty(begin.Add(time.Duration(second) * time.Second))
	}
	if b.held() != held {
		t.Errorf("%d held back, after %d", b.held(), held)
	}
	over := begin.Add(10*time.Minute + 5*time.Second)
	b.watch.Tick(over)
	if count, more := b.kinds(); count["crowd more"] != 5 || more != held || b.watch.Status().Paused != 0 {
		t.Errorf("when it is over: %v, %d more of %d", count, more, held)
	}
	for e := range b.watch.After(0) {
		if e.Kind == "paused" && e.Deactivated != over.UnixMilli() {
			t.Errorf("the pause of %s was over at %d", e.Name, e.Deactivated)
		}
	}
	b.thirty(over.Add(time.Second))
	if after, _ := b.kinds(); after["crowd enter"] <= told {
		t.Errorf("nobody inside was told after the pause: %v", after)
	}
}

// TestEachShipInsideIsToldOnce: before the pause or after it, also the ship whose event began it, and a ship that counts its reports.
func TestEachShipInsideIsToldOnce(t *testing.T) {
	for _, samples := range []int{1, 3} {
		b := newBox(t)
		b.limits = fewRings()
		b.limits.Definition.Burst = 20
		b.start()
		b.insertOf("crowd", fmt.Sprintf(`{"name":"square","type":"polygon","polygon":%s,"samples_to_activate":%d}`, areaOf(10, 54, 11, 55), samples))
		b.watch.Compile()
		for second := range 1000 {
			b.thirty(begin.Add(time.Duration(second) * time.Second))
		}
		b.watch.Save(true)
		told, initial := map[ais.MMSI]int{}, 0
		for e := range b.watch.After(0) {
			if e.Kind == watchdog.Enter {
				told[e.Ship.MMSI]++
			}
			if e.Initial {
				initial++
			}
		}
		for i := range 30 {
			if m := ais.MMSI(211000001 + i); told[m] != 1 {
				t.Errorf("of %d samples: ship %d is told %d times", samples, m, told[m])
			}
		}
		if samples == 1 && initial < 10 {
			t.Errorf("%d were told to have been inside", initial)
		}
	}
}

// TestAPauseGoesOnAfterARestart: it has its end and its count, is told once, and is over when its owner says so.
func TestAPauseGoesOnAfterARestart(t *testing.T) {
	b := newBox(t)
	b.limits = fewRings()
	b.start()
	b.crowdOf()
	b.thirty(begin)
	held := b.held()
	b.watch.Save(true)
	was, _ := b.kinds()
	b.restart()
	b.thirty(begin.Add(time.Minute))
	if is, _ := b.kinds(); is["crowd paused"] != was["crowd paused"] || is["crowd enter"] != was["crowd enter"] || b.watch.Status().Paused != 5 || b.held() < held {
		t.Errorf("before %v, then %v; %d held back, then %d", was, is, held, b.held())
	}
	var one ceiling.RingPause
	for id := range b.watch.dogs {
		if p, is := Paused(b.watch, id); is {
			one = p
		}
	}
	if one.Until != begin.Add(10*time.Minute).UnixMilli() {
		t.Errorf("%+v", one)
	}
	if !Release(b.watch, one.ID, begin.Add(2*time.Minute)) || Release(b.watch, one.ID, begin.Add(2*time.Minute)) {
		t.Error("it is not released once")
	}
	if is, more := b.kinds(); is["crowd more"] != 1 || more != one.Held || b.watch.Status().Paused != 4 {
		t.Errorf("%v, %d more of %d", is, more, one.Held)
	}
}

// TestAPauseThatHeldNothingBackTellsNothing: it is over, and there is no event that tells of none.
func TestAPauseThatHeldNothingBackTellsNothing(t *testing.T) {
	for held := range uint64(2) {
		b := newBox(t)
		id := b.define(`{"name":"square","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
		b.watch.pauses.endPause(ceiling.RingPause{ID: id, Held: held}, begin.UnixMilli())
		if count, more := b.kinds(); count["owner more"] != int(held) || more != held {
			t.Errorf("held back %d: %v", held, count)
		}
	}
}

// TestAWatchdogThatIsGoneIsNotPaused: its pause is over with it.
func TestAWatchdogThatIsGoneIsNotPaused(t *testing.T) {
	b := newBox(t)
	b.limits = fewRings()
	b.limits.Definition.Burst = 5
	b.start()
	id := b.insertOf("crowd", `{"name":"square","type":"polygon","polygon":`+areaOf(10, 54, 11, 55)+`}`).ID
	b.watch.Compile()
	b.thirty(begin)
	if p, is := Paused(b.watch, id); !is || p.Held != 25 {
		t.Fatalf("%+v", p)
	}
	b.change(id, `{"enabled":false}`)
	b.watch.Save(false)
	if s := b.watch.Status(); s.Paused != 0 || len(b.watch.situations.all) != 0 {
		t.Errorf("%+v", s)
	}
	for e := range b.watch.After(0) {
		if e.Kind == "paused" && e.Deactivated == 0 {
			t.Errorf("%+v goes on", e)
		}
	}
}

// TestAPauseCountsWhatWouldRing: a ship that the paused watchdog is not for is not counted.
func TestAPauseCountsWhatWouldRing(t *testing.T) {
	b := newBox(t)
	b.limits = fewRings()
	b.limits.Definition.Burst = 5
	b.start()
	id := b.define(`{"name":"fast","type":"polygon","filter":"sog > 8","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.thirty(begin)
	for _, one := range []struct {
		ship ais.MMSI
		sog  int
		held uint64
	}{{211000001, 100, 25}, {211000101, 50, 25}, {211000102, 100, 26}} {
		b.hear(one.ship, begin.Add(time.Second), geo.Point{Lon: 10.5, Lat: 54.5}, one.sog)
		if p, is := Paused(b.watch, id); !is || p.Held != one.held {
			t.Errorf("after ship %d: %+v", one.ship, p)
		}
	}
}

// TestWhyAnEventIsLost: that the disk stood still is told only where it did.
func TestWhyAnEventIsLost(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.watch.pending = make([]raised, mostWaits)
	b.hear(211000001, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	if s := b.watch.Status(); s.Lost != 1 || s.LostBusy != 1 {
		t.Errorf("with a disk that writes: %+v", s)
	}
	b.watch.pending = nil
	b.end()
	b.hear(211000002, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	b.watch.Save(false)
	b.watch.pending = make([]raised, mostWaits)
	b.hear(211000003, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	if s := b.watch.Status(); s.Lost != 2 || s.LostBusy != 1 {
		t.Errorf("with a disk that fails: %+v", s)
	}
	b.open()
}

// manyOver returns a box with so many areas over one ship, which has an alarm of each or, where all are paused, of none.
func manyOver(t testing.TB, areas int, paused bool) (*box, *ship.Update) {
	b := newBox(t)
	b.limits = ceiling.Usual()
	b.limits.Owner.Burst = float64(areas)
	if paused {
		b.limits.Definition.Burst = 0
	}
	b.start()
	dogs, found := map[uint64]*dog{}, newMeets()
	for i := range areas {
		r := library.Resource{ID: uint64(i + 1), Name: fmt.Sprint("square ", i), Polygon: json.RawMessage(areaOf(10, 54, 11, 55)),
			Watchdog: &library.Watchdog{Type: watchdog.Polygon, Enabled: true, Severity: "note", SamplesToActivate: 1, SamplesToDeactivate: 1}}
		d, err := b.watch.dogOf(r, b.areas.Ports.Current())
		if err != nil {
			t.Fatal(err)
		}
		dogs[d.id] = d
		found.add(d)
	}
	b.watch.useWatchdogs(dogs, nil, found)
	if paused { // by another ship
		b.hear(211000002, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	}
	b.hear(211000001, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
	if n := len(b.watch.alarms[211000001]); paused != (n == 0) || !paused && n != areas {
		t.Fatalf("%d alarms of %d areas", n, areas)
	}
	b.watch.pending, b.watch.urgent = nil, nil
	s := b.states[211000001]
	return b, &ship.Update{Report: &ais.Report{}, Was: s, Now: s, Fix: s.Fix, Change: ship.ChangedFix}
}

// oneReport returns a func that tells how long the next report of the ship takes.
func oneReport(b *box, u *ship.Update) func() time.Duration {
	return func() time.Duration {
		u.Was = u.Now
		u.Now.Fix.At += 5000
		u.Fix = u.Now.Fix
		began := time.Now()
		b.watch.Observe(u)
		return time.Since(began)
	}
}

// TestAReportCostsAsManyWatchdogs: eight times as many watchdogs at a place cost a report about eight times as much, and not 64 times; those that are
// paused cost less than those that ring. Few and many are measured in turns until the bar holds: what else the machine does, and what it keeps in its
// caches, meets both, while a cost that grows as the square never meets the bar.
func TestAReportCostsAsManyWatchdogs(t *testing.T) {
	for _, paused := range []bool{false, true} {
		ofFew, ofMany := oneReport(manyOver(t, 200, paused)), oneReport(manyOver(t, 1600, paused))
		few, many := time.Hour, time.Hour
		for round := 0; round < 40 || many > 24*few && round < 4000; round++ {
			few, many = min(few, ofFew()), min(many, ofMany())
		}
		t.Logf("paused %t: %v with 200, %v with 1600", paused, few, many)
		if many > 24*few {
			t.Errorf("paused %t: %v with 200 watchdogs, %v with 1600", paused, few, many)
		}
	}
}

// BenchmarkCrowd is a report of a ship inside of 990 areas, which it has alarms of or which are paused.
func BenchmarkCrowd(b *testing.B) {
	for _, paused := range []bool{false, true} {
		b.Run(fmt.Sprintf("paused=%t", paused), func(b *testing.B) {
			x, u := manyOver(b, 990, paused)
			b.ReportAllocs()
			for b.Loop() {
				u.Was = u.Now
				u.Now.Fix.At += 5000
				u.Fix = u.Now.Fix
				x.watch.Observe(u)
			}
		})
	}
}

// TestAnAlarmWaitsWithItsEvent: where not all events go with a commit, the alarms go with theirs, so that a kill between the commits loses no event. What
// could not be stored is stored the next time, each once.
func TestAnAlarmWaitsWithItsEvent(t *testing.T) {
	b := newBox(t)
	b.start()
	b.insertOf("harbour", `{"name":"basin","type":"polygon","polygon":`+areaOf(10, 54, 11, 55)+`}`)
	b.watch.Compile()
	const ships = mostAtOnce + 100
	for step := range 3 {
		at := begin.Add(time.Duration(step) * 10 * time.Second)
		b.watch.Tick(at)
		for i := range ships {
			b.hear(ais.MMSI(211000001+i), at, geo.Point{Lon: 10.5, Lat: 54.5}, 100)
		}
	}
	u := b.watch.takeUnsaved(true)
	if len(u.events) != mostAtOnce || len(u.alarms) != mostAtOnce || u.whole {
		t.Fatalf("%d events and %d alarms go first", len(u.events), len(u.alarms))
	}
	goes := shipsOf(u.events)
	for _, s := range u.alarms {
		if !goes[watched{s.copy.Watchdog, s.copy.MMSI}] {
			t.Fatalf("the alarm of ship %d goes before its event", s.copy.MMSI)
		}
	}
	b.watch.restoreUnsaved(&u)
	if count, _ := b.kinds(); count["harbour enter"] != ships {
		t.Errorf("%v, want an event of each of %d ships", count, ships)
	}
	if len(b.watch.urgent) != 0 || len(b.watch.pending) != 0 {
		t.Errorf("%d alarms and %d events still wait", len(b.watch.urgent), len(b.watch.pending))
	}
}
