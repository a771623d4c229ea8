package logtime

import (
	"strings"
	"testing"
	"time"
)

// TestDateAndTimeOfDayMayStandApart: in two columns side by side or not, in six, and in two members of JSON. The reader says where both stand.
func TestDateAndTimeOfDayMayStandApart(t *testing.T) {
	lines := traffic(t, 60, false)
	for name, one := range map[string]struct {
		says  string
		write func(time.Time, string) string
	}{
		"date, time":       {"before the sentence, as 2026-11-20,23:59:30; taken as UTC", layout("2006-01-02,15:04:05,@")},
		"time, date":       {"before the sentence, as 2026-11-20 23:59:30; taken as UTC", layout("15:04:05,2006-01-02,@")},
		"the day first":    {"before the sentence, as 20.11.2026 23:59:30; taken as UTC", layout("15:04:05;02.01.2006;@")},
		"the month first":  {"before the sentence, as 11/20/2026 23:59:30; taken as UTC", layout("15:04:05;01/02/2006;@")},
		"apart":            {"before the sentence, as 2026-11-20 23:59:30; taken as UTC", layout("2006-01-02,7,15:04:05,@")},
		"behind":           {"behind the sentence, as 20 Nov 2026 23:59:30; taken as UTC", layout("@,15:04:05,02 Jan 2006")},
		"without marks":    {"before the sentence, as 20261120,235930; taken as UTC", layout("20060102,150405,@")},
		"a date without":   {"before the sentence, as 20261120 23:59:30; taken as UTC", layout("20060102,x,15:04:05,@")},
		"six columns":      {"before the sentence, as 2026;11;20;23;59;30; taken as UTC", layout("2006;1;2;15;4;5;@")},
		"a zone":           {"before the sentence, as 2026-11-20 23:59:30Z", layout("2006-01-02,x,15:04:05Z,@")},
		"members":          {`member "day + at", as 2026-11-20 23:59:30; taken as UTC`, layout(`{"day":"2006-01-02","at":"15:04:05","nmea":"@"}`)},
		"a whole one too":  {"before the sentence, as 2026-11-20T23:59:30; taken as UTC", layout("2006-01-02,2006-01-02T15:04:05,23:00:00,@")},
		"a day, no clocks": {"", layout("2006-01-02,@")},
	} {
		r := NewReader(strings.NewReader("date,time,nmea\r\n"+put(lines, one.write)), written)
		if r.Column() != one.says {
			t.Errorf("%s: %q, want %q; %s", name, r.Column(), one.says, r.Doubt())
		}
		if times := decoded(t, r); len(times) != len(lines) || one.says != "" && (!times[0].Equal(lines[0].at) || !times[len(times)-1].Equal(lines[len(lines)-1].at)) {
			t.Errorf("%s: %d reports from %v", name, len(times), times[0])
		}
	}
}
