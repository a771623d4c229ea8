package tracking

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/passage"
	"quaywatch/ship/portcall"
)

// sender is a ship in the Øresund that is heard by its sentences.
type sender struct {
	*box
	encode *ais.Encoder
	decode *ais.Decoder
	at     time.Time
	place  geo.Point
	port   *chart.Port
}

func newSender(t *testing.T, place geo.Point) *sender {
	t.Helper()
	all, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	port, ok := all.ByLOCODE("DKCPH")
	if !ok {
		t.Fatal("DKCPH is no port")
	}
	return &sender{box: newBox(t, all.All()), encode: ais.NewEncoder("AIVDM"), decode: ais.NewDecoder(ais.DecoderConfig{Feed: "roof"}), at: begin, place: place, port: port}
}

// say sends a message as sentences.
func (s *sender) say(m ais.Message) {
	s.t.Helper()
	lines, err := s.encode.Sentences(nil, m, 'A')
	if err != nil {
		s.t.Fatal(err)
	}
	b := ais.NewPool(1).Get()
	for line := range bytes.Lines(lines) {
		s.decode.Line(b, bytes.TrimSpace(line), s.at)
	}
	s.decode.Flush(b, s.at)
	if len(b.Reports) != 1 {
		s.t.Fatalf("%q has %d messages", lines, len(b.Reports))
	}
	s.hear(s.at, b.Reports[0].Message)
	s.settle()
}

// typed sends what the crew typed.
func (s *sender) typed(decimetres int) {
	s.say(&ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: vessel}, Name: "DEEP", ShipType: 70, Dimensions: ais.Dimensions{Bow: 120, Stern: 30, Port: 10, Starboard: 12},
		EPFD: 1, ETA: ais.ETA{Hour: 24, Minute: 60}, Draught: ais.Decimetres(decimetres), Destination: "DKCPH"})
}

// sail lets the ship sail to a place at 14 knots, with a report each minute, until a look ends it.
func (s *sender) sail(to geo.Point, look func() (on bool)) {
	s.t.Helper()
	const step = 14 * 1852 / 60.0
	for geo.Distance(s.place, to) > step {
		course := geo.Bearing(s.place, to)
		s.place, s.at = geo.Destination(s.place, course, step), s.at.Add(time.Minute)
		s.say(&ais.PositionReport{Header: ais.Header{Type: 1, MMSI: vessel}, Second: 60, SOG: 140, COG: ais.COGTenths(int(10 * course)),
			Place: ais.Place{Lon: int32(s.place.Lon * 600000), Lat: int32(s.place.Lat * 600000)}})
		if !look() {
			return
		}
	}
}

