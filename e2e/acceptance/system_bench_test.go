package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
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
	"quaywatch/ais/sim"
	"quaywatch/store"
	"quaywatch/traffic"
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
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // where the benchmark failed it still speaks
		_ = cmd.Wait()
	})
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
		go func() {
			answered <- latencies(b, p, 219000001, func(int) bool {
				select {
				case <-done:
					return true
				default:
					return false
				}
			})
		}()
		if err := load.Wait(); err != nil {
			b.Fatal(err)
		}
		close(done)
		times := <-answered
		<-seen
		standStill(p)
		reportLoad(b, p, times, visible)
		p.kill()
	}
}

// visibleAfter sends one new place, once, and polls until the API gives it; the longest that it waits is ten seconds.
func visibleAfter(b *testing.B, p *process, probe net.Conn, step int) time.Duration {
	report := aShip(219000099, step)
	report.Second = 60 // not said: the time of reception counts

	often := time.NewTicker(time.Millisecond) // it is measured to so much
	defer often.Stop()
	start := time.Now()
	if _, err := probe.Write(sentences(b, report)); err != nil {
		b.Error(err)
	}
	for time.Since(start) < 10*time.Second {
		response, text, err := p.try("GET", "/api/portserver/ship/position/219000099", "")
		if err == nil && response.StatusCode == http.StatusOK && latitudeIn(text) > float64(report.Place.Lat)/600000-1e-5 {
			break
		}
		<-often.C
	}
	return time.Since(start)
}

// latitudeIn reads the latitude of a position record; its coordinates may go on with a time.
func latitudeIn(text []byte) float64 {
	var record struct {
		Position struct{ Coordinates []any }
	}
	if json.Unmarshal(text, &record) != nil || len(record.Position.Coordinates) < 2 {
		return 0
	}
	latitude, _ := record.Position.Coordinates[1].(float64)
	return latitude
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
	if status.Ships == 0 || f.Sentences == 0 || len(visible) == 0 {
		b.Fatalf("%d ships, %v sentences, %d probes", status.Ships, f.Sentences, len(visible))
	}
	b.ReportMetric(f.Sentences, "sentences")
	b.ReportMetric(f.Overflow, "shed")
	b.ReportMetric(f.KernelDrops, "kernel-drops")
	b.ReportMetric(float64(status.Ships), "ships")
	b.ReportMetric(float64(percentile(sorted(visible), 0.5).Milliseconds()), "visible-p50-ms")
	b.ReportMetric(float64(percentile(sorted(visible), 0.99).Milliseconds()), "visible-p99-ms")
	b.ReportMetric(float64(len(visible)), "probes")
	b.ReportMetric(float64(percentile(times, 0.99).Microseconds())/1000, "position-p99-ms")
	anonymous, resident := memory(b, p)
	b.ReportMetric(float64(anonymous>>20), "anon-MiB")
	b.ReportMetric(float64(resident>>20), "resident-MiB")
	b.Logf("store: %v", status.Store)
}

// benchDir returns a folder on the device to measure: QUAYWATCH_BENCH_DIR, where no other program writes, or a temporary one.
func benchDir(b *testing.B) string {
	b.Helper()
	root := os.Getenv("QUAYWATCH_BENCH_DIR")
	if root == "" {
		return b.TempDir()
	}
	dir, err := os.MkdirTemp(root, "bench-*")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// deviceWritten reads how many bytes have been written to the device of a folder, by anyone, after writing out what the kernel
// still holds. It skips the benchmark where the kernel does not tell.
func deviceWritten(b *testing.B, dir string) float64 {
	b.Helper()
	syscall.Sync()
	var stat syscall.Stat_t
	if err := syscall.Stat(dir, &stat); err != nil {
		b.Fatal(err)
	}
	major, minor := stat.Dev>>8&0xfff, stat.Dev&0xff|stat.Dev>>12&0xfff00
	text, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", major, minor))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 7 {
		b.Skip("the kernel does not tell what the device of this folder writes")
	}
	var sectors float64
	if _, err := fmt.Sscan(fields[6], &sectors); err != nil {
		b.Fatal(err)
	}
	return sectors * 512
}

// BenchmarkSystemBytesToDevice measures, for three minutes of real time at full rate, how many bytes a position writes to the
// device. That is the log with its sync each second; BenchmarkHourToDevice has the blocks.
func BenchmarkSystemBytesToDevice(b *testing.B) {
	for _, rate := range []int{6000, 100} {
		b.Run(fmt.Sprintf("%d-per-second", rate), func(b *testing.B) {
			for range b.N {
				measureLog(b, rate, 3*time.Minute)
			}
		})
	}
}

