package acceptance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
)

// peerQuestion is a question to the past, as each program is asked.
type peerQuestion struct {
	name       string
	kind, body string // of our statistic
	postgis    string // gives a count
	duckdb     string // gives a count
	most       float64
}

// peerQuestions are asked of one day. The peers count what they see at their positions, or on the legs between them, by plain SQL. Of the near misses
// they count the pairs of ships within 300 m in the same minute. We find those between the minutes too, so our count may be up to most times theirs.
func peerQuestions() []peerQuestion {
	from, to := peerDay()
	ring := geo.Line{{Lon: 3, Lat: 53.5}, {Lon: 4, Lat: 53.2}, {Lon: 5, Lat: 53.6}, {Lon: 5, Lat: 54.4}, {Lon: 4, Lat: 54.8}, {Lon: 3, Lat: 54.4}, {Lon: 3, Lat: 53.5}}
	bay := geo.Line{{Lon: 3.6, Lat: 53.7}, {Lon: 4.4, Lat: 53.7}, {Lon: 4.4, Lat: 54.2}, {Lon: 3.6, Lat: 54.2}, {Lon: 3.6, Lat: 53.7}}
	period := fmt.Sprintf(`"begin":%q,"end":%q`, from.Format(time.RFC3339), to.Format(time.RFC3339))
	shape := func(ring geo.Line) string {
		return `"shape":{"type":"Polygon","coordinates":[` + pointsOf(ring, "[%f,%f]", ",", "[", "]") + `]}`
	}
	contains := func(ring geo.Line) string {
		return "ST_Contains(ST_GeomFromText('POLYGON(" + pointsOf(ring, "%f %f", ",", "(", ")") + ")'), geom)"
	}
	const line, ends = "ST_MakeLine(ST_MakePoint(3.5,53), ST_MakePoint(4.5,55))", "[[3.5,53],[4.5,55]]"
	day := fmt.Sprintf("t >= %d and t < %d", from.Unix(), to.Unix())
	return []peerQuestion{
		{"area", "area", "{" + period + "," + shape(ring) + "}",
			"select count(*) from (select inside, lag(inside) over (partition by mmsi order by t) as was from (select mmsi, t, " + contains(ring) + " as inside from fix where " + day + ") p) q where inside and was is not true",
			"select count(*) from (select inside, lag(inside) over (partition by mmsi order by t) as was from (select mmsi, t, " + leftOf(ring) + " as inside from fix where " + day + ") p) q where inside and was is not true",
			1.1},
		{"passageline", "passageline", "{" + period + `,"passageline":{"type":"LineString","coordinates":` + ends + "}}",
			"select count(*) from (select t, geom, lag(t) over w as before, lag(geom) over w as was from fix where " + day + " and geom && ST_Expand(" + line + ", 0.05) window w as (partition by mmsi order by t)) p where t - before <= 1800 and ST_Intersects(ST_MakeLine(was, geom), " + line + ")",
			"select count(*) from (select t, lon, lat, lag(t) over w as before, lag(lon) over w as waslon, lag(lat) over w as waslat from fix where " + day + " and lon between 3.45 and 4.55 and lat between 52.95 and 55.05 window w as (partition by mmsi order by t)) p where t - before <= 1800 and " + across(3.5, 53, 4.5, 55),
			1.05},
		{"nmss", "nmss", "{" + period + "," + shape(bay) + `,"distance":{"max":300},"sog":{"min":1}}`,
			"with p as materialized (select mmsi, t, geom from fix where " + day + " and sog > 1 and " + contains(bay) + ") select count(distinct (a.mmsi, b.mmsi)) from p a join p b on a.t = b.t and a.mmsi < b.mmsi and ST_DistanceSphere(a.geom, b.geom) < 300",
			"with p as (select mmsi, t, lon, lat from fix where " + day + " and sog > 1 and " + leftOf(bay) + ") select count(distinct (a.mmsi, b.mmsi)) from p a join p b on a.t = b.t and a.mmsi < b.mmsi and pow((a.lon - b.lon) * 111195 * cos(radians(a.lat)), 2) + pow((a.lat - b.lat) * 111195, 2) < 300 * 300",
			4},
	}
}

