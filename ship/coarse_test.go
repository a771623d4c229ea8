package ship_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// coarse is a long-range report near where a ship is.
func coarse(m ais.MMSI) *ais.LongRangeReport {
	return &ais.LongRangeReport{Header: header(27, m), Place: at(54.501, 10.251), SOG: ais.SOGTenths(120), COG: ais.COGTenths(900), Status: ais.StatusFishing}
}

// TestCoarseBesideExact: a long-range report replaces nothing of an exact one that is younger than three reporting intervals. Alone it counts.
func TestCoarseBesideExact(t *testing.T) {
	classA := position(anna, at(54.5, 10.25))
	classA.Heading = ais.HeadingDegrees(88)
	moored := position(anna, at(54.5, 10.25))
	moored.Status, moored.SOG = ais.StatusMoored, ais.SOGTenths(0)
	classB := &ais.ClassBReport{Header: header(18, anna), Place: at(54.5, 10.25), SOG: ais.SOGTenths(60)}
	drifting := &ais.ClassBReport{Header: header(18, anna), Place: at(54.5, 10.25), SOG: ais.SOGTenths(20)}
	for _, row := range []struct {
		name  string
		exact ais.Message
		after float64 // seconds
		taken bool
	}{
		{"class A", classA, 29, false}, {"class A", classA, 30, true},
		{"class A, late", classA, -29, false}, {"class A, very late", classA, -31, true},
		{"moored", moored, 539, false}, {"moored", moored, 541, true},
		{"class B", classB, 89, false}, {"class B", classB, 91, true},
		{"class B at 2 kn", drifting, 539, false}, {"class B at 2 kn", drifting, 541, true},
	} {
		l := newLog()
		l.hear(row.exact, 0)
		was := l.state
		r := &ais.Report{Message: coarse(anna), Received: noon.Add(seconds(max(row.after, 1))), Sent: noon.Add(seconds(row.after))}
		out := l.take(r)
		taken := out.Change&(ship.ChangedFix|ship.LateFix) != 0
		if taken != row.taken || taken != (out.Reason == ship.Accepted) || !taken && out.Reason != ship.TooCoarse {
			t.Errorf("%s, %v s: change %b, reason %v", row.name, row.after, out.Change, out.Reason)
		}
		if !taken && (out.Now.Fix != was.Fix || out.Now.Heard <= was.Heard || out.Now.Reports != 2) {
			t.Errorf("%s, %v s: %+v", row.name, row.after, out.Now)
		}
		if taken && out.Fix.Mark&ship.Coarse == 0 {
			t.Errorf("%s, %v s: fix is not marked: %+v", row.name, row.after, out.Fix)
		}
	}
	l := newLog() // from a satellite alone
	for i := range 5 {
		if out := l.hear(coarse(anna), float64(180*i)); out.Change&ship.ChangedFix == 0 {
			t.Errorf("alone, report %d: %b %v", i, out.Change, out.Reason)
		}
	}
	if out := l.hear(classA, 721); out.Change&ship.ChangedFix == 0 || out.Now.Fix.Mark != 0 {
		t.Errorf("exact after coarse: %b %v", out.Change, out.Reason)
	}
}

// TestDropCoarse: coarse fixes go where exact ones are near, or close enough that thinning may have left one out.
func TestDropCoarse(t *testing.T) {
	exact := func(second int64) ship.Fix { return ship.Fix{At: 1000 * second, SOG: ais.SOGTenths(90)} }
	rough := func(second int64) ship.Fix {
		return ship.Fix{At: 1000 * second, SOG: ais.SOGTenths(90), Mark: ship.Coarse}
	}
	still := func(second int64) ship.Fix { return ship.Fix{At: 1000 * second, SOG: ais.SOGTenths(0)} }
	begun := rough(110)
	begun.Mark |= ship.NewSegment
	heir := exact(120)
	heir.Mark = ship.NewSegment
	for _, row := range []struct {
		name      string
		all, want []ship.Fix
	}{
		{"none", nil, nil},
		{"a satellite alone", []ship.Fix{rough(0), rough(180), rough(360)}, []ship.Fix{rough(0), rough(180), rough(360)}},
		{"before, beside and after", []ship.Fix{rough(69), rough(71), exact(100), rough(110), rough(129), rough(130)}, []ship.Fix{rough(69), exact(100), rough(130)}},
		{"between thinned ones", []ship.Fix{exact(100), rough(130), exact(160)}, []ship.Fix{exact(100), exact(160)}},
		{"in a gap", []ship.Fix{exact(100), rough(150), exact(300)}, []ship.Fix{exact(100), rough(150), exact(300)}},
		{"between thinned ones at rest", []ship.Fix{still(100), rough(300), still(460)}, []ship.Fix{still(100), still(460)}},
		{"the begin of a segment stays", []ship.Fix{begun, exact(120)}, []ship.Fix{heir}},
	} {
		if diff := cmp.Diff(row.want, ship.DropCoarse(slices.Clone(row.all))); diff != "" {
			t.Errorf("%s:\n%s", row.name, diff)
		}
	}
}

// Exact fixes all stay, and coarse ones without an exact one in 9 minutes.
func TestDropCoarseKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, want []ship.Fix
		for range rapid.IntRange(0, 30).Draw(t, "fixes") {
			f := ship.Fix{SOG: ais.SOGTenths(rapid.IntRange(0, 100).Draw(t, "sog")), Status: ais.NavStatus(rapid.IntRange(0, 15).Draw(t, "status"))}
			if len(all) > 0 {
				f.At = all[len(all)-1].At + int64(rapid.IntRange(1, 600).Draw(t, "step"))*1000
			}
			if rapid.Bool().Draw(t, "coarse") {
				f.Mark = ship.Coarse
			}
			all = append(all, f)
		}
		for _, f := range all {
			near := slices.ContainsFunc(all, func(e ship.Fix) bool { return e.Mark == 0 && max(e.At-f.At, f.At-e.At) < 9*60*1000 })
			if f.Mark == 0 || !near {
				want = append(want, f)
			}
		}
		got := ship.DropCoarse(slices.Clone(all))
		left := slices.DeleteFunc(slices.Clone(got), func(f ship.Fix) bool { return !slices.Contains(want, f) })
		if diff := cmp.Diff(want, left); len(want) > 0 && diff != "" || !slices.IsSortedFunc(got, func(a, b ship.Fix) int { return int(a.At - b.At) }) {
			t.Fatal(diff)
		}
	})
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
