package alert

import (
	"errors"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/ship/watchdog"
	"quaywatch/store/records"
)

// atOnce is how many events are taken in one commit.
const atOnce = 2000

// sweepEvery is how often alarms are looked for that ended without an event, in milliseconds.
const sweepEvery = 5000

// Step takes what watchdogs raised since, ends what is over, and lets go on what nobody acknowledged. What could not be stored is tried again.
func (k *Keeper) Step() {
	k.writing.Lock()
	defer k.writing.Unlock()
	for more := true; more; {
		d := k.draft()
		changes, whole := k.endedEvents(d)
		if more = k.readEvents(d); more {
			d.altered = k.altered
		} else {
			k.endActivations(d, changes, whole)
		}
		if !more && d.ticks {
			k.sweepEvents(d)
			k.escalate(d)
			k.retire(d)
		}
		err := k.write(d)
		k.outage.Note(k.config.Log, err, "alerts cannot be stored; they are tried again", "alerts are stored again")
		if err != nil {
			return
		}
	}
	k.agreeWithAlarms()
}

// draft is alerts as they become with the next commit.
type draft struct {
	now      int64
	ticks    bool // the time is known
	after    uint64
	altered  uint64
	alerts   map[uint64]*Alert           // that change, by number
	fresh    []*Alert                    // that have no number yet
	events   map[uint64]*watchdogs.Event // of new activations
	done     map[uint64]bool             // those that are put away
	lines    []records.CommitPart
	keys     map[uint64]records.Key // where those that are put away stand
	orders   []*TellOrder
	orderIDs []uint64 // their rows

	keeper *Keeper
}

func (k *Keeper) draft() *draft {
	d := &draft{after: k.after, altered: k.altered, alerts: map[uint64]*Alert{}, events: map[uint64]*watchdogs.Event{}, done: map[uint64]bool{}, keys: map[uint64]records.Key{}, keeper: k}
	k.mu.Lock()
	defer k.mu.Unlock()
	if d.ticks = !k.now.IsZero(); d.ticks {
		d.now = k.now.UnixMilli()
	}
	return d
}

// allAlerts returns the current alerts as they become, in the order of their numbers; those without one come last.
func (d *draft) allAlerts() []*Alert {
	d.keeper.mu.Lock()
	list := slices.Collect(maps.Values(d.keeper.alerts))
	d.keeper.mu.Unlock()
	slices.SortFunc(list, func(a, b *Alert) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	for i, a := range list {
		if now := d.alerts[a.ID]; now != nil {
			list[i] = now
		}
	}
	return append(list, d.fresh...)
}

// edit returns a copy of an alert that may change.
func (d *draft) edit(a *Alert) *Alert {
	if a.ID == 0 || d.alerts[a.ID] == a {
		return a
	}
	c := a.Clone()
	d.alerts[a.ID] = c
	return c
}

// readEvents takes the next events. It reports whether there are more.
func (k *Keeper) readEvents(d *draft) (more bool) {
	if d.after >= k.config.Watch.Last() {
		return false
	}
	open := d.allAlerts()
	n := 0
	for e, err := range k.config.Watch.After(d.after) {
		if e.ID == 0 {
			break // the store cannot be read now
		}
		if n++; err == nil { // one that is damaged is passed over
			if !d.ticks { // else an event may be stored under a later time: the clock was set back
				d.now = max(d.now, e.Committed)
			}
			open = d.addEvent(open, &e)
		}
		d.after = e.ID
		if n == atOnce {
			return true
		}
	}
	return false
}

// addEvent takes one event, and returns the current alerts with what it made.
func (d *draft) addEvent(open []*Alert, e *watchdogs.Event) []*Alert {
	if e.Kind.Ends() {
		for i, a := range open {
			if a.Watchdog == e.Watchdog && a.has(e.Ship.MMSI) {
				open[i] = d.edit(a)
				open[i].End(e.Ship.MMSI, e.Time)
			}
		}
		return open
	}
	d.events[e.ID] = e
	p := Part{Event: e.ID, MMSI: e.Ship.MMSI, At: e.Time, Over: e.Deactivated, Seen: e.Acknowledged, By: e.By}
	if p.Instant = e.Kind == watchdog.Cross || !e.Active; p.Instant {
		p.Over = 0
	}
	plan, priority := d.keeper.config.Plan(e), PriorityOf(e)
	for i := len(open) - 1; i >= 0; i-- {
		if a := open[i]; e.Manual == nil && a.Watchdog == e.Watchdog && a.Priority == priority && a.Takes(e.Time) {
			open[i] = d.edit(a)
			open[i].Join(p, plan, d.now)
			return open
		}
	}
	a := &Alert{Watchdog: e.Watchdog, Name: e.Name, Owner: e.Owner, Type: e.Type, Priority: priority}
	a.Join(p, plan, d.now)
	d.fresh = append(d.fresh, a)
	return append(open, a)
}

// has reports whether an activation of a ship goes on.
func (a *Alert) has(m ais.MMSI) bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool { return p.MMSI == m && p.Over == 0 && !p.Instant })
}

// endedEvents returns what ended of earlier events since the last look; it is not whole when some of it is not known any more.
func (k *Keeper) endedEvents(d *draft) (ended map[uint64]watchdogs.Alteration, whole bool) {
	changes, last, whole := k.config.Watch.AlteredSince(k.altered)
	d.altered, ended = last, map[uint64]watchdogs.Alteration{}
	for _, c := range changes {
		if c.Over != 0 {
			ended[c.Event] = c
		}
	}
	return ended, whole
}

