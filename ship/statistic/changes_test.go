package statistic_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// changesOf answers a question; each gives the states of a ship in a time.
func changesOf(q statistic.ChangesQuestion, all tracks, states map[ais.MMSI][]statistic.KnownShip, hours bool) (found []statistic.ShipChange) {
	c := statistic.NewChanges(q, func(c statistic.ShipChange) { found = append(found, c) })
	if !hours {
		for m, known := range states {
			c.States(m, known)
		}
		all.whole(c)
	} else {
		all.inHours(rand.New(rand.NewPCG(1, 9)), &withStates{Counter: c, changes: c, states: states, from: -1 << 62})
	}
	slices.SortStableFunc(found, func(a, b statistic.ShipChange) int {
		return cmp.Or(cmp.Compare(a.MMSI, b.MMSI), cmp.Compare(a.At, b.At), cmp.Compare(a.Code, b.Code))
	})
	return found
}

// withStates hands over the states of an hour before it is over.
type withStates struct {
	statistic.Counter
	changes *statistic.ShipChanges
	states  map[ais.MMSI][]statistic.KnownShip
	from    int64
}

func (w *withStates) Over(now time.Time) {
	for m, known := range w.states {
		for _, k := range known {
			if k.At >= w.from && k.At < now.UnixMilli() {
				w.changes.States(m, []statistic.KnownShip{k})
			}
		}
	}
	w.from = now.UnixMilli()
	w.changes.Over(now)
}

func (w *withStates) End() {
	w.Over(time.UnixMilli(1 << 50))
	w.changes.End()
}

// slowChanges goes through the time second by second; all reports and states are of whole seconds.
func slowChanges(q statistic.ChangesQuestion, m ais.MMSI, track ship.Track, states []statistic.KnownShip) (found []statistic.ShipChange) {
	begin, end := q.Period.Begin.UnixMilli(), q.Period.End.UnixMilli()
	var last *ship.Fix
	var static *ship.Static
	var voyage *ship.VoyageData
	class, lost, known := ship.ClassOfNumber(m), false, int64(0)
	first := int64(1 << 62)
	if len(track) > 0 {
		first = track[0].At
	}
	if len(states) > 0 {
		first = min(first, states[0].At)
	}
	say := func(at int64, code statistic.ChangeCode, isFirst bool) {
		c := statistic.ShipChange{MMSI: m, At: at, Code: code, First: isFirst}
		if isFirst || code == statistic.StaticChanged {
			c.Static = static
		}
		if isFirst || code == statistic.VoyageChanged {
			c.Voyage = voyage
		}
		found = append(found, c)
	}
	for now := first; now < end; now += 1000 {
		var fix *ship.Fix
		for i := range track {
			if track[i].At == now {
				fix = &track[i]
			}
		}
		quiet := now >= begin && known != 0
		if now == max(begin, first) && known != 0 { // the period begins
			if last == nil {
				lost = true
			}
			say(known, map[bool]statistic.ChangeCode{true: 1, false: 4}[lost], true)
		}
		for _, k := range states {
			if k.At != now {
				continue
			}
			isStatic := k.Static != nil && (static == nil || static.Name != k.Static.Name)
			isVoyage := k.Voyage != nil && (voyage == nil || voyage.Destination != k.Voyage.Destination)
			class, static, voyage = k.Class, cmp.Or(k.Static, static), cmp.Or(k.Voyage, voyage)
			switch {
			case known == 0 && now >= begin:
				say(now, 4, true)
			case quiet && isStatic && isVoyage:
				say(now, 2, false)
				say(now, 3, false)
			case quiet && isStatic:
				say(now, 2, false)
			case quiet && isVoyage:
				say(now, 3, false)
			}
			known, quiet = now, now >= begin
		}
		if last != nil && !lost && fix == nil && now-last.At >= slowSilence(q, class, *last) {
			if lost = true; now >= begin {
				say(now, 1, false)
			} else {
				known = now
			}
		}
		if fix == nil {
			continue
		}
		switch {
		case known == 0 && now >= begin:
			say(now, 4, true)
		case lost && now >= begin:
			say(now, 4, false)
		}
		if last != nil && (last.Mark&ship.BySatellite) != (fix.Mark&ship.BySatellite) && now >= begin {
			say(now, 5, false)
		}
		last, lost, known = fix, false, now
	}
	return found
}

func slowSilence(q statistic.ChangesQuestion, class ship.Class, f ship.Fix) int64 {
	limit := q.Silence.AtRest
	switch {
	case class == ship.ClassAtoN || class == ship.ClassBase || class == ship.ClassCoast:
		limit = q.Silence.Fixed
	case class == ship.ClassA && f.Status != ais.StatusAtAnchor && f.Status != ais.StatusMoored && f.Status != ais.StatusAground:
		limit = q.Silence.UnderWay
	}
	return limit.Milliseconds()
}

