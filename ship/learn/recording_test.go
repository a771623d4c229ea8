package learn

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
)

// recorded is a ship of a recording.
type recorded struct {
	track   ship.Track
	breadth float64
}

// unitedStates reads 25 minutes of the waters and rivers of the United States.
func unitedStates(t *testing.T) map[ais.MMSI]*recorded {
	t.Helper()
	rows, err := csv.NewReader(shiptest.Recording(t, "csv/noaa_us_2022-01-03_25min.csv.gz")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ships := map[ais.MMSI]*recorded{}
	for _, row := range rows[1:] {
		number := func(i int) float64 { v, _ := strconv.ParseFloat(row[i], 64); return v }
		at, err := time.Parse("2006-01-02T15:04:05", row[1])
		if err != nil {
			t.Fatal(err)
		}
		m := ais.MMSI(number(0))
		if ships[m] == nil {
			ships[m] = &recorded{}
		}
		ships[m].breadth = number(13)
		fix := ship.Fix{
			At: at.UnixMilli(), Lon: int32(math.Round(number(3) * 600000)), Lat: int32(math.Round(number(2) * 600000)),
			COG: ais.COGTenths(int(number(5) * 10)),
		}
		if number(4) < 102.3 { // not available
			fix.SOG = ais.SOGTenths(int(number(4) * 10))
		}
		ships[m].track = append(ships[m].track, fix)
	}
	return inOrder(ships)
}

func logged(name string) func(*testing.T) map[ais.MMSI]*recorded {
	return func(t *testing.T) map[ais.MMSI]*recorded { return log(t, "nmea/"+name) }
}

// log reads the ships of a log as the live picture merges them. A time at which the log begins again counts once.
func log(t *testing.T, name string) map[ais.MMSI]*recorded {
	t.Helper()
	type heard struct {
		state ship.State
		gate  ship.Gate
	}
	states, ships, limits := map[ais.MMSI]*heard{}, map[ais.MMSI]*recorded{}, ship.DefaultLimits()
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	take := func(fill func(b *ais.Batch)) {
		b := pool.Get()
		defer b.Release()
		fill(b)
		for i := range b.Reports {
			m := b.Reports[i].Message.Head().MMSI
			if states[m] == nil {
				states[m], ships[m] = &heard{}, &recorded{}
			}
			h := states[m]
			out := ship.Merge(&h.state, h.gate, &b.Reports[i], &limits)
			h.state, h.gate = out.Now, out.Gate
			if out.Change&ship.ChangedFix != 0 {
				ships[m].track = append(ships[m].track, out.Fix)
			}
		}
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for lines := bufio.NewScanner(shiptest.Recording(t, name)); lines.Scan(); {
		take(func(b *ais.Batch) { d.Line(b, lines.Bytes(), now) })
	}
	take(func(b *ais.Batch) { d.Flush(b, now) })
	for m, h := range states {
		if h.state.Class != ship.ClassA && h.state.Class != ship.ClassB || len(ships[m].track) == 0 {
			delete(ships, m)
		} else if s := h.state.Static; s != nil {
			ships[m].breadth = float64(s.Dimensions.Width())
		}
	}
	return inOrder(ships)
}

func inOrder(ships map[ais.MMSI]*recorded) map[ais.MMSI]*recorded {
	for _, s := range ships {
		slices.SortStableFunc(s.track, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
		s.track = slices.CompactFunc(s.track, func(a, b ship.Fix) bool { return a.At == b.At })
	}
	return ships
}

// halves cuts a recording where half of its positions are told.
func halves(ships map[ais.MMSI]*recorded) (first, second map[ais.MMSI]*recorded) {
	var times []int64
	for _, s := range ships {
		for _, f := range s.track {
			times = append(times, f.At)
		}
	}
	slices.Sort(times)
	middle := times[len(times)/2]
	first, second = map[ais.MMSI]*recorded{}, map[ais.MMSI]*recorded{}
	for m, s := range ships {
		n, _ := slices.BinarySearchFunc(s.track, middle, func(f ship.Fix, at int64) int { return cmp.Compare(f.At, at) })
		first[m], second[m] = &recorded{s.track[:n], s.breadth}, &recorded{s.track[n:], s.breadth}
	}
	return first, second
}

// players play recordings as days of other ships, each shifted by up to 20 m.
type players struct{ random *rand.Rand }

func (p players) shifted(s *recorded, day int) ship.Track {
	course, metres := p.random.Float64()*360, 20*math.Sqrt(p.random.Float64())
	track := slices.Clone(s.track)
	for i := range track {
		at := geo.Destination(track[i].Point(), course, metres)
		track[i].Lon, track[i].Lat = int32(math.Round(at.Lon*600000)), int32(math.Round(at.Lat*600000))
		track[i].At += int64(day) * (24 * time.Hour).Milliseconds()
	}
	return track
}

// teach has each ship of a recording sail as another one on each of some days.
func (p players) teach(l *Learner, ships map[ais.MMSI]*recorded, days int) {
	for day := range days {
		for i, m := range slices.Sorted(maps.Keys(ships)) {
			l.Sail(ais.MMSI(200_000_000+day*1_000_000+i), ships[m].breadth, p.shifted(ships[m], day), Trust{})
		}
	}
}

// onLand counts the positions of ships under way on the fourth day, and those on land.
func (p players) onLand(ships map[ais.MMSI]*recorded, land func(geo.Point) bool) (n, moving int) {
	for _, m := range slices.Sorted(maps.Keys(ships)) {
		for _, f := range p.shifted(ships[m], 3) {
			if sog, ok := f.SOG.Knots(); ok && sog >= slowest {
				moving++
				if land(f.Point()) {
					n++
				}
			}
		}
	}
	return n, moving
}

// TestRecordingsTeach plays recordings as three days of other ships, and asks how many positions of ships under way lie on land on a
// fourth day: at most 1 %. One ship alone teaches nothing. The first half is played by itself too, and the second asked.
func TestRecordingsTeach(t *testing.T) {
	c := load(t)
	for _, row := range []struct {
		name         string
		read         func(*testing.T) map[ais.MMSI]*recorded
		moving       int     // positions at least
		before, half float64 // percent on land before, at least, and of the second half at most
	}{
		{"United States", unitedStates, 17_000, 25, 24},
		{"Denmark", logged("denmark_2013-11-12_pghp.txt.gz"), 12_000, 2.5, 2.7},
		{"Hakefjord", logged("hakefjord_2015-07-20.log.gz"), 2_000, 0, 1},
		{"San Francisco", logged("sanfrancisco_bay_2008-07-14.nmea.gz"), 3_000, 1, 2.5},
		{"IJsselmeer", logged("ijsselmeer_2016-08-15.nmea.gz"), 1_500, 3, 2.5},
	} {
		ships := row.read(t)
		p := players{rand.New(rand.NewPCG(1, 2))}
		share := func(ships map[ais.MMSI]*recorded, land func(geo.Point) bool) (float64, int) {
			n, moving := players{rand.New(rand.NewPCG(3, 4))}.onLand(ships, land)
			return 100 * float64(n) / float64(moving), moving
		}
		lone := New(c, Options{Alone: Alone})
		p.teach(lone, ships, 1)
		o, _ := lone.Overlay()
		if learned, seen := o.Cells(); len(learned) > 0 || len(seen) == 0 && row.before > 0 {
			t.Errorf("%s: one ship taught %d cells, %d are seen", row.name, len(learned), len(seen))
		}
		l := New(c, Options{Alone: Alone})
		p.teach(l, ships, 3)
		o, full := l.Overlay()
		learned, seen := o.Cells()
		l.options.Alone = 0
		chained, _ := l.Overlay()
		before, moving := share(ships, c.Land)
		withChain, _ := share(ships, c.With(chained).Land)
		after, _ := share(ships, c.With(o).Land)

		one, two := halves(ships)
		l = New(c, Options{Alone: Alone})
		p.teach(l, one, 3)
		half, _ := l.Overlay()
		halfBefore, _ := share(two, c.Land)
		halfAfter, _ := share(two, c.With(half).Land)
		t.Logf("%s: %d ships, %d positions under way; on land before %.2f %%, after %.2f %%, with a chain alone %.2f %%; %d cells learned, %d seen; second half %.2f %%, after the first %.2f %%",
			row.name, len(ships), moving, before, after, withChain, len(learned), len(seen), halfBefore, halfAfter)
		if moving < row.moving || before < row.before || after > 1 || halfAfter > row.half || full {
			t.Errorf("%s taught too little", row.name)
		}
	}
}
