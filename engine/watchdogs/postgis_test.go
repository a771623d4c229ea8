package watchdogs

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/watchdog"
	"quaywatch/traffic"
)

// passage is a border that a ship passed, as the watchdogs or PostGIS find it.
type passage struct {
	watchdog uint64
	mmsi     ais.MMSI
	kind     watchdog.Kind
	at       int64 // Unix milliseconds
	report   int64 // time of the report that it came with, of PostGIS alone
}

// legBook writes down the reports that count, as PostGIS takes them: a row for each, with the way to it where the ship sailed one.
type legBook struct {
	box   *box
	rows  [][]string
	still map[passage]bool // the legs on which a ship made no way, by ship and report: what lies is where it is
}

func (l *legBook) Observe(u *ship.Update) {
	l.box.watch.Observe(u)
	if u.Report == nil || u.Change&ship.ChangedFix == 0 || !u.Now.HasFix || u.Now.Fix.Mark&ship.WrongClock != 0 || !u.Now.Fix.Trusted() || !u.Now.Confirmed() ||
		u.Now.Class == ship.ClassBase || u.Now.Class == ship.ClassAtoN {
		return
	}
	now, was := u.Now.Fix, ship.Fix{}
	if u.Was.HasFix && u.Was.Fix.Mark&ship.WrongClock == 0 && u.Was.Fix.Trusted() {
		was = u.Was.Fix
	}
	if was.At != 0 && now.At <= was.At {
		return
	}
	joined := was.At != 0 && ship.Joins(was, now) && now.At-was.At <= (15*time.Minute).Milliseconds()
	from := was.Point()
	if !joined {
		from = now.Point()
	}
	if slow := func(f ship.Fix) bool { knots, known := f.SOG.Knots(); return known && knots < 0.5 }; slow(was) && slow(now) {
		l.still[passage{mmsi: u.Now.MMSI, report: now.At}] = true
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 9, 64) }
	l.rows = append(l.rows, []string{fmt.Sprint(u.Now.MMSI), fmt.Sprint(was.At), fmt.Sprint(now.At), fmt.Sprint(joined),
		number(from.Lon), number(from.Lat), number(now.Point().Lon), number(now.Point().Lat)})
}

func (l *legBook) Tick(now time.Time) { l.box.watch.Tick(now) }

// borders makes random lines and polygons in a rectangle, and returns them as PostGIS reads them.
func (b *box) borders(rnd *rand.Rand, west, south, east, north float64) (rows [][]string) {
	point := func() geo.Point {
		return geo.Point{Lon: west + rnd.Float64()*(east-west), Lat: south + rnd.Float64()*(north-south)}
	}
	text := func(points []geo.Point, form string) string {
		var s []string
		for _, p := range points {
			s = append(s, fmt.Sprintf(form, p.Lon, p.Lat))
		}
		return strings.Join(s, ",")
	}
	for i := range 60 {
		line := []geo.Point{point(), point(), point()}[:2+i%2]
		id := b.define(fmt.Sprintf(`{"name":"line %d","type":"line","line":{"type":"LineString","coordinates":[%s]}}`, i, text(line, "[%.9f,%.9f]")))
		rows = append(rows, []string{fmt.Sprint(id), "line", "LINESTRING(" + text(line, "%.9f %.9f") + ")"})
	}
	for i := range 60 {
		var ring []geo.Point
		centre, size := point(), (0.02+0.2*rnd.Float64())*(north-south)
		for k := range 9 {
			far := size * (0.3 + rnd.Float64())
			ring = append(ring, geo.Point{Lon: centre.Lon + far*math.Cos(float64(k)*0.7)*1.7, Lat: centre.Lat + far*math.Sin(float64(k)*0.7)})
		}
		ring = append(ring, ring[0])
		id := b.define(fmt.Sprintf(`{"name":"area %d","type":"polygon","polygon":{"type":"Polygon","coordinates":[[%s]]}}`, i, text(ring, "[%.9f,%.9f]")))
		rows = append(rows, []string{fmt.Sprint(id), "area", "POLYGON((" + text(ring, "%.9f %.9f") + "))"})
	}
	return rows
}