// endActivations ends the activations of events that are over. Of those that were forgotten the event says so, and is read anew.
func (k *Keeper) endActivations(d *draft, ended map[uint64]watchdogs.Alteration, whole bool) {
	if len(ended) == 0 && whole {
		return
	}
	for _, a := range d.allAlerts() {
		for i := range a.Parts {
			p := a.Parts[i]
			over := ended[p.Event]
			if !whole && p.Over == 0 || over.Evicted {
				if e, err := k.config.Watch.Get(p.Event); err == nil {
					over.Over = e.Deactivated
					if over.Evicted = e.Evicted; over.Evicted {
						d.events[p.Event] = &e
					}
				}
			}
			if !p.Instant && (over.Over != 0 && p.Over == 0 || over.Evicted) {
				a = d.edit(a)
				a.EndOf(p.Event, over.Over)
			}
		}
	}
}

// sweepEvents ends what ended without a word: a watchdog was changed or deleted, or an alarm was forgotten for want of room.
func (k *Keeper) sweepEvents(d *draft) {
	if d.now-k.swept >= 0 && d.now-k.swept < sweepEvery {
		return
	}
	k.swept = d.now
	all := d.allAlerts()
	var open []*watchdogs.Event
	for _, a := range all {
		for _, p := range a.Parts {
			if e := k.findEvent(d, p.Event); e != nil && p.Over == 0 && !p.Instant {
				open = append(open, e)
			}
		}
	}
	if len(open) == 0 {
		return
	}
	on := watchdogs.Standing(k.config.Watch, open)
	for _, a := range all {
		for i := range a.Parts {
			if p := a.Parts[i]; p.Over == 0 && !p.Instant && !on[p.Event] {
				a = d.edit(a)
				a.EndOf(p.Event, d.now)
			}
		}
	}
}

// escalate lets alerts go on that nobody acknowledged in time.
func (k *Keeper) escalate(d *draft) {
	for _, a := range d.allAlerts() {
		if a.isAhead(d.now) {
			a = d.edit(a)
			a.setBack(d.now)
		}
		if a.Due == 0 || a.Due > d.now || len(a.Parts) == 0 {
			continue
		}
		a = d.edit(a)
		e := k.findEvent(d, a.Parts[len(a.Parts)-1].Event)
		d.addOrder(a)
		if a.Escalate(d.now, k.config.Plan(e)) && k.config.Line != nil {
			d.lines = append(d.lines, k.config.Line("escalate alert", a.Name))
		}
	}
}

// findEvent returns an event of a current alert.
func (k *Keeper) findEvent(d *draft, number uint64) *watchdogs.Event {
	if e := d.events[number]; e != nil {
		return e
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.events[number]
}

// write commits a draft, with also, and then tells it.
func (k *Keeper) write(d *draft, also ...records.CommitPart) error {
	return k.commitDraft(d, func(all ...records.CommitPart) error {
		return k.config.DB.Together(d.writeRows, append(all, also...)...)
	})
}

// commitDraft has together commit a draft, and then tells it.
func (k *Keeper) commitDraft(d *draft, together func(...records.CommitPart) error) error {
	if len(d.alerts)+len(d.fresh)+len(d.done) == 0 && d.after == k.after {
		k.altered = d.altered
		return nil
	}
	if err := together(d.lines...); err != nil {
		return err
	}
	k.after, k.altered = d.after, d.altered
	k.publishDraft(d)
	return nil
}

// writeRows writes what changes.
func (d *draft) writeRows(tx *records.Tx) (err error) {
	k := d.keeper
	for id, a := range d.alerts {
		if !d.done[id] {
			_, wrong := k.table.SetIn(tx, id, "", *a)
			err = errors.Join(err, wrong)
		}
	}
	for _, a := range d.fresh {
		var wrong error
		if a.ID, wrong = k.table.SetIn(tx, 0, "", *a); wrong != nil {
			return wrong
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.done)) {
		a := d.alerts[id]
		if a == nil {
			k.mu.Lock()
			a = k.alerts[id]
			k.mu.Unlock()
		}
		if len(a.Parts) > 0 {
			key, wrong := k.series.AppendIn(tx, time.UnixMilli(d.now), *a)
			d.keys[id] = key
			err = errors.Join(err, wrong)
		}
		err = errors.Join(err, k.table.FreeIn(tx, id))
	}
	if d.after != k.after {
		_, wrong := k.place.SetIn(tx, k.row, "", position{d.after})
		err = errors.Join(err, wrong)
	}
	return errors.Join(err, d.writeOrders(tx))
}

// publishDraft puts a draft in the place of what was, and wakes the readers.
func (k *Keeper) publishDraft(d *draft) {
	k.mu.Lock()
	for _, a := range d.fresh {
		d.alerts[a.ID] = a
	}
	maps.Copy(k.events, d.events)
	for id, a := range d.alerts {
		k.alerts[id] = a
		k.noteChange(id)
	}
	for i, o := range d.orders {
		k.orders[d.orderIDs[i]] = o
	}
	for id := range d.done {
		for _, p := range k.alerts[id].Parts {
			delete(k.events, p.Event)
		}
		delete(k.alerts, id)
		if key, kept := d.keys[id]; kept {
			k.past[id] = key
		}
		k.noteChange(id)
	}
	k.mu.Unlock()
	k.news.Raise()
}

// noteChange remembers that an alert changed.
func (k *Keeper) noteChange(id uint64) {
	k.count++
	if len(k.changed) >= 2*mostChanges {
		k.changed = append(k.changed[:0:0], k.changed[mostChanges+1:]...)
	}
	k.changed = append(k.changed, id)
}
