package distress

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ship"
)

// How many rows a reader gets, and how many of them are reserved for alarms with a position and more than one report.
const (
	MostRows = 20
	reserved = 15
)

// TellShip returns a ship of which a copy was kept as a reader may be told of it. It is not ok for a ship that is hidden from the reader, nor where
// since is later than the reader is told.
type TellShip func(kept *ship.State, since time.Time) (told ship.State, ok bool)

// Rows is what a reader gets.
type Rows struct {
	Alarms []Alarm // those that nobody has acknowledged, the longest heard first; then tests; then those that were acknowledged, the latest first
	Total  int     // alarms that nobody has acknowledged, and that are no tests
	Tests  int     // tests that nobody has acknowledged
	Many   bool    // there are more alarms than rows, so some may be false
}

// Seen returns the alarms that a reader may see. A reader that may see all ships is told that there were more than are kept.
func (l *Alarms) Seen(tell TellShip, everything bool) Rows {
	if l.size.Load() == 0 {
		return Rows{}
	}
	kept, overflow := l.copies()
	rows := chooseRows(visibleAlarms(kept, tell))
	rows.Many = rows.Many || overflow && everything
	return rows
}

// copies returns the alarms, and whether there were lately more than are kept.
func (l *Alarms) copies() (all []Alarm, overflow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all = make([]Alarm, 0, len(l.alarms))
	for _, e := range l.alarms {
		all = append(all, e.Alarm)
	}
	return all, l.overflow != 0 && l.now-l.overflow < overflown.Milliseconds()
}

// visibleAlarms returns of alarms those that a reader may see, as it may be told of them.
func visibleAlarms(all []Alarm, tell TellShip) []Alarm {
	shown := all[:0]
	for _, a := range all {
		var ok bool
		if a.Ship, ok = tell(&a.Ship, time.UnixMilli(a.Since)); ok {
			shown = append(shown, a)
		}
	}
	return shown
}

// chooseRows returns the rows of alarms. Those that are established get reserved places in the order in which they became so. All others get what is left in the
// order in which they were first heard. Whatever comes later is behind them in both, so it takes no place of theirs.
func chooseRows(all []Alarm) Rows {
	var sure, others, tests, seen []Alarm
	for _, a := range all {
		switch {
		case a.Acknowledged():
			seen = append(seen, a)
		case a.Test:
			tests = append(tests, a)
		case a.Established != 0:
			sure = append(sure, a)
		default:
			others = append(others, a)
		}
	}
	rows := Rows{Total: len(sure) + len(others), Tests: len(tests)}
	sortBy(sure, func(a *Alarm) int64 { return a.Established })
	more := max(0, len(sure)-reserved)
	rows.Alarms, others = sure[:len(sure)-more:len(sure)-more], append(others, sure[len(sure)-more:]...)
	sortBy(others, alarmSince)
	rows.Alarms = append(rows.Alarms, others[:min(len(others), MostRows-reserved)]...)
	sortBy(rows.Alarms, alarmSince)
	rows.Many = len(rows.Alarms) < rows.Total
	sortBy(tests, alarmSince)
	sortBy(seen, func(a *Alarm) int64 { return -a.Seen })
	for _, some := range [][]Alarm{tests, seen} {
		rows.Alarms = append(rows.Alarms, some[:min(len(some), MostRows-len(rows.Alarms))]...)
	}
	return rows
}

func alarmSince(a *Alarm) int64 { return a.Since }

func sortBy(all []Alarm, at func(*Alarm) int64) {
	slices.SortFunc(all, func(a, b Alarm) int {
		return cmp.Or(cmp.Compare(at(&a), at(&b)), cmp.Compare(a.Ship.MMSI, b.Ship.MMSI))
	})
}
