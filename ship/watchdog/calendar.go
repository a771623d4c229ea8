package watchdog

import (
	"fmt"
	"time"

	"quaywatch/internal/rule"
)

// Calendar is when a watchdog watches. Its hours are those of the clocks of a zone. An hour that comes twice when summer time ends counts twice. An hour that
// is left out when summer time begins does not count. A nil Calendar is always open.
type Calendar struct {
	Zone   *time.Location // nil is UTC
	Shifts []Shift
}

// Shift is a part of the day, on some days of the week.
type Shift struct {
	Days     [7]bool // by time.Weekday, on which it begins
	From, To int     // minutes since midnight; a To that is not above From is on the next day, and 24*60 is midnight
}

const (
	dayMinutes = 24 * 60
	mostShifts = 50
)

// Open reports whether the watchdog watches at a time, in Unix milliseconds.
func (c *Calendar) Open(at int64) bool {
	if c == nil {
		return true
	}
	local := time.UnixMilli(at).UTC()
	if c.Zone != nil {
		local = local.In(c.Zone)
	}
	today, minute := local.Weekday(), local.Hour()*60+local.Minute()
	yesterday := (today + 6) % 7
	for i := range c.Shifts {
		s := &c.Shifts[i]
		switch {
		case s.From < s.To:
			if s.Days[today] && minute >= s.From && minute < s.To {
				return true
			}
		case s.Days[today] && minute >= s.From, s.Days[yesterday] && minute < s.To:
			return true
		}
	}
	return false
}

// checkCalendar finds what is wrong.
func (c *Calendar) checkCalendar() error {
	if c == nil {
		return nil
	}
	const rules = "/calendar/rules"
	switch {
	case len(c.Shifts) == 0:
		return &FieldError{rules, rule.New("required", "is required")}
	case len(c.Shifts) > mostShifts:
		return &FieldError{rules, rule.New("range", "must be from {min} to {max}", "min", 1, "max", mostShifts)}
	}
	for i, s := range c.Shifts {
		at := fmt.Sprintf("%s/%d", rules, i)
		switch {
		case s.Days == [7]bool{}:
			return &FieldError{at + "/days", rule.New("required", "is required")}
		case s.From < 0 || s.From >= dayMinutes:
			return &FieldError{at + "/from", rule.New("hours", "must be hours and minutes, as 22:00")}
		case s.To < 0 || s.To > dayMinutes:
			return &FieldError{at + "/to", rule.New("hours", "must be hours and minutes, as 22:00")}
		case s.From == s.To:
			return &FieldError{at + "/to", rule.New("hours_equal", "must differ from from; a whole day is 00:00 to 24:00")}
		}
	}
	return nil
}

// dropState forgets what a watchdog that is switched off would not know. A ship that is inside when it is switched on was there before.
func (a *ShipMemory) dropState() {
	if a.Active {
		return
	}
	a.Count, a.From, a.Watched, a.Pending, a.Initial = 0, 0, false, nil, a.Inside
}
