package acceptance

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
)

// The benchmarks of this file measure what a port asks of its box, as docs/performance.md lists it.

// BenchmarkSystemMonth reads a month of 50 ships, a report a minute each, from a file as quickly as it goes, into an empty store. It tells the processor's time,
// the bytes written, and those of the file. It asks for the month of each of ten ships too, and tells how long that takes; the reading's time is without that.
func BenchmarkSystemMonth(b *testing.B) {
	const ships, days = 50, 30
	log := filepath.Join(b.TempDir(), "month.nmea")
	_, stderr, code := runCommand(b, "", "simulate", "--to", log, "--ships", fmt.Sprint(ships), "--rate", fmt.Sprint(ships/60.0),
		"--start", "2026-03-01T00:00:00Z", "--duration", (days * 24 * time.Hour).String(), "--seed", "1", "--speed", "0")
	if code != 0 {
		b.Fatalf("simulate: exit %d\n%s", code, stderr)
	}
	sentences := 0
	for _, line := range readLines(b, log) {
		if strings.Contains(line, "!AIVDM") {
			sentences++
		}
	}
	if sentences < ships*days*1440*9/10 {
		b.Fatalf("the file has %d sentences", sentences)
	}
	for range b.N {
		dir := b.TempDir()
		p := startServe(b, dir, "[[feed]]\nname = \"file\"\nurl = \"file://"+log+"?speed=0\"\n[store]\nfull_rate = true\n")
		if heard := p.shipsAfter(sentences); heard < ships {
			b.Fatalf("%d ships", heard)
		}
		before := cpuTime(b, p)
		took, fixes := monthsOfShips(b, p)
		p.plain = true
		plain, _ := monthsOfShips(b, p)
		asked := cpuTime(b, p) - before
		if code := p.stop(patience); code != 0 {
			b.Fatalf("it ended with %d", code)
		}
		usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok || usage.Oublock == 0 {
			b.Fatal("the kernel does not tell what was written: TMPDIR has to lie on a disk")
		}
		b.ReportMetric((p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime() - asked).Seconds(), "processor-s")
		b.ReportMetric(float64(usage.Oublock)*512/1e6, "MB-written")
		b.ReportMetric(float64(fileSize(b, filepath.Join(dir, "data", "quaywatch.db")))/1e6, "MB-file")
		b.ReportMetric(float64(median(took).Microseconds())/1000, "track-ms")
		b.ReportMetric(float64(median(plain).Microseconds())/1000, "uncompressed-track-ms")
		b.ReportMetric(float64(fixes), "fixes/track")
		b.ReportMetric(float64(sentences), "sentences")
	}
}

// monthsOfShips asks for the whole track of each of ten ships of a month, and returns how long each took and how many positions the shortest has.
func monthsOfShips(b *testing.B, p *process) (took []time.Duration, fixes int) {
	b.Helper()
	var there struct {
		Records []struct {
			MMSI int64 `json:"mmsi"`
		} `json:"records"`
	}
	p.get("/api/portserver/ship/search/2*?limit=50", &there)
	for _, one := range there.Records {
		if len(took) == 10 || one.MMSI > 799_999_999 { // an aid to navigation has few positions
			continue
		}
		begun := time.Now()
		text := monthOf(b, p, one.MMSI)
		took = append(took, time.Since(begun))
		if n := strings.Count(string(text), "],["); fixes == 0 || n < fixes {
			fixes = n
		}
	}
	if len(took) < 10 || fixes < 10_000 {
		b.Fatalf("%d tracks, the shortest has %d positions: %v", len(took), fixes, there)
	}
	return took, fixes
}

// monthOf returns the track of a ship in March.
func monthOf(b *testing.B, p *process, ship int64) string {
	b.Helper()
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return trackOf(b, p, ship, march, march.AddDate(0, 0, 30))
}

