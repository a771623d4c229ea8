package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/internal/await"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
)

// TestRandomStatistics posts random definitions of all kinds, right and wrong, as several users side by side, and starts, reads and deletes them at random
// moments. No answer is a fault of the server, and at the end nothing is left. QUAYWATCH_STATISTICS is how many definitions are posted.
func TestRandomStatistics(t *testing.T) {
	count, err := strconv.Atoi(cmp.Or(os.Getenv("QUAYWATCH_STATISTICS"), "200"))
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	before := runtime.NumGoroutine()
	t.Run("site", func(t *testing.T) { askRandomly(t, seed, count) })
	after := 0
	for range await.Looks(await.Limit) { // those of ended requests need a moment
		if after = runtime.NumGoroutine(); after <= before+2 {
			return
		}
	}
	t.Errorf("%d goroutines before, %d after", before, after)
}

// randomUsers are those that ask. Each has a place where others can reach it: all but the last have a group in common.
func randomUsers() []string { return []string{"admin", "anna", "mate", "other"} }

func askRandomly(t *testing.T, seed uint64, count int) {
	s := newCalls(t)
	s.harbour()
	s.sailsBy()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range randomUsers()[1:] {
		s.may(name, right.ViewHistory, right.ViewHistoricalTracks, right.ViewATAATD, right.ShareReports)
	}
	for _, name := range []string{"anna", "mate"} {
		s.call("admin", "PUT", usersPath+"/"+name, `{"groups":["crew"]}`).is(t, 200)
	}
	s.post(configPath+"/shiplist", `{"name":"two","ships":[{"mmsi":219018765},{"mmsi":219000700}]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"bay","polygon":`+harbour+`}`).is(t, 200)
	answers := &[600]atomic.Int64{}
	var all sync.WaitGroup
	for i, user := range randomUsers() {
		a := &randomAsker{site: s, user: user, random: rand.New(rand.NewPCG(seed, uint64(i))), answers: answers}
		all.Go(func() {
			for range count / len(randomUsers()) {
				a.step()
			}
		})
	}
	all.Wait()
	told := map[int]int64{}
	for status := range answers {
		if n := answers[status].Load(); n > 0 {
			told[status] = n
		}
	}
	t.Logf("answers by status: %v", told)
	if told[200] == 0 || told[204] == 0 || told[400] == 0 || told[404] == 0 {
		t.Error("the requests do not come far")
	}
	s.nothingLeft()
}

// nothingLeft waits until all statistics are over, reads and deletes them, and waits until the store has nothing of them.
func (s *site) nothingLeft() {
	s.t.Helper()
	await.That(s.t, "all statistics are over, or held", func() bool {
		return !slices.ContainsFunc(s.stats.All(), func(j stats.Job) bool {
			return j.State == stats.Running || j.State == stats.Idle && !j.Held && !j.Start.After(s.clock.now())
		})
	})
	ran := map[string]int{}
	for _, j := range s.stats.All() {
		if j.State == stats.Aborted && j.Error.Word == "stat_failed" {
			s.t.Errorf("%s %d failed: %s", j.Kind, j.ID, s.logged.String())
		}
		if j.State == stats.Completed && j.Records > 0 {
			ran[j.Kind]++
		}
		path := fmt.Sprintf("/%d", j.ID)
		if a := s.get(statPath + "/" + j.Kind + "/result" + path); a.status >= 500 {
			s.t.Errorf("%s: %s", j.Kind, a.body)
		}
		s.call("admin", "DELETE", statPath+"/statistic"+path, "").is(s.t, 204)
	}
	s.t.Logf("results with records: %v", ran)
	await.That(s.t, "nothing of a statistic is left in the store", func() bool {
		s.stats.Step()
		return s.kept("statistics") == 0 && s.kept("statbodies") == 0 && s.chunksKept() == 0
	})
}

// kept counts the rows of a table.
func (s *site) kept(table string) int {
	s.t.Helper()
	_, rows, err := records.ReadTable[json.RawMessage](s.db.Database, table)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(rows)
}

