package statistic_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// meetingsInSQL asks at which times a leg meets an edge of a border. A long one counts from and to a report inside alone.
const meetingsInSQL = `
create extension postgis;
create table leg(mmsi bigint, begins bigint, ends bigint, long boolean, x1 float8, y1 float8, x2 float8, y2 float8);
create table border(id bigint, shape text);
\copy leg from 'legs.csv' csv
\copy border from 'borders.csv' csv
alter table leg add way geometry;
update leg set way = ST_MakeLine(ST_MakePoint(x1,y1), ST_MakePoint(x2,y2));
create index on leg using gist(way);
create table edge as select b.id, g, ST_MakeLine(ST_PointN(g, n), ST_PointN(g, n+1)) as way
  from (select id, ST_GeomFromText(shape) as g from border) b, generate_series(1, ST_NPoints(g) - 1) n;
create index on edge using gist(way);
\copy (select e.id, l.mmsi, round(l.begins + ST_LineLocatePoint(l.way, ST_Intersection(l.way, e.way)) * (l.ends - l.begins)) as at from leg l join edge e on ST_Crosses(l.way, e.way) where case when l.long then ST_Contains(ST_MakePolygon(e.g), ST_StartPoint(l.way)) <> ST_Contains(ST_MakePolygon(e.g), ST_EndPoint(l.way)) else true end order by 1, 2, 3) to 'meetings.csv' csv
`

// meetings are the times at which a ship met a border, by the number of the border and of the ship, in Unix milliseconds.
type meetings map[int]map[ais.MMSI][]int64