// trackOf returns the track of a ship between two times, as the caller has it who asks for the result until it is there.
func trackOf(b *testing.B, p *process, ship int64, begin, end time.Time) string {
	b.Helper()
	const path = "/api/portserver/ship/historical/track"
	response, text := p.do("POST", path, fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, ship, begin.Format(time.RFC3339), end.Format(time.RFC3339)))
	var job struct{ ID int64 }
	if err := json.Unmarshal(text, &job); err != nil || response.StatusCode != http.StatusAccepted {
		b.Fatalf("%s %s: %v", response.Status, text, err)
	}
	often := time.NewTicker(time.Millisecond)
	defer often.Stop()
	for began := time.Now(); time.Since(began) < patience; <-often.C {
		if response, text = p.do("GET", fmt.Sprintf("%s?id=%d", path, job.ID), ""); response.StatusCode != http.StatusAccepted {
			break
		}
	}
	if response.StatusCode != http.StatusOK {
		b.Fatalf("%s %.300s", response.Status, text)
	}
	return string(text)
}

func fileSize(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkSystemStation sends 100 sentences a second of 1,500 ships for five minutes to a box that just started, with the configuration as it is delivered.
// It tells the processor's time, the bytes written, and the memory at the end.
func BenchmarkSystemStation(b *testing.B) {
	const ships, rate, during = 1500, 100, 5 * time.Minute
	for range b.N {
		port := freePort(b, "udp")
		p := startServe(b, b.TempDir(), fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port))
		begun := cpuTime(b, p)
		if err := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), ships, rate, during).Wait(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((cpuTime(b, p) - begun).Seconds(), "processor-s")
		anonymous, _ := memory(b, p)
		b.ReportMetric(float64(anonymous)/(1<<20), "anon-MiB")
		if heard := knownShips(b, p); heard < ships*9/10 {
			b.Fatalf("%v ships", heard)
		}
		p.stop(patience)
		usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok || usage.Oublock == 0 {
			b.Fatal("the kernel does not tell what was written: TMPDIR has to lie on a disk")
		}
		b.ReportMetric(float64(usage.Oublock)*512/1e6, "MB-written")
	}
}

// BenchmarkSystemLive sends 6,000 sentences a second of 60,000 ships, first to no client, then with 20 that take the live stream, compressed. It tells what the clients
// add to the use of a processor, what each of them is sent, and how long a ship's new place takes from the datagram to its event.
func BenchmarkSystemLive(b *testing.B) {
	const ships, rate, clients, settling, measured = 60_000, 6000, 20, 10 * time.Second, 20 * time.Second
	for range b.N {
		port := freePort(b, "udp")
		p := startServe(b, b.TempDir(), fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port))
		load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), ships, rate, 10*time.Minute)
		eventually(b, patience, "the ships are heard", func() bool {
			var status struct{ Ships int }
			p.get("/api/status", &status)
			return status.Ships > ships/2
		})
		processorShare(b, p, settling) // of no interest yet
		alone := processorShare(b, p, measured)
		ctx, cancel := context.WithCancel(context.Background())
		var readers sync.WaitGroup
		var bytes, events atomic.Int64
		for range clients {
			readers.Go(func() { readCompressed(ctx, b, p, &bytes, &events) })
		}
		processorShare(b, p, settling)
		sent, told, begun := bytes.Load(), events.Load(), time.Now()
		beside := processorShare(b, p, measured)
		if told = events.Load() - told; told < clients*10 {
			b.Fatalf("%d events for %d clients", told, clients)
		}
		b.ReportMetric(100*alone, "%-without")
		b.ReportMetric(100*(beside-alone), "%-of-clients")
		b.ReportMetric(float64(bytes.Load()-sent)/time.Since(begun).Seconds()/clients/1000, "kB/s/client")
		lags := liveLags(b, p, port, 40)
		b.ReportMetric(float64(percentile(lags, 0.5).Milliseconds()), "lag-p50-ms")
		b.ReportMetric(float64(percentile(lags, 0.95).Milliseconds()), "lag-p95-ms")
		cancel()
		readers.Wait()
		if err := load.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		p.kill()
	}
}

// countingReader counts what is read through it.
type countingReader struct {
	io.Reader
	bytes *atomic.Int64
}

func (r countingReader) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	r.bytes.Add(int64(n))
	return n, err
}

// readCompressed reads the live stream until ctx ends, and counts its bytes as they are sent and its events.
func readCompressed(ctx context.Context, b *testing.B, p *process, bytes, events *atomic.Int64) {
	answer := openLive(ctx, b, p, "")
	if answer == nil {
		return
	}
	defer answer.Body.Close()
	plain := unpacked(answer, bytes)
	if plain == nil {
		return // it is over
	}
	lines := bufio.NewReaderSize(plain, 1<<16)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if strings.HasPrefix(string(line), "event: change") {
			events.Add(1)
		}
	}
}

