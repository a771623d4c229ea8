package statistic_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

func passagesOf(q statistic.PassageQuestion, ships fleet, part time.Duration) (all []statistic.LineCrossing) {
	ask(statistic.NewPassages(q, func(p statistic.LineCrossing) { all = append(all, p) }), ships, q.Period.Begin, q.Period.End, part)
	return sorted(all, func(p statistic.LineCrossing) statistic.Moment { return p.Moment })
}

// line draws a line of places that AIS can tell.
func (d *dice) line(points int) (l geo.Line) {
	for range points {
		l = append(l, d.place())
	}
	return l
}

func TestPassagesAgreeWithBruteForce(t *testing.T) {
	total, swayed := 0, 0
	for seed := range uint64(600) {
		d := newDice(seed)
		if seed%5 == 0 {
			d.size = 0.3 // so that legs are longer than ten miles
		}
		line, track := d.line(2+d.IntN(5)), d.track(150)
		if seed%3 == 0 {
			track = d.swaying(line)
		}
		q := statistic.PassageQuestion{Period: d.period(track), Line: line}
		handed := delivered(track, q.Period)
		every := hits(d.base, handed, line)
		var want []hit
		for _, h := range steady(handed, every) {
			if h.at >= q.Period.Begin.UnixMilli() && h.at < q.Period.End.UnixMilli() {
				want = append(want, h)
			}
		}
		got := passagesOf(q, fleet{1: track}, 0)
		total, swayed = total+len(got), swayed+len(every)-len(want)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d passages, want %d", seed, len(got), len(want))
		}
		for i, p := range got {
			h := want[i]
			sameTime(t, "passage", p.Fix.At, h.at)
			along := line[:h.edge+1].Length() + geo.Distance(line[h.edge], h.place)
			if p.LeftToRight != h.right || math.Abs(p.Along-along) > 0.01 || geo.Distance(p.Fix.Point(), h.place) > 1 {
				t.Fatalf("seed %d: %+v, want %+v at %v m", seed, p, h, along)
			}
			if slow := direction(line[h.edge], line[h.edge+1], h.place, h.right); !strings.Contains(slow, " "+p.Direction+" ") {
				t.Fatalf("seed %d: direction %s, want %s", seed, p.Direction, slow)
			}
		}
	}
	if total < 500 || swayed < 500 {
		t.Errorf("only %d passages, %d left out", total, swayed)
	}
}

// direction returns the directions that a passage may have, by bearings on the ellipsoid; two where it is nearly between them.
func direction(from, to, at geo.Point, right bool) string {
	turn := -90.0
	if right {
		turn = 90
	}
	// A short way along the edge at the place itself: an edge is straight in degrees.
	east := math.Remainder(to.Lon-from.Lon, 360)
	long := 1000 * math.Hypot(east, to.Lat-from.Lat)
	on := geo.Point{Lon: at.Lon + east/long, Lat: at.Lat + (to.Lat-from.Lat)/long}.Normalized()
	words := " "
	for _, slack := range []float64{-0.1, 0.1} {
		degrees := math.Mod(geo.Bearing(at, on)+turn+slack+720, 360)
		words += []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW", "N"}[int(degrees/45+0.5)] + " "
	}
	return words
}

// swaying draws a ship that lies on the line for hours, and drags its anchor now and then.
func (d *dice) swaying(line geo.Line) (t ship.Track) {
	anchor, now := line[0], at(0, 0, 0)
	anchor.Lon, anchor.Lat = (line[0].Lon + math.Remainder(line[1].Lon-line[0].Lon, 360)/2), (line[0].Lat+line[1].Lat)/2
	for range 200 {
		f := fixAt(now, geo.Destination(anchor, 360*d.Float64(), 90*d.Float64()))
		t = append(t, f)
		now = now.Add(time.Duration(20+d.IntN(150)) * time.Second)
		if d.IntN(30) == 0 {
			anchor = geo.Destination(anchor, 360*d.Float64(), 300*d.Float64())
			now = now.Add(time.Duration(d.IntN(10)) * time.Minute)
		}
	}
	return t
}

func TestPassagesInHours(t *testing.T) {
	for seed := range uint64(40) {
		d := newDice(2000 + seed)
		line, ships := d.line(3), fleet{}
		for m := range ais.MMSI(5) {
			ships[m+1] = d.track(150)
		}
		ships[6] = d.swaying(line)
		q := statistic.PassageQuestion{Period: d.period(ships[1]), Line: line}
		whole := passagesOf(q, ships, 0)
		for _, part := range parts[1:] {
			if got := passagesOf(q, ships, part); !reflect.DeepEqual(got, whole) {
				t.Fatalf("seed %d, parts of %v: %+v\nwhole: %+v", seed, part, got, whole)
			}
		}
	}
}

