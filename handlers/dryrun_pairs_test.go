//go:build !race

package handlers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/ship/shiptest"
)

// pairTrials makes watchdogs of pairs: in a rectangle, and round some ships.
func (s *site) pairTrials(box geo.Rect, centers ...int) (all []trial) {
	add := func(kind, object string, samples int) {
		name := fmt.Sprintf("%s %d", kind, len(all))
		body := fmt.Sprintf(`{"name":%q,"type":%q,%s,"samples_to_activate":%d,"samples_to_deactivate":%d}`, name, kind, object, samples, samples)
		all = append(all, trial{s.watchdog("admin", body), body})
	}
	water := fmt.Sprintf(`"polygon":{"type":"Polygon","coordinates":[[[%[1]f,%[2]f],[%[3]f,%[2]f],[%[3]f,%[4]f],[%[1]f,%[4]f],[%[1]f,%[2]f]]]}`, box.West, box.South, box.East, box.North)
	for _, limits := range []string{"", `,"cpa_m":1000`, `,"cpa_m":926,"tcpa_s":300`} {
		add("cpa", `"cpa":{`+water+limits+`}`, 1)
	}
	for _, m := range centers {
		for _, radius := range []int{600, 1500} {
			add("zone", fmt.Sprintf(`"zone":{"mmsi":%d,"radius":%d}`, m, radius), 1)
		}
		add("zone", fmt.Sprintf(`"zone":{"mmsi":%d,"radius":1000}`, m), 5)
	}
	return all
}

// pairEvent is an event of two ships as two runs are compared.
type pairEvent struct {
	what string
	at   time.Time
}

// pairEvents returns the events of two ships of a list.
func pairEvents(t testing.TB, list []any) (all []pairEvent) {
	t.Helper()
	for _, one := range list {
		e := one.(map[string]any)
		at, err := time.Parse(time.RFC3339Nano, e["time"].(string))
		if err != nil {
			t.Fatal(err)
		}
		pair := []float64{e["ship"].(map[string]any)["mmsi"].(float64), e["other"].(map[string]any)["mmsi"].(float64)}
		if e["type"] == "cpa" { // which of the two is the first one hangs on the filter, and else on their numbers
			slices.Sort(pair)
		}
		all = append(all, pairEvent{fmt.Sprintf("%s %.0f %s initial %v", e["event"], pair, e["watchdog"], e["initial"]), at})
	}
	return all
}

// liveByWatchdog returns what was raised, by watchdog.
func (s *site) liveByWatchdog() map[string][]any {
	s.t.Helper()
	live := map[string][]any{}
	for after := 0.0; ; {
		a := s.get(fmt.Sprintf("%s?after_id=%.0f", eventPath, after)).is(s.t, 200).json(s.t)
		for _, one := range a["records"].([]any) {
			e := one.(map[string]any)
			if after = e["id"].(float64); e["event"] == "paused" {
				s.t.Fatalf("a watchdog rang too often: %v", e)
			}
			live[e["watchdog"].(string)] = append(live[e["watchdog"].(string)], one)
		}
		if a["more"] != true {
			return live
		}
	}
}

// disagreement counts how the events of two runs differ.
type disagreement struct{ events, late, other int }

// comparePairs compares what one watchdog raised with what it raises when it is tried. The events of two ships come in their order; later is how far the time
// of one may differ.
func comparePairs(t testing.TB, was, is []pairEvent, later time.Duration) (d disagreement) {
	t.Helper()
	sorted := map[string][2][]time.Time{}
	for side, list := range [2][]pairEvent{was, is} {
		for _, e := range list {
			both := sorted[e.what]
			both[side] = append(both[side], e.at)
			sorted[e.what] = both
		}
	}
	d.events = len(was)
	for what, both := range sorted {
		if len(both[0]) != len(both[1]) {
			t.Logf("%s: it was at %v, and is told of at %v", what, both[0], both[1])
			d.other++
			continue
		}
		for i, at := range both[0] {
			if off := both[1][i].Sub(at).Abs(); off > later {
				t.Logf("%s: it was at %v, and is told of %v off", what, at, off)
				d.late++
			}
		}
	}
	return d
}

// agreeOnPairs compares all, by type; of zones those that count several reports are apart.
func (s *site) agreeOnPairs(all []trial, from, to time.Time, later time.Duration) map[string]disagreement {
	s.t.Helper()
	live, sum := s.liveByWatchdog(), map[string]disagreement{}
	for _, one := range all {
		name := strings.Split(one.body, `"`)[3]
		tried := s.rehearse(one.body, from, to, "")["events"].([]any)
		is := pairEvents(s.t, tried)
		if !slices.IsSortedFunc(is, func(a, b pairEvent) int { return a.at.Compare(b.at) }) {
			s.t.Errorf("%s: not in the order of time: %v", name, is)
		}
		d := comparePairs(s.t, pairEvents(s.t, live[name]), is, later)
		kind := strings.Fields(name)[0]
		if strings.Contains(one.body, `activate":5`) {
			kind += " of five"
		}
		was := sum[kind]
		sum[kind] = disagreement{was.events + d.events, was.late + d.late, was.other + d.other}
	}
	s.t.Logf("%+v", sum)
	return sum
}

// TestTheDryRunOfPairsGivesTheEventsOfASimulatedDay: what two ships raised live they raise in a dry run, to the second where the store keeps all, and within a
// minute where it thins.
func TestTheDryRunOfPairsGivesTheEventsOfASimulatedDay(t *testing.T) {
	for name, row := range map[string]struct {
		fullRate bool
		later    time.Duration
	}{"all is kept": {true, 0}, "thinned": {false, time.Minute}} {
		t.Run(name, func(t *testing.T) {
			s := recorderOf(t, row.fullRate)
			log := s.simulated()
			from := log.play(20 * time.Minute)
			all := s.pairTrials(geo.Rect{West: 12.5, South: 55.64, East: 12.8, North: 55.78}, 219989350, 257989476)
			to := log.play(2 * time.Hour)
			far := s.agreeOnPairs(all, from, to, row.later)
			for kind, least := range map[string]int{"cpa": 10, "zone": 20, "zone of five": 10} {
				if d := far[kind]; d.events < least || d.late+d.other > 0 {
					t.Errorf("%s: %+v", kind, d)
				}
			}
		})
	}
}

// TestTheDryRunOfPairsGivesTheEventsOfARecordedDay: of a log that tells whole seconds two reports of one second may change places, so that an event comes with
// the next report. A thinned track is up to 25 m off, and its courses are those of the fixes that were kept: where two ships pass each other near the limit of
// a danger, or one turns as it begins, the dry run may judge otherwise.
func TestTheDryRunOfPairsGivesTheEventsOfARecordedDay(t *testing.T) {
	for name, row := range map[string]struct {
		fullRate         bool
		later            time.Duration
		cpa, zone, count int // that may differ
	}{"all is kept": {true, 10 * time.Second, 0, 0, 0}, "thinned": {false, time.Minute, 3, 0, 1}} {
		t.Run(name, func(t *testing.T) {
			log := shiptest.Recording(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
			s := recorderOf(t, row.fullRate)
			all := s.pairTrials(geo.Rect{West: 11.9, South: 54.3, East: 12.6, North: 54.75}, 219849000, 266252000)
			from, to := s.playLog(log)
			far := s.agreeOnPairs(all, from, to, row.later)
			for kind, may := range map[string]int{"cpa": row.cpa, "zone": row.zone, "zone of five": row.count} {
				if d := far[kind]; d.events < 8 || d.late+d.other > may {
					t.Errorf("%s: %+v", kind, d)
				}
			}
		})
	}
}