func measureLog(b *testing.B, rate int, duration time.Duration) {
	dir, port := benchDir(b), freePort(b, "udp")
	config := fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n[store]\nfull_rate = true\n", port)
	p := startServe(b, dir, config)
	before, fixes := deviceWritten(b, dir), storedFixes(p)
	// Of 100 messages 85 are positions and 10 static data of one or two sentences.
	load := loadGenerator(b, fmt.Sprintf("udp://127.0.0.1:%d", port), rate*10, rate*125/100, duration)
	if err := load.Wait(); err != nil {
		b.Fatal(err)
	}
	standStill(p)
	if fixes = storedFixes(p) - fixes; fixes == 0 {
		b.Fatal("nothing was stored")
	}
	b.ReportMetric((deviceWritten(b, dir)-before)/fixes, "device-B/position")
	b.ReportMetric(fixes/duration.Seconds(), "positions/s")
	p.stop(30 * time.Second)
}

func storedFixes(p *process) float64 {
	var status struct{ Store map[string]any }
	p.get("/api/status", &status)
	fixes, _ := status.Store["fixes"].(float64)
	return fixes
}

// BenchmarkHourToDevice plays hours of traffic through decoder, picture and store as fast as they can, at full rate. It syncs at
// each second of the traffic, and writes the blocks of each hour after it. It measures the bytes that a position writes to the
// device, log and blocks together, and the size of the file at rest. The first hour also makes the segments of the log.
func BenchmarkHourToDevice(b *testing.B) {
	for _, rate := range []int{6000, 100} {
		b.Run(fmt.Sprintf("%d-per-second", rate), func(b *testing.B) {
			for range b.N {
				measureHours(b, rate, 2)
			}
		})
	}
}

func measureHours(b *testing.B, rate, hours int) {
	dir := benchDir(b)
	db, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	load, err := sim.NewLoad(sim.LoadOptions{Ships: rate * 10, Rate: float64(rate) * 1.25, Seed: 1, Start: start})
	if err != nil {
		b.Fatal(err)
	}
	s := sailing{b: b, load: load, db: db, picture: traffic.New(seconds())}
	var hour float64
	var fixes uint64
	for i := range hours {
		before, had := deviceWritten(b, dir), db.Status().Fixes
		s.until(start.Add(time.Duration(i+1) * time.Hour).Add(3 * time.Minute)) // hours are written two minutes after their end
		fixes = db.Status().Fixes - had
		if fixes == 0 {
			b.Fatal("nothing was stored")
		}
		hour = (deviceWritten(b, dir) - before) / float64(fixes)
		b.ReportMetric(hour, fmt.Sprintf("device-B/position-hour-%d", i+1))
	}
	status := db.Status()
	b.ReportMetric(float64(fixes)/3600, "positions/s")
	b.ReportMetric(float64(status.Dropped), "dropped")
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	whole := float64(status.Fixes) * float64(hours) / (float64(hours) + 0.05) // the last three minutes are still in the log
	b.ReportMetric(float64(status.DBBytes-status.FreeBytes)/whole, "rest-B/position")
	b.ReportMetric(float64(status.DBBytes)/whole, "file-B/position")
}

// seconds is a picture's configuration in which the reports' clock rules.
func seconds() traffic.Config {
	config := traffic.DefaultConfig()
	config.Clock = ais.LogClock
	return config
}

// sailing plays a load through the whole path.
type sailing struct {
	b       *testing.B
	load    *sim.Load
	db      *store.DB
	picture *traffic.Picture
	line    []byte
	second  int64
}

func (s *sailing) until(end time.Time) {
	decoder, batch := ais.NewDecoder(ais.DecoderConfig{Feed: "load"}), &ais.Batch{}
	for s.load.Now().Before(end) {
		now, err := s.load.Now(), error(nil)
		if s.line, err = s.load.Next(s.line[:0]); err != nil {
			s.b.Fatal(err)
		}
		decoder.Datagram(batch, s.line, now)
		newSecond := now.Unix() != s.second
		if len(batch.Reports) >= 256 || newSecond {
			s.picture.Apply(batch, s.db)
			batch.Reset()
		}
		if newSecond {
			s.second = now.Unix()
			if err := s.db.Settle(); err != nil {
				s.b.Fatal(err)
			}
		}
	}
}

