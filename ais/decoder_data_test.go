package ais

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// start is a receiver's time for tests. No test reads the wall clock.
var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// realData reads a file of the shared test data, which is not part of the project, and skips the test without it.
func realData(t testing.TB, name string) []byte {
	t.Helper()
	root := os.Getenv("QUAYWATCH_TESTDATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// decodeAll runs a whole log through a new decoder.
func decodeAll(data []byte, c DecoderConfig) (*Decoder, *Batch) {
	d, b := NewDecoder(c), &Batch{}
	for line := range SplitLines(data) {
		d.Line(b, line, start)
	}
	d.Flush(b, start)
	d.assembler.expireSets(start.AddDate(100, 0, 0)) // whatever the clock, nothing waits longer
	return d, b
}

type counts map[uint8]uint64

// TestRealLogs compares the number of messages of each type in each recorded log with those that an independent reader found
// (README of the test data). It compares the refusals with the known errors of the file. The reasons for differences from
// that reader are:
//   - california, bad-type5, spire-test: several sentences stand on a line, and that reader took the first alone.
//   - world_2019: a message 21 of 168 bits is refused, because fields are missing.
//   - gpsd_ais-18-27: ITU-R M.1371-5 has no messages 24 with part number 3 (gpsd refuses them too).
func TestRealLogs(t *testing.T) {
	// These have stamps or base stations that contradict the rest: a plotter of 2020 in a log of 2022, invented times, stamps without order.
	wrongClocks := map[string]uint64{
		"nmea/kattegat_2022-08-18_tcp.log": 7, "nmea/malformed/mixed_types.nmea": 6, "nmea/malformed/type1-bad-bitcount.nmea": 5, "nmea/malformed/ee-multiline.nmea": 1,
		"oracle/goais_alltypes_A.nmea.gz": 41,
	}
	for _, row := range []struct {
		file     string
		messages counts
		bad      map[ErrorReason]uint64
	}{
		{"nmea/kadetrenden_2013-07-31.nmea.gz", counts{1: 16599, 3: 1944, 4: 2661, 5: 655, 8: 133, 13: 2, 15: 1782, 18: 443, 20: 380, 21: 318, 24: 115}, nil},
		{"nmea/sanfrancisco_bay_2008-07-14.nmea.gz", counts{1: 4723, 3: 839, 4: 455, 5: 191, 8: 127, 15: 50, 20: 50}, nil},
		{"nmea/denmark_2013-11-12_pghp.txt.gz", counts{1: 20044, 3: 4151, 4: 1234, 5: 69, 18: 493, 21: 25, 24: 61}, nil},
		{"nmea/drift_538004030_2014-09-28_pghp.ais.gz", counts{1: 4975, 3: 54, 5: 223}, nil},
		{"nmea/world_2010-06-11_pghp.txt.gz", counts{1: 2511, 2: 7, 3: 369, 4: 129, 5: 424, 6: 37, 7: 9, 8: 63, 9: 1, 15: 66, 16: 23, 17: 5, 18: 101, 20: 191, 21: 37, 23: 4, 24: 74}, nil},
		{"nmea/california_2017-10-30.txt", counts{1: 162, 3: 13, 4: 19, 5: 8, 8: 1, 18: 23, 21: 3, 24: 14}, map[ErrorReason]uint64{}},
		{"nmea/hakefjord_2015-07-20.log.gz", counts{1: 2728, 3: 928, 4: 956, 5: 88, 8: 4284, 18: 5984, 20: 648, 24: 208}, map[ErrorReason]uint64{ErrorChecksum: 10}},
		{"nmea/kattegat_2022-08-18_tcp.log", counts{1: 829, 3: 194, 4: 67, 5: 31, 8: 16, 18: 61, 20: 15, 21: 4, 24: 47}, map[ErrorReason]uint64{ErrorChecksum: 3}},
		{"nmea/kattegat_2022-08-18_tcp.input.log", counts{1: 829, 3: 194, 4: 67, 5: 31, 8: 16, 18: 61, 20: 15, 21: 4, 24: 47}, map[ErrorReason]uint64{ErrorChecksum: 3}},
		{"nmea/ijsselmeer_2016-08-15.nmea.gz", counts{1: 2304, 2: 1, 3: 185, 5: 77, 18: 473, 21: 124, 24: 232}, nil},
		{"nmea/world_2019-02-16_ns-prefix.nmea", counts{1: 463, 2: 6, 3: 75, 4: 67, 5: 70, 6: 17, 7: 11, 8: 30, 15: 5, 16: 8, 17: 2, 18: 39, 20: 40, 21: 45, 23: 2, 24: 24}, map[ErrorReason]uint64{ErrorLength: 1, ErrorFragment: 8}},
		{"nmea/tagblock_2021-11-01.nm4", counts{1: 608, 3: 104, 4: 5, 5: 18, 6: 1, 8: 1, 18: 74, 19: 4, 21: 11, 24: 24, 25: 2, 27: 127}, nil},
		{"nmea/greece_2015-06-21_empty-payloads.txt", counts{1: 667, 3: 76, 4: 6, 15: 7, 18: 19, 20: 1, 24: 2}, map[ErrorReason]uint64{ErrorPayload: 100, ErrorFragment: 20}},
		{"nmea/malformed/bad-tagblock-group.nmea", counts{21: 1}, nil},
		{"nmea/malformed/bad-type5.nmea", counts{5: 2}, map[ErrorReason]uint64{ErrorLength: 1}},
		{"nmea/malformed/ee-multiline.nmea", counts{1: 3, 3: 3, 5: 2}, nil},
		{"nmea/malformed/errors.nmea", counts{1: 2, 3: 1}, map[ErrorReason]uint64{ErrorChecksum: 2}},
		{"nmea/malformed/mixed_types.nmea", counts{1: 5, 2: 5, 3: 5, 4: 5, 5: 5, 7: 5, 8: 4, 9: 5, 10: 5, 11: 5, 12: 5, 14: 5, 15: 5, 17: 5, 18: 5, 19: 5, 20: 5, 21: 5, 24: 5, 27: 5}, nil},
		{"nmea/malformed/multi-part.nmea", counts{5: 10, 6: 2, 8: 1, 12: 10, 14: 10, 17: 10}, nil},
		{"nmea/malformed/sample.nmea", counts{18: 1, 24: 2}, nil},
		{"nmea/malformed/single-message-type-5.nmea", counts{}, map[ErrorReason]uint64{ErrorChecksum: 1}},
		{"nmea/malformed/spire-test.nmea", counts{5: 2}, map[ErrorReason]uint64{ErrorTag: 4}},
		{"nmea/malformed/type1-bad-bitcount.nmea", counts{1: 9, 3: 3}, nil},
		{"nmea/malformed/type8.nmea", counts{8: 1}, nil},
		{"nmea/malformed/gpsd_nmea-fuzzy-cases.log", counts{}, nil},
		{"oracle/gpsd_ais-nmea.log", counts{1: 116, 3: 21, 5: 12, 8: 6, 18: 7, 24: 9}, nil},
		{"oracle/gpsd_ais-18-27.log", counts{18: 69, 24: 69, 27: 69}, map[ErrorReason]uint64{ErrorType: 69}},
		{"oracle/gpsd_ais-raw-messages.log", counts{1: 75, 3: 12, 4: 5, 5: 5, 18: 4, 21: 6, 24: 2}, nil},
		{"oracle/gpsd_ais_unpack_sixbit.log", counts{5: 6, 19: 2, 21: 3, 24: 2}, nil},
		{"oracle/goais_alltypes_A.nmea.gz", counts{1: 200, 2: 200, 3: 200, 4: 200, 5: 200, 6: 200, 7: 200, 8: 200, 9: 200, 10: 200, 11: 200, 12: 200, 13: 200, 14: 91, 15: 44, 16: 200, 17: 200, 18: 200, 19: 200, 20: 200, 21: 200, 22: 2, 23: 9, 24: 200, 25: 200, 27: 200}, nil},
	} {
		t.Run(row.file, func(t *testing.T) {
			data := realData(t, row.file)
			for _, clock := range []Clock{ReceiverClock, LogClock} {
				d, b := decodeAll(data, DecoderConfig{Clock: clock})
				c := d.Counters()
				for kind := range uint8(28) {
					if c.Messages[kind] != row.messages[kind] {
						t.Errorf("clock %d: type %d: %d messages, want %d", clock, kind, c.Messages[kind], row.messages[kind])
					}
				}
				for reason := range errorReasons {
					want := row.bad[reason]
					if reason == ErrorClock && clock == LogClock {
						want = wrongClocks[row.file]
					}
					if c.Bad[reason] != want {
						t.Errorf("clock %d: %d refused for %v, want %d", clock, c.Bad[reason], reason, want)
					}
				}
				if got := uint64(len(b.Reports)); got != c.TotalMessages() {
					t.Errorf("clock %d: %d reports, %d messages counted", clock, got, c.TotalMessages())
				}
			}
		})
	}
}

// TestRealClocks wants the times of reports within the time in which the log was recorded.
func TestRealClocks(t *testing.T) {
	for _, row := range []struct{ file, first, last string }{
		{"nmea/denmark_2013-11-12_pghp.txt.gz", "2013-11-12T12:00:00Z", "2013-11-12T12:05:00Z"},
		{"nmea/world_2010-06-11_pghp.txt.gz", "2010-06-11T11:46:10Z", "2010-06-11T11:46:39Z"},
		{"nmea/kadetrenden_2013-07-31.nmea.gz", "2013-07-31T08:29:13Z", "2013-07-31T12:10:45Z"},
		{"nmea/world_2019-02-16_ns-prefix.nmea", "2019-02-16T07:52:46Z", "2019-02-16T07:52:51Z"},
		{"nmea/tagblock_2021-11-01.nm4", "2021-10-31T00:00:00Z", "2021-11-01T01:59:06Z"},
		{"nmea/sanfrancisco_bay_2008-07-14.nmea.gz", "2008-07-14T19:43:10Z", "2008-07-14T20:20:01Z"},
		{"nmea/drift_538004030_2014-09-28_pghp.ais.gz", "2014-09-28T16:00:04Z", "2014-09-28T18:29:55Z"},
		{"nmea/california_2017-10-30.txt", "2017-10-30T21:43:41Z", "2017-10-30T21:43:52Z"},
	} {
		t.Run(row.file, func(t *testing.T) {
			_, b := decodeAll(realData(t, row.file), DecoderConfig{Clock: LogClock})
			first, last := b.Reports[0].Received, b.Reports[0].Received
			for _, r := range b.Reports {
				if r.Received.Before(first) {
					first = r.Received
				}
				if r.Received.After(last) {
					last = r.Received
				}
			}
			from, _ := time.Parse(time.RFC3339, row.first)
			to, _ := time.Parse(time.RFC3339, row.last)
			if first.Before(from) || last.After(to) {
				t.Errorf("from %v to %v, recorded from %v to %v", first, last, from, to)
			}
		})
	}
}
