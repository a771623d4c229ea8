package watchdog_test

import (
	"testing"
	"time"

	"quaywatch/ship/watchdog"
)

// TestCalendar: hours over midnight and over the weekend, and where the clocks of a zone are set.
func TestCalendar(t *testing.T) {
	copenhagen, err := time.LoadLocation("Europe/Copenhagen")
	if err != nil {
		t.Skip("this machine has no time zones")
	}
	on := func(days ...time.Weekday) (which [7]bool) {
		for _, d := range days {
			which[d] = true
		}
		return which
	}
	night := []watchdog.Shift{{Days: on(time.Saturday), From: 22 * 60, To: 6 * 60}}
	small := []watchdog.Shift{{Days: on(time.Sunday), From: 2*60 + 30, To: 3 * 60}}
	whole := []watchdog.Shift{{Days: on(time.Sunday), From: 0, To: 24 * 60}}
	for _, row := range []struct {
		at   string
		c    watchdog.Calendar
		open bool
	}{
		{"2026-11-21T21:59:59Z", watchdog.Calendar{Shifts: night}, false}, // a Saturday
		{"2026-11-21T22:00:00Z", watchdog.Calendar{Shifts: night}, true},
		{"2026-11-22T05:59:59Z", watchdog.Calendar{Shifts: night}, true},
		{"2026-11-22T06:00:00Z", watchdog.Calendar{Shifts: night}, false},
		{"2026-11-22T23:00:00Z", watchdog.Calendar{Shifts: night}, false},
		{"2026-11-21T05:00:00Z", watchdog.Calendar{Shifts: night}, false}, // the night before it was no Saturday's
		{"2026-11-22T00:00:00Z", watchdog.Calendar{Shifts: whole}, true},
		{"2026-11-22T23:59:59Z", watchdog.Calendar{Shifts: whole}, true},
		{"2026-11-23T00:00:00Z", watchdog.Calendar{Shifts: whole}, false},
		{"2026-11-21T20:59:59Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, false},
		{"2026-11-21T21:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, true},
		{"2026-07-25T20:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, true}, // summer time
		{"2026-07-25T19:59:59Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, false},
		// On 29 March 2026 the clocks go from 02:00 to 03:00: half past two does not come, and the night is an hour shorter.
		{"2026-03-29T00:59:59Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, false},
		{"2026-03-29T01:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, false},
		{"2026-03-29T03:59:59Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, true},
		{"2026-03-29T04:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: night}, false},
		// On 25 October 2026 they go from 03:00 back to 02:00: half past two comes twice.
		{"2026-10-25T00:29:59Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, false},
		{"2026-10-25T00:30:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, true},
		{"2026-10-25T01:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, false},
		{"2026-10-25T01:30:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, true},
		{"2026-10-25T02:00:00Z", watchdog.Calendar{Zone: copenhagen, Shifts: small}, false},
	} {
		at, err := time.Parse(time.RFC3339, row.at)
		if err != nil {
			t.Fatal(err)
		}
		if open := row.c.Open(at.UnixMilli()); open != row.open {
			t.Errorf("%s: open %v", row.at, open)
		}
	}
	if always := (*watchdog.Calendar)(nil); !always.Open(0) {
		t.Error("without a calendar a watchdog does not watch")
	}
}