// BenchmarkSystemMemory plays the Danish coast (1,508 ships, 87 messages/s), looped, for three minutes, with the configuration as it
// is delivered. The first administrator's password is hashed shortly before, which takes 19 MiB for a moment.
func BenchmarkSystemMemory(b *testing.B) {
	lines := loopableLog(b)
	for range b.N {
		port := freePort(b, "udp")
		conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		p := startServe(b, b.TempDir(), fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n", port))
		start, cpu := time.Now(), cpuTime(b, p)
		sent, most := 0, 0
		for time.Since(start) < 3*time.Minute {
			if _, err := fmt.Fprint(conn, lines[sent%len(lines)], "\r\n"); err != nil {
				b.Fatal(err)
			}
			if sent++; sent%87 == 0 {
				anonymous, _ := memory(b, p)
				most = max(most, anonymous)
			}
			keepPace(start.Add(time.Duration(sent) * time.Second / 87))
		}
		anonymous, resident := memory(b, p)
		b.ReportMetric(100*(cpuTime(b, p)-cpu).Seconds()/time.Since(start).Seconds(), "core-percent")
		b.ReportMetric(float64(anonymous)/(1<<20), "anon-MiB")
		b.ReportMetric(float64(most)/(1<<20), "most-anon-MiB")
		b.ReportMetric(float64(resident)/(1<<20), "resident-MiB")
		b.ReportMetric(knownShips(b, p), "ships")
		p.kill()
	}
}

// loopableLog returns the AIS sentences of the Danish log, or of the simulated harbour where the recording is not here.
func loopableLog(b *testing.B) []string {
	b.Helper()
	var lines []string
	source := ownRecording
	if _, err := os.Stat("../../../shared/data"); err == nil || os.Getenv("QUAYWATCH_TESTDATA") != "" {
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
func cpuTime(b testing.TB, p *process) time.Duration { return cpuTimeOf(b, servicePID(p)) }

// cpuTimeOf returns the processor time that a process has taken so far.
func cpuTimeOf(b testing.TB, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
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

// BenchmarkSystemStart fills a store with five million positions and kills the service: of 100,000 ships, which stand in the append log alone,
// and of as many ships as a port hears. It measures how long the next start takes to its first answer, and an empty start beside it. The
// median of each counts.
func BenchmarkSystemStart(b *testing.B) {
	for _, ships := range []int{100_000, 1_508} {
		b.Run(fmt.Sprintf("ships=%d", ships), func(b *testing.B) { benchmarkStart(b, ships, 5_200_000/ships) }) // a ship is kept from its third report on
	}
}

func benchmarkStart(b *testing.B, ships, rounds int) {
	dir := b.TempDir()
	log := filepath.Join(dir, "log.nmea")
	writeBigLog(b, log, ships, rounds)
	p := startServe(b, dir, "[[feed]]\nname = \"big\"\nurl = \"file://"+log+"?speed=0\"\n[store]\nfull_rate = true\n")
	positions, least := 0., 0.9*float64(ships*rounds)
	eventually(b, 10*time.Minute, fmt.Sprintf("%.0f positions are stored", least), func() bool {
		positions = storedFixes(p)
		return positions >= least
	})
	standStill(p)
	p.kill()
	var full, empty []time.Duration
	for range b.N {
		begun := time.Now()
		q := startEmpty(b, dir)
		full = append(full, time.Since(begun))
		b.ReportMetric(knownShips(b, q), "ships")
		q.kill()
		begun = time.Now()
		q = startEmpty(b, b.TempDir())
		empty = append(empty, time.Since(begun))
		q.kill()
	}
	b.ReportMetric(positions, "positions")
	b.ReportMetric(float64(percentile(sorted(full), 0.5).Milliseconds()), "full-start-ms")
	b.ReportMetric(float64(percentile(sorted(empty), 0.5).Milliseconds()), "empty-start-ms")
}

func startEmpty(b *testing.B, dir string) *process {
	config := filepath.Join(dir, "empty.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	return start(b, dir, "serve", "--config", config)
}

// knownShips counts the ships of the picture. Those that were silent for too long to be live count too: a start has to read them all.
func knownShips(b *testing.B, p *process) (ships float64) {
	b.Helper()
	var status struct {
		Picture struct{ Ships map[string]map[string]float64 }
	}
	p.get("/api/status", &status)
	for _, bySignal := range status.Picture.Ships {
		for _, n := range bySignal {
			ships += n
		}
	}
	if ships == 0 {
		b.Fatal("no ship is known")
	}
	return ships
}

// writeBigLog writes rounds of one report each of so many ships, half a minute apart, with tag-block times.
func writeBigLog(b *testing.B, path string, ships, rounds int) {
	b.Helper()
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	writeLog(b, path, func(yield func(time.Time, ais.Message) bool) {
		for round := range rounds {
			for i := range ships {
				report := aShip(ais.MMSI(219000000+i), round)
				report.Place.Lon += int32(i % 5000)
				at := begin.Add(time.Duration(round)*30*time.Second + time.Duration(i)*30*time.Second/time.Duration(ships))
				report.Second = ais.Second(at.Second())
				if !yield(at, report) {
					return
				}
			}
		}
	})
}

// writeLog writes messages with their times in tag blocks.
func writeLog(b *testing.B, path string, messages iter.Seq2[time.Time, ais.Message]) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	encoder := ais.NewEncoder("AIVDM")
	var lines []byte
	for at, message := range messages {
		if lines, err = encoder.Sentences(lines[:0], message, 'A'); err != nil {
			b.Fatal(err)
		}
		tag := ais.AppendTag(nil, "", at.Unix())
		for line := range bytes.Lines(lines) {
			fmt.Fprintf(out, "%s%s", tag, line)
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}

// standStill waits until the counters have stood still for half a second after the last line went in.
func standStill(p *process) {
	p.t.Helper()
	last, since := "", time.Now()
	eventually(p.t, 60*time.Second, "the counters stand still", func() bool {
		text, err := json.Marshal(feedCounters(p))
		if err != nil {
			p.t.Fatal(err)
		}
		if string(text) != last {
			last, since = string(text), time.Now()
		}
		return time.Since(since) > 500*time.Millisecond && strings.Contains(last, `"messages":{"`)
	})
}

func sorted(list []time.Duration) []time.Duration {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
