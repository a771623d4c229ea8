package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
)

// The benchmarks of this file measure the real binary as a whole; `make bench-system` runs each once. They judge nothing:
// docs/performance.md says what was seen.

// loadGenerator speaks ships at a rate to an address for a time, from a process of its own.
func loadGenerator(b *testing.B, to string, ships, rate int, duration time.Duration) *exec.Cmd {
	b.Helper()
	cmd := exec.Command(binary(b), "simulate", "--to", to, "--ships", fmt.Sprint(ships), "--rate", fmt.Sprint(rate),
		"--duration", duration.String(), "--seed", "1")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return cmd
}

// BenchmarkSystemUDPLoad sends 30,000 sentences/s of 60,000 ships by UDP for 60 s.
func BenchmarkSystemUDPLoad(b *testing.B) {
	for range b.N {
		port := freePort(b, "udp")
		config := fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port)
		p := startServe(b, b.TempDir(), config)
		probe, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			b.Fatal(err)
		}
		canary(b, p, probe, 219000001, 1, 10*time.Second)
		load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), 60000, 30000, 60*time.Second)
		done := make(chan struct{})
		var visible []time.Duration
		var seen = make(chan struct{})
		go func() { // how long a position takes from the socket to the API
			defer close(seen)
			for step := 2; ; step++ {
				select {
				case <-done:
					return
				case <-time.After(200 * time.Millisecond):
					visible = append(visible, visibleAfter(b, p, probe, step))
				}
			}
		}()
		answered := make(chan []time.Duration)
		go func() { answered <- latencies(b, p, 219000001, done) }()
		if err := load.Wait(); err != nil {
			b.Fatal(err)
		}
		close(done)
		times := <-answered
		<-seen
		settle(p)
		reportLoad(b, p, times, visible)
		p.kill()
	}
}

// visibleAfter sends one new place and polls until the API gives it.
func visibleAfter(b *testing.B, p *process, probe net.Conn, step int) time.Duration {
	report := aShip(219000099, step)
	start := time.Now()
	if _, err := probe.Write(sentences(b, report)); err != nil {
		b.Error(err)
	}
	want := fmt.Sprintf("%.4f", float64(report.Place.Lat)/600000)
	for time.Since(start) < 10*time.Second {
		response, text, err := p.try("GET", "/api/portserver/ship/position/219000099", "")
		if err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(text), want) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(start)
}

func reportLoad(b *testing.B, p *process, times, visible []time.Duration) {
	b.Helper()
	var status struct {
		Ships int
		Feeds []struct {
			Sentences   float64
			Overflow    float64
			KernelDrops float64 `json:"kernel_drops"`
		}
		Store map[string]any
	}
	p.get("/api/status", &status)
	f := status.Feeds[0]
	b.ReportMetric(f.Sentences, "sentences")
	b.ReportMetric(f.Overflow, "shed")
	b.ReportMetric(f.KernelDrops, "kernel-drops")
	b.ReportMetric(float64(status.Ships), "ships")
	b.ReportMetric(float64(percentile(sorted(visible), 0.99).Milliseconds()), "visible-p99-ms")
	b.ReportMetric(float64(percentile(times, 0.99).Microseconds())/1000, "position-p99-ms")
	anonymous, resident := memory(b, p)
	b.ReportMetric(float64(anonymous>>20), "anon-MiB")
	b.ReportMetric(float64(resident>>20), "resident-MiB")
	b.Logf("store: %v", status.Store)
}

// sectorsWritten reads how much the device of a folder has written, in bytes; ok is false where the kernel does not tell.
func sectorsWritten(b *testing.B, dir string) (uint64, bool) {
	b.Helper()
	var stat syscall.Stat_t
	if err := syscall.Stat(dir, &stat); err != nil {
		b.Fatal(err)
	}
	major, minor := stat.Dev>>8&0xfff, stat.Dev&0xff|stat.Dev>>12&0xfff00
	text, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", major, minor))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	var sectors uint64
	if len(fields) < 7 {
		return 0, false
	}
	if _, err := fmt.Sscan(fields[6], &sectors); err != nil {
		return 0, false
	}
	return sectors * 512, true
}

// BenchmarkSystemBytesToDevice measures what a position costs the disk, log and blocks together, at full rate.
func BenchmarkSystemBytesToDevice(b *testing.B) {
	for _, rate := range []int{6000, 100} {
		b.Run(fmt.Sprintf("%d-per-second", rate), func(b *testing.B) {
			for range b.N {
				measureDevice(b, rate)
			}
		})
	}
}