// unpacked returns what an answer says, packed or not, and counts its bytes as they are sent; nil when it ends before.
func unpacked(answer *http.Response, bytes *atomic.Int64) io.Reader {
	sent := countingReader{answer.Body, bytes}
	if answer.Header.Get("Content-Encoding") != "gzip" {
		return sent
	}
	plain, err := gzip.NewReader(sent)
	if err != nil {
		return nil
	}
	return plain
}

// openLive opens the live stream, nil when ctx ended before.
func openLive(ctx context.Context, b *testing.B, p *process, query string) *http.Response {
	request, err := http.NewRequestWithContext(ctx, "GET", p.base+"/api/live"+query, nil)
	if err != nil {
		b.Error(err)
		return nil
	}
	request.SetBasicAuth("admin", adminPassword)
	request.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil
	}
	if answer.StatusCode != http.StatusOK {
		b.Errorf("the live stream: %s", answer.Status)
	}
	return answer
}

// liveLags moves a ship so many times, each at another moment of the second, and returns how long each new place took to the event of a client that sees its box alone.
func liveLags(b *testing.B, p *process, port, times int) []time.Duration {
	b.Helper()
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const number = 219000098
	answer := openLive(ctx, b, p, "?filter=mmsi%20%3D%20219000098")
	if answer == nil {
		b.Fatal("no stream")
	}
	defer answer.Body.Close()
	told := make(chan time.Time, times)
	go func() {
		plain := unpacked(answer, new(atomic.Int64))
		if plain == nil {
			return
		}
		lines := bufio.NewScanner(plain)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), fmt.Sprint(number)) {
				told <- time.Now()
			}
		}
	}()
	var lags []time.Duration
	for n := range times {
		keepPace(time.Now().Add(time.Second + time.Duration(n*37%times)*time.Second/time.Duration(times))) // at another moment of the second
		report := aShip(ais.MMSI(number), n+1)
		report.Second = 60 // not said: the time of reception counts
		begun := time.Now()
		if _, err := conn.Write(sentences(b, report)); err != nil {
			b.Fatal(err)
		}
		select {
		case at := <-told:
			lags = append(lags, at.Sub(begun))
		case <-time.After(2 * time.Second):
			b.Logf("place %d was not told", n) // the first ones of a ship that is new
		}
	}
	if len(lags) < times/2 {
		b.Fatalf("%d of %d places were told", len(lags), times)
	}
	return sorted(lags)
}

// BenchmarkSystemRoutes asks over HTTP for a hundred ways between ports of the world, each twice, and tells how long the first and the second answer take.
func BenchmarkSystemRoutes(b *testing.B) {
	ports := []string{"NLRTM", "SGSIN", "USNYC", "DKAAR", "CNSHA", "BRSSZ", "ZADUR", "AUSYD", "DEHAM", "JPYOK", "GRPIR", "INNSA", "USLAX", "PAONX", "EGPSD", "NOBGO", "FIHEL", "MATNG", "CLVAP", "KEMBA"}
	for range b.N {
		p := startEmpty(b, b.TempDir())
		var first, again []time.Duration
		metres := 0.0
		for i := range 100 {
			body := fmt.Sprintf(`{"source":{"port":{"locode":%q}},"destination":{"port":{"locode":%q}}}`, ports[i%20], ports[(i%20+1+i/20*3)%20])
			for _, into := range []*[]time.Duration{&first, &again} {
				begun := time.Now()
				var way struct{ Distance float64 }
				if err := json.Unmarshal(p.want(http.StatusOK, "POST", "/api/portserver/ship/route/execute", body), &way); err != nil {
					b.Fatal(err)
				}
				*into = append(*into, time.Since(begun))
				metres += way.Distance
			}
		}
		if metres < 100*1e6 {
			b.Fatalf("%.0f m in all", metres)
		}
		b.ReportMetric(float64(median(first).Microseconds())/1000, "first-p50-ms")
		b.ReportMetric(float64(percentile(sorted(first), 0.95).Microseconds())/1000, "first-p95-ms")
		b.ReportMetric(float64(percentile(sorted(first), 1).Microseconds())/1000, "first-longest-ms")
		b.ReportMetric(float64(median(again).Microseconds())/1000, "again-p50-ms")
		p.kill()
	}
}
