package acceptance

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// BenchmarkSystemGrowth tells how the costs of the box grow with its ships, and with the history that it keeps. The service reads all from a file at full rate, is
// killed and started again. docs/figures draws the curves of docs/performance.md from what it prints.
func BenchmarkSystemGrowth(b *testing.B) {
	for _, ships := range []int{1_000, 10_000, 100_000, 500_000} {
		b.Run(fmt.Sprintf("ships=%d", ships), func(b *testing.B) {
			for range b.N {
				growShips(b, ships)
			}
		})
	}
	for _, fixes := range []int{1_000_000, 5_000_000, 20_000_000} {
		b.Run(fmt.Sprintf("fixes=%d", fixes), func(b *testing.B) {
			for range b.N {
				growHistory(b, fixes)
			}
		})
	}
}

// growShips measures a box that hears so many ships: reading, memory, the start after a kill, and questions about now.
func growShips(b *testing.B, ships int) {
	rounds := max(3, 600_000/ships)
	p, log := heard(b, ships*rounds, messagesOfRounds(ships, rounds))
	defer p.kill()
	anonymous, _ := memory(b, p)
	b.ReportMetric(float64(anonymous)/(1<<20), "MiB")
	rests(b, p)
	p = restarted(b, p, log)
	defer p.kill()
	rests(b, p) // it writes static data of the log to the database
	if records := areaOfSea(b, p, 0); records < ships/600 {
		b.Fatalf("a square of the sea has %d ships, want %d", records, ships/600)
	}
	b.ReportMetric(questionCost(b, p, func(i int) int { return areaOfSea(b, p, i) }), "ms/area")
	b.ReportMetric(questionCost(b, p, func(i int) int { return search(b, p, fmt.Sprintf("VESSEL%%20%06d", i*97%ships)) }), "ms/search")
}

// growHistory measures a box that keeps so many positions of 1,500 ships: reading, the start after a kill, the track of the last hour, and the bytes of the file.
func growHistory(b *testing.B, fixes int) {
	const ships = 1500
	p, log := heard(b, fixes, messagesOfRounds(ships, fixes/ships))
	defer p.kill()
	rests(b, p)
	stored := storedFixes(p)
	if stored < 0.99*float64(fixes) {
		b.Fatalf("%.0f positions are stored of %d", stored, fixes)
	}
	p = restarted(b, p, log)
	defer p.kill()
	var took []time.Duration
	for i := range 40 {
		begun := time.Now()
		if n := lastHourOf(b, p, 219000000+37*i%ships); n < 100 {
			b.Fatalf("a track has %d positions", n)
		}
		took = append(took, time.Since(begun))
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/track")
	b.ReportMetric(float64(fileSize(b, filepath.Join(filepath.Dir(log), "data", "quaywatch.db")))/stored, "B/fix")
}

// heard returns a service that has read so many sentences from a file, and the file. It reports what a sentence cost.
func heard(b *testing.B, sentences int, messages iter.Seq2[time.Time, ais.Message]) (p *process, log string) {
	b.Helper()
	dir := b.TempDir()
	log = filepath.Join(dir, "log.nmea")
	writeLog(b, log, messages)
	p = startServe(b, dir, "[[feed]]\nname = \"big\"\nurl = \"file://"+log+"?speed=0\"\n[store]\nfull_rate = true\n")
	p.shipsAfter(sentences)
	standStill(p)
	b.ReportMetric(float64(cpuTime(b, p).Nanoseconds())/1000/float64(sentences), "µs/sentence")
	return p, log
}

// restarted kills a service and returns it started anew, without the feed. It reports how long the first answer took.
func restarted(b *testing.B, p *process, log string) *process {
	b.Helper()
	p.kill()
	begun := time.Now()
	p = startEmpty(b, filepath.Dir(log))
	b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms/start")
	if knownShips(b, p) < 900 {
		b.Fatal("ships are missing after the start")
	}
	return p
}

// lastHourOf asks for the last hour of a ship, as the caller has them who asks until they are there, and returns how many positions they have.
func lastHourOf(b *testing.B, p *process, ship int) int {
	b.Helper()
	now := time.Now().UTC()
	return strings.Count(trackOf(b, p, int64(ship), now.Add(-time.Hour), now), "],[")
}

// messagesOfRounds reports all ships in rounds ten seconds apart, up to now. The second message of a ship is its static data. The picture holds fewer ships than
// there may be, so they come in parts.
func messagesOfRounds(ships, rounds int) iter.Seq2[time.Time, ais.Message] {
	const part = 100_000
	length := time.Duration(rounds) * 10 * time.Second
	at := time.Now().Add(-length * time.Duration((ships+part-1)/part))
	return func(yield func(time.Time, ais.Message) bool) {
		for first := 0; first < ships; first, at = first+part, at.Add(length) {
			if !reportRounds(first, min(first+part, ships), rounds, at, yield) {
				return
			}
		}
	}
}

// reportRounds reports the ships from one number to before another, and reports whether more is wanted.
func reportRounds(first, end, rounds int, at time.Time, yield func(time.Time, ais.Message) bool) bool {
	for round := range rounds {
		for i := first; i < end; i++ {
			message := messageAtSea(i, round)
			if report, moves := message.(*ais.PositionReport); moves {
				report.Place.Lat += int32(20 * round) // else each is a repeat of the last
			}
			if !yield(at.Add(time.Duration(round)*10*time.Second+time.Duration(i-first)*10*time.Second/time.Duration(end-first)), message) {
				return false
			}
		}
	}
	return true
}
