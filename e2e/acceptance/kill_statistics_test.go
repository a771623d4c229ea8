package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const statistics = "/api/jobserver/stat/"

// pastDay is the period of the ship of historyStore.
const pastDay = `"begin":"2026-01-01","end":"2026-01-02","name":"kill"`

// askedOfPast are definitions by their kinds. Each takes all positions of the ship.
func askedOfPast() map[string]string {
	const world = `{"type":"Polygon","coordinates":[[[-20,30],[40,30],[40,70],[-20,70],[-20,30]]]}`
	return map[string]string{
		"area":            `{` + pastDay + `,"shape":` + world + `,"tracks":true}`,
		"sogdist":         `{` + pastDay + `,"mmsi":[211378000]}`,
		"historicaltrack": `{` + pastDay + `,"mmsi":[211378000]}`,
		"multiship":       `{` + pastDay + `,"ships":[{"mmsi":211378000}]}`,
	}
}

// oneStatistic is how a statistic does.
type oneStatistic struct {
	ID           int64
	Type, Status string
	Error        struct{ Rule string } `json:"error_rule"`
}

// statisticsOver waits until all statistics are over, and returns them.
func (p *process) statisticsOver() (all []oneStatistic) {
	p.t.Helper()
	eventually(p.t, patience, "no statistic is stuck", func() bool {
		var list struct{ Records []oneStatistic }
		p.get(statistics+"statistic", &list)
		all = list.Records
		for _, one := range all {
			if one.Status != "completed" && one.Status != "aborted" {
				return false
			}
		}
		return true
	})
	return all
}

// recordsOf returns the records of a result as they are written.
func (p *process) recordsOf(one oneStatistic) string {
	p.t.Helper()
	response, text := p.do("GET", fmt.Sprintf("%s%s/result/%d", statistics, one.Type, one.ID), "")
	if response.StatusCode != 200 {
		p.t.Fatalf("the result of %s: %s %s", one.Type, response.Status, text)
	}
	_, records, _ := strings.Cut(string(text), `"records":`)
	return records
}

// TestKillDuringStatistics pulls the plug at random moments while statistics run, once or twice in a row. After the restart each of them runs once more
// and has the records that it has without a kill; only one that ran at both kills may have been given up.
func TestKillDuringStatistics(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	dir, _ := historyStore(t)
	p := start(t, dir, "serve")
	for kind, body := range askedOfPast() {
		p.want(200, "POST", statistics+kind, body)
	}
	want := map[string]string{}
	for _, one := range p.statisticsOver() {
		want[one.Type] = p.recordsOf(one)
		p.want(204, "DELETE", fmt.Sprintf("%sstatistic/%d", statistics, one.ID), "")
	}
	if len(want["historicaltrack"]) < 10_000 {
		t.Fatalf("the track has %d bytes", len(want["historicaltrack"]))
	}
	again, given := 0, 0
	for range killsOr(t, 5) {
		posted := 0
		for kind, body := range askedOfPast() {
			p.want(200, "POST", statistics+kind, body)
			if posted++; random.IntN(4) == 0 {
				break
			}
		}
		kills := 1 + random.IntN(2)
		for range kills {
			p.looks(random.IntN(20))
			p.kill()
			p = start(t, dir, "serve")
		}
		all := p.statisticsOver()
		if len(all) != posted {
			t.Fatalf("%d statistics after the kill, want %d", len(all), posted)
		}
		for _, one := range all {
			switch {
			case one.Status == "aborted" && kills == 2 && one.Error.Rule == "interrupted":
				given++
			case one.Status == "aborted":
				t.Errorf("%s after %d kills: %+v", one.Type, kills, one)
			case p.recordsOf(one) != want[one.Type]:
				t.Errorf("%s after %d kills has other records", one.Type, kills)
			default:
				again++
			}
			p.want(204, "DELETE", fmt.Sprintf("%sstatistic/%d", statistics, one.ID), "")
		}
	}
	t.Logf("%d ran to their end, %d were given up after two kills", again, given)
}

// looks asks how the statistics do so many times: it is what comes between a definition and a kill.
func (p *process) looks(count int) {
	p.t.Helper()
	for range count {
		p.do("GET", statistics+"statistic", "")
	}
}

// fortyShips are the ships of historyStore.
func fortyShips() (list string) {
	for m := range 40 {
		list += fmt.Sprint(211378000+m, ",")
	}
	return list
}

// TestAStatisticOnAFullDisk is aborted with its reason, or is refused. The service goes on, and the next statistic runs when there is room.
func TestAStatisticOnAFullDisk(t *testing.T) {
	t.Parallel()
	_, from := historyStore(t)
	dir := smallDisk(t, 64<<20)
	copyFolder(t, filepath.Join(dir, "data"), from)
	p := start(t, dir, "serve")
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	wide := strings.Replace(askedOfPast()["historicaltrack"], "[211378000]", "["+strings.TrimSuffix(fortyShips(), ",")+"]", 1)
	refused := false
	for n := 0; n < 200 && !refused; n++ { // there may be free pages in the file for the first ones
		response, text := p.do("POST", statistics+"historicaltrack", wide)
		switch response.StatusCode {
		case 200:
			for _, one := range p.statisticsOver() {
				if one.Status == "aborted" && one.Error.Rule != "disk_full" {
					t.Fatalf("aborted for %q", one.Error.Rule)
				}
				refused = refused || one.Status == "aborted"
			}
		case 507:
			refused = true
		default:
			t.Fatalf("definition %d on a full disk: %s %s", n, response.Status, text)
		}
	}
	p.want(200, "GET", "/api/portserver/ship/info/211378000", "")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "a statistic is taken again", func() bool {
		response, _ := p.do("POST", statistics+"sogdist", askedOfPast()["sogdist"])
		return response.StatusCode == 200
	})
	eventually(t, patience, "it has run", func() bool {
		var list struct{ Records []oneStatistic }
		p.get(statistics+"statistic", &list)
		for _, one := range list.Records {
			if one.Type == "sogdist" {
				return one.Status == "completed"
			}
		}
		return false
	})
	if strings.Contains(p.stderr.String(), "panic") {
		t.Error("the log tells of a panic")
	}
}
