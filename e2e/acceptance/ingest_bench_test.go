package acceptance

import (
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/aistest"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
)

// syncEvery is how many positions one sync of the log covers: the traffic of the whole world in a second.
const syncEvery = 6000

// heardSentence is an AIS sentence with the time at which the recording's receiver heard it.
type heardSentence struct {
	line []byte
	at   time.Time
}

// BenchmarkIngest runs the same sentences, in one goroutine, through go-ais's fast codec, through our decoder, and through all that
// a sentence meets here: decoder, merge, index and store, with a sync each 6,000 positions and every fix kept. They take turns in
// one run and the fastest pass of each counts, so that what else the machine does weighs on all alike. Each pass begins with an
// empty picture and an empty store. The garbage collector runs before each pass and not within it: it would come once in some megabytes, by
// chance into a pass or between two. The bytes that the whole path allocates are told beside the time instead.
func BenchmarkIngest(b *testing.B) {
	for name, source := range ingestSources(b) {
		sentences := heardSentences(source(b))
		if len(sentences) == 0 {
			b.Fatalf("%s holds no AIS sentence", name)
		}
		b.Run(name, func(b *testing.B) { measureIngest(b, sentences) })
	}
}

// ingestSources are three recordings: of few ships, of many, and of many with a large share of static data. Without recordings it
// is the simulated harbour.
func ingestSources(b *testing.B) map[string]func(testing.TB) []string {
	if _, err := os.Stat("../../../shared/data"); err != nil && os.Getenv("QUAYWATCH_TESTDATA") == "" {
		return map[string]func(testing.TB) []string{"harbour": func(t testing.TB) []string { return ownRecording(t).lines }}
	}
	file := func(name string) func(testing.TB) []string {
		return func(t testing.TB) []string { return readLines(t, testData(t, name)) }
	}
	return map[string]func(testing.TB) []string{
		"kadetrenden": file("nmea/kadetrenden_2013-07-31.nmea.gz"),
		"denmark":     file("nmea/denmark_2013-11-12_pghp.txt.gz"),
		"world":       file("nmea/world_2010-06-11_pghp.txt.gz"),
	}
}

// heardSentences returns the bare AIS sentences of a log with the time that the log gives them.
func heardSentences(lines []string) (list []heardSentence) {
	clock, batch := ais.NewDecoder(ais.DecoderConfig{Clock: ais.LogClock}), &ais.Batch{}
	var now time.Time
	for _, line := range lines {
		clock.Line(batch, []byte(line), time.Time{})
		if n := len(batch.Reports); n > 0 {
			now = batch.Reports[n-1].Received
		}
		batch.Reset()
		if i := strings.IndexByte(line, '!'); i >= 0 && strings.Contains(line[i:], "VD") {
			list = append(list, heardSentence{[]byte(line[i:]), now})
		}
	}
	for i := len(list) - 2; i >= 0; i-- { // those before the log first said what time it is
		if list[i].at.IsZero() {
			list[i].at = list[i+1].at
		}
	}
	return list
}

func measureIngest(b *testing.B, sentences []heardSentence) {
	decoder, batch, other := ais.NewDecoder(ais.DecoderConfig{}), &ais.Batch{}, aistest.NewSecondOpinion()
	theirs, ours, whole := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var ships int
	var allocated uint64
	for b.Loop() {
		theirs = min(theirs, timeOf(func() {
			for i := range sentences {
				other.Line(sentences[i].line)
			}
		}))
		ours = min(ours, timeOf(func() {
			for i := range sentences {
				decoder.Line(batch, sentences[i].line, sentences[i].at)
				if len(batch.Reports) >= 256 {
					batch.Reset()
				}
			}
		}))
		took, bytes, n := ingest(b, sentences)
		whole, allocated, ships = min(whole, took), bytes, n
	}
	if ships == 0 {
		b.Fatal("no ship was heard")
	}
	n := float64(len(sentences))
	b.ReportMetric(float64(theirs.Nanoseconds())/n, "go-ais-ns/sentence")
	b.ReportMetric(float64(ours.Nanoseconds())/n, "decode-ns/sentence")
	b.ReportMetric(float64(whole.Nanoseconds())/n, "ingest-ns/sentence")
	b.ReportMetric(float64(theirs)/float64(ours), "decode-times-faster")
	b.ReportMetric(float64(whole)/float64(theirs), "ingest/go-ais")
	b.ReportMetric(n/whole.Seconds(), "ingest-sentences/s")
	b.ReportMetric(float64(allocated)/n, "ingest-bytes/sentence")
	b.ReportMetric(float64(ships), "ships")
}

// ingest runs the whole path once. It returns how long that took, how many bytes it allocated, and how many ships it made.
func ingest(b *testing.B, sentences []heardSentence) (took time.Duration, allocated uint64, ships int) {
	db, err := store.Open(store.Options{Dir: b.TempDir(), FullRate: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	picture := traffic.New(seconds())
	decoder, batch, count := ais.NewDecoder(ais.DecoderConfig{Feed: "roof"}), &ais.Batch{}, &syncing{db: db}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took = timeOf(func() {
		for i := range sentences {
			decoder.Line(batch, sentences[i].line, sentences[i].at)
			if len(batch.Reports) >= 256 {
				picture.Apply(batch, db, count)
				batch.Reset()
			}
		}
		picture.Apply(batch, db, count)
		count.settle()
	})
	runtime.ReadMemStats(&after)
	if count.err != nil {
		b.Fatal(count.err)
	}
	return took, after.TotalAlloc - before.TotalAlloc, picture.Len()
}

// syncing is the observer that syncs the log after so many positions.
type syncing struct {
	db        *store.DB
	positions int
	err       error
}

// Observe counts positions.
func (s *syncing) Observe(u *ship.Update) {
	if u.Change&(ship.ChangedFix|ship.LateFix) == 0 {
		return
	}
	if s.positions++; s.positions%syncEvery == 0 {
		s.settle()
	}
}

func (s *syncing) settle() { s.err = errors.Join(s.err, s.db.Settle()) }

// Tick does nothing.
func (s *syncing) Tick(time.Time) {}

// timeOf returns how long work takes while the garbage collector rests.
func timeOf(work func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	begun := time.Now()
	work()
	return time.Since(begun)
}
