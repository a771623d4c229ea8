package notify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/ship/watchdog"
)

// ofDistress tells the events of people in distress. A device that is tried is none.
func ofDistress(e *watchdogs.Event) bool { return e.Kind == watchdog.InDistress }

// isUrgent tells the notices of people in distress, and of alerts that nobody acknowledged. They go before the others, and the limit of an hour is not theirs.
func (r *row) isUrgent() bool { return r.Distress || r.Escalation != "" }

// aim is a target of a channel.
type aim struct{ channel, to string }

// failing is a target whose last try failed.
type failing struct {
	tries     int   // that failed, one after another
	next      int64 // when it may be tried again
	unreached bool  // the server of the channel was not reached, so the target did not fail itself
}

// endWaits ends the wait of the targets of a channel whose server was not reached, and is again. The store is not told: after a restart they wait as they did.
// The caller holds mu.
func endWaits(o *Outbox, c *Channel, now int64) {
	ended := map[string]bool{}
	for target, f := range o.failing {
		if target.channel == c.Kind && f.unreached {
			delete(o.failing, target)
			ended[target.to] = true
		}
	}
	for _, id := range o.waiting[c.Kind] {
		if w := o.rows[id]; ended[w.To] && w.Next > now {
			again := *w
			again.Next = now
			o.rows[id] = &again
		}
	}
}

// dueNotice takes the notice of a channel that is to be tried now. What is urgent comes first. Of the others that are first for their target it takes the notice
// that has waited longest. Without one it returns how long to wait. A notice that failed holds up those behind it; after some tries it comes after them. One
// that is not its turn yet holds up none.
func (o *Outbox) dueNotice(c *Channel) (id uint64, r *row, pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.config.Now().UnixMilli()
	limited := o.hourlyWait(c, now)
	id, r, next := o.firstDue(c, now, limited > 0, false)
	if r == nil {
		var stuck int64
		id, r, stuck = o.firstDue(c, now, limited > 0, true)
		next = min(next, stuck)
	}
	if limited > 0 {
		next = min(next, now+limited.Milliseconds())
	}
	if r != nil {
		o.taken[aim{c.Kind, r.To}] = now
		if !r.isUrgent() {
			o.trying[c.Kind]++
		}
	}
	return id, r, time.Duration(next-now) * time.Millisecond
}

// firstDue finds the notice that is to be tried first among those that failed often, or among the others. Or it finds when the next notice is due. When the
// channel is limited it looks for urgent ones alone. The caller holds mu.
func (o *Outbox) firstDue(c *Channel, now int64, limited, stuck bool) (id uint64, r *row, next int64) {
	last := now + lastRetry.Milliseconds()
	free, next := freePlaces(o, c, now)
	next = min(next, last)
	held := map[string]bool{}
	for _, urgent := range []bool{true, false} {
		if r != nil || limited && !urgent {
			break
		}
		for _, number := range o.waiting[c.Kind] {
			w := o.rows[number]
			target := aim{c.Kind, w.To}
			if _, taken := o.taken[target]; taken || held[w.To] || urgent != w.isUrgent() || stuck != (w.Tries > patience) {
				continue
			}
			if at := max(w.Next, o.failing[target].next); at > now && at <= last { // what lies further off is of a clock that was wrong
				next = min(next, at)
				held[w.To] = w.Tries > 0 && !stuck
				continue
			}
			if held[w.To] = true; !hasPlace(o, c, w, free) {
				continue // a place that gets free is news
			}
			if r == nil || cmp.Or(cmp.Compare(w.Next, r.Next), cmp.Compare(number, id)) < 0 {
				id, r = number, w
			}
		}
	}
	return id, r, next
}

// freePlaces returns how many further tries a channel may begin now, and when the next try under way becomes a slow one. Slow tries take places of their own,
// as far as there are any. The caller holds mu.
func freePlaces(o *Outbox, c *Channel, now int64) (free int, next int64) {
	next = math.MaxInt64
	quick, slow := 0, 0
	for target, began := range o.taken {
		if target.channel != c.Kind {
			continue
		}
		if at := began + slowTry.Milliseconds(); at > now {
			next = min(next, at)
			quick++
		} else {
			slow++
		}
	}
	return cmp.Or(c.Width, usualWidth) - quick - max(0, slow-c.Spare), next
}

// hasPlace reports whether a notice may take one of so many free places. A target that failed last time leaves the last one to others. What is urgent has a
// further place where its target did not fail. The caller holds mu.
func hasPlace(o *Outbox, c *Channel, w *row, free int) bool {
	failed := o.failing[aim{c.Kind, w.To}].tries > 0
	switch {
	case cmp.Or(c.Width, usualWidth) == 1 || c.Apart:
		return free > 0
	case failed:
		return free > 1
	case w.isUrgent():
		return free > -1
	}
	return free > 0
}

// sentLately returns when a channel sent what counts for the limit of an hour. The caller holds mu.
func sentLately(o *Outbox, c *Channel, now int64) []int64 {
	hour := time.Hour.Milliseconds()
	recent := slices.DeleteFunc(o.hours[c.Kind], func(at int64) bool { return now-at >= hour || at > now }) // or the clock was wrong then
	o.hours[c.Kind] = recent
	return recent
}

// hourlyWait returns how long what is not urgent has to wait, because the channel has sent all that it may in an hour. The caller holds mu.
func (o *Outbox) hourlyWait(c *Channel, now int64) time.Duration {
	recent := sentLately(o, c, now)
	switch {
	case c.PerHour == 0 || len(recent)+o.trying[c.Kind] < c.PerHour:
		return 0
	case len(recent) < c.PerHour:
		return lastRetry // what is under way ends before, and is news
	}
	return time.Duration(max(recent[len(recent)-c.PerHour]+time.Hour.Milliseconds()-now, 1)) * time.Millisecond
}

// limitedSince returns the trouble of a channel that has sent all that it may in an hour, false where nothing waits for that. It counts from when the notice
// was due that waits longest. The caller holds mu.
func limitedSince(o *Outbox, c *Channel, now int64) (t Trouble, waits bool) {
	if c.PerHour == 0 || len(sentLately(o, c, now)) < c.PerHour {
		return t, false
	}
	since := now
	for _, id := range o.waiting[c.Kind] {
		w := o.rows[id]
		target := aim{c.Kind, w.To}
		if due := max(w.Made, w.Next); !w.isUrgent() && due <= now && o.failing[target].tries == 0 && o.taken[target] == 0 {
			since, waits = min(since, due), true
		}
	}
	return Trouble{c.Kind, time.UnixMilli(since), fmt.Sprintf("the %d of an hour (per_hour) are sent", c.PerHour)}, waits
}