// measureDevice feeds more than one hour of log time in a tenth of it, so that hour blocks are written too. The log's clock rules;
// the store syncs once a second of wall time, so the rate that counts is the one of wall time.
func measureDevice(b *testing.B, rate int) {
	dir := b.TempDir()
	port := freePort(b, "udp")
	config := fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n[store]\nfull_rate = true\n", port)
	p := startServe(b, dir, config)
	duration := 3 * time.Minute
	before, ok := sectorsWritten(b, dir)
	if !ok {
		b.Skip("the kernel does not tell what the device of this folder writes")
	}
	fixesBefore := storedFixes(p)
	load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), rate*10, rate, duration)
	if err := load.Wait(); err != nil {
		b.Fatal(err)
	}
	settle(p)
	fixes := storedFixes(p) - fixesBefore
	p.stop(30 * time.Second) // writes the open blocks
	syscall.Sync()
	after, _ := sectorsWritten(b, dir)
	b.ReportMetric(float64(after-before)/fixes, "device-B/position")
	b.ReportMetric(fixes, "positions")
	if info, err := os.Stat(filepath.Join(dir, "data", "quaywatch.db")); err == nil {
		b.ReportMetric(float64(info.Size())/fixes, "file-B/position")
	}
}

func storedFixes(p *process) float64 {
	var status struct{ Store map[string]any }
	p.get("/api/status", &status)
	fixes, _ := status.Store["fixes"].(float64)
	return fixes
}

// BenchmarkSystemMemory plays the Danish coast (1,508 ships, 87 messages/s), looped, for three minutes.
func BenchmarkSystemMemory(b *testing.B) {
	lines := loopableLog(b)
	for range b.N {
		config, conn := udpFeed(b)
		p := startServe(b, b.TempDir(), config)
		start, cpu := time.Now(), cpuTime(b, p)
		sent := 0
		for time.Since(start) < 3*time.Minute {
			if _, err := fmt.Fprint(conn, lines[sent%len(lines)], "\r\n"); err != nil {
				b.Fatal(err)
			}
			sent++
			time.Sleep(time.Until(start.Add(time.Duration(sent) * time.Second / 87)))
		}
		anonymous, resident := memory(b, p)
		b.ReportMetric(float64(anonymous)/(1<<20), "anon-MiB")
		b.ReportMetric(float64(resident)/(1<<20), "resident-MiB")
		b.ReportMetric(100*(cpuTime(b, p)-cpu).Seconds()/time.Since(start).Seconds(), "core-percent")
		p.kill()
	}
}

// loopableLog gives the AIS sentences of the Danish log, or of the simulated harbour where the recording is not here.
func loopableLog(b *testing.B) []string {
	b.Helper()
	var lines []string
	source := ownRecording
	if _, err := os.Stat("../shared/data"); err == nil || os.Getenv("QUAYWATCH_TESTDATA") != "" {
		source = func(t testing.TB) recording {
			return recording{lines: readLines(t, testData(t, "nmea/denmark_2013-11-12_pghp.txt.gz"))}
		}
	}
	for _, line := range source(b).lines {
		if i := strings.IndexByte(line, '!'); i >= 0 {
			lines = append(lines, line[i:])
		}
	}
	return lines
}

// cpuTime reads what the process has used of the processors.
func cpuTime(b *testing.B, p *process) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", servicePID(p)))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	var user, system int64
	if _, err := fmt.Sscan(fields[11], &user); err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(fields[12], &system); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // the kernel counts hundredths of a second
}

// BenchmarkSystemStart fills a store with 100,000 ships and five million positions, kills the service and measures how long the next
// one takes to its first answer, and the empty start beside it.
func BenchmarkSystemStart(b *testing.B) {
	dir := b.TempDir()
	log := filepath.Join(dir, "log.nmea")
	writeBigLog(b, log, 100_000, 50)
	p := startServe(b, dir, "[[feed]]\nname = \"big\"\nurl = \"file://"+log+"?speed=0\"\n[store]\nfull_rate = true\n")
	settle(p)
	p.kill()
	for range b.N {
		start := time.Now()
		q := startEmpty(b, dir)
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "full-start-ms")
		b.ReportMetric(storedShips(q), "ships")
		q.kill()
		start = time.Now()
		empty := startEmpty(b, b.TempDir())
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "empty-start-ms")
		empty.kill()
	}
}

func startEmpty(b *testing.B, dir string) *process {
	config := filepath.Join(dir, "empty.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	return start(b, dir, "serve", "--config", config)
}

func storedShips(p *process) float64 {
	var status struct{ Ships float64 }
	p.get("/api/status", &status)
	return status.Ships
}

// writeBigLog writes rounds of one report each of so many ships, half a minute apart, with tag-block times.
func writeBigLog(b *testing.B, path string, ships, rounds int) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	encoder := ais.NewEncoder("AIVDM")
	var line []byte
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for round := range rounds {
		for i := range ships {
			at := begin.Add(time.Duration(round)*30*time.Second + time.Duration(i)*30*time.Second/time.Duration(ships))
			report := aShip(ais.MMSI(219000000+i), round)
			report.Place.Lon += int32(i % 5000)
			report.Second = ais.Second(at.Second())
			if line, err = encoder.Sentences(line[:0], report, 'A'); err != nil {
				b.Fatal(err)
			}
			body := fmt.Sprintf("c:%d", at.Unix())
			sum := byte(0)
			for j := range len(body) {
				sum ^= body[j]
			}
			fmt.Fprintf(out, "\\%s*%02X\\%s", body, sum, line)
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}

func sorted(list []time.Duration) []time.Duration {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
