package statistic_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// The two of a table, and a third that a pilot boat may serve.
const (
	pilotBoat = ais.MMSI(219000001)
	served    = ais.MMSI(219000002)
	servedToo = ais.MMSI(219000003)
)

// bigHull is what is known of the ships of a table: 150 m long, the antenna astern. The boat has 15 m.
func bigHull(m statistic.Moment) statistic.Hull {
	if m.MMSI == pilotBoat {
		return statistic.Hull{Size: ais.Dimensions{Bow: 10, Stern: 5, Port: 2, Starboard: 2}, Pilot: true}
	}
	return statistic.Hull{Size: ais.Dimensions{Bow: 130, Stern: 20, Port: 12, Starboard: 12}}
}

// meeting is a boat beside a ship on a straight course, from one second to another, else 2 km off.
type meeting struct {
	from, to     int     // seconds after noon that the boat is alongside
	ahead, right float64 // metres from antenna to antenna then
	knots        float64 // of both
	faster       float64 // knots that the boat is faster
	course       float64 // of both
	turned       float64 // degrees that the boat is off it
	start        geo.Point
	begin        int64 // noon, in Unix milliseconds
	every        int   // seconds between two reports
	silent       [2]int
}

// usual is a meeting of five minutes on a course to the north-east.
func usual() meeting {
	return meeting{from: 600, to: 900, ahead: 40, right: 18, knots: 9, course: 45, start: geo.Point{Lon: 10.5, Lat: 56}, begin: clock(12, 0, 0), every: 5}
}

// tracks returns the tracks of both, of half an hour.
func (m meeting) tracks() tracks {
	all := tracks{}
	for second := 0; second <= 1800; second += m.every {
		at := m.begin + int64(second)*1000
		place := geo.Destination(m.start, m.course, m.knots*1852/3600*float64(second))
		all[served] = append(all[served], nearFix(at, place.Lon, place.Lat, m.knots, m.course))
		if second >= m.silent[0] && second < m.silent[1] {
			continue
		}
		right := m.right
		if second < m.from || second > m.to {
			right += 2000
		}
		boat := geo.Destination(geo.Destination(place, m.course, m.ahead), m.course+90, right)
		all[pilotBoat] = append(all[pilotBoat], nearFix(at, boat.Lon, boat.Lat, m.knots+m.faster, math.Mod(m.course+m.turned, 360)))
	}
	return all
}

// transfersOf answers a question about tracks.
func transfersOf(q statistic.TransferQuestion, feed func(statistic.Counter)) (found []statistic.Transfer) {
	feed(statistic.NewTransfers(q, func(one statistic.Transfer) { found = append(found, one) }))
	return found
}

// wholeDay is the period of the tables.
func wholeDay() statistic.Period {
	return statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}
}

