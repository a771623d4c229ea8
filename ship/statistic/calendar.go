package statistic

import (
	"fmt"
	"time"
)

// CalendarInterval is a part of the calendar in UTC.
type CalendarInterval uint8

// The intervals. Whole does not part the time.
const (
	Whole CalendarInterval = iota
	Day
	Week // of ISO 8601: it begins on Monday
	Month
	Quarter
	Year
)

// IntervalOf returns the interval of a word: day, week, month, quarter or year.
func IntervalOf(word string) (CalendarInterval, bool) {
	for i := Day; i <= Year; i++ {
		if i.String() == word {
			return i, true
		}
	}
	return Whole, false
}

// String returns the word of an interval.
func (i CalendarInterval) String() string {
	return [...]string{"whole", "day", "week", "month", "quarter", "year"}[i]
}

// Begin returns when the interval began that a time lies in. That of Whole is the zero time.
func (i CalendarInterval) Begin(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	switch i {
	case Day:
	case Week:
		day -= (int(t.UTC().Weekday()) + 6) % 7
	case Month:
		day = 1
	case Quarter:
		month, day = (month-1)/3*3+1, 1
	case Year:
		month, day = 1, 1
	default:
		return time.Time{}
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Next returns when the interval ends that a time lies in: the next begins then. Whole has no end; it returns false.
func (i CalendarInterval) Next(t time.Time) (next time.Time, ok bool) {
	begin := i.Begin(t)
	switch i {
	case Day:
		return begin.AddDate(0, 0, 1), true
	case Week:
		return begin.AddDate(0, 0, 7), true
	case Month:
		return begin.AddDate(0, 1, 0), true
	case Quarter:
		return begin.AddDate(0, 3, 0), true
	case Year:
		return begin.AddDate(1, 0, 0), true
	}
	return time.Time{}, false
}

// Name returns the text of the interval that a time lies in: 2026-11-19, 2026-W47, 2026-11, 2026-Q4 or 2026. That of Whole is empty.
func (i CalendarInterval) Name(t time.Time) string {
	t = t.UTC()
	switch i {
	case Day:
		return t.Format(time.DateOnly)
	case Week:
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case Month:
		return t.Format("2006-01")
	case Quarter:
		return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())+2)/3)
	case Year:
		return t.Format("2006")
	}
	return ""
}
