package tracking

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/portcall"
)

// TestNoETAIsOver: a ship that is not there yet is ahead of its arrival, also when nothing is heard of it while it should come alongside, and when it drifts
// before the berth.
func TestNoETAIsOver(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(eastPort.Position, 270, 12), "never")
	v.report(12, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	looks := 0
	ahead := func() {
		t.Helper()
		one, err := v.tracks.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if looks++; one.Latest.ETA != 0 && !one.Latest.ETA.Time().After(v.at) {
			t.Errorf("at %v the ETA is %v", v.at, one.Latest.ETA.Time())
		}
		if one.Latest.ETA == 0 && one.Latest.After == 0 && one.Status != PositionLost {
			t.Errorf("at %v nothing is told: %+v", v.at, one.Latest)
		}
	}
	v.sail(off(eastPort.Position, 270, 0.5), 12)
	ahead()
	for range 55 {
		v.silence(time.Minute)
		ahead()
	}
	for range 30 {
		v.report(1, ais.StatusUnderWayEngine) // it keeps its place before the port
		ahead()
	}
	v.sail(eastPort.Position, 4)
	v.lie(20, ais.StatusMoored)
	if v.is(id, Arrived); looks < 80 {
		t.Errorf("%d looks", looks)
	}
}

// TestLateness: what tracks missed tells the interval of the last hour and a half, of the type where enough of it came; ships that waited at anchor for long
// tell nothing.
func TestLateness(t *testing.T) {
	const arrived = portcall.Millis(1_700_000_000_000)
	at := func(before time.Duration, plain int) Estimate {
		return Estimate{At: arrived.Add(-before), ETA: arrived, Plain: plain, Status: UnderWay}
	}
	anchored := Estimate{At: arrived.Add(-30 * time.Minute), After: 600, Status: Stopped}
	for _, row := range []struct {
		what    string
		history []Estimate
		want    [lateTimes]int32 // -1 for none
	}{
		{"both", []Estimate{at(2*time.Hour, 7000), at(70*time.Minute, 3600), at(60*time.Minute, 3000), at(20*time.Minute, 1100)}, [lateTimes]int32{600, 100}},
		{"begun late", []Estimate{at(10*time.Minute, 400)}, [lateTimes]int32{200, 200}},
		{"far alone", []Estimate{at(3*time.Hour, 9000)}, [lateTimes]int32{-1, -1}},
		{"a short stop", []Estimate{at(65*time.Minute, 3500), anchored, at(20*time.Minute, 1200)}, [lateTimes]int32{400, 0}},
		{"a long wait", []Estimate{at(3*time.Hour, 3500), anchored, at(20*time.Minute, 1200)}, [lateTimes]int32{-1, 0}},
		{"nothing", nil, [lateTimes]int32{-1, -1}},
	} {
		for i, late := range lateOf(row.history, arrived) {
			if got := row.want[i]; late == nil && got != -1 || late != nil && *late != got {
				t.Errorf("%s: %v, want %v", row.what, late, row.want)
			}
		}
	}
	var all []Approach
	put := func(n, group int, late int32) {
		for i := range n {
			l := late + int32(i)
			all = append(all, Approach{Group: group, Knots: 12, Took: [marks]int32{600}, Late: [lateTimes]*int32{&l, &l}})
		}
	}
	put(leastErrors-1, 7, 1000)
	if p := profileOf(all, 7, 0); p == nil || p.latenessAt(600) != nil {
		t.Errorf("too few tell an interval: %+v", p)
	}
	put(5, 6, 0)
	if late := profileOf(all, 7, 0).latenessAt(600); late == nil || late.low > 1000 || late.usual < 1000 {
		t.Errorf("those of all types give %+v", late)
	}
	put(1, 7, 1019)
	p := profileOf(all, 7, 0)
	late := p.latenessAt(600)
	if late == nil || late.low < 1000 || late.high > 1020 || !slices.IsSorted([]float64{late.low, late.usual, late.high}) {
		t.Errorf("those of the type give %+v", late)
	}
	if far := p.latenessAt(inSight); far != nil {
		t.Errorf("hours before, the lateness of the last hour counts: %+v", far)
	}
	e := estimate{remaining: 12 * 1852, knots: 12, berth: true, profile: p}
	if told := e.estimateAt(arrived, &pastErrors{}); told.ETA.Since(arrived) < time.Hour+10*time.Minute || told.Low >= told.ETA || told.High <= told.ETA {
		t.Errorf("an hour off, ships that are all late by 17 minutes are told %v, from %v to %v", told.ETA.Time(), told.Low.Time(), told.High.Time())
	}
}