// pointsOf writes the points of a line, each by a format.
func pointsOf(line geo.Line, point, between, before, after string) string {
	points := make([]string, len(line))
	for i, p := range line {
		points[i] = fmt.Sprintf(point, p.Lon, p.Lat)
	}
	return before + strings.Join(points, between) + after
}

// leftOf says in SQL that a position lies left of each edge of a convex ring, which is quicker than a library of geometry.
func leftOf(ring geo.Line) string {
	edges := make([]string, len(ring)-1)
	for i := range edges {
		p, q := ring[i], ring[i+1]
		edges[i] = fmt.Sprintf("(%f) * (lat - %f) - (%f) * (lon - %f) > 0", q.Lon-p.Lon, p.Lat, q.Lat-p.Lat, p.Lon)
	}
	return strings.Join(edges, " and ")
}

// across says in SQL that a leg from (waslon, waslat) to (lon, lat) crosses a line.
func across(x1, y1, x2, y2 float64) string {
	side := func(lon, lat string) string {
		return fmt.Sprintf("((%f) * (%s - %f) - (%f) * (%s - %f) > 0)", x2-x1, lat, y1, y2-y1, lon, x1)
	}
	end := func(x, y float64) string {
		return fmt.Sprintf("((lon - waslon) * (%f - waslat) - (lat - waslat) * (%f - waslon) > 0)", y, x)
	}
	return side("lon", "lat") + " <> " + side("waslon", "waslat") + " and " + end(x1, y1) + " <> " + end(x2, y2)
}

// database is a peer that lives as long as the benchmark, and is asked by lines.
type database struct {
	in  io.Writer
	out *bufio.Scanner
}

// startDatabase starts a program that takes SQL by lines.
func startDatabase(b *testing.B, dir string, command ...string) *database {
	b.Helper()
	run := exec.Command(command[0], command[1:]...)
	run.Dir, run.Stderr = dir, os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := run.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = run.Wait()
	})
	return &database{in, bufio.NewScanner(out)}
}

// ask sends SQL that gives a number, and returns it and how long the answer took.
func (d *database) ask(b *testing.B, sql string) (time.Duration, int) {
	b.Helper()
	begun := time.Now()
	fmt.Fprintln(d.in, sql+";")
	if !d.out.Scan() {
		b.Fatalf("no answer to %.200s", sql)
	}
	count, err := strconv.Atoi(d.out.Text())
	if err != nil {
		b.Fatalf("%q to %.200s", d.out.Text(), sql)
	}
	return time.Since(begun), count
}

