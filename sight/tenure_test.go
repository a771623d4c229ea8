package sight

import (
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ship"
)

// ownAt says slowly whether a transmitter was of a hull at a second: by the last description that says anything until then, else the next one.
// A description that says nothing is what comes next, and at the end what came last.
func ownAt(hull ship.Identity, known []Description, second int64) bool {
	valid := 0
	for i, d := range known {
		if d.From <= second*1000 {
			valid = i
		}
	}
	for i := valid; i < len(known); i++ {
		if says := judgeHull(hull, known[i].Static); says != silent {
			return says == ours
		}
	}
	for i := valid; i >= 0; i-- {
		if says := judgeHull(hull, known[i].Static); says != silent {
			return says == ours
		}
	}
	return false
}

// The spans of a hull hold just the seconds that the slow rule gives, in order and apart; Meets finds each time that touches one.
func TestSpansAreThoseOfTheSlowRule(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	says := []*ship.Static{nil, {}, {IMO: 9321483}, {IMO: 9074729}, {Name: "HAV"}, {Name: "OTHER"}, {IMO: 9321483, Name: "OTHER"}, {IMO: 9074729, Name: "HAV"}}
	const begin, end = 5, 60
	owned := 0
	for range 3000 {
		var known []Description
		for at := int64(r.IntN(20)); at < end && len(known) < 8; at += 1 + int64(r.IntN(12)) {
			known = append(known, Description{From: at * 1000, Static: says[r.IntN(len(says))]})
		}
		for len(known) > 1 && known[1].From <= begin*1000 { // Descriptions gives one that held at the beginning
			known = known[1:]
		}
		hull := ship.Identity{IMO: 9321483, Name: "HAV"}
		spans := spansOf(hull, known, time.Unix(begin, 0), time.Unix(end, 0))
		tenure := Tenure{Spans: spans}
		for i := range spans {
			if !spans[i].From.Before(spans[i].To) || i > 0 && !spans[i-1].To.Before(spans[i].From) {
				t.Fatalf("spans %v", spans)
			}
		}
		for second := int64(begin); second < end; second++ {
			want := len(known) > 0 && ownAt(hull, known, second)
			if want {
				owned++
			}
			if got := tenure.Meets(time.Unix(second, 0), time.Unix(second, 0)); got != want {
				t.Fatalf("second %d: %v, want %v; %v of %+v", second, got, want, spans, known)
			}
		}
	}
	if owned < 10000 {
		t.Errorf("only %d seconds were of the hull", owned)
	}
}

func TestATimeMeetsATenure(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	tenure := Tenure{Spans: []TimeSpan{{at(10), at(20)}, {at(30), at(40)}}}
	for _, row := range []struct {
		from, to int64 // 0 for a time that goes on
		want     bool
	}{{1, 9, false}, {1, 10, true}, {1, 50, true}, {20, 29, false}, {20, 30, true}, {19, 19, true}, {39, 0, true}, {40, 0, false}, {1, 0, true}} {
		to := time.Time{}
		if row.to != 0 {
			to = at(row.to)
		}
		if got := tenure.Meets(at(row.from), to); got != row.want {
			t.Errorf("%d to %d: %v", row.from, row.to, got)
		}
	}
}
