package repeat

import (
	"testing"
	"time"

	"quaywatch/ship/statistic"
)

// at reads a time of a table.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	layout := "2006-01-02 15:04"
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	moment, err := time.Parse(layout, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestThePeriodsOfARepeat: what runs again, and for which period, over the ends of months, a leap day, and a week in which the box was off.
func TestThePeriodsOfARepeat(t *testing.T) {
	for _, c := range []struct {
		name                  string
		repeat                Interval
		begin, end, last, now string // last is the end of the last run
		wantBegin, wantEnd    string // "" where nothing is due
		next                  string // the end of the period after the last run
	}{
		{"a day is not over", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-21 23:59", "", "", "2026-11-22"},
		{"a day is over", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-22", "2026-11-21", "2026-11-22", "2026-11-22"},
		{"off for a week: the latest alone", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-29 07:30", "2026-11-28", "2026-11-29", "2026-11-22"},
		{"hours of a day", Daily, "2026-11-20 06:00", "2026-11-20 14:00", "2026-11-20 14:00", "2026-11-21 14:00", "2026-11-21 06:00", "2026-11-21 14:00", "2026-11-21 14:00"},
		{"over the leap day", Daily, "2028-02-28", "2028-02-29", "2028-02-29", "2028-03-01", "2028-02-29", "2028-03-01", "2028-03-01"},
		{"a week", Weekly, "2026-11-16", "2026-11-23", "2026-11-23", "2026-11-30", "2026-11-23", "2026-11-30", "2026-11-30"},
		{"a week that is not over", Weekly, "2026-11-16", "2026-11-23", "2026-11-23", "2026-11-29 23:59", "", "", "2026-11-30"},
		{"a day of each week, months later", Weekly, "2026-01-05", "2026-01-06", "2026-01-06", "2026-03-31", "2026-03-30", "2026-03-31", "2026-01-13"},
		{"a calendar month", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-03-01", "2026-02-01", "2026-03-01", "2026-03-01"},
		{"a month that is not over", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-02-28 23:59", "", "", "2026-03-01"},
		{"into a leap year", Monthly, "2028-01-01", "2028-02-01", "2028-02-01", "2028-03-01", "2028-02-01", "2028-03-01", "2028-03-01"},
		{"over the end of the year", Monthly, "2026-12-01", "2027-01-01", "2027-01-01", "2027-02-01", "2027-01-01", "2027-02-01", "2027-02-01"},
		{"from the 31st: February has none", Monthly, "2025-12-31", "2026-01-31", "2026-01-31", "2026-02-28", "2026-01-31", "2026-02-28", "2026-02-28"},
		{"and March has one again", Monthly, "2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-02-28", "2026-03-31", "2026-03-31"},
		{"30 days of each month keep their length", Monthly, "2026-01-01", "2026-01-31", "2026-01-31", "2026-03-04", "2026-02-01", "2026-03-03", "2026-03-03"},
		{"the last day of a month is a day", Monthly, "2026-01-31", "2026-02-01", "2026-02-01", "2026-03-01", "2026-02-28", "2026-03-01", "2026-03-01"},
		{"two months, each month", Monthly, "2026-01-01", "2026-03-01", "2026-03-01", "2026-04-01", "2026-02-01", "2026-04-01", "2026-04-01"},
		{"off for three months", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-05-15", "2026-04-01", "2026-05-01", "2026-03-01"},
		{"the clock went back", Daily, "2026-11-20", "2026-11-21", "2026-11-25", "2026-11-23", "", "", "2026-11-26"},
		{"never", Never, "2026-11-20", "2026-11-21", "2026-11-21", "2027-11-21", "", "", ""},
	} {
		first := statistic.Period{Begin: at(t, c.begin), End: at(t, c.end)}
		last := statistic.Period{End: at(t, c.last)}
		due, ok := c.repeat.Due(first, last, at(t, c.now))
		if ok != (c.wantBegin != "") || ok && (!due.Begin.Equal(at(t, c.wantBegin)) || !due.End.Equal(at(t, c.wantEnd))) {
			t.Errorf("%s: %v, %v to %v", c.name, ok, due.Begin, due.End)
		}
		if c.next != "" {
			if next := c.repeat.After(first, last).End; !next.Equal(at(t, c.next)) {
				t.Errorf("%s: the next one at %v", c.name, next)
			}
		}
	}
}

// TestEachRunFollowsTheLast: for years of days, whatever the repeat, each period ends after the one before, and none is passed over or comes twice.
func TestEachRunFollowsTheLast(t *testing.T) {
	for _, r := range []Interval{Daily, Weekly, Monthly} {
		for day := range 40 {
			first := statistic.Period{Begin: at(t, "2026-12-20").AddDate(0, 0, day)}
			for _, first.End = range []time.Time{first.Begin.Add(time.Hour), first.Begin.AddDate(0, 0, 30), months(first.Begin, 1)} {
				last := first
				for range 30 {
					next := r.After(first, last)
					early, no := r.Due(first, last, next.End.Add(-time.Millisecond))
					due, ok := r.Due(first, last, next.End)
					if no || !ok || due != next || !next.Begin.Before(next.End) || !last.End.Before(next.End) {
						t.Fatalf("%s of %v: after %v comes %v; due %v %v, before that %v %v", r, first, last, next, due, ok, early, no)
					}
					last = next
				}
			}
		}
	}
}
