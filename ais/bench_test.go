package ais

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais/aistest"

	goais "github.com/BertoldVdb/go-ais"
	"github.com/BertoldVdb/go-ais/aisnmea"
)

// recordings are streams of the shared data: of coasts, of ships, and of the world by satellites.
var recordings = []string{"kadetrenden_2013-07-31.nmea.gz", "denmark_2013-11-12_pghp.txt.gz", "sanfrancisco_bay_2008-07-14.nmea.gz",
	"ijsselmeer_2016-08-15.nmea.gz", "hakefjord_2015-07-20.log.gz", "world_2010-06-11_pghp.txt.gz"}

// benchLines returns the VDM and VDO sentences of a recorded stream, or without the shared data those of our own fixture.
func benchLines(b *testing.B, recording string) (lines [][]byte, source string) {
	b.Helper()
	data := inventedStream(b)
	source = "invented"
	if hasRecordings() {
		source, _, _ = strings.Cut(recording, "_")
		data = realData(b, "nmea/"+recording)
	}
	for line := range SplitLines(data) {
		if IsAIS(line) && line[0] == '!' {
			lines = append(lines, line)
		}
	}
	return lines, source
}

// hasRecordings reports whether the shared data are there.
func hasRecordings() bool {
	root := os.Getenv("QUAYWATCH_TESTDATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	_, err := os.Stat(root)
	return err == nil
}

// inventedStream is our fixture with position reports in the share that real traffic has.
func inventedStream(t testing.TB) []byte {
	var stream []Message
	for i, m := range inventedMessages() {
		for k := range 12 {
			stream = append(stream, &PositionReport{Header: Header{Type: 1, MMSI: MMSI(219000000 + 100*i + k)},
				SOG: SOGTenths(k), Place: Place{Lon: int32(6131520 + 977*k), Lat: int32(33694080 + 331*i)}, COG: COGTenths(100 * k), Second: Second(5 * k)})
		}
		stream = append(stream, m)
	}
	return sentencesOf(t, stream)
}

// BenchmarkDecode runs the same sentences through our decoder and through go-ais's fast codec. go-ais v0.4.0 has no fast
// reader of sentences, so it gets the least that one can do for it: checksum, fields, bits by table, parts joined.
func BenchmarkDecode(b *testing.B) {
	lines, source := benchLines(b, recordings[0])
	b.Run("ours/"+source, func(b *testing.B) {
		d, batch := NewDecoder(DecoderConfig{}), &Batch{}
		decoded := 0
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			d.Line(batch, lines[i%len(lines)], start)
			if len(batch.Reports) >= 256 {
				decoded += len(batch.Reports)
				batch.Reset()
			}
		}
		perSentence(b, decoded+len(batch.Reports))
	})
	b.Run("go-ais/"+source, func(b *testing.B) {
		second := aistest.NewSecondOpinion()
		decoded := 0
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if second.Line(lines[i%len(lines)]) != nil {
				decoded++
			}
		}
		perSentence(b, decoded)
	})
}

// BenchmarkDecodeRatio runs the decoders over the stream in turn and compares their fastest passes, so that what else the
// machine does weighs on all alike: ours, go-ais's fast codec behind the plain reader, and go-ais as it is published, with
// the fast codec in its package aisnmea.
func BenchmarkDecodeRatio(b *testing.B) {
	if !hasRecordings() {
		benchRatio(b, "")
		return
	}
	for _, recording := range recordings {
		benchRatio(b, recording)
	}
}

func benchRatio(b *testing.B, recording string) {
	lines, source := benchLines(b, recording)
	decoded := 0
	d, batch, second := NewDecoder(DecoderConfig{}), &Batch{}, aistest.NewSecondOpinion()
	published := aisnmea.NMEACodecNew(goais.CodecNewFast(true, true, true))
	ours, theirs, whole := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	b.Run(source, func(b *testing.B) {
		for b.Loop() {
			ours = min(ours, timed(func() {
				for _, line := range lines {
					d.Line(batch, line, start)
					if len(batch.Reports) >= 256 {
						decoded += len(batch.Reports)
						batch.Reset()
					}
				}
			}))
			theirs = min(theirs, timed(func() {
				for _, line := range lines {
					second.Line(line)
				}
			}))
			whole = min(whole, timed(func() {
				for _, line := range lines {
					_, _ = published.ParseSentence(string(line)) // what it refuses costs time all the same
				}
			}))
		}
		if decoded < len(lines)/3 {
			b.Fatalf("%d of %d sentences are decoded", decoded, len(lines))
		}
		n := float64(len(lines))
		b.ReportMetric(float64(ours.Nanoseconds())/n, "ours-ns/sentence")
		b.ReportMetric(float64(theirs.Nanoseconds())/n, "go-ais-ns/sentence")
		b.ReportMetric(float64(whole.Nanoseconds())/n, "aisnmea-ns/sentence")
		b.ReportMetric(float64(theirs)/float64(ours), "times-faster")
		b.ReportMetric(float64(whole)/float64(ours), "times-faster-than-aisnmea")
	})
}

func timed(work func()) time.Duration {
	begun := time.Now()
	work()
	return time.Since(begun)
}

func perSentence(b *testing.B, decoded int) {
	if decoded == 0 && b.N > 10 { // the first sentence may be the first of two
		b.Fatal("nothing is decoded")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
	b.ReportMetric(float64(decoded)/float64(b.N), "messages/sentence")
}

// TestPositionAllocations wants no allocation for what makes up the traffic, whatever surrounds the sentence.
func TestPositionAllocations(t *testing.T) {
	for _, m := range inventedMessages() {
		switch m.(type) {
		case *PositionReport, *ClassBReport, *BaseStationReport, *SARAircraftReport, *LongRangeReport:
		default:
			continue
		}
		line := bytes.TrimSpace(sentencesOf(t, []Message{m}))
		tagged := append(AppendTag(nil, "r2190001", 1795000000), line...)
		suffixed := append(bytes.Clone(line), ",rSTATION,1795000000"...)
		for _, form := range [][]byte{line, tagged, suffixed} {
			for _, clock := range []Clock{ReceiverClock, LogClock} {
				d, b := NewDecoder(DecoderConfig{Feed: "roof", Clock: clock}), &Batch{}
				d.Line(b, tagged, start) // sets the log's clock, learns the station's name
				fill := func() {
					for range 200 {
						d.Line(b, form, start)
					}
					b.Reset()
				}
				fill()
				fill()
				if n := testing.AllocsPerRun(20, fill); n != 0 {
					t.Errorf("%s: %v allocations in 200 sentences", form, n)
				}
			}
		}
	}
}

// TestBatchKeepsSlots fills a batch beyond every first size and wants each message still as it was decoded.
func TestBatchKeepsSlots(t *testing.T) {
	data := inventedStream(t)
	_, b := decodeAll(data, DecoderConfig{})
	i := 0
	second := NewDecoder(DecoderConfig{})
	for line := range SplitLines(data) {
		one := &Batch{}
		second.Line(one, line, start)
		if len(one.Reports) == 0 {
			continue
		}
		want, got := one.Reports[0], b.Reports[i]
		a, c := new(JSONPrinter).Append(nil, &want, true), new(JSONPrinter).Append(nil, &got, true)
		if !bytes.Equal(a, c) || !bytes.Equal(want.Raw, got.Raw) || want.Hash != got.Hash {
			t.Fatalf("report %d: %s, want %s", i, c, a)
		}
		i++
	}
	if i != len(b.Reports) || i < 400 {
		t.Errorf("%d reports, %d decoded one by one", len(b.Reports), i)
	}
}
