package alert

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
)

// Figures that EEMUA 191 and IEC 62682 give for one operator.
const (
	Acceptable   = 1  // alerts in ten minutes, in the mean over a day
	Manageable   = 2  // the most that can be coped with for long
	Unacceptable = 10 // alerts in ten minutes, in the mean: certainly too many; in any ten minutes: a flood
	MostStanding = 10 // alerts that stand at once
)

// Period is the length over which alerts are counted.
const Period = 10 * time.Minute

// What is called chattering: so many activations of one watchdog by one ship within so long.
const (
	chatters     = 3
	chattersIn   = time.Hour
	mostChatters = 20
)

// waitsLong is how long an alert may wait before it counts as one that nobody acknowledged.
const waitsLong = 10 * time.Minute

// AlertCount counts alerts.
type AlertCount struct {
	from, until int64
	figures     LoadFigures
	periods     map[int64]int
	pairs       map[pairOf][]int64
	of          map[uint64]*Of
	answered    map[uint64][]int64 // milliseconds, by watchdog
}

// pairOf is a watchdog and a ship.
type pairOf struct {
	watchdog uint64
	mmsi     ais.MMSI
}

// LoadFigures are the load of a time. Cautions are counted apart: they ask nothing of anybody.
type LoadFigures struct {
	Alerts         int     // warnings, alarms and emergencies that began in the time
	Cautions       int     // that began in the time
	Average        float64 // alerts in ten minutes
	Periods        []int   // alerts of each ten minutes, the earliest first
	Peak           int
	PeakAt         int64
	Floods         int // periods of a flood
	Standing       int // alerts that are not normal now
	Unacknowledged int // alerts that nobody has acknowledged for ten minutes
	NotUseful      int
	Chattering     []Chatter
	Watchdogs      []Of // those with alerts, the most first
}

// Chatter is a ship that makes a watchdog ring again and again.
type Chatter struct {
	Watchdog uint64
	Name     string // of the watchdog
	MMSI     ais.MMSI
	Times    int
}

// Of is the load that one watchdog makes.
type Of struct {
	Watchdog       uint64
	Name           string
	Priority       Priority // the gravest
	Alerts         int      // cautions too
	Events         int
	Unacknowledged int
	NotUseful      int
	Chattering     int
	Answered       time.Duration // in the mean, until all of an alert was acknowledged; 0 where none was
}

// NewLoad counts the alerts that began from a time on and before another, in Unix milliseconds.
func NewLoad(from, until int64) *AlertCount {
	return &AlertCount{from: from, until: until, periods: map[int64]int{}, pairs: map[pairOf][]int64{}, of: map[uint64]*Of{}, answered: map[uint64][]int64{}}
}

// Add counts what a reader sees of an alert.
func (l *AlertCount) Add(a *Alert, r Reader) {
	first, last, events, seenAll := int64(0), int64(0), 0, true
	for i := range a.Parts {
		p := &a.Parts[i]
		if !r.seesPart(p) {
			continue
		}
		events++
		if first == 0 || p.At < first {
			first = p.At
		}
		last, seenAll = max(last, p.Seen), seenAll && p.Seen != 0
		if p.At >= l.from && p.At <= l.until && p.MMSI != 0 {
			key := pairOf{a.Watchdog, p.MMSI}
			l.pairs[key] = append(l.pairs[key], p.At)
		}
	}
	state := a.State(r)
	if events == 0 {
		return
	}
	if state != Normal && a.Priority.Latched() {
		l.figures.Standing++
	}
	if first < l.from || first > l.until {
		return
	}
	of := l.watchdog(a)
	of.Alerts++
	of.Events += events
	if a.Useless != nil {
		of.NotUseful++
		l.figures.NotUseful++
	}
	if !a.Priority.Latched() {
		l.figures.Cautions++
		return
	}
	l.figures.Alerts++
	l.periods[(first-l.from)/Period.Milliseconds()]++
	switch {
	case seenAll:
		l.answered[a.Watchdog] = append(l.answered[a.Watchdog], last-first)
	case l.until-first >= waitsLong.Milliseconds():
		of.Unacknowledged++
		l.figures.Unacknowledged++
	}
}

// watchdog returns the load of the watchdog of an alert.
func (l *AlertCount) watchdog(a *Alert) *Of {
	of := l.of[a.Watchdog]
	if of == nil {
		of = &Of{Watchdog: a.Watchdog, Priority: a.Priority}
		l.of[a.Watchdog] = of
	}
	of.Name = a.Name
	if graver(a.Priority, of.Priority) > 0 {
		of.Priority = a.Priority
	}
	return of
}

// Figures returns what was counted.
func (l *AlertCount) Figures() LoadFigures {
	f := l.figures
	n := (l.until - l.from + Period.Milliseconds() - 1) / Period.Milliseconds()
	f.Periods = make([]int, max(n, 1))
	for i, count := range l.periods {
		i = min(i, int64(len(f.Periods))-1)
		f.Periods[i] += count
	}
	for i, count := range f.Periods {
		if count > f.Peak {
			f.Peak, f.PeakAt = count, l.from+int64(i)*Period.Milliseconds()
		}
		if count >= Unacceptable {
			f.Floods++
		}
	}
	f.Average = float64(f.Alerts) / float64(len(f.Periods))
	for key, times := range l.pairs {
		if most := mostWithin(times, chattersIn.Milliseconds()); most >= chatters && l.of[key.watchdog] != nil {
			of := l.of[key.watchdog]
			of.Chattering++
			f.Chattering = append(f.Chattering, Chatter{key.watchdog, of.Name, key.mmsi, most})
		}
	}
	slices.SortFunc(f.Chattering, func(a, b Chatter) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Watchdog, b.Watchdog), cmp.Compare(a.MMSI, b.MMSI))
	})
	f.Chattering = f.Chattering[:min(len(f.Chattering), mostChatters)]
	for _, id := range slices.Sorted(maps.Keys(l.of)) {
		of := *l.of[id]
		if all := l.answered[id]; len(all) > 0 {
			sum := int64(0)
			for _, figure := range all {
				sum += figure
			}
			of.Answered = time.Duration(sum/int64(len(all))) * time.Millisecond
		}
		f.Watchdogs = append(f.Watchdogs, of)
	}
	slices.SortStableFunc(f.Watchdogs, func(a, b Of) int { return cmp.Compare(b.Alerts, a.Alerts) })
	return f
}

// mostWithin returns how many times lie within a length of each other at most.
func mostWithin(times []int64, length int64) (most int) {
	slices.Sort(times)
	first := 0
	for i, t := range times {
		for t-times[first] > length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
