package acceptance

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// BenchmarkSystemTracks sends 3,600 sentences/s of 5,000 ships to the binary, and measures what it uses of a processor without tracks, and with a track of each
// ship. The ways are found before it is measured.
func BenchmarkSystemTracks(b *testing.B) {
	const ships, rate, settling, measured = 5000, 3600, 20 * time.Second, 20 * time.Second
	for range b.N {
		port := freePort(b, "udp")
		p := startServe(b, b.TempDir(), fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port))
		load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), ships, rate, 10*time.Minute)
		processorShare(b, p, settling) // of no interest yet
		plain := processorShare(b, p, measured)
		began := time.Now()
		started := trackAll(b, p, ships)
		eventually(b, 5*time.Minute, "an ETA of each", func() bool { return estimated(b, p) >= started*9/10 })
		b.ReportMetric(time.Since(began).Seconds(), "s-to-start")
		processorShare(b, p, settling) // of no interest yet
		tracked := processorShare(b, p, measured)
		b.ReportMetric(float64(started), "tracks")
		b.ReportMetric(100*plain, "%-plain")
		b.ReportMetric(100*tracked, "%-tracked")
		if err := load.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		_ = load.Wait() // it was killed
		p.kill()
	}
}

// processorShare measures what the service uses of one processor.
func processorShare(b *testing.B, p *process, of time.Duration) float64 {
	b.Helper()
	before, began := cpuTime(b, p), time.Now()
	time.Sleep(of) // a share is of a time
	return float64(cpuTime(b, p)-before) / float64(time.Since(began))
}

// trackAll tracks each ship of the picture to a port. It returns how many there are.
func trackAll(b *testing.B, p *process, most int) (started int) {
	b.Helper()
	ports := []string{"NLRTM", "SGSIN", "USNYC", "DKAAR", "CNSHA", "BRSSZ", "ZADUR", "AUSYD"}
	for last := range 100 { // one answer of a search has 1,000 ships at most
		var there struct {
			Records []struct {
				MMSI int64 `json:"mmsi"`
			} `json:"records"`
		}
		p.get(fmt.Sprintf("/api/portserver/ship/search/*%02d?limit=1000", last), &there)
		for i, one := range there.Records {
			if one.MMSI%100 != int64(last) {
				continue
			}
			body := fmt.Sprintf(`{"source":{"ship":{"mmsi":%d}},"destination":{"port":{"locode":%q}}}`, one.MMSI, ports[i%len(ports)])
			if response, text := p.do("POST", "/api/portserver/ship/track", body); response.StatusCode/100 == 2 {
				started++
			} else if started == 0 {
				b.Fatalf("%d: %s", one.MMSI, text)
			}
		}
	}
	if started < most/2 {
		b.Fatalf("%d ships are tracked", started)
	}
	return started
}

// estimated returns how many tracks have an ETA.
func estimated(b *testing.B, p *process) (n int) {
	b.Helper()
	_, text := p.do("GET", "/api/portserver/ship/track?tracks=false", "")
	var list struct {
		Records []struct {
			ETA string `json:"eta"`
		} `json:"records"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		b.Fatal(err)
	}
	for _, one := range list.Records {
		if one.ETA != "" {
			n++
		}
	}
	return n
}
