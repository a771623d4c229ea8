package logtime

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// rmc writes an RMC of that time.
func rmc(at time.Time) string {
	return "$" + sealed(at.Format("GPRMC,150405.00,A")+",5606.000,N,01018.000,E,0.0,0.0,"+at.Format("020106")+",,,A") + "\r\n"
}

// TestWhatRMCLedBeforeTheFirstStation: reports from before the first message 4 do not keep the time of an RMC that the messages 4 refute, and
// keep that of one that is right, or wrong in a way that nobody can put right.
func TestWhatRMCLedBeforeTheFirstStation(t *testing.T) {
	for off, mends := range map[time.Duration]bool{0: false, -era: true, time.Hour: true, -time.Hour: true, 24 * time.Hour: true, time.Hour - era: true, 17 * time.Minute: false} {
		for _, before := range []int{1, 2, 30} { // so many reports come before the first message 4
			lines := traffic(t, 200, true)
			var log strings.Builder
			for i, l := range lines {
				if i%4 == 0 && i < before {
					continue
				}
				log.WriteString(rmc(l.at.Add(off)) + l.sentence + "\r\n")
			}
			text := log.String()
			out, err := io.ReadAll(NewReader(strings.NewReader(text), written))
			if err != nil || (string(out) != text) != mends {
				t.Fatalf("off by %v, %d before: %v, mended %v, want %v", off, before, err, string(out) != text, mends)
			}
			if !mends {
				continue
			}
			for i, at := range decoded(t, strings.NewReader(string(out))) {
				if at.Before(begin.Add(-15*time.Second)) || at.After(begin.Add(1020*time.Second)) || i < 5 && at.After(begin.Add(time.Minute)) {
					t.Errorf("off by %v, %d before: report %d at %v", off, before, i, at)
					break
				}
			}
		}
	}
}

// TestStationsThatDisagree: messages 4 that are not of one mind say nothing of RMC.
func TestStationsThatDisagree(t *testing.T) {
	lines := traffic(t, 40, true)
	var log strings.Builder
	for i, l := range lines {
		off := time.Hour
		if i > 20 {
			off = 0
		}
		fmt.Fprintf(&log, "%s%s\r\n", rmc(l.at.Add(off)), l.sentence)
	}
	out, err := io.ReadAll(NewReader(strings.NewReader(log.String()), written))
	if err != nil || string(out) != log.String() {
		t.Errorf("mended, %v", err)
	}
}

// TestAStationThatForgotAnEra: a column with dates is followed where message 4 is behind it by whole eras, and also where the column is in local time.
func TestAStationThatForgotAnEra(t *testing.T) {
	for _, zone := range []time.Duration{0, 2 * time.Hour, -5 * time.Hour} {
		for eras := range 2 {
			lines := traffic(t, 60, false)
			encoder := ais.NewEncoder("AIVDM")
			for i := 0; i < len(lines); i += 4 {
				at := lines[i].at.Add(-time.Duration(eras) * era)
				said, err := encoder.Sentences(nil, &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: 2190001}, Year: at.Year(), Month: int(at.Month()), Day: at.Day(),
					Hour: at.Hour(), Minute: at.Minute(), Second: at.Second()}, 'A')
				if err != nil {
					t.Fatal(err)
				}
				lines[i].sentence = strings.TrimSpace(string(said))
			}
			r := NewReader(strings.NewReader(put(lines, func(at time.Time, s string) string { return at.Add(zone).Format("2006-01-02 15:04:05 ") + s })), written)
			got := decoded(t, r)
			if off := got[len(got)-1].Sub(lines[len(lines)-1].at); off.Abs() > 10*time.Second || r.Column() == "" {
				t.Errorf("%d eras behind, zone %v: the last report is off by %v, column %q, doubt %q", eras, zone, off, r.Column(), r.Doubt())
			}
		}
	}
}

// TestALogOverTheChangeOfSummerTime: a log in local time goes back an hour, or ahead, and its reports go on. So does a log that pauses for an hour, or is in UTC
// and goes back.
func TestALogOverTheChangeOfSummerTime(t *testing.T) {
	change := begin.Add(25 * time.Minute) // behind what is looked at to find the column
	for _, row := range []struct {
		name       string
		zone       time.Duration
		wall, back time.Duration // from the change on: by the clock on the wall, and in truth
		pause      time.Duration // of the log
		stations   bool          // also behind the change
	}{
		{"autumn", 2 * time.Hour, -time.Hour, 0, 0, true}, {"autumn in the west", -4 * time.Hour, -time.Hour, 0, 0, true}, {"autumn, no station", 2 * time.Hour, -time.Hour, 0, 0, false},
		{"spring", time.Hour, time.Hour, 0, 0, true}, {"spring in the west", -5 * time.Hour, time.Hour, 0, 0, true},
		{"a pause", time.Hour, 0, 0, time.Hour, true}, {"a pause, no station", time.Hour, 0, 0, time.Hour, false},
		{"UTC", 0, 0, -time.Hour, 0, true},
	} {
		lines := slices.DeleteFunc(traffic(t, 600+int(row.pause/(5*time.Second)), true), func(l line) bool {
			late := l.at.Sub(change)
			return late > 0 && (late <= row.pause || !row.stations && strings.Contains(l.sentence, ",A,4"))
		})
		var want []time.Time
		log := put(lines, func(at time.Time, s string) string {
			written := at.Add(row.zone)
			if at.After(change) {
				written, at = written.Add(row.wall+row.back), at.Add(row.back)
			}
			want = append(want, at)
			return written.Format("2006-01-02 15:04:05 ") + s
		})
		times := stamps(t, NewReader(strings.NewReader(log), written))
		if len(times) != len(want) {
			t.Fatalf("%s: %d of %d lines have a time", row.name, len(times), len(want))
		}
		for i, at := range times {
			if !at.Equal(want[i]) {
				t.Errorf("%s: line %d has %v, want %v", row.name, i, at, want[i])
				break
			}
		}
	}
}

// stamps returns the times in the TAG blocks of a log.
func stamps(t *testing.T, log io.Reader) (times []time.Time) {
	t.Helper()
	text, err := io.ReadAll(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\\c:([0-9]+)\*`).FindAllSubmatch(text, -1) {
		ms, err := strconv.ParseInt(string(found[1]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, time.UnixMilli(ms).UTC())
	}
	return times
}
