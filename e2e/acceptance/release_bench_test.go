package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// releaseLoad is a file of sentences of as many ships, each of which reports about each ten seconds.
type releaseLoad struct {
	ships, rate int
	duration    time.Duration
}

// releaseLoads have 600,000 sentences each, so that a start is a small part of what a build costs.
func releaseLoads() []releaseLoad {
	return []releaseLoad{{1_000, 100, 100 * time.Minute}, {10_000, 1_000, 10 * time.Minute}, {100_000, 10_000, time.Minute}}
}

// cost is what a build took for a file, from its start to its end.
type cost struct {
	processor time.Duration
	written   float64 // bytes that it gave the disk to write
	ships     int
}

// BenchmarkReleases reads the same files with this build and with the older one that QUAYWATCH_OLDER names, in turn, each into an empty store. It tells
// the processor's time and the bytes written, as ratios of this build to the older one. `make bench-ingest` runs it. QUAYWATCH_GATE is
// the largest median of the processor's ratios that is let pass.
func BenchmarkReleases(b *testing.B) {
	older := os.Getenv("QUAYWATCH_OLDER")
	if older == "" {
		b.Skip("QUAYWATCH_OLDER names no older build: make bench-ingest builds it")
	}
	for _, load := range releaseLoads() {
		b.Run(fmt.Sprintf("ships=%d", load.ships), func(b *testing.B) {
			path, sentences := load.write(b)
			var processor, written []float64
			var ours, theirs []time.Duration
			for range b.N {
				was, is := readFile(b, older, path, sentences), readFile(b, binary(b), path, sentences)
				if min(was.ships, is.ships) < load.ships*99/100 || was.ships != is.ships {
					b.Fatalf("the older build has %d ships, this build %d, where the file has %d", was.ships, is.ships, load.ships)
				}
				theirs, ours = append(theirs, was.processor), append(ours, is.processor)
				processor = append(processor, float64(is.processor)/float64(was.processor))
				written = append(written, is.written/was.written)
			}
			slices.Sort(processor)
			slices.Sort(written)
			middle := processor[len(processor)/2]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(theirs).Nanoseconds())/float64(sentences), "older-ns/sentence")
			b.ReportMetric(float64(median(ours).Nanoseconds())/float64(sentences), "ns/sentence")
			b.ReportMetric(processor[0], "ratio-least")
			b.ReportMetric(middle, "ratio")
			b.ReportMetric(processor[len(processor)-1], "ratio-most")
			b.ReportMetric(written[len(written)/2], "written-ratio")
			b.ReportMetric(float64(sentences), "sentences")
			if gate, err := strconv.ParseFloat(os.Getenv("QUAYWATCH_GATE"), 64); err == nil && middle > gate {
				b.Errorf("a sentence costs %.2f times what it cost the older build; %.2f is let pass", middle, gate)
			}
		})
	}
}

// write has the load's sentences written into a file and counts them.
func (l releaseLoad) write(b *testing.B) (path string, sentences int) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "load.nmea")
	_, stderr, code := runCommand(b, "", "simulate", "--to", path, "--ships", fmt.Sprint(l.ships), "--rate", fmt.Sprint(l.rate),
		"--start", "2026-03-01T12:00:00Z", "--duration", l.duration.String(), "--seed", "1", "--speed", "0")
	if code != 0 {
		b.Fatalf("simulate: exit %d\n%s", code, stderr)
	}
	for _, line := range readLines(b, path) {
		if strings.Contains(line, "!AIVDM") {
			sentences++
		}
	}
	if sentences < int(float64(l.rate)*l.duration.Seconds()*0.9) {
		b.Fatalf("the file has %d sentences", sentences)
	}
	return path, sentences
}

// readFile lets a build read a file as quickly as it can, ends it, and tells what that cost.
func readFile(b *testing.B, build, path string, sentences int) cost {
	b.Helper()
	dir := b.TempDir()
	config := filepath.Join(dir, "quaywatch.toml")
	feed := fmt.Sprintf("[[feed]]\nname = \"file\"\nurl = \"file://%s?speed=0\"\n", path)
	if err := os.WriteFile(config, []byte(feed), 0o600); err != nil {
		b.Fatal(err)
	}
	p := launchCommand(b, dir, []string{build}, "serve", "--config", config)
	p.waitReady(patience)
	ships := p.shipsAfter(sentences)
	if code := p.stop(patience); code != 0 {
		b.Fatalf("the build ended with %d:\n%s", code, p.stderr.String())
	}
	state := p.cmd.ProcessState
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || usage.Oublock == 0 {
		b.Fatal("the kernel does not tell what the build wrote: TMPDIR has to lie on a disk")
	}
	return cost{state.UserTime() + state.SystemTime(), float64(usage.Oublock) * 512, ships}
}

// shipsAfter waits until the only feed has given so many sentences, and returns how many ships they made. It asks seldom, as each question costs the
// program. What still waits then is done before the program ends, and counts.
func (p *process) shipsAfter(sentences int) int {
	p.t.Helper()
	seldom := time.NewTicker(250 * time.Millisecond)
	defer seldom.Stop()
	for began := time.Now(); time.Since(began) < 10*time.Minute; <-seldom.C {
		var status struct {
			Ships int
			Feeds []struct{ Sentences int }
		}
		p.get("/api/status", &status)
		if len(status.Feeds) == 1 && status.Feeds[0].Sentences >= sentences {
			return status.Ships
		}
	}
	p.t.Fatal("the file was not read within ten minutes")
	return 0
}
