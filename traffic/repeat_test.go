package traffic_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// listener notes what it is told again: the feed, and the feeds that heard it before.
type listener struct {
	counter
	again []string
	last  ship.Update
}

func (l *listener) TakesAgain(ais.Message) bool { return true }

func (l *listener) ObserveAgain(u *ship.Update, before ais.Feeds) {
	line := u.Report.Feed + " after"
	before.Any(func(name string) bool { line += " " + name; return false })
	l.again, l.last = append(l.again, line), *u
}

func heardBy(feed string, message ais.Message, hash uint64, seconds float64) ais.Report {
	r := heard(message, seconds)
	r.Feed, r.Hash = feed, hash
	return r
}

// A message that comes again is told to a RepeatObserver, once for each further feed. It gets the outcome of the first time and the ship as
// it is now. Other observers are not told, and the state of the ship stays.
func TestHeardAgain(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var l listener
	var other counter
	first, second := position(anna, at(54, 10)), position(anna, at(54.001, 10))
	p.Apply(batch(
		heardBy("roof", first, 1, 0), heardBy("roof", second, 2, 5), heardBy("pier", first, 1, 6), heardBy("pier", first, 1, 7),
		heardBy("roof", first, 1, 7), heardBy("sky", first, 1, 8), heardBy("pier", second, 2, 8),
	), &l, &other)
	if u := &l.last; u.Change != ship.LateFix || u.Fix.Lat != at(54.001, 10).Lat || u.Now.Feed != "pier" {
		t.Errorf("%+v", u)
	}
	if s, _ := p.Ship(anna); s.Feed != "roof" || s.Fix.At != noon.Add(5*time.Second).UnixMilli() || s.Reports != 2 {
		t.Errorf("%+v", s)
	}
	p.Apply(batch(heardBy("sky", first, 1, 11), heardBy("roof", first, 1, 12)), &l, &other) // after the window: anew
	want := []string{"pier after roof", "sky after roof pier", "pier after roof", "roof after sky"}
	if !slices.Equal(l.again, want) {
		t.Errorf("%q, want %q", l.again, want)
	}
	if other.updates != 3 || l.updates != 3 {
		t.Errorf("%d and %d updates", other.updates, l.updates)
	}
}

// A number that cannot be is not told, nor is a ship that had to leave.
func TestNobodyIsHeardAgain(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var l listener
	p.Apply(batch(heardBy("roof", position(0, at(54, 10)), 1, 0), heardBy("pier", position(0, at(54, 10)), 1, 1)), &l)
	if l.updates != 0 || len(l.again) != 0 {
		t.Errorf("%d, %q", l.updates, l.again)
	}
}

// Of more feeds than are told apart the last ones are not told again: rather not than twice.
func TestHeardAgainByVeryManyFeeds(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var l listener
	var reports []ais.Report
	for i := range 80 {
		reports = append(reports, heardBy(fmt.Sprint("feed", i), position(anna, at(54, 10)), 1, 0))
	}
	reports = append(reports, heardBy("feed70", position(anna, at(54, 11)), 2, 1), heardBy("feed1", position(anna, at(54, 11)), 2, 1))
	p.Apply(batch(reports...), &l)
	if len(l.again) != 63 || l.again[62][:len("feed63 after feed0 feed1")] != "feed63 after feed0 feed1" {
		t.Errorf("%d times: %q", len(l.again), l.again)
	}
}

// heardTwice returns each report of a fleet twice, by two feeds.
func heardTwice(s *sailing) *ais.Batch {
	s.batch.Reports = s.batch.Reports[:1]
	b := s.one()
	b.Reports = append(b.Reports, b.Reports[0])
	b.Reports[1].Feed = "pier"
	return b
}

func TestHeardAgainAllocatesNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(1000)
	p.Restore(states)
	s := newSailing(states)
	observers := []traffic.Observer{&again{}}
	one := func() { p.Apply(heardTwice(s), observers...) }
	for range 20000 {
		one()
	}
	if n := testing.AllocsPerRun(5000, one); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// again counts what comes again.
type again struct {
	counter
	repeats int
}

func (a *again) TakesAgain(ais.Message) bool          { return true }
func (a *again) ObserveAgain(*ship.Update, ais.Feeds) { a.repeats++ }

// BenchmarkApplyTwice is what a message costs that two feeds hear, with and without a RepeatObserver.
func BenchmarkApplyTwice(b *testing.B) {
	nobody, told := &counter{}, &again{}
	for name, observer := range map[string]traffic.Observer{"nobody": nobody, "told": told} {
		b.Run(name, func(b *testing.B) {
			p := traffic.New(traffic.DefaultConfig())
			states := fleet(60000)
			p.Restore(states)
			s := newSailing(states)
			b.ReportAllocs()
			for b.Loop() {
				p.Apply(heardTwice(s), observer)
			}
			if nobody.updates+told.repeats == 0 || name == "told" && told.repeats < b.N {
				b.Fatalf("%d updates, %d repeats", nobody.updates, told.repeats)
			}
		})
	}
}