// The rules, in SQL. A line is crossed once by each of its segments that a leg meets. A ship enters with the first report inside, at the border where a leg leads
// over it. A leg between two reports outside that meets the area is an entry.
const passagesInSQL = `
create extension postgis;
create table leg(mmsi bigint, begins bigint, ends bigint, joined boolean, x1 float8, y1 float8, x2 float8, y2 float8);
create table border(id bigint, kind text, shape text);
\copy leg from 'legs.csv' csv
\copy border from 'borders.csv' csv
alter table leg add way geometry, add place geometry, add number serial;
update leg set way = ST_MakeLine(ST_MakePoint(x1,y1), ST_MakePoint(x2,y2)), place = ST_MakePoint(x2,y2);
create index on leg using gist(way);
create table edge as select b.id, ST_MakeLine(ST_PointN(g, n), ST_PointN(g, n+1)) as way
  from (select id, case when kind = 'area' then ST_Boundary(ST_GeomFromText(shape)) else ST_GeomFromText(shape) end as g from border) b,
  generate_series(1, ST_NPoints(g) - 1) n;
create index on edge using gist(way);
create table meeting as select e.id, l.number, l.mmsi, l.begins, l.ends,
  ST_LineLocatePoint(l.way, ST_Intersection(l.way, e.way)) as share
  from leg l join edge e on l.joined and ST_Crosses(l.way, e.way);
create table stay as select b.id, l.number, l.mmsi, l.joined, l.begins, l.ends, ST_Contains(ST_GeomFromText(b.shape), l.place) as inside,
  l.joined and ST_Contains(ST_GeomFromText(b.shape), ST_StartPoint(l.way)) as begun,
  lag(ST_Contains(ST_GeomFromText(b.shape), l.place)) over (partition by b.id, l.mmsi order by l.ends) as was
  from leg l cross join border b where b.kind = 'area';
create view met as select id, number, round(begins + min(share)*(ends-begins)) as first, round(begins + max(share)*(ends-begins)) as last
  from meeting group by id, number, begins, ends;
create view passage as
  select id, mmsi, 'cross' as kind, round(begins + share*(ends-begins)) as at, ends from meeting join border using (id) where kind = 'line'
  union all select id, mmsi, 'enter', coalesce(first, ends), ends from stay left join met using (id, number) where inside and not coalesce(was, false)
  union all select id, mmsi, 'leave', coalesce(last, ends), ends from stay left join met using (id, number) where not inside and was
  union all select id, mmsi, 'enter', first, ends from stay join met using (id, number) where not inside and not coalesce(was, begun)
  union all select id, mmsi, 'leave', last, ends from stay join met using (id, number) where not inside and not coalesce(was, begun);
\copy (select * from passage order by ends, at) to 'passages.csv' csv
`

// passagesOfPostGIS asks a database that it starts and throws away.
func passagesOfPostGIS(t *testing.T, legs, borders [][]string) (list []passage) {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range map[string][][]string{"legs.csv": legs, "borders.csv": borders} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := csv.NewWriter(file).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "rules.sql"), []byte(passagesInSQL), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := exec.Command("pg_virtualenv", "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", "rules.sql")
	ask.Dir = dir
	if out, err := ask.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := os.Open(filepath.Join(dir, "passages.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	answer, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer {
		var p passage
		if _, err := fmt.Sscan(strings.Join(row, " "), &p.watchdog, &p.mmsi, &p.kind, &p.at, &p.report); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// passagesOfWatch returns what the watchdogs told.
func (b *box) passagesOfWatch() (list []passage) {
	b.t.Helper()
	b.watch.Save(true)
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, passage{watchdog: e.Watchdog, mmsi: e.Ship.MMSI, kind: e.Kind, at: e.At().UnixMilli()})
	}
	return list
}