// postGIS returns a PostGIS with the history in a table with the usual indexes.
func postGIS(b *testing.B, dir string) *database {
	b.Helper()
	d := startDatabase(b, dir, "pg_virtualenv", "-o", "shared_buffers=2GB", "-o", "work_mem=512MB", "-o", "max_wal_size=8GB",
		"psql", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1")
	fmt.Fprint(d.in, `create extension postgis;
create unlogged table raw(mmsi int, t int, lat float8, lon float8, sog real, cog real);
\copy raw from 'history.csv' csv header
create unlogged table fix as select mmsi, t, sog, ST_MakePoint(lon, lat) as geom from raw;
drop table raw;
create index on fix using gist(geom);
create index on fix(mmsi, t);
create index on fix using brin(t);
vacuum analyze fix;
\echo loaded
`)
	for d.out.Scan() && d.out.Text() != "loaded" { // it tells first how it makes a cluster
	}
	return d
}

// duckDB returns a DuckDB with the history in a table that is sorted by ship and time. QUAYWATCH_PEERS has its package of npm.
func duckDB(b *testing.B, dir string) *database {
	b.Helper()
	script, err := filepath.Abs("testdata/duckdb.mjs")
	if err != nil {
		b.Fatal(err)
	}
	d := startDatabase(b, dir, "node", script)
	fmt.Fprintln(d.in, `set threads = 2;`)
	fmt.Fprintln(d.in, `create table fix as select mmsi::int as mmsi, time::int as t, lat, lon, sog::float as sog from 'history.csv' order by mmsi, t;`)
	return d
}

// importHistory imports a history whole, and returns the arguments that serve it.
func importHistory(b *testing.B, dir, history, feeds string) []string {
	b.Helper()
	config := filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(config, []byte(feeds+"[store]\nfull_rate = true\nretention = \"0s\"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	stdout, stderr, code := runCommand(b, "", "import", "--config", config, "--data-dir", filepath.Join(dir, "data"), "--time-format", "unix", history)
	if code != 0 {
		b.Fatalf("import: %d\n%s%s", code, stdout, stderr)
	}
	return []string{"serve", "--config", config}
}

// serveHistory imports a history whole and serves it.
func serveHistory(b *testing.B, dir, history string) *process {
	b.Helper()
	p := start(b, dir, importHistory(b, dir, history, "")...)
	rests(b, p)
	return p
}

// askStatistic runs a statistic and reads its result, and returns how long both took and how many records there are.
func askStatistic(b *testing.B, p *process, q peerQuestion) (time.Duration, int) {
	b.Helper()
	begun := time.Now()
	response, text := p.do("POST", statistics+q.kind, q.body)
	var job struct{ ID int64 }
	if err := json.Unmarshal(text, &job); err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s %s", response.Status, text)
	}
	path := fmt.Sprintf("%s%s/result/%d", statistics, q.kind, job.ID)
	pace := time.NewTicker(5 * time.Millisecond) // who asks without a pause takes a core of the two
	defer pace.Stop()
	for ; ; <-pace.C {
		if response, text = p.do("GET", path, ""); response.StatusCode == http.StatusOK {
			break
		} else if response.StatusCode != http.StatusAccepted {
			b.Fatalf("%s %s", response.Status, text)
		}
	}
	took := time.Since(begun)
	var result struct{ Records []json.RawMessage }
	if err := json.Unmarshal(text, &result); err != nil {
		b.Fatal(err)
	}
	p.want(http.StatusNoContent, "DELETE", fmt.Sprintf("%sstatistic/%d", statistics, job.ID), "")
	return took, len(result.Records)
}

// BenchmarkPeersStatistics asks this program, PostGIS and DuckDB the same questions about one day of five million positions, in turn, and tells how many
// times as long the others take. Ours is asked over HTTP, from the definition to the last record. `make bench-peers` runs it.
func BenchmarkPeersStatistics(b *testing.B) {
	if os.Getenv("QUAYWATCH_PEERS") == "" {
		b.Skip("make bench-peers installs PostGIS and DuckDB and runs this")
	}
	dir := b.TempDir()
	history := filepath.Join(dir, "history.csv")
	rows := newPeerSea().write(b, history, peerMinutes)
	p := serveHistory(b, dir, history)
	pg, duck := postGIS(b, dir), duckDB(b, dir)
	for _, d := range []*database{pg, duck} {
		if _, n := d.ask(b, "select count(*) from fix"); n != rows {
			b.Fatalf("a peer has %d positions of %d", n, rows)
		}
	}
	for _, q := range peerQuestions() {
		b.Run(q.name, func(b *testing.B) {
			var ours, theirs, others []time.Duration
			for range b.N {
				took, n := askStatistic(b, p, q)
				ours = append(ours, took)
				took, m := pg.ask(b, q.postgis)
				theirs = append(theirs, took)
				took, k := duck.ask(b, q.duckdb)
				others = append(others, took)
				if m < 100 || k != m || float64(n) < float64(m)*0.95 || float64(n) > float64(m)*q.most {
					b.Fatalf("we count %d, PostGIS %d, DuckDB %d", n, m, k)
				}
				b.ReportMetric(float64(n), "records")
				b.ReportMetric(float64(m), "records-postgis")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(ours).Microseconds())/1000, "ms")
			b.ReportMetric(float64(median(theirs).Microseconds())/1000, "postgis-ms")
			b.ReportMetric(float64(median(others).Microseconds())/1000, "duckdb-ms")
			b.ReportMetric(float64(median(theirs))/float64(median(ours)), "postgis-times")
			b.ReportMetric(float64(median(others))/float64(median(ours)), "duckdb-times")
		})
	}
}
