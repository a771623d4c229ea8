package portcalls

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship/destination"
	"quaywatch/store"
	"quaywatch/traffic"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// harbour is a port with inner shapes where ships berth, on a store, with a picture and a simulated day.
type harbour struct {
	*Calls
	t       *testing.T
	dir     string
	db      *store.DB
	picture *traffic.Picture
	ports   *chart.Ports
	count   uint64
	ticked  time.Time
}

// length is how long the simulated traffic is.
const length = 4 * time.Hour

// simulation is what the ships of a simulated harbour send, and the places in the port where they berth. It is sailed once for all tests.
type simulation struct {
	messages []message
	inner    []geo.Polygon
}

type message struct {
	at time.Time
	m  ais.Message
}

var sailed = sync.OnceValues(func() (s simulation, err error) {
	land, err := chart.Load()
	if err != nil {
		return s, err
	}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: 5, Ships: 50, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		return s, err
	}
	h.Step(begin.Add(length), func(at time.Time, m ais.Message, _ byte) {
		kept := reflect.New(reflect.TypeOf(m).Elem()) // the simulator uses the message again
		kept.Elem().Set(reflect.ValueOf(m).Elem())
		s.messages = append(s.messages, message{at, kept.Interface().(ais.Message)})
	}, func(e sim.Truth) {
		if p := (geo.Point{Lon: e.Lon, Lat: e.Lat}); e.Kind == sim.Berthing && geo.Distance(p, sim.DefaultAt) < 7000 {
			s.inner = append(s.inner, circle(p, 40))
		}
	})
	return s, nil
})

// sail hands the traffic to hear.
func sail(t testing.TB, hear func(at time.Time, m ais.Message)) {
	t.Helper()
	s, err := sailed()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range s.messages {
		hear(one.at, one.m)
	}
}

// berths returns the places of the harbour where ships berth.
func berths(t testing.TB) []geo.Polygon {
	t.Helper()
	s, err := sailed()
	if err != nil {
		t.Fatal(err)
	}
	return s.inner
}

func circle(at geo.Point, metres float64) geo.Polygon {
	ring := make([]geo.Point, 0, 33)
	for i := range 32 {
		ring = append(ring, geo.Destination(at, float64(i)*360/32, metres))
	}
	return geo.Polygon{append(ring, ring[0])}
}

func newHarbour(t *testing.T, inner []geo.Polygon) *harbour {
	port := &chart.Port{ID: 7, Name: "HARBOUR", LOCODE: "DKCPH", Position: sim.DefaultAt, Placed: true, Outer: circle(sim.DefaultAt, 8000), Inner: inner}
	h := &harbour{t: t, dir: t.TempDir(), ports: chart.NewPorts([]*chart.Port{port})}
	h.open()
	t.Cleanup(func() { _ = h.db.Close() })
	return h
}

func (h *harbour) open() {
	h.t.Helper()
	var err error
	if h.db, err = store.Open(store.Options{Dir: h.dir}); err != nil {
		h.t.Fatal(err)
	}
	h.picture = traffic.New(traffic.DefaultConfig())
	h.picture.Restore(h.db.States())
	ports := func() *chart.Ports { return h.ports }
	if h.Calls, err = Open(Config{DB: h.db, Ports: ports, Bound: destination.NewCurrent(ports).Port}); err != nil {
		h.t.Fatal(err)
	}
}

// hear lets the traffic be heard, and saves once a minute. After each minute the box may be restarted, as after a stop or a kill.
func (h *harbour) hear(restart func(minute int) (stop, kill bool)) {
	h.t.Helper()
	minute := 0
	sail(h.t, func(at time.Time, m ais.Message) {
		if now := int(at.Sub(begin) / time.Minute); now > minute {
			minute = now
			h.Save()
			if stop, kill := restart(minute); stop {
				h.restart(kill)
			}
		}
		h.take(at, m, h.db, h.Calls)
	})
	h.Stop()
}

// take lets one message be heard.
func (h *harbour) take(at time.Time, m ais.Message, observers ...traffic.Observer) {
	h.count++ // no message is a duplicate
	if second := at.Truncate(time.Second); second.After(h.ticked) {
		h.ticked = second
		h.picture.Tick(second, observers...)
	}
	h.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: h.count}}}, observers...)
}

// restart closes the store and opens it again. When the box was killed, what was not saved is lost.
func (h *harbour) restart(kill bool) {
	h.t.Helper()
	if !kill {
		h.Stop()
	}
	if err := h.db.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.open()
}

func never(int) (stop, kill bool) { return false, false }

// all returns every call as a line, in order.
func (h *harbour) all(within time.Duration) (lines []string) {
	h.t.Helper()
	for m := range h.last {
		err := h.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			line := fmt.Sprintf("%d %d stays", m, len(c.Found.Stays))
			for _, at := range []time.Time{c.Arrived(), c.Departed(), c.Found.Left.Time()} {
				line += " " + at.Round(within).Format("15:04:05")
			}
			if !c.Arrived().IsZero() {
				line += fmt.Sprintf(" crew %s draught %d", c.CrewETA().Format("15:04"), c.Found.DraughtA)
			}
			lines = append(lines, line)
			return true
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	slices.Sort(lines)
	return lines
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%s: too much: %s", what, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s: missing: %s", what, line)
		}
	}
}