// comparePassages holds both lists against each other: the same passages, to the second. What comes within five minutes of another passage of the border
// may be jitter. Then it may be missing, or it is told later, when the ship is away from the border; and its end may be missing too. So it is with the passage of
// a ship that lies.
func comparePassages(t *testing.T, ours, theirs []passage, still map[passage]bool) {
	t.Helper()
	const jitter = 5 * 60_000
	of := func(a, b passage) bool { return a.watchdog == b.watchdog && a.mmsi == b.mmsi }
	told := slices.Clone(ours)
	var missing []passage // of ours
	lies := func(p passage) bool { return still[passage{mmsi: p.mmsi, report: p.report}] }
	held := func(p passage) bool {
		if lies(p) {
			return true
		}
		i := slices.IndexFunc(theirs, func(q passage) bool {
			return of(p, q) && q.report <= p.report && q.at < p.at && p.report-q.report <= jitter
		})
		return i >= 0
	}
	for _, p := range theirs {
		i := slices.IndexFunc(told, func(q passage) bool { return of(p, q) && p.kind == q.kind && max(p.at-q.at, q.at-p.at) <= 1000 })
		if i >= 0 {
			told = slices.Delete(told, i, i+1)
			continue
		}
		begun := slices.ContainsFunc(missing, func(q passage) bool { return of(p, q) && q.kind == watchdog.Enter && q.at <= p.at })
		if missing = append(missing, p); !held(p) && !(p.kind == watchdog.Leave && begun) {
			t.Errorf("only PostGIS finds %v", p)
		}
	}
	for _, q := range told {
		if !slices.ContainsFunc(missing, func(p passage) bool {
			return of(p, q) && p.kind == q.kind && p.at < q.at && (q.at-p.at <= jitter+60_000 || lies(p))
		}) {
			t.Errorf("PostGIS does not find %v", q)
		}
	}
	t.Logf("%d passages in both, %d more of PostGIS soon after another one, %d told late", len(ours)-len(told), len(missing)-len(told), len(told))
	if len(ours) < 100 || len(missing) > len(theirs)/20 {
		t.Errorf("too few passages to compare, or too many are left out")
	}
}

// playLog hands a recorded log to the picture.
func playLog(t *testing.T, log io.Reader, to traffic.Observer) {
	t.Helper()
	c := traffic.DefaultConfig()
	c.Clock = ais.LogClock
	p := traffic.New(c)
	d := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock})
	pool := ais.NewPool(2)
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		b := pool.Get()
		d.Line(b, scanner.Bytes(), begin)
		p.Apply(b, to)
		b.Release()
	}
}

// TestPassagesOfPostGIS holds the watchdogs of lines and polygons against a database of geometry, which shares no code with us.
func TestPassagesOfPostGIS(t *testing.T) {
	if os.Getenv("QUAYWATCH_POSTGIS") == "" {
		t.Skip("make postgis installs PostGIS and runs this test")
	}
	t.Run("random walks", func(t *testing.T) {
		b, rnd := newBox(t), rand.New(rand.NewPCG(7, 11))
		book := &legBook{box: b, still: map[passage]bool{}}
		borders := b.borders(rnd, 12, 54, 13, 54.5)
		for m := range ais.MMSI(40) {
			p, course := geo.Point{Lon: 12 + rnd.Float64(), Lat: 54 + rnd.Float64()/2}, rnd.Float64()*2*math.Pi
			was := ship.State{}
			for minute := range 200 {
				course += rnd.NormFloat64() * 0.2
				p.Lon, p.Lat = p.Lon+0.008*math.Sin(course), p.Lat+0.005*math.Cos(course)
				now := ship.State{MMSI: 211000000 + m, Class: ship.ClassA, Reports: ship.ConfirmedReports, HasFix: true}
				now.Fix = ship.Fix{At: begin.Add(time.Duration(minute)*time.Minute + time.Duration(m)*time.Second).UnixMilli(),
					Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(200)}
				book.Observe(&ship.Update{Report: &ais.Report{}, Was: was, Now: now, Fix: now.Fix, Change: ship.ChangedFix})
				was = now
			}
		}
		comparePassages(t, b.passagesOfWatch(), passagesOfPostGIS(t, book.rows, borders), book.still)
	})
	t.Run("kadetrenden", func(t *testing.T) {
		log := shiptest.Recording(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
		b := newBox(t)
		book := &legBook{box: b, still: map[passage]bool{}}
		borders := b.borders(rand.New(rand.NewPCG(3, 5)), 12, 54.3, 13, 55)
		playLog(t, log, book)
		comparePassages(t, b.passagesOfWatch(), passagesOfPostGIS(t, book.rows, borders), book.still)
	})
}
