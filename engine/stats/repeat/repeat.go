// Package repeat says when a statistic runs again, and for which period.
//
// It promises that of a series no period is passed over or comes twice, and that no short month moves those behind it.
package repeat

import (
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship/statistic"
)

// Interval says how often a statistic runs again.
type Interval string

// The intervals.
const (
	Never   Interval = ""
	Daily   Interval = "daily"
	Weekly  Interval = "weekly"
	Monthly Interval = "monthly"
)

// never is the word for Never in a body.
const never = "never"

// Read reads how often a statistic is to run again; was, where the body does not say it.
func Read(f *form.Fields, was Interval) Interval {
	if !f.Given("repeat") {
		return was
	}
	switch r := Interval(f.TextOr("repeat", never)); r {
	case Daily, Weekly, Monthly:
		return r
	case never:
	default:
		f.Refuse("repeat", rule.New("one_of", "must be one of {words}", "words", strings.Join([]string{never, string(Daily), string(Weekly), string(Monthly)}, ", ")))
	}
	return Never
}

// months moves a time by calendar months in UTC. A day that the month has not is its last one.
func months(t time.Time, n int) time.Time {
	t = t.UTC()
	moved := t.AddDate(0, n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// monthsBetween returns how many calendar months lie from one time to another, rounded down or one more.
func monthsBetween(from, to time.Time) int {
	from, to = from.UTC(), to.UTC()
	return (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
}

// period returns the period of a run, counted from the first. Of a month, a period of whole calendar months stays so, and any other keeps its length.
func (r Interval) period(first statistic.Period, n int) statistic.Period {
	switch r {
	case Daily:
		return statistic.Period{Begin: first.Begin.UTC().AddDate(0, 0, n), End: first.End.UTC().AddDate(0, 0, n)}
	case Weekly:
		return statistic.Period{Begin: first.Begin.UTC().AddDate(0, 0, 7*n), End: first.End.UTC().AddDate(0, 0, 7*n)}
	}
	begin := months(first.Begin, n)
	if long := monthsBetween(first.Begin, first.End); long > 0 && months(first.Begin, long).Equal(first.End) {
		return statistic.Period{Begin: begin, End: months(first.Begin, n+long)}
	}
	return statistic.Period{Begin: begin, End: begin.Add(first.End.Sub(first.Begin))}
}

// lastRunAt returns the last run whose period is over at a time, counted from the first, which is 0.
func (r Interval) lastRunAt(first statistic.Period, at time.Time) int {
	n := 0
	switch days := int(at.Sub(first.End).Hours() / 24); r {
	case Daily:
		n = days + 1
	case Weekly:
		n = days/7 + 1
	default:
		n = monthsBetween(first.End, at) + 2
	}
	for n > 0 && r.period(first, n).End.After(at) {
		n--
	}
	return n
}

// After returns the period that follows another one of a series: it runs when that is over.
func (r Interval) After(first, last statistic.Period) statistic.Period {
	return r.period(first, r.lastRunAt(first, last.End)+1)
}

// Due returns the period that is to run at a time: the latest that is over, where that is not the last one yet.
func (r Interval) Due(first, last statistic.Period, now time.Time) (due statistic.Period, ok bool) {
	if r == Never {
		return due, false
	}
	due = r.period(first, r.lastRunAt(first, now))
	return due, due.End.After(last.End) && !due.End.After(now)
}