// askPostGIS runs SQL beside tables of some rows, and returns the rows of the one that it writes.
func askPostGIS(t *testing.T, sql string, tables map[string][][]string, answer string) [][]string {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range tables {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(csv.NewWriter(file).WriteAll(rows), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "rules.sql"), []byte(sql), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := exec.Command("pg_virtualenv", "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", "rules.sql")
	ask.Dir = dir
	if out, err := ask.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := os.Open(filepath.Join(dir, answer))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// legsOf returns the legs of ships that take no longer than the longest, as rows. Legs of more than 30 minutes are long ones.
func legsOf(ships fleet, longest time.Duration) (legs [][]string) {
	for m, track := range ships {
		for i := 1; i < len(track); i++ {
			from, to := track[i-1], track[i]
			if to.Mark&ship.NewSegment == 0 && to.Time().Sub(from.Time()) <= longest {
				a, b := from.Point(), to.Point()
				legs = append(legs, []string{fmt.Sprint(m), fmt.Sprint(from.At), fmt.Sprint(to.At), fmt.Sprint(to.At-from.At > ship.GapLimit.Milliseconds()), fmt.Sprint(a.Lon), fmt.Sprint(a.Lat), fmt.Sprint(b.Lon), fmt.Sprint(b.Lat)})
			}
		}
	}
	return legs
}

// meetingsOf asks PostGIS.
func meetingsOf(t *testing.T, ships fleet, borders []geo.Line, longest time.Duration) meetings {
	t.Helper()
	var shapes [][]string
	for i, line := range borders {
		var points []string
		for _, p := range line {
			points = append(points, fmt.Sprint(p.Lon, " ", p.Lat))
		}
		shapes = append(shapes, []string{fmt.Sprint(i), "LINESTRING(" + strings.Join(points, ",") + ")"})
	}
	all := meetings{}
	for _, row := range askPostGIS(t, meetingsInSQL, map[string][][]string{"legs.csv": legsOf(ships, longest), "borders.csv": shapes}, "meetings.csv") {
		var border int
		var m ais.MMSI
		var at int64
		if _, err := fmt.Sscan(strings.Join(row, " "), &border, &m, &at); err != nil {
			t.Fatal(err)
		}
		if all[border] == nil {
			all[border] = map[ais.MMSI][]int64{}
		}
		all[border][m] = append(all[border][m], at)
	}
	return all
}

// take takes a time that is the same to a second out of a list; false where there is none.
func take(list *[]int64, at int64) bool {
	i := slices.IndexFunc(*list, func(o int64) bool { return max(o-at, at-o) <= 1000 })
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

// randomBorders returns lines of two or three points, then rings like stars.
func randomBorders(r *rand.Rand, middle, wide geo.Point) (lines, rings []geo.Line) {
	point := func() geo.Point {
		return whole(geo.Point{Lon: middle.Lon + (4*r.Float64()-2)*wide.Lon, Lat: middle.Lat + (4*r.Float64()-2)*wide.Lat})
	}
	for i := range 40 {
		lines = append(lines, []geo.Point{point(), point(), point()}[:2+i%2])
	}
	for range 40 {
		var ring geo.Line
		centre, size := point(), 0.1+r.Float64()
		for k := range 9 {
			far := size * (0.3 + r.Float64())
			ring = append(ring, whole(geo.Point{Lon: centre.Lon + far*wide.Lon*math.Cos(float64(k)*0.7), Lat: centre.Lat + far*wide.Lat*math.Sin(float64(k)*0.7)}))
		}
		rings = append(rings, append(ring, ring[0]))
	}
	return lines, rings
}

// passagesAreThose compares the passages of lines. Those that PostGIS finds besides follow another within five minutes: they are jitter.
func passagesAreThose(t *testing.T, ships fleet, period statistic.Period, lines []geo.Line, theirs meetings) (both, jitter int) {
	t.Helper()
	for i, line := range lines {
		for m, track := range ships {
			left, met := slices.Clone(theirs[i][m]), theirs[i][m]
			for _, p := range passagesOf(statistic.PassageQuestion{Period: period, Line: line}, fleet{m: track}, 0) {
				if both++; !take(&left, p.Fix.At) {
					t.Errorf("line %d, ship %d: PostGIS does not find %v", i, m, p.Fix.Time())
				}
			}
			for _, at := range left {
				if jitter++; !slices.ContainsFunc(met, func(o int64) bool { return o < at && at-o <= (5*time.Minute).Milliseconds() }) {
					t.Errorf("line %d, ship %d: only PostGIS finds %v", i, m, time.UnixMilli(at).UTC())
				}
			}
		}
	}
	return both, jitter
}

// visitsAreThose compares the ends of visits. An end at a report is no meeting: the ship was first or last heard inside. What PostGIS finds besides lies in
// a visit of ours: the ship was outside for less than five minutes.
func visitsAreThose(t *testing.T, ships fleet, period statistic.Period, rings []geo.Line, theirs meetings) (both, merged int) {
	t.Helper()
	for i, ring := range rings {
		area := geo.NewArea(geo.Polygon{ring})
		for m, track := range ships {
			left := slices.Clone(theirs[i][m])
			heard := func(at int64) bool { return slices.ContainsFunc(track, func(f ship.Fix) bool { return f.At == at }) }
			visits := visitsOf(statistic.AreaQuestion{Period: period, Area: area}, fleet{m: track}, 0)
			for _, v := range visits {
				for _, at := range []int64{v.In.Fix.At, v.Out.Fix.At} {
					if take(&left, at) {
						both++
					} else if !heard(at) {
						t.Errorf("area %d, ship %d: PostGIS does not find %v", i, m, time.UnixMilli(at).UTC())
					}
				}
			}
			for _, at := range left {
				in := func(v statistic.Visit) bool { return v.In.Fix.At <= at && at <= v.Out.Fix.At }
				if merged++; !slices.ContainsFunc(visits, in) {
					t.Errorf("area %d, ship %d: only PostGIS finds %v", i, m, time.UnixMilli(at).UTC())
				}
			}
		}
	}
	return both, merged
}

// TestPassagesOfPostGIS holds areas and passages against a database of geometry, which shares no code with us: on random walks, and on the reports of a
// recorded water.
func TestPassagesOfPostGIS(t *testing.T) {
	if os.Getenv("QUAYWATCH_POSTGIS") == "" {
		t.Skip("make postgis installs PostGIS and runs this test")
	}
	compare := func(t *testing.T, ships fleet) {
		period, middle, wide := middles(ships)
		lines, rings := randomBorders(rand.New(rand.NewPCG(3, 5)), middle, wide)
		passages, jitter := passagesAreThose(t, ships, period, lines, meetingsOf(t, ships, lines, ship.GapLimit))
		ends, merged := visitsAreThose(t, ships, period, rings, meetingsOf(t, ships, rings, time.Hour))
		t.Logf("%d ships: %d passages in both, %d more of PostGIS soon after another; %d ends of visits in both, %d more of PostGIS in a visit", len(ships), passages, jitter, ends, merged)
		if passages < 100 || ends < 100 || 20*jitter > passages || 5*merged > ends {
			t.Error("too few to compare, or too many are left out")
		}
	}
	t.Run("random walks", func(t *testing.T) { compare(t, randomWalks()) })
	t.Run("kadetrenden", func(t *testing.T) { compare(t, recorded(t, "nmea/kadetrenden_2013-07-31.nmea.gz")) })
}

// randomWalks are forty ships that wander about a square for some hours.
func randomWalks() fleet {
	r, ships := rand.New(rand.NewPCG(7, 11)), fleet{}
	for m := range ais.MMSI(40) {
		p, course := geo.Point{Lon: 12 + r.Float64(), Lat: 54 + r.Float64()/2}, r.Float64()*2*math.Pi
		for minute := range 200 {
			course += r.NormFloat64() * 0.2
			p.Lon, p.Lat = p.Lon+0.008*math.Sin(course), p.Lat+0.005*math.Cos(course)
			ships[211000000+m] = append(ships[211000000+m], nearFix(clock(6, minute, int(m)), p.Lon, p.Lat, 20, 0))
		}
	}
	return ships
}