// chunksKept counts the pieces of results.
func (s *site) chunksKept() (count int) {
	s.t.Helper()
	chunks, err := records.OpenSeries[json.RawMessage](s.db.Database, "statresults", records.Keep{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, err := range chunks.Forward(records.Key{}, records.EndKey()) {
		if err != nil {
			s.t.Fatal(err)
		}
		count++
	}
	return count
}

// randomAsker is a user that asks at random.
type randomAsker struct {
	site    *site
	user    string
	random  *rand.Rand
	answers *[600]atomic.Int64
	made    []string // numbers of its statistics
}

// step posts a definition, and does something to one statistic or some.
func (a *randomAsker) step() {
	kind, body := a.definition()
	if answer := a.ask("POST", "/"+kind, body); answer.status == 200 {
		a.made = append(a.made, fmt.Sprintf("/%.0f", answer.json(a.site.t)["id"]))
	}
	for range a.random.IntN(4) {
		a.touch()
	}
}

// touch does something to a statistic.
func (a *randomAsker) touch() {
	id := "/1"
	if all := a.site.stats.All(); len(all) > 0 && a.random.IntN(10) > 0 {
		id = fmt.Sprintf("/%d", all[a.random.IntN(len(all))].ID)
	}
	if len(a.made) > 0 && a.random.IntN(2) == 0 {
		id = a.made[a.random.IntN(len(a.made))]
	}
	kind := a.kind()
	switch a.random.IntN(8) {
	case 0, 1:
		a.ask("DELETE", "/statistic"+id, "")
	case 2:
		a.ask("PUT", "/statistic"+id, `{"execute":`+a.pick(`true`, `false`, `"2026-11-20T18:00:00Z"`, `"2027-01-01"`, `7`, `null`)+`}`)
	case 3:
		a.ask("GET", "/statistic"+id, "")
	case 4:
		a.ask("GET", "/statistic", "")
	case 5:
		a.ask("GET", "/"+kind+id, "")
	default:
		a.ask("GET", "/"+kind+"/result"+id+a.pick("", "?release=133", "?release=134", "?release=1", "?format=csv", "?format=geojson", "?format=gpx"), "")
	}
}

// ask asks, and notes the status.
func (a *randomAsker) ask(method, path, body string) answer {
	got := a.site.call(a.user, method, statPath+path, body)
	a.answers[got.status].Add(1)
	if got.status >= 500 {
		a.site.t.Errorf("%s %s %.2000s: %d %s", method, path, body, got.status, got.body)
	}
	return got
}

func (a *randomAsker) kind() string {
	return stats.Names()[a.random.IntN(len(stats.Names()))]
}

func (a *randomAsker) pick(of ...string) string { return of[a.random.IntN(len(of))] }

// definition makes one of a kind: half of them are right, the others have a field or some that may be wrong.
func (a *randomAsker) definition() (kind, body string) {
	kind = a.kind()
	fields := rightFields(kind)
	for key, value := range map[string]string{"name": `"x"`, "filter": a.pick(`""`, `"mmsi = 219018765"`, `"type = cargo and sog > 3"`),
		"execute": a.pick("true", "true", "false", `"2026-11-20T15:00:00Z"`), "tracks": "true", "acl": a.pick("[]", `["mate"]`, `["crew"]`)} {
		if a.random.IntN(3) == 0 {
			fields[key] = value
		}
	}
	if kind == "area" && a.random.IntN(2) == 0 {
		delete(fields, "tracks")
		fields["group_by"], fields["shiplist"], fields["interval"] = `"shiplist"`, `"two"`, a.pick(`"day"`, `"week"`, `"year"`)
	}
	if kind == "nmss" && a.random.IntN(3) > 0 {
		fields["domain"] = a.pick(`"fujii"`, `{"type":"ellipse","ahead":50,"abeam":50}`, `{"type":"ellipse","ahead":0.01,"abeam":1e-300}`, `null`)
		fields["meeting"] = a.pick(`["crossing"]`, `["head-on","overtaking"]`, `null`)
	}
	if a.random.IntN(2) == 0 {
		for range 1 + a.random.IntN(3) {
			keys := slices.Sorted(maps.Keys(fields))
			if key := a.pick(keys...); a.random.IntN(4) == 0 {
				delete(fields, key)
			} else {
				fields[key] = a.perhapsWrong(fields[key])
			}
			if len(fields) == 0 {
				break
			}
		}
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, `"`+key+`":`+fields[key])
	}
	return kind, `{` + strings.Join(parts, ",") + `}`
}

// perhapsWrong changes a value into one that is odd, or wrong.
func (a *randomAsker) perhapsWrong(value string) string {
	switch a.random.IntN(4) {
	case 0:
		at := a.random.IntN(len(value) + 1)
		return value[:at] + a.pick("0", "-", "9", ",", "]", "[", `"`, "e", "{}", "null") + value[min(len(value), at+a.random.IntN(3)):]
	case 1:
		return strings.Replace(value, a.pick("10.2", "56.1", "10.4", "2026", "219018765", `"`), a.pick("180", "-180", "90", "-90", "1e999", "NaN", "0", "-0.0", "200", "9999"), 1)
	}
	return a.pick(`null`, `true`, `0`, `-1`, `1e999`, `NaN`, `""`, `"x"`, `[]`, `{}`, `[null]`, `[{}]`, `[[]]`, `[1,"x"]`, `{"max":1e300}`, `{"max":0.001,"min":5}`, `"\u0000"`,
		`"1970-01-01"`, `"0001-01-01"`, `"9999-12-31T23:59:59Z"`, `"2026-11-20T10:00:00.5Z"`, `{"shape_id":"bay"}`, `{"shape_id":1}`, `{"shape_id":"none"}`, `"99999999:00:00"`,
		`{"type":"Polygon","coordinates":[]}`, `{"type":"Polygon","coordinates":[[[0,0],[0,0],[0,0],[0,0]]]}`, `{"type":"Polygon","coordinates":[[[170,-89],[-170,-89],[-170,89],[170,89],[170,-89]]]}`,
		`{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}`, `{"type":"Point","coordinates":[180,90]}`, `{"type":"LineString","coordinates":[[179,90],[-179,90]]}`,
		`{"type":"LineString","coordinates":[[10.2,56.1],[10.2,56.1]]}`, `[{"mmsi":219018765},{"name":"SECOND"}]`, `[9007199254740991]`, `[`+strings.Repeat("219018765,", 9999)+`219018765]`,
		strings.Repeat("[", 2000)+strings.Repeat("]", 2000))
}

// rightFields are the fields of a definition of a kind that is right.
func rightFields(kind string) map[string]string {
	fields := map[string]string{"begin": `"2026-11-20"`, "end": `"2026-11-20T12:00:00Z"`}
	of := map[string]map[string]string{
		"portcalls":        {"mmsi": `[219018765,219000700]`},
		"trip":             {"shape": harbour},
		"pilotboat":        {"shape": harbour, "a_team": `[219018765]`},
		"area":             {"shape": harbour},
		"passageline":      {"passageline": midLine},
		"multipassageline": {"passagelines": `[` + westLine + `,` + midLine + `]`, "max_duration": `"012:00:00"`, "both_directions": "true"},
		"sogdist":          {"mmsi": `[219018765,219000700]`, "shape": harbour, "sog_threshold": "1.5"},
		"density":          {"shape": harbour, "cell": "200"},
		"nmss":             {"shape": harbour, "distance": `{"max":5000}`, "sog": `{"min":0,"max":30}`, "dcog": `{"min":0}`},
		"nmsp":             {"shape": meetPlace, "distance": `{"max":5000}`},
		"multiship":        {"ships": `[{"mmsi":219018765}]`},
		"historicaltrack":  {"mmsi": `[219018765]`, "shape": harbour, "resolution": `"00:05:00"`},
		"transitpilot":     {"shapes": `[` + harbour + `,` + meetShape + `]`, "intervals": `["04:00:00"]`, "a_team": `[219018765]`, "b_team": `[219000700]`},
	}
	maps.Copy(fields, of[kind])
	return fields
}
