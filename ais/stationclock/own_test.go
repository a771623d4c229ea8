package stationclock

import (
	"testing"
	"time"
)

// TestFault: whole eras and up to 48 whole hours are faults that are known; a right clock has none.
func TestFault(t *testing.T) {
	for lag, want := range map[time.Duration]struct {
		fault time.Duration
		ok    bool
	}{
		0: {0, true}, -59 * time.Second: {0, true}, 9*time.Second + time.Hour: {time.Hour, true}, -25 * time.Hour: {-25 * time.Hour, true},
		Era - 40*time.Second: {Era, true}, 2 * Era: {2 * Era, true}, 11*time.Second + time.Hour: {time.Hour, false}, 49 * time.Hour: {49 * time.Hour, false},
		17 * time.Minute: {0, false}, -Era: {-1024 * 7 * 24 * time.Hour, false}, Era + time.Hour: {Era + time.Hour, true}, Era + 49*time.Hour: {0, false},
	} {
		if fault, ok := Fault(lag); ok != want.ok || ok && fault != want.fault {
			t.Errorf("%v: %v, %v, want %v, %v", lag, fault, ok, want.fault, want.ok)
		}
	}
}

// TestMostStationsJudge: the own clock is wrong where more stations say so, and in one way, than call it right. A station that changes its mind or falls silent
// counts no more, and one that is wrong in no known way never did.
func TestMostStationsJudge(t *testing.T) {
	var o OwnClock
	for i, step := range []struct {
		station uint32
		lag     time.Duration
		want    time.Duration
	}{
		{1, time.Hour, time.Hour}, // alone
		{2, 0, 0},                 // one against one
		{3, time.Hour, time.Hour}, // two against one
		{4, Era, time.Hour},       // another fault
		{5, 20 * time.Minute, time.Hour},
		{6, time.Second, 0},
		{1, 0, 0},
		{2, Era, 0},
		{6, Era, Era}, // three against one
	} {
		if wrong := o.Judge(step.station, step.lag); wrong != step.want {
			t.Errorf("step %d: %v wrong, want %v", i, wrong, step.want)
		}
	}
	for range memory + 1 {
		o.Judge(7, 0)
	}
	if wrong := o.Judge(7, time.Hour); wrong != time.Hour || len(o.votes) != 1 {
		t.Errorf("after the others fell silent: %v wrong, %d votes", wrong, len(o.votes))
	}
	for station := range uint32(10 * most) {
		o.Judge(station, 0)
	}
	if len(o.votes) > most {
		t.Errorf("%d votes are kept", len(o.votes))
	}
}