func (s *sender) get(id int64) TrackedShip {
	s.t.Helper()
	one, err := s.tracks.Get(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return one
}

// TestATypedDraughtIsNoWall sails a ship that says 8.8 m of draught through the Drogden, which takes 7.7 m, to Copenhagen. At first its range covers
// both ways; after some miles it is led through, also after a restart, and no error of the way round is learned.
func TestATypedDraughtIsNoWall(t *testing.T) {
	t.Parallel()
	s := newSender(t, geo.Point{Lon: 12.4586, Lat: 55.5285})
	s.typed(88)
	gate := geo.Point{Lon: 12.70, Lat: 55.60}
	s.sail(gate, func() bool { return false })
	start := s.at
	id := s.start(vessel, s.port.ID, s.at)
	s.settle()
	s.sail(gate, func() bool { return false })
	one := s.get(id)
	if len(one.Doubts) != 1 || !one.Latest.Parts {
		t.Fatalf("at first it has the doubts %+v and the ETA %+v", one.Doubts, one.Latest)
	}
	if d := one.Doubts[0]; d.Passage != "Drogden" || d.Fit != passage.TooDeep || d.Has != 8.8 || d.Most != 7.7 || !d.Open {
		t.Errorf("at first it has the doubt %+v", d)
	}
	through, round := start.Add(90*time.Minute), start.Add(17*time.Hour)
	if one.Latest.Low.Time().After(through) || one.Latest.High.Time().Before(round) {
		t.Errorf("the range from %v to %v does not cover both ways", one.Latest.Low.Time(), one.Latest.High.Time())
	}
	s.sail(gate, func() bool { one = s.get(id); return one.Latest.Parts })
	if sailed := s.at.Sub(start); sailed > 10*time.Minute {
		t.Errorf("it is led through after %v", sailed)
	}
	check := func() {
		t.Helper()
		one = s.get(id)
		if one.Latest.Distance > 40_000 || one.Latest.High.Time().After(start.Add(2*time.Hour)) || len(one.Doubts) != 1 || one.Doubts[0].Open {
			t.Fatalf("after %v it is led %.0f m, ETA %+v, doubts %+v", s.at.Sub(start), one.Latest.Distance, one.Latest, one.Doubts)
		}
	}
	check()
	was := s.get(id)
	s.restart(true)
	again := s.get(id)
	for i := range was.History {
		if fmt.Sprint(again.History[i].Doubts) != fmt.Sprint(was.History[i].Doubts) { // a user that is told late is told of these
			t.Errorf("before a restart it had the doubts %+v at %v, then %+v", was.History[i].Doubts, was.History[i].At.Time(), again.History[i].Doubts)
		}
	}
	s.sail(gate, func() bool { check(); return true })
	s.sail(geo.Point{Lon: 12.70, Lat: 55.68}, func() bool { one = s.get(id); return one.Latest.Distance < 40_000 && len(one.Doubts) > 0 })
	if len(one.Doubts) != 0 || one.Latest.Distance > 20_000 {
		t.Errorf("past the Drogden it has %.0f m to sail and the doubts %+v", one.Latest.Distance, one.Doubts)
	}
	told := "passage=Drogden metres=8.8 limit=7.7"
	limits, n := s.tracks.Exceeded()
	if n != 1 || strings.Count(s.log.String(), told) != 1 {
		t.Errorf("%d ships went through with more than the limit; the log: %s", n, s.log.String())
	}
	if len(limits) != 1 || limits[0].Passage != "Drogden" || limits[0].Why != passage.TooDeep || limits[0].Limit != 7.7 || limits[0].Most != 8.8 || limits[0].Ships != 1 {
		t.Errorf("%+v", limits)
	}
	for _, e := range one.soundEstimates() {
		if e.Distance > 40_000 {
			t.Errorf("an estimate of the way round would be learned: %+v", e)
		}
	}
}

// TestAShipThatSailsRound sails the same ship back to the south: it is led round, with a narrow range and no doubt.
func TestAShipThatSailsRound(t *testing.T) {
	t.Parallel()
	s := newSender(t, geo.Point{Lon: 12.62, Lat: 55.40})
	s.typed(88)
	south := geo.Point{Lon: 12.62, Lat: 55.10}
	s.sail(south, func() bool { return false })
	id := s.start(vessel, s.port.ID, s.at)
	s.settle()
	if one := s.get(id); !one.Latest.Parts {
		t.Fatalf("at first: %+v, %+v", one.Latest, one.Doubts)
	}
	one := TrackedShip{}
	s.sail(south, func() bool { one = s.get(id); return one.Latest.Parts })
	if one.Latest.Parts || one.Latest.Distance < 300_000 || len(one.Doubts) != 0 || one.Latest.Low < portcall.Millis(s.at.Add(10*time.Hour).UnixMilli()) {
		t.Fatalf("on its way to the south: %+v, %+v", one.Latest, one.Doubts)
	}
	s.restart(true)
	s.sail(south, func() bool { one = s.get(id); return false })
	if one.Latest.Parts || one.Latest.Distance < 300_000 {
		t.Errorf("after a restart: %+v", one.Latest)
	}
	if _, n := s.tracks.Exceeded(); n != 0 {
		t.Errorf("%d ships went through with more than the limit", n)
	}
}

// TestAnyShipIsCountedAtAPassage: a ship that nobody tracks counts where it sails through with more than the limit; one that fits, or whose size is not known, and
// one that jumps over the gate do not.
func TestAnyShipIsCountedAtAPassage(t *testing.T) {
	t.Parallel()
	north, south := geo.Point{Lon: 12.70, Lat: 55.68}, geo.Point{Lon: 12.62, Lat: 55.45}
	for decimetres, want := range map[int]uint64{88: 1, 70: 0, 0: 0} {
		s := newSender(t, south)
		s.typed(decimetres)
		s.sail(north, func() bool { return true })
		s.sail(south, func() bool { return true }) // on the same day
		if limits, n := s.tracks.Exceeded(); n != want || len(limits) != int(want) {
			t.Errorf("%d dm of draught: %d ships count: %+v", decimetres, n, limits)
		}
	}
	s := newSender(t, south)
	s.typed(88)
	s.sail(north, func() bool { return geo.Distance(s.place, south) < 1852 })
	s.place, s.at = north, s.at.Add(50*time.Minute) // unheard on the way
	s.sail(geo.Point{Lon: 12.70, Lat: 55.75}, func() bool { return true })
	if _, n := s.tracks.Exceeded(); n != 0 {
		t.Errorf("%d ships count over a silence", n)
	}
}

// TestAShipIsCountedOnceADay holds that each ship counts once in 24 hours at each passage, and that what is remembered has a bound.
func TestAShipIsCountedOnceADay(t *testing.T) {
	t.Parallel()
	all, err := newExceeded()
	if err != nil {
		t.Fatal(err)
	}
	at := portcall.Millis(begin.UnixMilli())
	for i, one := range []struct {
		ship    ais.MMSI
		passage string
		hour    int
		counts  bool
	}{{1, "Drogden", 0, true}, {1, "Drogden", 1, false}, {1, "Kiel", 1, true}, {2, "Drogden", 2, true}, {1, "Drogden", 23, false}, {1, "Drogden", 24, true},
		{1, "Drogden", 25, false}} {
		if got := all.countsNow(exceeding{one.ship, one.passage}, at.Add(time.Duration(one.hour)*time.Hour)); got != one.counts {
			t.Errorf("%d: %+v counts: %v", i, one, got)
		}
	}
	for i := range 2 * mostExceeded {
		all.countsNow(exceeding{ais.MMSI(1000 + i), "Suez"}, at.Add(30*time.Hour))
	}
	if len(all.last) != mostExceeded {
		t.Errorf("%d are remembered", len(all.last))
	}
	if !all.countsNow(exceeding{3, "Suez"}, at.Add(54*time.Hour)) || len(all.last) != 1 {
		t.Errorf("a day later %d are remembered", len(all.last))
	}
}

// TestADraughtThatIsTypedAnew holds that a ship whose crew corrects the draught is led through at once.
func TestADraughtThatIsTypedAnew(t *testing.T) {
	t.Parallel()
	s := newSender(t, geo.Point{Lon: 12.4586, Lat: 55.5285})
	s.typed(88)
	gate := geo.Point{Lon: 12.70, Lat: 55.60}
	s.sail(gate, func() bool { return false })
	id := s.start(vessel, s.port.ID, s.at)
	s.settle()
	s.at = s.at.Add(time.Second)
	s.typed(65)
	s.sail(gate, func() bool { return false })
	s.sail(gate, func() bool { return false })
	if one := s.get(id); one.Latest.Parts || one.Latest.Distance > 40_000 || len(one.Doubts) != 0 {
		t.Errorf("with the new draught: %+v, %+v", one.Latest, one.Doubts)
	}
}
