//go:build !race

package traffic_test

import (
	"bufio"
	"io"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/traffic"
)

// play puts a recorded log into a picture by the log's clock, in batches of so many lines.
func play(t testing.TB, log io.Reader, lines int, observers ...traffic.Observer) (*traffic.Picture, ais.Counters) {
	t.Helper()
	p := traffic.New(logConfig())
	d := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock})
	pool := ais.NewPool(2)
	b := pool.Get()
	scanner := bufio.NewScanner(log)
	for n := 1; scanner.Scan(); n++ {
		d.Line(b, scanner.Bytes(), noon)
		if n%lines == 0 {
			p.Apply(b, observers...)
			b.Release()
			b = pool.Get()
		}
	}
	d.Flush(b, noon)
	p.Apply(b, observers...)
	b.Release()
	return p, d.Counters()
}

func TestRecordedTraffic(t *testing.T) {
	tests := []struct {
		file      string
		mostJumps float64 // of all fixes that were judged
	}{
		{"kadetrenden_2013-07-31.nmea.gz", 0.01},
		{"denmark_2013-11-12_pghp.txt.gz", 0.01},
		{"hakefjord_2015-07-20.log.gz", 0.01},
		{"ijsselmeer_2016-08-15.nmea.gz", 0.01},
		{"kattegat_2022-08-18_tcp.input.log", 0.01},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			var j journal
			p, decoded := play(t, shiptest.Recording(t, "nmea/"+test.file), 1, &j)
			s := p.Stats()
			messages := uint64(0)
			for _, n := range decoded.Messages {
				messages += n
			}
			if told := s.Reports + s.Duplicates + s.Rejected[ship.BadMMSI]; told != messages || messages == 0 {
				t.Errorf("%d messages, but %d reports, duplicates and bad numbers", messages, told)
			}
			jumps := s.Rejected[ship.Jump] + s.Rejected[ship.LateJump]
			if share := float64(jumps) / float64(s.Fixes+jumps); share > test.mostJumps {
				t.Errorf("%.2f %% of the fixes are jumps", 100*share)
			}
			t.Logf("%d ships, %+v", p.Len(), s)
			var other journal
			play(t, shiptest.Recording(t, "nmea/"+test.file), 500, &other)
			if !slices.Equal(j.lines, other.lines) {
				t.Errorf("in other batches the updates are others")
			}
		})
	}
}
