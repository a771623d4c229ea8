package statistic_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// densityDays answers a question, in the order of ships and days.
func densityDays(q statistic.DensityQuestion, feed func(statistic.Counter)) (found []statistic.DensityDay) {
	feed(statistic.NewDensity(q, func(d statistic.DensityDay) { found = append(found, d) }))
	slices.SortStableFunc(found, func(a, b statistic.DensityDay) int {
		return cmp.Or(cmp.Compare(a.MMSI, b.MMSI), a.Day.Compare(b.Day))
	})
	return found
}

// cellOf returns the cell of a place in a plain lattice, of which the columns begin at a longitude.
func cellOf(base, x, y, size float64) statistic.LatticeCell {
	return statistic.LatticeCell{X: int32(math.Floor(math.Remainder(x-base, 360) / size)), Y: int32(math.Floor(y / size))}
}

// plainCuts returns the shares at which a leg meets the borders of cells, in order, with 0 and 1.
func plainCuts(base, size float64, a, b geo.Point) []float64 {
	cuts := []float64{0, 1}
	x, y := math.Remainder(a.Lon-base, 360), a.Lat
	dx, dy := math.Remainder(b.Lon-a.Lon, 360), b.Lat-a.Lat
	for _, axis := range [][2]float64{{x, dx}, {y, dy}} {
		low, high := min(axis[0], axis[0]+axis[1]), max(axis[0], axis[0]+axis[1])
		for i := math.Ceil(low / size); i*size <= high && axis[1] != 0; i++ {
			if share := (i*size - axis[0]) / axis[1]; share > 0 && share < 1 {
				cuts = append(cuts, share)
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// plain is a lattice of degrees.
func plain(base, size float64) statistic.Lattice {
	return func(a, b geo.Point, fn func(statistic.LatticeCell, float64, float64)) {
		cuts := plainCuts(base, size, a, b)
		for i := 1; i < len(cuts); i++ {
			middle := (cuts[i-1] + cuts[i]) / 2
			fn(cellOf(base, a.Lon+middle*math.Remainder(b.Lon-a.Lon, 360), a.Lat+middle*(b.Lat-a.Lat), size), cuts[i-1], cuts[i])
		}
	}
}

// densityKey is a cell of a ship on a day.
type densityKey struct {
	ship ais.MMSI
	day  string
	cell statistic.LatticeCell
}

// slowDensity counts from whole tracks with the schoolbook's geometry: each leg is cut at each border of the area and of a cell.
func slowDensity(q statistic.DensityQuestion, all tracks, base, size float64) map[densityKey]statistic.CellTime {
	found := map[densityKey]statistic.CellTime{}
	polygon, _ := q.Area.Shape().(geo.Polygon)
	for _, m := range all.numbers() {
		b := &brute{base: polygon[0][0], polygon: polygon}
		slow := &slowShip{found: found, m: m, begin: q.Period.Begin.UnixMilli(), end: q.Period.End.UnixMilli()}
		for i, g := range all[m][1:] {
			f := all[m][i]
			if !leadsOn(f, g) {
				slow.in, slow.trip = false, nil
				continue
			}
			until := f.At
			for _, p := range b.leg(f, g, false) {
				slow.in = slow.in && p.in == until
				from, to := legAt(f, g, float64(p.in)), legAt(f, g, float64(p.out))
				cuts := plainCuts(base, size, from, to)
				for i := 1; i < len(cuts); i++ {
					middle := (cuts[i-1] + cuts[i]) / 2
					at := cellOf(base, from.Lon+middle*math.Remainder(to.Lon-from.Lon, 360), from.Lat+middle*(to.Lat-from.Lat), size)
					long := float64(p.out - p.in)
					slow.pass(at, p.in+int64(math.Round(cuts[i-1]*long)), p.in+int64(math.Round(cuts[i]*long)))
				}
				until = p.out
			}
			slow.in = slow.in && until == g.At
		}
	}
	return found
}

// slowShip is the trip of a ship.
type slowShip struct {
	found      map[densityKey]statistic.CellTime
	m          ais.MMSI
	begin, end int64
	trip       map[statistic.LatticeCell]bool
	in         bool
	at         statistic.LatticeCell
	left       int64
}

func (s *slowShip) pass(at statistic.LatticeCell, from, to int64) {
	from, to = max(from, s.begin), min(to, s.end)
	if from >= to {
		return
	}
	if s.trip == nil || !s.in && from-s.left > 1_800_000 {
		s.trip = map[statistic.LatticeCell]bool{}
	}
	for now := from; now < to; {
		day := time.UnixMilli(now).UTC()
		until := min(to, day.Truncate(24*time.Hour).Add(24*time.Hour).UnixMilli())
		key := densityKey{s.m, day.Format(time.DateOnly), at}
		c := s.found[key]
		c.Millis += until - now
		if now == from && !s.trip[at] {
			s.trip[at] = true
			c.Trips++
		}
		if now == from && (!s.in || s.at != at) {
			c.Crossings++
		}
		s.found[key] = c
		now = until
	}
	s.in, s.at, s.left = true, at, to
}

// TestDensityAgainstCounting compares the answers about invented tracks of three days with counting each leg, and with the time that the area has.
func TestDensityAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for _, middle := range []geo.Point{{Lon: 10, Lat: 55}, {Lon: 180, Lat: 60}} {
		all := invented(r, 10, middle, 20_000, 400, nearDay(), 60)
		period := statistic.Period{Begin: nearDay().Add(5*time.Hour + 7*time.Second), End: nearDay().Add(58*time.Hour + 3*time.Second)}
		area := geo.NewArea(squareAt(middle, 8000))
		base, size := middle.Lon-0.3, 0.0137
		q := statistic.DensityQuestion{Period: period, Area: area, Split: plain(base, size)}
		got := densityDays(q, all.whole)
		if parts := densityDays(q, func(c statistic.Counter) { all.inHours(r, c) }); !reflect.DeepEqual(parts, got) {
			t.Errorf("%d days in hours, %d as a whole", len(parts), len(got))
		}
		sums := compareDensity(t, got, slowDensity(q, all, base, size))
		visits := map[ais.MMSI]time.Duration{}
		short := tracks{}
		for m, track := range all {
			short[m] = slices.Clone(track)
			for i := range track[1:] { // the area has legs of up to an hour too
				if !leadsOn(track[i], track[i+1]) {
					short[m][i+1].Mark |= ship.NewSegment
				}
			}
		}
		short.whole(statistic.NewArea(statistic.AreaQuestion{Period: period, Area: area}, func(v statistic.Visit) { visits[v.In.MMSI] += v.Inside }))
		for m, inside := range visits {
			if got := time.Duration(sums[m]) * time.Millisecond; got != inside {
				t.Errorf("%d was inside for %v, its cells have %v", m, inside, got)
			}
		}
		if len(visits) < 8 {
			t.Errorf("only %d ships", len(visits))
		}
	}
}

// compareDensity compares cell by cell, and returns the time of each ship. Two ways to round a share differ by a millisecond at each border.
func compareDensity(t *testing.T, got []statistic.DensityDay, want map[densityKey]statistic.CellTime) (sums map[ais.MMSI]int64) {
	t.Helper()
	sums = map[ais.MMSI]int64{}
	cells, trips, crossings := 0, 0, 0
	for _, d := range got {
		if len(d.Moments()) == 0 {
			t.Errorf("%d on %v has no moment", d.MMSI, d.Day)
		}
		for _, c := range d.Cells {
			w := want[densityKey{d.MMSI, d.Day.Format(time.DateOnly), c.LatticeCell}]
			sums[d.MMSI] += c.Millis
			cells, trips, crossings = cells+1, trips+c.Trips, crossings+c.Crossings
			slack, off := int64(4+4*c.Crossings), c.Millis-w.Millis
			if off > slack || off < -slack || c.Millis > 1 && (c.Trips != w.Trips || c.Crossings != w.Crossings) {
				t.Fatalf("%d on %v: %+v, want %+v", d.MMSI, d.Day, c, w)
			}
		}
	}
	if cells < 500 || trips < 500 || crossings < trips || cells < len(want) {
		t.Errorf("%d cells of %d, %d trips, %d crossings", cells, len(want), trips, crossings)
	}
	return sums
}

// TestDensity has the cases by name. Cells have a tenth of a degree; the area is 10 to 11 E, 55 to 56 N.
func TestDensity(t *testing.T) {
	at := func(h, m int, lon float64) ship.Fix { return nearFix(clock(h, m, 0), lon, 55.55, 5, 90) }
	back := func(f ship.Fix) ship.Fix { f.Mark |= ship.NewSegment; return f }
	area := geo.NewArea(geo.Polygon{{{Lon: 10, Lat: 55}, {Lon: 11, Lat: 55}, {Lon: 11, Lat: 56}, {Lon: 10, Lat: 56}, {Lon: 10, Lat: 55}}})
	type cell struct {
		day              int
		x                int32
		seconds          int64
		trips, crossings int
	}
	for _, row := range []struct {
		name  string
		track ship.Track
		want  []cell
	}{
		{"one report", ship.Track{at(1, 0, 10.05)}, nil},
		{"at rest", ship.Track{at(1, 0, 10.05), at(1, 20, 10.05), at(1, 50, 10.05)}, []cell{{0, 0, 3000, 1, 1}}},
		{"silence", ship.Track{at(1, 0, 10.05), at(1, 31, 10.05), at(1, 41, 10.05)}, []cell{{0, 0, 600, 1, 1}}},
		{"two trips", ship.Track{at(1, 0, 10.05), at(1, 10, 10.05), at(2, 0, 10.05), at(2, 10, 10.05)}, []cell{{0, 0, 1200, 2, 2}}},
		{"a jump", ship.Track{at(1, 0, 10.05), at(1, 10, 10.05), back(at(1, 11, 10.05)), at(1, 21, 10.05)}, []cell{{0, 0, 1200, 2, 2}}},
		{"there and back", ship.Track{at(1, 0, 10.05), at(1, 10, 10.15), at(1, 20, 10.05)}, []cell{{0, 0, 600, 1, 2}, {0, 1, 600, 1, 1}}},
		{"out and back", ship.Track{at(1, 0, 10.05), at(1, 10, 9.95), at(1, 20, 10.05)}, []cell{{0, 0, 600, 1, 2}}},
		{"out for long", ship.Track{at(1, 0, 10.05), at(1, 10, 9.95), at(1, 35, 9.95), at(1, 45, 10.05)}, []cell{{0, 0, 600, 2, 2}}},
		{"over midnight", ship.Track{at(23, 50, 10.05), at(24, 10, 10.05)}, []cell{{0, 0, 600, 1, 1}, {1, 0, 600, 0, 0}}},
	} {
		q := statistic.DensityQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(48 * time.Hour)}, Area: area, Split: plain(10, 0.1)}
		var got []cell
		for _, d := range densityDays(q, tracks{1: row.track}.whole) {
			for _, c := range d.Cells {
				got = append(got, cell{int(d.Day.Sub(nearDay()) / (24 * time.Hour)), c.X, c.Millis / 1000, c.Trips, c.Crossings})
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// TestDensityOfManyCells: a day of many cells comes in pieces, and a trip of more than it remembers begins anew.
func TestDensityOfManyCells(t *testing.T) {
	area := geo.NewArea(geo.Polygon{{{Lon: 0, Lat: 50}, {Lon: 20, Lat: 50}, {Lon: 20, Lat: 60}, {Lon: 0, Lat: 60}, {Lon: 0, Lat: 50}}})
	var track ship.Track
	for i := range 11 {
		track = append(track, nearFix(clock(1, i, 0), 1+float64(i%2)*12, 55.00005, 5, 90))
	}
	q := statistic.DensityQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}, Area: area, Split: plain(0, 0.001)}
	got := densityDays(q, tracks{1: track}.whole)
	millis, trips := int64(0), 0
	for _, d := range got {
		if len(d.Cells) > 5000 || len(d.Moments()) == 0 {
			t.Fatalf("%d cells, %d moments", len(d.Cells), len(d.Moments()))
		}
		for _, c := range d.Cells {
			millis, trips = millis+c.Millis, trips+c.Trips
		}
	}
	if millis != 10*60_000 || trips < 100_000 || len(got) < 20 {
		t.Errorf("%d pieces, %d ms, %d trips", len(got), millis, trips)
	}
}

// TestDensityForgets: another ship comes each hour; of those that are gone nothing is held after their day.
func TestDensityForgets(t *testing.T) {
	area := geo.NewArea(squareAt(geo.Point{Lon: 10, Lat: 55}, 8000))
	period := statistic.Period{Begin: nearDay(), End: nearDay().Add(500 * time.Hour)}
	told := 0
	d := statistic.NewDensity(statistic.DensityQuestion{Period: period, Area: area, Split: plain(9, 0.01)}, func(statistic.DensityDay) { told++ })
	for hour := range 500 {
		d.Take(ais.MMSI(hour+1), ship.Track{nearFix(clock(hour, 1, 0), 10, 55, 5, 90), nearFix(clock(hour, 9, 0), 10.01, 55, 5, 90)})
		d.Over(nearDay().Add(time.Duration(hour+1) * time.Hour))
		if told < hour-24 {
			t.Fatalf("hour %d: %d told", hour, told)
		}
	}
	if d.End(); told != 500 {
		t.Errorf("%d told", told)
	}
}