// TestDetectFindsTheSameCalls compares the calls of the past with those of the live traffic. A second search finds nothing new, and what
// users wrote stays.
func TestDetectFindsTheSameCalls(t *testing.T) {
	inner := berths(t)
	live := newHarbour(t, inner)
	live.hear(never)

	late := newHarbour(t, inner)
	sail(t, func(at time.Time, m ais.Message) { late.take(at, m, late.db) })
	late.Tick(begin.Add(length))
	found, err := late.Detect(t.Context(), time.Time{}, endOfTime, nil)
	if err != nil || found.New < 8 || found.New != found.Calls {
		t.Fatalf("%+v, %v", found, err)
	}
	lately := 0
	err = late.InTime(t.Context(), begin, endOfTime, func(c *KeptCall) bool {
		if c.Found.Open() || c.Found.Left.Time().After(begin.Add(length-VisitorsKept)) {
			lately++
			if !slices.Contains(late.Visitors(c.Found.Port), c.MMSI) {
				t.Errorf("%d is no visitor of %d", c.MMSI, c.Found.Port)
			}
		}
		return true
	})
	if err != nil || lately < 5 {
		t.Errorf("%d visitors, %v", lately, err)
	}
	late.Stop()
	if got, want := late.all(24*time.Hour), live.all(24*time.Hour); !slices.Equal(got, want) {
		compare(t, "the past", late.all(time.Hour), live.all(time.Hour))
	}
	before := late.all(time.Millisecond)
	again, err := late.Detect(t.Context(), time.Time{}, endOfTime, nil)
	if err != nil || again.New != 0 || again.Calls != found.Calls {
		t.Errorf("again: %+v, %v", again, err)
	}
	compare(t, "again", late.all(time.Millisecond), before)
	onLive, err := live.Detect(t.Context(), time.Time{}, endOfTime, nil)
	if err != nil || onLive.New != 0 || onLive.Calls != found.Calls {
		t.Errorf("on the live calls: %+v, %v", onLive, err)
	}
}

// TestCrewsSayWhenTheyArrive holds that a call has the ETA of its crew where the crew had said that it comes here.
func TestCrewsSayWhenTheyArrive(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.hear(never)
	said := 0
	err := h.InTime(t.Context(), begin, begin.Add(length), func(c *KeptCall) bool {
		if !c.CrewETA().IsZero() && !c.Arrived().IsZero() {
			said++
			record, ok := CrewRecordOf([]*KeptCall{c})
			if off := c.Arrived().Sub(c.CrewETA()); !ok || record.Calls != 1 || record.Late != off || off.Abs() > 12*time.Hour {
				t.Errorf("%d: arrived %s after the ETA, %+v", c.MMSI, off, record)
			}
		}
		return true
	})
	if err != nil || said == 0 {
		t.Errorf("%d calls have an ETA of the crew, %v", said, err)
	}
}

// TestFiltersKnowThePastAfterARestart holds that a restart changes no answer about which port a ship was in.
func TestFiltersKnowThePastAfterARestart(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.hear(never)
	answers := func() (list []string) {
		for _, m := range sorted(h.last) {
			for at := begin.Add(time.Hour); at.Before(begin.Add(length)); at = at.Add(7 * time.Minute) {
				if call, ok := h.Visiting(m, at); ok {
					list = append(list, fmt.Sprintf("%d at %s in %d", m, at.Format("15:04"), call.Port))
				}
			}
		}
		return list
	}
	before := answers()
	h.restart(false)
	after := answers()
	if len(before) < 50 {
		t.Fatalf("only %d answers", len(before))
	}
	compare(t, "after a restart", after, before)
}

// first returns some call that is over, with an arrival and a departure.
func (h *harbour) first() (found *KeptCall) {
	h.t.Helper()
	for _, m := range sorted(h.last) {
		err := h.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			if found == nil && !c.Arrived().IsZero() && !c.Departed().IsZero() && !c.Found.Open() {
				found = c
			}
			return found == nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if found == nil {
		h.t.Fatal("no call has both times")
	}
	return found
}

func TestUsersCorrectCalls(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.hear(never)
	c := h.first()
	detected := c.Arrived()
	earlier := detected.Add(-7 * time.Minute)
	by := Edit{ATA: &earlier, By: "pilot", At: begin.Add(5 * time.Hour)}
	changed, err := h.Change(c.ID, by)
	if err != nil || !changed.Arrived().Equal(earlier) || !changed.Detected(Arrival).Equal(detected) || changed.By != "pilot" {
		t.Fatalf("%v, %v", changed, err)
	}
	after := c.Departed().Add(time.Hour)
	if _, err := h.Change(c.ID, Edit{ATA: &after, By: "pilot", At: by.At}); err == nil {
		t.Error("an arrival after the departure was taken")
	}
	h.restart(false)
	if kept, err := h.Call(c.ID); err != nil || !kept.Arrived().Equal(earlier) || !kept.Departed().Equal(c.Departed()) {
		t.Errorf("after a restart: %v, %v", kept, err)
	}
	if _, err := h.Detect(t.Context(), time.Time{}, endOfTime, nil); err != nil {
		t.Fatal(err)
	}
	if kept, err := h.Call(c.ID); err != nil || !kept.Arrived().Equal(earlier) {
		t.Errorf("after a search: %v, %v", kept, err)
	}
	if changed, err = h.Change(c.ID, Edit{ATA: &time.Time{}, By: "pilot", At: by.At}); err != nil || !changed.Arrived().Equal(detected) {
		t.Errorf("taken back: %v, %v", changed.Arrived(), err)
	}
	if err := h.Delete(c.ID, "pilot"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Call(c.ID); !errors.Is(err, ErrUnknown) {
		t.Errorf("a deleted call: %v", err)
	}
	if again, err := h.Detect(t.Context(), time.Time{}, endOfTime, nil); err != nil || again.New != 0 {
		t.Errorf("a deleted call was found anew: %+v, %v", again, err)
	}
}
