package acceptance

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// monthsAsked are definitions of the thirteen kinds over some days of the peers' sea, by their kinds.
func monthsAsked(days int) map[string]string {
	const (
		ring = `{"type":"Polygon","coordinates":[[[3,53.5],[4,53.2],[5,53.6],[5,54.4],[4,54.8],[3,54.4],[3,53.5]]]}`
		bay  = `{"type":"Polygon","coordinates":[[[3.6,53.7],[4.4,53.7],[4.4,54.2],[3.6,54.2],[3.6,53.7]]]}`
		sea  = `{"type":"Polygon","coordinates":[[[0,51],[8,51],[8,57],[0,57],[0,51]]]}`
		line = `{"type":"LineString","coordinates":[[3.5,53],[4.5,55]]}`
		next = `{"type":"LineString","coordinates":[[4.5,53],[5.5,55]]}`
	)
	list := func(from, to int, before, after string) (numbers string) {
		for i := from; i < to; i++ {
			if i > from {
				numbers += ","
			}
			numbers += before + strconv.Itoa(219000000+i) + after
		}
		return "[" + numbers + "]"
	}
	period := fmt.Sprintf(`{"begin":%q,"end":%q,`, peerBegin().Format(time.RFC3339), peerBegin().AddDate(0, 0, days).Format(time.RFC3339))
	return map[string]string{
		"area":             period + `"shape":` + ring + `}`,
		"passageline":      period + `"passageline":` + line + `}`,
		"multipassageline": period + `"passagelines":[` + line + `,` + next + `]}`,
		"density":          period + `"cell":500,"shape":` + ring + `}`,
		"sogdist":          period + `"mmsi":` + list(0, 200, "", "") + `}`,
		"nmss":             period + `"shape":` + bay + `,"distance":{"max":300},"sog":{"min":1}}`,
		"nmsp":             period + `"shape":{"type":"Point","coordinates":[4,54]},"distance":{"max":5000}}`,
		"historicaltrack":  period + `"mmsi":` + list(0, 5, "", "") + `}`,
		"multiship":        period + `"ships":` + list(0, 100, `{"mmsi":`, "}") + `}`,
		"portcalls":        period + `"shape":` + sea + `}`,
		"trip":             period + `"shape":` + sea + `}`,
		"transitpilot":     period + `"a_team":` + list(0, 5, "", "") + `,"b_team":` + list(5, 500, "", "") + `,"shapes":[` + ring + `,` + bay + `],"intervals":["012:00:00"]}`,
		"pilotboat":        period + `"a_team":` + list(0, 5, "", "") + `,"shape":` + sea + `}`,
	}
}

// servedMonths imports days of the peers' sea with its ports, one after the other, and serves them beside a feed. It returns the feed's port too.
func servedMonths(b *testing.B, days int) (p *process, port int) {
	b.Helper()
	dir, sea := b.TempDir(), newPeerSea()
	port = freePort(b, "udp")
	feed := fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port)
	history := filepath.Join(dir, "day.csv")
	var serve []string
	for range days {
		sea.write(b, history, 24*60)
		serve = importHistory(b, dir, history, feed)
	}
	ports := filepath.Join(dir, "ports.csv")
	sea.writePorts(b, ports)
	if stdout, stderr, code := runCommand(b, "", "import-ports", "--config", serve[2], "--data-dir", filepath.Join(dir, "data"), ports); code != 0 {
		b.Fatalf("import-ports: %d\n%s%s", code, stdout, stderr)
	}
	p = start(b, dir, serve...)
	eventually(b, time.Hour, "the calls of all days are found", func() bool { return processorShare(b, p, 2*time.Second) < 0.03 })
	return p, port
}

