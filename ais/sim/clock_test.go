package sim_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
)

// timedLine is a line of a simulated log, and when it was sent.
type timedLine struct {
	text []byte
	at   time.Time
}

// timedLog sails a harbour for so long and returns its log.
func timedLog(t *testing.T, clock sim.LogClock, span time.Duration) (log []timedLine) {
	t.Helper()
	h, err := sim.New(sim.Options{At: middle, Seed: 3, Ships: 60, Start: begin, Land: coast, Crosses: crossesCoast, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	err = h.Run(ctx, 0, func(sentences []byte) error {
		at = h.Now()
		if bytes.HasPrefix(sentences, []byte("$GPRMC")) {
			at = at.Add(time.Second)
		}
		for line := range ais.SplitLines(sentences) {
			log = append(log, timedLine{bytes.Clone(line), at})
		}
		if h.Now().Sub(begin) >= span {
			cancel()
		}
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// The times of a log of 6 h are those of the ships, whatever source tells them and whatever goes wrong with it: 99.9 % lie within 2 s of
// the truth, and none is off by 60 s.
func TestLogTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("sails three harbours for 6 h")
	}
	wrong := []time.Duration{-365 * 24 * time.Hour, 400 * 24 * time.Hour, -26 * time.Hour, time.Hour, 7 * time.Minute, -5 * time.Minute}
	base := timedLog(t, sim.BaseClock, 6*time.Hour)
	seldom := 0
	for _, row := range []struct {
		name string
		log  []timedLine
		keep func(i int, line *timedLine) bool // may change the line
	}{
		{"messages 4 each 10 s", base, func(int, *timedLine) bool { return true }},
		{"messages 4 each 20 s", base, func(_ int, line *timedLine) bool {
			if isBase(line.text) {
				seldom++
			}
			return !isBase(line.text) || seldom%2 == 0
		}},
		{"RMC that dies after an hour", timedLog(t, sim.RMCClock, 6*time.Hour), func(_ int, line *timedLine) bool {
			return !bytes.HasPrefix(line.text, []byte("$GPRMC")) || line.at.Before(begin.Add(time.Hour))
		}},
		{"one wrong stamp in 10,000", timedLog(t, sim.TagClock, 6*time.Hour), func(i int, line *timedLine) bool {
			if i%10000 == 0 {
				_, sentence, _ := strings.Cut(string(line.text[1:]), `\`)
				line.text = append(ais.AppendTag(nil, "", line.at.Add(wrong[i/10000%len(wrong)]).Unix()), sentence...)
			}
			return true
		}},
		{"messages 4 and one wrong suffix in 10,000", base, func(i int, line *timedLine) bool {
			if i%10000 == 200 {
				line.text = append(bytes.Clone(line.text), ",d-106,S9999,r14xkaa1,1264100667"...)
			}
			return true
		}},
	} {
		t.Run(row.name, func(t *testing.T) { checkTimes(t, row.log, row.keep) })
	}
}

func isBase(line []byte) bool {
	return bytes.HasPrefix(line, []byte("!AIVDM,1,1,,")) && line[14] == '4'
}

func checkTimes(t *testing.T, log []timedLine, keep func(int, *timedLine) bool) {
	t.Helper()
	d, b := ais.NewDecoder(ais.DecoderConfig{Clock: ais.LogClock}), &ais.Batch{}
	truth := map[string][]time.Time{} // of each raw sentence, in order
	for i, line := range log {
		sentence := line.text[bytes.IndexByte(line.text, '!')+1:]
		if keep(i, &line) {
			truth[string(sentence)] = append(truth[string(sentence)], line.at)
			d.Line(b, line.text, begin.AddDate(1, 0, 0))
		}
	}
	d.Flush(b, begin.AddDate(1, 0, 0))
	wide, worst := 0, time.Duration(0)
	for _, r := range b.Reports {
		first, _, _ := bytes.Cut(r.Raw[1:], []byte("\r\n"))
		at := truth[string(first)]
		if len(at) == 0 {
			t.Fatalf("no truth for %s", first)
		}
		truth[string(first)] = at[1:]
		got := r.Received
		if !r.Sent.IsZero() && r.Sent.Sub(got).Abs() <= time.Minute {
			got = r.Sent
		}
		off := got.Sub(at[0]).Abs()
		worst = max(worst, off)
		if off > 2*time.Second {
			wide++
		}
	}
	if len(b.Reports) < 50000 {
		t.Fatalf("only %d reports", len(b.Reports))
	}
	t.Logf("%d reports, %d off by more than 2 s, at most %v; refused %v", len(b.Reports), wide, worst, d.Counters().Bad)
	if wide*1000 > len(b.Reports) || worst >= time.Minute {
		t.Errorf("%d of %d reports are off by more than 2 s, one by %v", wide, len(b.Reports), worst)
	}
}
