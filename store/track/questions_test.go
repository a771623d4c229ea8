package track_test

import (
	"bufio"
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/store/track"
)

// fleetTracks merges reports as the picture does and keeps every fix, by ship.
type fleetTracks struct {
	limits ship.Limits
	states map[ais.MMSI]*heardShip
}

type heardShip struct {
	state ship.State
	gate  ship.Gate
	fixes []ship.Fix
}

func newFleetTracks() *fleetTracks {
	return &fleetTracks{ship.DefaultLimits(), map[ais.MMSI]*heardShip{}}
}

func (f *fleetTracks) take(r *ais.Report) {
	m := r.Message.Head().MMSI
	s := f.states[m]
	if s == nil {
		s = &heardShip{}
		f.states[m] = s
	}
	out := ship.Merge(&s.state, s.gate, r, &f.limits)
	s.state, s.gate = out.Now, out.Gate
	if out.Change&ship.ChangedFix != 0 && (len(s.fixes) == 0 || out.Fix.At > s.fixes[len(s.fixes)-1].At) {
		s.fixes = append(s.fixes, out.Fix)
	}
}

// recordedDay reads the log of a day on the Kadetrenden.
func recordedDay(t *testing.T) *fleetTracks {
	plain := shiptest.Recording(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
	f, d, pool := newFleetTracks(), ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	for scanner := bufio.NewScanner(plain); scanner.Scan(); {
		b := pool.Get()
		d.Line(b, scanner.Bytes(), time.Date(2013, 7, 31, 8, 0, 0, 0, time.UTC))
		for i := range b.Reports {
			f.take(&b.Reports[i])
		}
		b.Release()
	}
	return f
}

// simulatedDay sails a harbour for a day.
func simulatedDay(t *testing.T) *fleetTracks {
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	harbour, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: 5, Ships: 60, Start: start, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	f := newFleetTracks()
	harbour.Step(start.Add(24*time.Hour), func(at time.Time, m ais.Message, _ byte) {
		f.take(&ais.Report{Message: m, Received: at, Sent: at, Feed: "roof"})
	}, nil)
	return f
}

// answer is what a question about time finds: something that happened at a time, in Unix milliseconds, and the reporting interval then.
type answer struct {
	what         string
	at, interval int64
}

// passages returns the times at which the speed passes a limit, in tenths of a knot, by the report that shows it first.
func passages(fixes []ship.Fix) (found []answer) {
	for _, limit := range []struct {
		name  string
		slow  int // tenths: at rest up to that
		quick int // and under way from that on
	}{{"0.2 and 0.5 kn", 2, 5}, {"0.2 kn", 2, 3}, {"0.5 kn", 4, 5}, {"3 kn", 29, 30}} {
		rests, known := false, false
		for i, f := range fixes {
			tenths, ok := f.SOG.Tenths()
			now := rests
			switch {
			case !ok:
				continue
			case tenths <= limit.slow:
				now = true
			case tenths >= limit.quick:
				now = false
			}
			if known && now != rests {
				found = append(found, answer{limit.name + map[bool]string{true: " stop", false: " start"}[now], f.At, f.At - fixes[i-1].At})
			}
			rests, known = now, true
		}
	}
	return found
}

// crossings returns the times at which a ship under way crosses lines of a grid.
func crossings(fixes []ship.Fix) (found []answer) {
	const cell = 12_000 // 0.02 degrees
	for leg := range ship.Track(fixes).Legs() {
		a, b := leg.From, leg.To
		if from, _ := a.SOG.Tenths(); from < 5 {
			continue
		}
		for axis, ends := range [2][2]int32{{a.Lon, b.Lon}, {a.Lat, b.Lat}} {
			name := []string{"east", "north"}[axis]
			if ends[1] < ends[0] {
				name = []string{"west", "south"}[axis]
			}
			first, last := min(ends[0], ends[1]), max(ends[0], ends[1])
			for line := (first + cell - 1) / cell * cell; line < last; line += cell {
				at := a.At + int64(float64(b.At-a.At)*float64(line-ends[0])/float64(ends[1]-ends[0]))
				found = append(found, answer{fmt.Sprint(name, " over ", line), at, b.At - a.At})
			}
		}
	}
	return found
}

// unlike counts the answers of one list that the other one has not, within a reporting interval.
func unlike(list, other []answer, interval func(a, b answer) int64) (n int) {
	for _, a := range list {
		if !slices.ContainsFunc(other, func(b answer) bool { return a.what == b.what && max(a.at-b.at, b.at-a.at) <= interval(a, b) }) {
			n++
		}
	}
	return n
}

// stored returns the bytes of all blocks of a track, with their keys and checksums.
func stored(fixes []ship.Fix) (bytes int) {
	for begin := 0; begin < len(fixes); {
		hour, end := track.HourOf(fixes[begin].At), begin
		for end < len(fixes) && track.HourOf(fixes[end].At) == hour {
			end++
		}
		bytes += 12 + len(track.EncodeBlock(hour, fixes[max(begin-1, 0):end])) + 4
		begin = end
	}
	return bytes
}

// TestThinnedTracksAnswerAlike compares the thinned track with every fix. In 99 of 100 cases their stops, starts and border crossings
// differ by at most one reporting interval, and none is made up. A position costs at most 7.5 bytes at rest.
func TestThinnedTracksAnswerAlike(t *testing.T) {
	for name, load := range map[string]func(*testing.T) *fleetTracks{"recorded": recordedDay, "simulated": simulatedDay} {
		t.Run(name, func(t *testing.T) {
			heard, kept, bytes := 0, 0, 0
			var all, wrong [2]int
			for _, s := range load(t).states {
				thinned := track.Thin(s.fixes, false)
				heard, kept, bytes = heard+len(s.fixes), kept+len(thinned), bytes+stored(s.fixes)
				for i, ask := range []func([]ship.Fix) []answer{passages, crossings} {
					want, got := ask(s.fixes), ask(thinned)
					all[i] += len(want)
					wrong[i] += max(unlike(want, got, func(a, _ answer) int64 { return a.interval }),
						unlike(got, want, func(_, b answer) int64 { return b.interval }))
				}
			}
			t.Logf("%d fixes heard (%.2f bytes each), %d kept; %d of %d stops and starts differ, %d of %d crossings", heard, float64(bytes)/float64(heard),
				kept, wrong[0], all[0], wrong[1], all[1])
			if all[0] < 100 || all[1] < 100 {
				t.Fatal("nothing happens")
			}
			if each := float64(bytes) / float64(heard); each > 7.5 {
				t.Errorf("%.2f bytes a position at rest", each)
			}
			for i := range all {
				if 100*wrong[i] > all[i] {
					t.Errorf("question %d: %d of %d answers differ", i, wrong[i], all[i])
				}
			}
		})
	}
}