// TestWhatMakesATransfer: one rule in a row.
func TestWhatMakesATransfer(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*meeting, *statistic.TransferQuestion)
		want   string // begin and end, in seconds after noon
	}{
		"five minutes alongside": {func(*meeting, *statistic.TransferQuestion) {}, "600-900"},
		"over the date line":     {func(m *meeting, _ *statistic.TransferQuestion) { m.start = geo.Point{Lon: 179.98, Lat: 56} }, "600-900"},
		"over midnight": {func(m *meeting, q *statistic.TransferQuestion) {
			m.begin = clock(23, 48, 0)
			q.Period.End = q.Period.End.Add(time.Hour)
		}, "600-900"},
		"it begins with the period":       {func(_ *meeting, q *statistic.TransferQuestion) { q.Period.Begin = time.UnixMilli(clock(12, 10, 0)) }, "600-900"},
		"it begins before the period":     {func(_ *meeting, q *statistic.TransferQuestion) { q.Period.Begin = time.UnixMilli(clock(12, 10, 0) + 1) }, ""},
		"it begins when the period ends":  {func(_ *meeting, q *statistic.TransferQuestion) { q.Period.End = time.UnixMilli(clock(12, 10, 0)) }, ""},
		"it goes on when the period ends": {func(_ *meeting, q *statistic.TransferQuestion) { q.Period.End = time.UnixMilli(clock(12, 10, 0) + 1) }, "600-900"},
		"a minute":                        {func(m *meeting, _ *statistic.TransferQuestion) { m.to = 660 }, "600-660"},
		"55 seconds":                      {func(m *meeting, _ *statistic.TransferQuestion) { m.to = 655 }, ""},
		"twenty minutes":                  {func(m *meeting, _ *statistic.TransferQuestion) { m.from, m.to = 300, 1500 }, "300-1500"},
		"an escort":                       {func(m *meeting, _ *statistic.TransferQuestion) { m.from, m.to = 300, 1510 }, ""},
		"beside the hull":                 {func(m *meeting, _ *statistic.TransferQuestion) { m.ahead, m.right = 170, 45 }, "600-900"},
		"55 m from the hull":              {func(m *meeting, _ *statistic.TransferQuestion) { m.right = 12 + 55 + 2 }, ""},
		"astern, where the hull ends":     {func(m *meeting, _ *statistic.TransferQuestion) { m.ahead = -85 }, ""},
		"2 knots slower":                  {func(m *meeting, _ *statistic.TransferQuestion) { m.faster = -2 }, "600-900"},
		"2.1 knots faster":                {func(m *meeting, _ *statistic.TransferQuestion) { m.faster = 2.1 }, ""},
		"20 degrees off, over north":      {func(m *meeting, _ *statistic.TransferQuestion) { m.course, m.turned = 350, 20 }, "600-900"},
		"21 degrees off":                  {func(m *meeting, _ *statistic.TransferQuestion) { m.turned = 21 }, ""},
		"3 knots":                         {func(m *meeting, _ *statistic.TransferQuestion) { m.knots = 3 }, "600-900"},
		"the ship lies nearly still":      {func(m *meeting, _ *statistic.TransferQuestion) { m.knots = 2.9 }, ""},
		"15 knots":                        {func(m *meeting, _ *statistic.TransferQuestion) { m.knots = 15 }, "600-900"},
		"too quick":                       {func(m *meeting, _ *statistic.TransferQuestion) { m.knots = 15.1 }, ""},
		"silent for nine minutes":         {func(m *meeting, _ *statistic.TransferQuestion) { m.from, m.to, m.silent = 300, 1200, [2]int{405, 940} }, "300-1200"},
		"silent for eleven minutes":       {func(m *meeting, _ *statistic.TransferQuestion) { m.from, m.to, m.silent = 300, 1200, [2]int{405, 1060} }, "300-395 1060-1200"},
		"one report alongside":            {func(m *meeting, _ *statistic.TransferQuestion) { m.silent = [2]int{605, 905} }, ""},
		"at a berth":                      {func(_ *meeting, q *statistic.TransferQuestion) { q.Berth = func(geo.Point) bool { return true } }, ""},
		"another ship is asked for":       {func(_ *meeting, q *statistic.TransferQuestion) { q.Ships = []ais.MMSI{servedToo} }, ""},
		"this ship is asked for":          {func(_ *meeting, q *statistic.TransferQuestion) { q.Ships = []ais.MMSI{served} }, "600-900"},
		"the ship is of the boats":        {func(_ *meeting, q *statistic.TransferQuestion) { q.Boats = []ais.MMSI{pilotBoat, served} }, ""},
		"the ship is a pilot vessel": {func(_ *meeting, q *statistic.TransferQuestion) {
			q.Known = func(statistic.Moment) statistic.Hull { return statistic.Hull{Pilot: true} }
		}, ""},
		"no size is known": {func(_ *meeting, q *statistic.TransferQuestion) {
			q.Known = func(statistic.Moment) statistic.Hull { return statistic.Hull{} }
		}, "600-900"},
		"no size is known, 55 m": {func(m *meeting, q *statistic.TransferQuestion) {
			m.ahead, m.right = 0, 55
			q.Known = func(statistic.Moment) statistic.Hull { return statistic.Hull{} }
		}, ""},
		"the length alone is known, 120 m": {func(m *meeting, q *statistic.TransferQuestion) { m.ahead, m.right = 120, 0; q.Known = longHull }, "600-900"},
		"the length alone is known, 130 m": {func(m *meeting, q *statistic.TransferQuestion) { m.ahead, m.right = 130, 0; q.Known = longHull }, ""},
	} {
		m := usual()
		q := statistic.TransferQuestion{Period: wholeDay(), Boats: []ais.MMSI{pilotBoat}, Known: bigHull}
		row.change(&m, &q)
		got := ""
		for _, one := range transfersOf(q, m.tracks().whole) {
			got += fmt.Sprintf(" %d-%d", (one.At()-m.begin)/1000, (one.BoatEnd.Fix.At-m.begin)/1000)
		}
		if want := row.want; got != "" && got[1:] != want || got == "" && want != "" {
			t.Errorf("%s:%s, want %s", name, got, want)
		}
	}
}