// BenchmarkSystemMonths asks the thirteen kinds of statistics over months of 2,000 ships that report each minute, one after the other, while 3,000 sentences
// a second come in, and then has eight clients draw a result without a pause. QUAYWATCH_DAYS is how many days there are, 3 without it. It fails where a
// statistic finds nothing that the sea has, where a sentence is lost, or where a new position cannot be read within a second.
func BenchmarkSystemMonths(b *testing.B) {
	days, _ := strconv.Atoi(os.Getenv("QUAYWATCH_DAYS"))
	if days == 0 {
		days = 3
	}
	for range b.N {
		p, port := servedMonths(b, days)
		load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), 3000, 3000, time.Hour)
		most, longest, drawn := 0, time.Duration(0), ""
		for kind, body := range monthsAsked(days) {
			took, id, records := p.asksMonths(b, kind, body, &most)
			b.Logf("%-16s %8.2f s, %d records", kind, took.Seconds(), records)
			if records == 0 && kind != "transitpilot" && kind != "pilotboat" {
				b.Errorf("%s found nothing", kind)
			}
			if longest = max(longest, took); kind == "area" {
				drawn = fmt.Sprintf("/api/wms?service=WMS&version=1.3.0&request=GetMap&layers=statistics&crs=CRS:84&bbox=2,52,6,56&width=1024&height=768&job=%d", id)
			}
		}
		visible := drawWithoutPause(b, p, port, drawn)
		_ = load.Process.Kill()
		_ = load.Wait()
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(longest.Seconds(), "longest-s")
		b.ReportMetric(float64(most>>20), "most-anon-MiB")
		p.lostNothing(b)
		b.ReportMetric(float64(visible.Milliseconds()), "visible-longest-ms")
		if visible > time.Second {
			b.Errorf("a position was readable after %v", visible)
		}
		p.kill()
	}
}

// asksMonths runs a statistic to its end, and returns how long that took, its number and how many records it has. most becomes the largest memory of ours.
func (p *process) asksMonths(b *testing.B, kind, body string, most *int) (took time.Duration, id int64, records int) {
	b.Helper()
	begun := time.Now()
	var job struct{ ID int64 }
	if err := json.Unmarshal(p.want(http.StatusOK, "POST", statistics+kind, body), &job); err != nil {
		b.Fatal(err)
	}
	var status struct {
		Status  string
		Records int
		Error   json.RawMessage
	}
	eventually(b, 10*time.Minute, kind+" is over", func() bool {
		anonymous, _ := memory(b, p)
		*most = max(*most, anonymous)
		p.get(fmt.Sprintf("%sstatistic/%d", statistics, job.ID), &status)
		return status.Status == "completed" || status.Status == "aborted"
	})
	if status.Status != "completed" {
		b.Fatalf("%s was aborted: %s", kind, status.Error)
	}
	return time.Since(begun), job.ID, status.Records
}

// drawWithoutPause has eight clients ask for a picture for twenty seconds, and returns the longest that a new position took to be readable meanwhile.
func drawWithoutPause(b *testing.B, p *process, port int, address string) (longest time.Duration) {
	b.Helper()
	probe, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		b.Fatal(err)
	}
	defer probe.Close()
	canary(b, p, probe, 219000099, 1, 10*time.Second)
	var clients sync.WaitGroup
	var pictures, refused [8]int
	var answers [8]string // of the last that was no picture
	end := time.Now().Add(20 * time.Second)
	for i := range pictures {
		clients.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				switch response, text, err := p.try("GET", fmt.Sprintf("%s&n=%d", address, n), ""); {
				case err == nil && response.StatusCode == http.StatusOK:
					pictures[i]++
				default:
					refused[i]++
					answers[i] = fmt.Sprintf("%v %.300s", err, text)
				}
			}
		})
	}
	probes := 0
	for step := 2; time.Now().Before(end); step++ {
		longest = max(longest, visibleAfter(b, p, probe, step))
		probes++
	}
	clients.Wait()
	all := 0
	for i := range pictures {
		if all += pictures[i]; refused[i] > 0 {
			b.Errorf("client %d got %d pictures, and none %d times: %s", i, pictures[i], refused[i], answers[i])
		}
	}
	if all < 8 || probes < 20 {
		b.Errorf("%d pictures, %d probes", all, probes)
	}
	b.ReportMetric(float64(all)/20, "pictures/s")
	return longest
}

// lostNothing fails where a sentence of the only feed was shed or dropped by the kernel.
func (p *process) lostNothing(b *testing.B) {
	b.Helper()
	var status struct {
		Feeds []struct {
			Sentences, Overflow float64
			KernelDrops         float64 `json:"kernel_drops"`
		}
	}
	p.get("/api/status", &status)
	f := status.Feeds[0]
	if b.ReportMetric(f.Sentences, "sentences"); f.Sentences < 1000 || f.Overflow > 0 || f.KernelDrops > 0 {
		b.Errorf("of %.0f sentences %.0f were shed, and %.0f dropped by the kernel", f.Sentences, f.Overflow, f.KernelDrops)
	}
}
