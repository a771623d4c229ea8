package logtime

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// rmc writes an RMC of that time.
func rmc(at time.Time) string {
	return "$" + sealed(at.Format("GPRMC,150405.00,A")+",5606.000,N,01018.000,E,0.0,0.0,"+at.Format("020106")+",,,A") + "\r\n"
}

// TestWhatRMCLedBeforeTheFirstStation: reports from before the first message 4 do not keep the time of an RMC that the messages 4 refute, and
// keep that of one that is right, or wrong in a way that nobody can put right.
func TestWhatRMCLedBeforeTheFirstStation(t *testing.T) {
	for off, mends := range map[time.Duration]bool{0: false, -era: true, time.Hour: true, -time.Hour: true, 24 * time.Hour: true, 17 * time.Minute: false} {
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
