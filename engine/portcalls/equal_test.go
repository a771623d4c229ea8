//go:build !race

package portcalls

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/ship/portcall"
	"quaywatch/ship/shiptest"
	"quaywatch/store"
	"quaywatch/traffic"
)

// interval is how far a time that was found afterwards may lie from that found live: a moored ship is heard each three minutes.
const interval = 3 * time.Minute

// sameTimes reports whether the times of two findings with the same stays are the same to an interval.
func sameTimes(a, b *portcall.Call) bool {
	same := func(a, b portcall.Millis) bool { return (a == 0) == (b == 0) && a.Since(b).Abs() <= interval }
	for i := range a.Stays {
		if !same(a.Stays[i].From, b.Stays[i].From) || !same(a.Stays[i].To, b.Stays[i].To) {
			return false
		}
	}
	return same(a.Entered, b.Entered) && same(a.Left, b.Left)
}

// callsOf returns all calls, by ship, the latest first.
func callsOf(t *testing.T, v *Calls) (all map[ais.MMSI][]*KeptCall, count int) {
	t.Helper()
	all = map[ais.MMSI][]*KeptCall{}
	for _, m := range v.Callers() {
		if err := v.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			all[m] = append(all[m], c)
			count++
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all, count
}

// sameCalls holds that both have the same calls with the same stays, and returns how many calls there are, and in how many a time differs by more than
// an interval.
func sameCalls(t *testing.T, what string, live, after *Calls) (count, differ int) {
	t.Helper()
	was, count := callsOf(t, live)
	is, _ := callsOf(t, after)
	for m := range was {
		if len(is[m]) != len(was[m]) {
			t.Errorf("%s: %d has other calls afterwards:\n%safterwards:\n%s", what, m, linesOf(was[m]), linesOf(is[m]))
			continue
		}
		for i, c := range was[m] {
			a, b := &c.Found, &is[m][i].Found
			if a.Port != b.Port || a.Exit != b.Exit || !slices.EqualFunc(a.Stays, b.Stays, func(a, b portcall.Stay) bool { return a.Kind == b.Kind && a.Over == b.Over }) {
				t.Errorf("%s: %d has another call afterwards:\n%safterwards:\n%s", what, m, linesOf(was[m][i:i+1]), linesOf(is[m][i:i+1]))
				continue
			}
			if !sameTimes(a, b) {
				differ++
				t.Logf("%s: %d has other times afterwards:\n%safterwards:\n%s", what, m, linesOf(was[m][i:i+1]), linesOf(is[m][i:i+1]))
			}
		}
	}
	for m := range is {
		if was[m] == nil {
			t.Errorf("%s: %d has calls afterwards alone:\n%s", what, m, linesOf(is[m]))
		}
	}
	return count, differ
}

func linesOf(list []*KeptCall) (text string) {
	for _, c := range list {
		text += fmt.Sprintf("\tport %d in %s out %s %v", c.Found.Port, c.Found.Entered.Time().Format(time.TimeOnly), c.Found.Left.Time().Format(time.TimeOnly), c.Found.Exit)
		for _, s := range c.Found.Stays {
			text += fmt.Sprintf(" %d: %s-%s (seen %s-%s)", s.Kind, s.From.Time().Format(time.TimeOnly), s.To.Time().Format(time.TimeOnly), s.Seen.Time().Format(time.TimeOnly), s.Last.Time().Format(time.TimeOnly))
		}
		text += "\n"
	}
	return text
}

// recorded is a box that hears a recording, and a store beside it that is searched for calls afterwards.
type recorded struct {
	t        *testing.T
	db, late *store.DB
	picture  *traffic.Picture
	live     *Calls
	ticked   time.Time
}

func newRecorded(t *testing.T, ports *chart.Ports) *recorded {
	r := &recorded{t: t, picture: traffic.New(traffic.DefaultConfig())}
	var err error
	for _, db := range []**store.DB{&r.db, &r.late} {
		if *db, err = store.Open(store.Options{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = (*db).Close() })
	}
	if r.live, err = Open(Config{DB: r.db, Ports: func() *chart.Ports { return ports }}); err != nil {
		t.Fatal(err)
	}
	return r
}

// play lets the box hear a recording to its end.
func (r *recorded) play(name string) {
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	take := func(fill func(b *ais.Batch)) {
		b := pool.Get()
		fill(b)
		for i := range b.Reports {
			if second := b.Reports[i].Received.Truncate(time.Second); second.After(r.ticked) {
				r.ticked = second
				r.picture.Tick(second, r.db, r.live, r.late)
			}
		}
		r.picture.Apply(b, r.db, r.live, r.late)
		b.Release()
	}
	for lines := bufio.NewScanner(shiptest.Recording(r.t, name)); lines.Scan(); {
		take(func(b *ais.Batch) { d.Line(b, lines.Bytes(), now) })
	}
	take(func(b *ais.Batch) { d.Flush(b, now) })
	r.live.Stop()
}

// TestRecordedCallsAreTheSameAfterwards holds that the calls of a recording, found in what the store kept of it, are those that were found live.
func TestRecordedCallsAreTheSameAfterwards(t *testing.T) {
	ports, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	total, differ := 0, 0
	for _, name := range []string{"denmark_2013-11-12_pghp.txt.gz", "hakefjord_2015-07-20.log.gz", "ijsselmeer_2016-08-15.nmea.gz", "kadetrenden_2013-07-31.nmea.gz",
		"sanfrancisco_bay_2008-07-14.nmea.gz", "kattegat_2022-08-18_tcp.log", "drift_538004030_2014-09-28_pghp.ais.gz"} {
		r := newRecorded(t, ports)
		r.play("nmea/" + name)
		if s := r.picture.Stats(); s.Untrusted > 0 {
			t.Errorf("%s: of %d places %d are untrusted, and nobody jammed these ships", name, s.Fixes, s.Untrusted)
		}
		n, d := r.sameAfterwards(name, ports)
		total, differ = total+n, differ+d
	}
	if total < 15 || differ > 0 {
		t.Errorf("of %d calls %d have other times afterwards", total, differ)
	}
}

// sameAfterwards looks for calls in what the other store kept, and compares them with those found live. It returns how many there are, and how many have other
// times.
func (r *recorded) sameAfterwards(what string, ports *chart.Ports) (count, differ int) {
	r.t.Helper()
	after, err := Open(Config{DB: r.late, Ports: func() *chart.Ports { return ports }})
	if err != nil {
		r.t.Fatal(err)
	}
	after.Tick(r.ticked)
	if _, err := after.Detect(r.t.Context(), time.Time{}, endOfTime, nil); err != nil {
		r.t.Fatal(err)
	}
	after.Stop()
	return sameCalls(r.t, what, r.live, after)
}

// TestSimulatedCallsAreTheSameAfterwards holds the same of the simulated harbour.
func TestSimulatedCallsAreTheSameAfterwards(t *testing.T) {
	for what, port := range map[string]*chart.Port{"8 km with quays": drawnHarbour(8000, berths(t)), "the circle": plainHarbour()} {
		live, late := newHarbour(t, nil), newHarbour(t, nil)
		for _, h := range []*harbour{live, late} {
			h.ports = chart.NewPorts([]*chart.Port{port})
			h.followPorts()
		}
		live.hear(never)
		sail(t, func(at time.Time, m ais.Message) { late.take(at, m, late.db) })
		late.Tick(begin.Add(length))
		if _, err := late.Detect(t.Context(), time.Time{}, endOfTime, nil); err != nil {
			t.Fatal(err)
		}
		late.Stop()
		if n, differ := sameCalls(t, what, live.Calls, late.Calls); n < 20 || differ > 0 {
			t.Errorf("of %d calls %d have other times afterwards", n, differ)
		}
	}
}