// longHull knows that ships are 150 m long, and not where the antenna is.
func longHull(statistic.Moment) statistic.Hull {
	return statistic.Hull{Size: ais.Dimensions{Stern: 150, Starboard: 24}}
}

// TestATransferTellsBoth: where both were when it began, and what a reader must have seen.
func TestATransferTellsBoth(t *testing.T) {
	all := usual().tracks()
	one := transfersOf(statistic.TransferQuestion{Period: wholeDay(), Boats: []ais.MMSI{pilotBoat}, Known: bigHull}, all.whole)[0]
	if one.Boat.MMSI != pilotBoat || one.Ship.MMSI != served || one.Boat.Fix.Point() != all[pilotBoat][120].Point() || len(one.Moments()) != 8 {
		t.Errorf("%+v", one)
	}
}

// visits invents a boat that goes from ship to ship, and is beside each for some minutes, more or less near and at more or less the same speed.
func visits(r *rand.Rand, all tracks, boat ais.MMSI, begin time.Time, hours float64) {
	var track ship.Track
	numbers := all.numbers()
	for now := begin.UnixMilli(); now < begin.UnixMilli()+int64(hours*3600_000); {
		of := all[numbers[r.IntN(len(numbers))]]
		length, off, bearing := r.Int64N(30*60_000), 140*r.Float64(), 360*r.Float64()
		for end := now + length; now < end; now += 2000 + r.Int64N(15_000) {
			i, _ := slices.BinarySearchFunc(of, now, func(f ship.Fix, ms int64) int { return int(f.At - ms) })
			if i == 0 || i == len(of) {
				now = end
				break
			}
			at := geo.Destination(legAt(of[i-1], of[i], float64(now)), bearing, off)
			f := of[i-1]
			knots, _ := f.SOG.Knots()
			course, _ := f.COG.Degrees()
			f = nearFix(now, at.Lon, at.Lat, max(0, knots+3*r.Float64()-1.5), math.Mod(course+360+24*r.Float64()-12, 360))
			if track = append(track, f); r.IntN(25) == 0 {
				now += r.Int64N(12 * 60_000)
			}
		}
		now += 5000 + r.Int64N(60_000)
	}
	all[boat] = track
}

// slowTransfers answers a question by looking at every pair every five seconds of the whole time.
func slowTransfers(q statistic.TransferQuestion, all tracks, from, to int64) (found []string) {
	at := func(m ais.MMSI, ms int64) (ship.Leg, bool) {
		i, _ := slices.BinarySearchFunc(all[m], ms+1, func(f ship.Fix, ms int64) int { return int(f.At - ms) })
		if i == 0 || i == len(all[m]) {
			return ship.Leg{}, false
		}
		l := ship.Leg{From: all[m][i-1], To: all[m][i]}
		return l, l.Duration() <= 10*time.Minute && ship.Joins(l.From, l.To)
	}
	for _, boat := range q.Boats {
		for m := range all {
			if slices.Contains(q.Boats, m) {
				continue
			}
			first, last := int64(-1), int64(-1)
			end := func() {
				if first >= 0 && last-first >= 60_000 && last-first <= 20*60_000 && q.Period.Holds(first) {
					found = append(found, fmt.Sprint(first, last, boat, m))
				}
				first = -1
			}
			for ms := from - from%5000; ms < to; ms += 5000 {
				a, ok := at(boat, ms)
				b, also := at(m, ms)
				if !ok || !also || !slowBeside(q, boat, m, a, b, float64(ms)) {
					continue
				}
				if first >= 0 && ms-last > 120_000 {
					end()
				}
				if last = ms; first < 0 {
					first = ms
				}
			}
			end()
		}
	}
	slices.Sort(found)
	return found
}