// told returns what a list of changes says.
func told(list []statistic.ShipChange) (all []string) {
	for _, c := range list {
		text := fmt.Sprint(c.MMSI, " ", time.UnixMilli(c.At).UTC().Format("02 15:04:05"), " ", c.Code)
		if c.First {
			text += " first"
		}
		if c.Static != nil {
			text += " " + c.Static.Name
		}
		if c.Voyage != nil {
			text += " to " + c.Voyage.Destination
		}
		all = append(all, text)
	}
	return all
}

// TestChangesAgainstTime compares the answers about invented ships with going through the time second by second.
func TestChangesAgainstTime(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	all := invented(r, 12, geo.Point{Lon: 180}, 5000, 400, nearDay().Add(20*time.Hour), 8)
	states := map[ais.MMSI][]statistic.KnownShip{}
	for i, m := range all.numbers() {
		for k := range all[m] {
			all[m][k].At -= all[m][k].At % 1000
			all[m][k].Status = ais.NavStatus([]uint8{0, 0, 1, 5}[(k/40)%4])
		}
		class := []ship.Class{ship.ClassA, ship.ClassB, ship.ClassBase, ship.ClassA}[i%4]
		for range r.IntN(9) {
			k := statistic.KnownShip{At: clock(19, 0, r.IntN(9*3600)), Class: class}
			if r.IntN(3) > 0 {
				k.Static = &ship.Static{Name: []string{"ANNA", "BERTA"}[r.IntN(2)], At: k.At}
			}
			if k.Static == nil || r.IntN(2) > 0 {
				k.Voyage = &ship.VoyageData{Destination: []string{"KIEL", "OSLO"}[r.IntN(2)], At: k.At}
			}
			states[m] = append(states[m], k)
		}
		slices.SortFunc(states[m], func(a, b statistic.KnownShip) int { return cmp.Compare(a.At, b.At) })
	}
	codes := map[statistic.ChangeCode]int{}
	for _, begin := range []int64{clock(18, 0, 0), clock(20, 30, 0), clock(23, 0, 0)} {
		q := statistic.ChangesQuestion{Period: statistic.Period{Begin: time.UnixMilli(begin), End: time.UnixMilli(clock(27, 30, 0))}, Silence: statistic.DefaultSilences()}
		got := changesOf(q, all, states, false)
		var want []statistic.ShipChange
		for _, m := range all.numbers() {
			want = append(want, slowChanges(q, m, all[m], states[m])...)
		}
		slices.SortStableFunc(want, func(a, b statistic.ShipChange) int {
			return cmp.Or(cmp.Compare(a.MMSI, b.MMSI), cmp.Compare(a.At, b.At), cmp.Compare(a.Code, b.Code))
		})
		same(t, "whole", told(got), told(want))
		same(t, "in hours", told(changesOf(q, all, states, true)), told(got))
		for _, c := range got {
			codes[c.Code]++
		}
	}
	t.Logf("changes: %v", codes)
	for code := statistic.SignalLost; code <= statistic.SourceChanged; code++ {
		if codes[code] < 3 {
			t.Errorf("only %d changes of code %d", codes[code], code)
		}
	}
}

func same(t *testing.T, name string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s: %d changes, want %d; from %d on %q, want %q", name, len(got), len(want), i, got[i:min(i+4, len(got))], want[i:min(i+4, len(want))])
		}
	}
}

