package watchdogs

import (
	"time"
)

// What tells that a receiver hears less than it should. docs/watchdogs.md says it in words.
const (
	weekHours    = 7 * 24
	knownWeeks   = 2 // of one hour of the week, before it counts alone
	knownDays    = 3 // of that hour on any day, before anything counts
	memoryWeeks  = 8 // so many weeks weigh most
	leastSilence = time.Minute
	leastUsual   = 10.0 // ships; of fewer a tenth says nothing
	fewFor       = 10 * time.Minute
	settleTime   = 30 * time.Minute // after the start, until ships were heard again
	acceptAfter  = 7 * 24 * time.Hour
	wholeHour    = time.Minute // an hour that was seen from so soon after its beginning is whole
)

// hearing is how a receiver usually hears, by the hour of the week (UTC), and how it hears now. It is plain data: JSON keeps the exported part over a
// restart.
type hearing struct {
	Feed  string          `json:"feed"`
	Hours [weekHours]slot `json:"hours"`
	Last  int64           `json:"last"` // when it learned last, Unix milliseconds

	began   time.Time // this start
	now     time.Time // of the last sample
	hour    int64     // in progress, in hours since 1970
	whole   bool      // it was seen from its beginning
	gap     time.Duration
	ships   float64
	samples int
	alarms  bool      // one stood in the hour
	silent  time.Time // since when it is silent, zero while it is not
	few     time.Time
	low     time.Time // since when it hears few ships, before that is told
}

// slot is what was learned of one hour of the week.
type slot struct {
	Weeks int     `json:"w,omitempty"`
	Ships float64 `json:"s,omitempty"` // mean
	Gap   float64 `json:"g,omitempty"` // seconds: the longest silence, mean of the weeks
}

// usualAt returns what is usual at a time. It is not known before the hour was heard in two weeks, or on three days of any week.
func (h *hearing) usualAt(at time.Time) (ships float64, gap time.Duration, known bool) {
	i := hourOfWeek(at)
	if hour := h.Hours[i]; hour.Weeks >= knownWeeks {
		return hour.Ships, durationOf(hour.Gap), true
	}
	days, weight, length := 0, 0.0, 0.0
	for day := range 7 {
		hour := h.Hours[(i+24*day)%weekHours]
		days += hour.Weeks
		weight += hour.Ships * float64(hour.Weeks)
		length += hour.Gap * float64(hour.Weeks)
	}
	if days < knownDays {
		return 0, 0, false
	}
	return weight / float64(days), durationOf(length / float64(days)), true
}

func durationOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func hourOfWeek(at time.Time) int { return int(at.UTC().Weekday())*24 + at.UTC().Hour() }

// heardOf is what is known of a receiver at a moment.
type heardOf struct {
	silence   time.Duration // since the last message, or since the start
	any       bool          // a message came since the start
	ships     int
	usual     float64 // ships at this hour
	isSilent  bool
	isFew     bool
	fewJudged bool // else it is not known whether it hears few ships
	accepted  bool // it heard few for so long that this is usual from now on
}

// addSample takes how a receiver is at a moment. It takes when its last message came, zero for none since the start, and how many ships it hears.
func (h *hearing) addSample(now, last time.Time, ships int) (is heardOf, learned bool) {
	if h.began.IsZero() || now.Before(h.now) || now.Sub(h.now) > time.Hour { // the start, or a clock that was set
		h.began, h.hour = now, 0
		h.silent, h.few, h.low = time.Time{}, time.Time{}, time.Time{}
	}
	h.now = now
	is.any = !last.IsZero() && !last.Before(h.began)
	if !is.any {
		last = h.began
	}
	is.silence, is.ships = max(0, now.Sub(last)), ships
	learned = h.addMoment(now, is.silence, ships)
	usual, gap, known := h.usualAt(now)
	if _, before, also := h.usualAt(now.Add(-time.Hour)); also {
		gap = max(gap, before) // a silence may have begun in the hour before
	}
	is.usual = usual
	is.isSilent = known && is.silence > max(2*gap, leastSilence)
	is.fewJudged = known && !is.isSilent && usual >= leastUsual && now.Sub(h.began) >= settleTime
	h.silent = sinceWhen(h.silent, is.isSilent, now)
	h.low = sinceWhen(h.low, is.fewJudged && float64(ships) < usual/10, now)
	switch {
	case !is.fewJudged:
		h.few = time.Time{}
	case !h.few.IsZero() && float64(ships) >= usual/5:
		h.few = time.Time{}
	case h.few.IsZero() && !h.low.IsZero() && now.Sub(h.low) >= fewFor:
		h.few = now
	}
	if !h.few.IsZero() && now.Sub(h.few) >= acceptAfter { // the antenna is another one: it is learned anew
		h.Hours, h.few, h.low = [weekHours]slot{}, time.Time{}, time.Time{}
		is.usual, is.accepted, learned = 0, true, true
	}
	is.isFew = !h.few.IsZero()
	h.alarms = h.alarms || !h.silent.IsZero() || !h.few.IsZero() || !h.low.IsZero()
	return is, learned
}

// sinceWhen returns since when something is so.
func sinceWhen(was time.Time, is bool, now time.Time) time.Time {
	switch {
	case !is:
		return time.Time{}
	case was.IsZero():
		return now
	}
	return was
}

// addMoment takes a moment of the hour in progress, and learns from a whole hour when it is over. An hour with an alarm teaches nothing.
func (h *hearing) addMoment(now time.Time, silence time.Duration, ships int) (learned bool) {
	if hour := now.Unix() / 3600; hour != h.hour {
		if h.whole && !h.alarms && hour == h.hour+1 {
			h.learnHour(hourOfWeek(time.Unix(h.hour*3600, 0)), now)
			learned = true
		}
		h.hour, h.whole = hour, now.Sub(time.Unix(hour*3600, 0)) <= wholeHour
		h.gap, h.ships, h.samples, h.alarms = 0, 0, 0, false
	}
	h.gap = max(h.gap, silence)
	h.ships += float64(ships)
	h.samples++
	return learned
}

// learnHour takes the hour that is over.
func (h *hearing) learnHour(i int, now time.Time) {
	hour := &h.Hours[i]
	hour.Weeks++
	weight := 1 / float64(min(hour.Weeks, memoryWeeks))
	hour.Ships += (h.ships/float64(h.samples) - hour.Ships) * weight
	hour.Gap += (h.gap.Seconds() - hour.Gap) * weight
	h.Last = now.UnixMilli()
}