func slowBeside(q statistic.TransferQuestion, boat, m ais.MMSI, a, b ship.Leg, ms float64) bool {
	sog, turn := slowSOG(b, ms), math.Abs(slowCOG(a, ms)-slowCOG(b, ms))
	if sog < 3 || sog > 15 || math.Abs(sog-slowSOG(a, ms)) > 2 || !(min(turn, 360-turn) <= 20) {
		return false
	}
	one, other := q.Known(statistic.Moment{MMSI: m, Fix: b.From}), q.Known(statistic.Moment{MMSI: boat, Fix: a.From})
	from, to := legAt(b.From, b.To, ms), legAt(a.From, a.To, ms)
	if geo.Distance(from, to) > 250 { // no hull of the test reaches so far
		return false
	}
	least := math.Inf(1) // among points of both hulls, some metres from one to the next
	for _, p := range rim(from, slowCOG(b, ms), one.Size) {
		for _, o := range rim(to, slowCOG(b, ms), other.Size) {
			plane := geo.PlaneAt(from)
			least = min(least, plane.Vector(p).To(plane.Vector(o)).Length())
		}
	}
	return !one.Pilot && (least <= 50 || holds(from, to, slowCOG(b, ms), one.Size))
}

// rim returns points of the border of a hull.
func rim(at geo.Point, course float64, d ais.Dimensions) (points []geo.Point) {
	put := func(ahead, right float64) {
		points = append(points, geo.Destination(geo.Destination(at, course, ahead), course+90, right))
	}
	const n = 8
	for i := range n + 1 {
		share := float64(i) / n
		ahead, right := share*float64(d.Length())-float64(d.Stern), share*float64(d.Width())-float64(d.Port)
		put(ahead, -float64(d.Port))
		put(ahead, float64(d.Starboard))
		put(-float64(d.Stern), right)
		put(float64(d.Bow), right)
	}
	return points
}

// holds reports whether a place lies in a hull.
func holds(from, to geo.Point, course float64, d ais.Dimensions) bool {
	bearing, metres := geo.Bearing(from, to)-course, geo.Distance(from, to)
	ahead, right := metres*math.Cos(bearing*math.Pi/180), metres*math.Sin(bearing*math.Pi/180)
	return ahead >= -float64(d.Stern) && ahead <= float64(d.Bow) && right >= -float64(d.Port) && right <= float64(d.Starboard)
}

// TestTransfersAgainstTrying compares with a search that looks at everything, in both ways of handing out the tracks. A hull is made of points there, so that one end
// of a transfer in a hundred may differ.
func TestTransfersAgainstTrying(t *testing.T) {
	all, differ := 0, 0
	for seed := range uint64(18) {
		r := rand.New(rand.NewPCG(seed, 4))
		middle := geo.Point{Lon: []float64{10.4, 179.99}[seed%2], Lat: 56}
		ships := tracks{}
		for i := range 5 {
			ships[ais.MMSI(219000010+i)] = sail(r, middle, 6000, nearDay().Add(22*time.Hour), 4)
		}
		boats := []ais.MMSI{219000001, 219000002}
		for _, boat := range boats {
			others := tracks{}
			for m, track := range ships {
				if !slices.Contains(boats, m) {
					others[m] = track
				}
			}
			visits(r, others, boat, nearDay().Add(22*time.Hour), 4)
			ships[boat] = others[boat]
		}
		q := statistic.TransferQuestion{Period: statistic.Period{Begin: nearDay().Add(22*time.Hour + 20*time.Minute), End: nearDay().Add(25 * time.Hour)}, Boats: boats, Known: bigHull}
		texts := func(found []statistic.Transfer) (list []string) {
			if !slices.IsSortedFunc(found, func(a, b statistic.Transfer) int { return int(a.At() - b.At()) }) {
				t.Error("not in the order of time")
			}
			for _, one := range found {
				list = append(list, fmt.Sprint(one.At(), one.BoatEnd.Fix.At, one.Boat.MMSI, one.Ship.MMSI))
			}
			slices.Sort(list)
			return list
		}
		got, parts := texts(transfersOf(q, ships.whole)), texts(transfersOf(q, func(c statistic.Counter) { ships.inHours(r, c) }))
		if !slices.Equal(got, parts) {
			t.Errorf("seed %d: in hours %v, whole %v", seed, parts, got)
		}
		want := slowTransfers(q, ships, clock(22, 0, 0), clock(26, 0, 0))
		for _, one := range want {
			if !slices.Contains(got, one) {
				differ++
			}
		}
		all, differ = all+len(want), differ+max(0, len(got)-len(want))
	}
	if t.Logf("%d of %d transfers differ", differ, all); all < 50 || 25*differ > all {
		t.Errorf("%d of %d transfers differ", differ, all)
	}
}