// TestChanges has the cases by name, of class A ship 1 from 12 to 14 o'clock.
func TestChanges(t *testing.T) {
	anna := func(at int64) statistic.KnownShip {
		return statistic.KnownShip{At: at, Class: ship.ClassA, Static: &ship.Static{Name: "ANNA"}, Voyage: &ship.VoyageData{Destination: "KIEL"}}
	}
	berta := func(at int64) statistic.KnownShip {
		return statistic.KnownShip{At: at, Class: ship.ClassA, Static: &ship.Static{Name: "BERTA"}, Voyage: &ship.VoyageData{Destination: "KIEL"}}
	}
	fixes := func(times ...int64) (track ship.Track) {
		for _, at := range times {
			track = append(track, nearFix(at, 10, 55, 8, 0))
		}
		return track
	}
	moored := fixes(clock(11, 59, 0), clock(12, 13, 0), clock(12, 29, 0))
	for i := range moored {
		moored[i].Status = ais.StatusMoored
	}
	sky := fixes(clock(11, 59, 0), clock(12, 1, 0), clock(12, 2, 0), clock(12, 3, 0))
	sky[1].Mark, sky[2].Mark = ship.BySatellite, ship.BySatellite
	for _, row := range []struct {
		name   string
		track  ship.Track
		states []statistic.KnownShip
		want   []string
	}{
		{"known before, then lost", fixes(clock(11, 58, 0), clock(12, 1, 0)), []statistic.KnownShip{anna(clock(3, 0, 0))},
			[]string{"1 19 11:58:00 4 first ANNA to KIEL", "1 19 12:07:00 1"}},
		{"lost before begin", fixes(clock(11, 40, 0), clock(12, 30, 0)), []statistic.KnownShip{anna(clock(3, 0, 0))},
			[]string{"1 19 11:46:00 1 first ANNA to KIEL", "1 19 12:30:00 4", "1 19 12:36:00 1"}},
		{"silent ship", fixes(clock(9, 0, 0)), []statistic.KnownShip{anna(clock(3, 0, 0))}, []string{"1 19 09:06:00 1 first ANNA to KIEL"}},
		{"known by its name alone", nil, []statistic.KnownShip{anna(clock(3, 0, 0))}, []string{"1 19 03:00:00 1 first ANNA to KIEL"}},
		{"one fix, nothing known before", fixes(clock(12, 30, 0)), []statistic.KnownShip{{At: clock(12, 30, 0), Class: ship.ClassA}},
			[]string{"1 19 12:30:00 4 first", "1 19 12:36:00 1"}},
		{"it is named after its first report", fixes(clock(12, 30, 0), clock(12, 34, 0)), []statistic.KnownShip{anna(clock(12, 33, 0))},
			[]string{"1 19 12:30:00 4 first", "1 19 12:33:00 2 ANNA", "1 19 12:33:00 3 to KIEL", "1 19 12:40:00 1"}},
		{"a new name", fixes(clock(11, 59, 0), clock(12, 4, 0)), []statistic.KnownShip{anna(clock(3, 0, 0)), berta(clock(12, 0, 0)), berta(clock(12, 2, 0))},
			[]string{"1 19 11:59:00 4 first ANNA to KIEL", "1 19 12:00:00 2 BERTA", "1 19 12:10:00 1"}},
		{"moored", moored, []statistic.KnownShip{anna(clock(3, 0, 0))},
			[]string{"1 19 11:59:00 4 first ANNA to KIEL", "1 19 12:28:00 1", "1 19 12:29:00 4", "1 19 12:44:00 1"}},
		{"heard by satellite", sky, []statistic.KnownShip{anna(clock(3, 0, 0))},
			[]string{"1 19 11:59:00 4 first ANNA to KIEL", "1 19 12:01:00 5", "1 19 12:03:00 5", "1 19 12:09:00 1"}},
		{"six minutes and no more", fixes(clock(11, 59, 0), clock(12, 5, 0)), []statistic.KnownShip{anna(clock(3, 0, 0))},
			[]string{"1 19 11:59:00 4 first ANNA to KIEL", "1 19 12:11:00 1"}},
		{"after the end", fixes(clock(14, 0, 0)), []statistic.KnownShip{anna(clock(14, 0, 0))}, nil},
		{"lost at the end", fixes(clock(13, 54, 0)), []statistic.KnownShip{anna(clock(13, 54, 0))}, []string{"1 19 13:54:00 4 first ANNA to KIEL"}},
	} {
		q := statistic.ChangesQuestion{Period: statistic.Period{Begin: nearDay().Add(12 * time.Hour), End: nearDay().Add(14 * time.Hour)}, Silence: statistic.DefaultSilences()}
		got := changesOf(q, tracks{1: row.track}, map[ais.MMSI][]statistic.KnownShip{1: row.states}, false)
		if !slices.Equal(told(got), row.want) {
			t.Errorf("%s: %q, want %q", row.name, told(got), row.want)
		}
		for _, c := range got {
			if want := map[bool]int{true: 1}[c.HasFix] + map[bool]int{true: 1}[c.Code == 5]; len(c.Moments()) != want {
				t.Errorf("%s: %d moments, want %d", row.name, len(c.Moments()), want)
			}
		}
	}
}

// TestChangesOfARecording compares what is lost and found in the Solent with going through the time.
func TestChangesOfARecording(t *testing.T) {
	all := solent(t)
	begin := time.Date(2016, 1, 12, 13, 10, 0, 0, time.UTC)
	q := statistic.ChangesQuestion{Period: statistic.Period{Begin: begin, End: begin.Add(time.Hour)}, Silence: statistic.DefaultSilences()}
	states := map[ais.MMSI][]statistic.KnownShip{}
	var want []statistic.ShipChange
	for _, m := range all.numbers() {
		for i := range all[m] {
			all[m][i].At -= all[m][i].At % 1000
		}
		all[m] = slices.CompactFunc(all[m], func(a, b ship.Fix) bool { return a.At == b.At })
		states[m] = []statistic.KnownShip{{At: all[m][0].At, Class: ship.ClassA}}
		want = append(want, slowChanges(q, m, all[m], states[m])...)
	}
	got := changesOf(q, all, states, false)
	t.Logf("%d changes of %d ships", len(got), len(all))
	if len(got) <= len(all) {
		t.Error("no ship was lost")
	}
	same(t, "solent", told(got), told(want))
}
