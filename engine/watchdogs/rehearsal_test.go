package watchdogs

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// heardAt is a report of a track, at a time after the beginning of a rehearsal.
type heardAt struct {
	after time.Duration
	lon   float64
}

// rehearse tries a watchdog on an hour of one ship. Of each leg so many reports were left out.
func (b *box) rehearse(body string, of *ship.State, leftOut int, until time.Duration, asked ais.MMSI, track ...heardAt) Rehearsed {
	b.t.Helper()
	of.MMSI, of.Class = 211000001, ship.ClassA
	x, err := NewRehearsal(b.watch, b.insert(body), begin, begin.Add(time.Hour), asked, func(ais.MMSI, time.Time) (ship.State, bool) { return *of, true })
	if err != nil {
		b.t.Fatal(err)
	}
	var fixes ship.Track
	for _, one := range track {
		p := geo.Point{Lon: one.lon, Lat: 54.5}
		fixes = append(fixes, ship.Fix{At: begin.Add(one.after).UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000), SOG: ais.SOGTenths(100)})
	}
	if len(fixes) > 0 {
		x.Take(&ShipPast{Ship: of, Then: func(*ship.State) {}, Said: func(int64) int { return 0 },
			LeftOut: func(_, _ ship.Fix) (int, int64) { return leftOut, begin.Add(until).UnixMilli() }}, fixes)
	}
	return x.End()
}

// TestBoundsOfARehearsal: what came when it begins counts, and what came when it ends does not: reports, those that were left out, events and silences.
func TestBoundsOfARehearsal(t *testing.T) {
	const (
		ms   = time.Millisecond
		end  = time.Hour
		area = `{"name":"area","type":"polygon","time_between_triggers":0,"polygon":`
	)
	square := areaOf(10, 54, 11, 55) + `}`
	quiet := `{"name":"area","type":"polygon","inactivity_timeout":"00:10:00","polygon":` + square
	in := func(after time.Duration) heardAt { return heardAt{after, 10.5} }
	known := ship.State{First: begin.UnixMilli() - 1}
	for _, row := range []struct {
		what                           string
		body                           string
		of                             ship.State
		leftOut                        int
		track                          []heardAt
		ships, reports, filled, events int
	}{
		{"a report before", area + square, known, 0, []heardAt{in(-ms)}, 0, 0, 0, 0},
		{"a report at the beginning", area + square, known, 0, []heardAt{in(0)}, 1, 1, 0, 1},
		{"a report before the end", area + square, known, 0, []heardAt{in(end - ms)}, 1, 1, 0, 1},
		{"a report at the end", area + square, known, 0, []heardAt{in(end)}, 0, 0, 0, 0},
		{"a leg to the end", area + square, known, 0, []heardAt{in(end - 10*time.Second), in(end)}, 1, 1, 0, 1},
		{"a leg from the end on", area + square, known, 0, []heardAt{in(end), in(end + 10*time.Second)}, 0, 0, 0, 0},
		{"left out at the beginning", area + square, known, 1, []heardAt{in(-20 * time.Second), in(20 * time.Second)}, 1, 2, 1, 1},
		{"left out at the end", area + square, known, 1, []heardAt{in(end - 20*time.Second), in(end + 20*time.Second)}, 1, 1, 0, 1},
		{"heard first at the beginning, once", area + square, ship.State{First: begin.UnixMilli()}, 0, []heardAt{in(0)}, 1, 0, 0, 0},
		{"heard first at the beginning, three times", area + square, ship.State{First: begin.UnixMilli()}, 0, []heardAt{in(0), in(10 * time.Second), in(20 * time.Second)}, 1, 1, 0, 1},
		{"far away", area + square, known, 0, []heardAt{{0, 12}, {10 * time.Second, 12}}, 0, 0, 0, 0},
		{"a silence until the end", quiet, known, 0, []heardAt{in(end - 10*time.Minute)}, 1, 1, 0, 1},
		{"a silence until before the end", quiet, known, 0, []heardAt{in(end - 10*time.Minute - ms)}, 1, 1, 0, 2},
	} {
		b := newBox(t)
		got := b.rehearse(row.body, &row.of, row.leftOut, 2*end, 0, row.track...)
		if got.Ships != row.ships || got.Reports != row.reports || got.Filled != row.filled || got.Count != row.events {
			t.Errorf("%s: %d ships, %d reports, %d filled in, %d events", row.what, got.Ships, got.Reports, got.Filled, got.Count)
		}
	}
}

// TestTheLastMessageOfARehearsal: a message before the end tells that the ship was not lost, and one at the end does not.
func TestTheLastMessageOfARehearsal(t *testing.T) {
	for i, off := range atABound {
		b := newBox(t)
		b.watch.config.LostAfter = func(*ship.State) time.Duration { return 6 * time.Minute }
		of := ship.State{First: begin.UnixMilli() - 1, Heard: begin.Add(time.Hour + off).UnixMilli()}
		if got := b.rehearse(`{"name":"list","type":"lost","lost":{"mmsi":211000001}}`, &of, 0, 0, 0, heardAt{time.Minute, 10.5}); got.Count != []int{0, 1, 1}[i] {
			t.Errorf("a message %v after the end: %d events", off, got.Count)
		}
	}
}

// TestWhatWasLeftOutIsSpread over the leg, where nobody knows until when reports were left out.
func TestWhatWasLeftOutIsSpread(t *testing.T) {
	for _, row := range []struct{ until, rings time.Duration }{{0, 10 * time.Second}, {3001 * time.Millisecond, time.Second}} {
		b := newBox(t)
		of := ship.State{First: begin.UnixMilli() - 1}
		got := b.rehearse(`{"name":"area","type":"polygon","samples_to_activate":2,"polygon":`+areaOf(10, 54, 11, 55)+`}`, &of, 3, row.until, 0,
			heardAt{0, 10.5}, heardAt{40 * time.Second, 10.5})
		if got.Count != 1 || got.Events[0].At() != begin.Add(row.rings) {
			t.Errorf("left out until %v: %+v", row.until, got)
		}
	}
}

// TestWhyNothingRang: a ship that was not heard, one that was heard too seldom, and one that was far away, with the time at which it was nearest first.
func TestWhyNothingRang(t *testing.T) {
	for _, row := range []struct {
		first time.Duration
		track []heardAt
		word  string
		at    time.Duration
	}{
		{-1, nil, "why_unheard", -1},
		{-1, []heardAt{{time.Hour, 10.5}}, "why_unheard", -1},
		{0, []heardAt{{0, 10.5}}, "why_few", -1},
		{0, []heardAt{{0, 12}, {10 * time.Second, 12}}, "why_few", -1},
		{0, []heardAt{{0, 12}, {10 * time.Second, 12}, {20 * time.Second, 12}}, "why_far", 0},
		{-1, []heardAt{{0, 12}, {10 * time.Second, 11.9}, {20 * time.Second, 11.9}}, "why_far", 10 * time.Second},
	} {
		b := newBox(t)
		of := ship.State{First: begin.Add(row.first).UnixMilli()}
		got := b.rehearse(`{"name":"area","type":"polygon","polygon":`+areaOf(10, 54, 11, 55)+`}`, &of, 0, 0, 211000001, row.track...)
		if len(got.Why) != 1 || got.Why[0].Rule.Word != row.word || row.at >= 0 && got.Why[0].At != begin.Add(row.at).UnixMilli() {
			t.Errorf("want %s: %+v", row.word, got.Why)
		}
	}
}