// TestPassages tells each rule by its name. The line leads north over the base, 4 hundredths of a degree long. The period is 12:00 to 16:00.
func TestPassages(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	strait := geo.Point{Lon: 180, Lat: 56}
	north := func(at geo.Point) geo.Line { return geo.Line{{Lon: at.Lon, Lat: 55.98}, {Lon: at.Lon, Lat: 56.02}} }
	angle := geo.Line{{Lon: 10.02, Lat: 55.98}, base, {Lon: 10.02, Lat: 56.02}}
	for _, row := range []struct {
		name  string
		line  geo.Line
		base  geo.Point
		stops []stop
		want  string // minute and direction of each, > for left to right
	}{
		{"left to right", north(base), base, []stop{{0, -2, 0, 0}, {4, 2, 0, 0}}, "2>E"},
		{"right to left", north(base), base, []stop{{0, 2, 0, 0}, {4, -2, 0, 0}}, "2<W"},
		{"date line", north(strait), strait, []stop{{0, -2, 0, 0}, {4, 2, 0, 0}}, "2>E"},
		{"past its end", north(base), base, []stop{{0, -2, 3, 0}, {4, 2, 3, 0}}, ""},
		{"at begin", north(base), base, []stop{{-1, -1, 0, 0}, {1, 1, 0, 0}}, "0>E"},
		{"before begin", north(base), base, []stop{{-2, -1, 0, 0}, {1, 1, 0, 0}}, ""},
		{"at end", north(base), base, []stop{{239, -1, 0, 0}, {241, 1, 0, 0}}, ""},
		{"before end", north(base), base, []stop{{239, -1, 0, 0}, {240.9, 1, 0, 0}}, "239.95>E"},
		{"gap", north(base), base, []stop{{0, -2, 0, 0}, {31, 2, 0, 0}}, ""},
		{"half an hour is no gap", north(base), base, []stop{{0, -2, 0, 0}, {30, 2, 0, 0}}, "15>E"},
		{"leap", north(base), base, []stop{{0, -2, 0, 0}, {4, 2, 0, ship.NewSegment}}, ""},
		{"one fix", north(base), base, []stop{{0, 0, 0, 0}}, ""},
		{"standing on the line", north(base), base, []stop{{0, -1, 0, 0}, {4, 0, 0, 0}, {40, 0, 0, 0}, {60, 0, 0, 0}, {64, 1, 0, 0}}, "4>E"},
		{"standing on the line, and back", north(base), base, []stop{{0, 1, 0, 0}, {4, 0, 0, 0}, {20, 0, 0, 0}, {24, 1, 0, 0}}, ""},
		{"a fix on the line", north(base), base, []stop{{0, -1, 0, 0}, {4, 0, 0, 0}, {8, 1, 0, 0}}, "4>E"},
		{"longer than ten miles", north(base), base, []stop{{0, -20, 0, 0}, {20, 20, 0, 0}}, ""},
		{"longer than ten miles, both ends near the line", geo.Line{{Lon: 10, Lat: 55}, {Lon: 10, Lat: 57}}, base, []stop{{0, -0.5, -10, 0}, {20, 0.5, 10, 0}}, "10>E"},
		{"longer than ten miles, one end near the line", geo.Line{{Lon: 10, Lat: 55}, {Lon: 10, Lat: 57}}, base, []stop{{0, -5, -10, 0}, {20, 0.5, 10, 0}}, ""},
		{"to and fro within 200 m", north(base), base, []stop{{0, -0.1, 0, 0}, {2, 0.1, 0, 0}, {4, -0.1, 0, 0}, {6, 0.1, 0, 0}}, "1>E"},
		{"to and fro within 200 m, after 5 minutes", north(base), base, []stop{{0, -0.1, 0, 0}, {2, 0.1, 0, 0}, {10, -0.1, 0, 0}}, "1>E 6<W"},
		{"to and fro within 5 minutes, farther", north(base), base, []stop{{0, -1, 0, 0}, {2, 1, 0, 0}, {4, -1, 0, 0}}, "1>E 3<W"},
		{"line crossed twice by one leg", angle, base, []stop{{0, 1, -4, 0}, {8, 1, 4, 0}}, "3>NE 5<NW"},
		{"vertex of the line touched", angle, base, []stop{{0, 0, -4, 0}, {8, 0, 4, 0}}, ""},
		{"vertex of the line, which is of one edge", angle, base, []stop{{0, -1, 0, 0}, {8, 1, 0, 0}}, "4>SE"},
	} {
		q := statistic.PassageQuestion{Period: statistic.Period{Begin: at(12, 0, 0), End: at(16, 0, 0)}, Line: row.line}
		for _, part := range parts {
			var words []string
			for _, p := range passagesOf(q, fleet{7: trackOf(row.base, row.stops)}, part) {
				words = append(words, minuteOf(p.Moment)+map[bool]string{true: ">", false: "<"}[p.LeftToRight]+p.Direction)
			}
			if got := strings.Join(words, " "); got != row.want {
				t.Errorf("%s, parts of %v: %q, want %q", row.name, part, got, row.want)
			}
		}
	}
}
