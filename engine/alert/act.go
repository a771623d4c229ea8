package alert

import (
	"slices"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/store/records"
)

// catchUp takes what watchdogs raised since. The caller holds writing.
func (k *Keeper) catchUp() error {
	for more := true; more; {
		d := k.draft()
		more = k.readEvents(d)
		if err := k.write(d); err != nil {
			return err
		}
	}
	return nil
}

// currentDraft returns a draft with a current alert to change. The caller holds writing.
func (k *Keeper) currentDraft(id uint64) (*draft, *Alert, error) {
	k.mu.Lock()
	a := k.alerts[id]
	k.mu.Unlock()
	if a == nil {
		return nil, nil, ErrUnknown
	}
	d := k.draft()
	return d, d.edit(a), nil
}

// Acknowledge notes that a user has seen what the reader sees of an alert, and the events of it, in one commit with also. It fails with ErrUnknown.
func (k *Keeper) Acknowledge(id uint64, r Reader, by string, also ...records.CommitPart) (Standing, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	d, a, err := k.currentDraft(id)
	if err != nil {
		return Standing{}, err
	}
	numbers := a.Acknowledge(r, by)
	var events []watchdogs.Event
	err = k.commitDraft(d, func(lines ...records.CommitPart) (err error) {
		events, err = watchdogs.AcknowledgeAll(k.config.Watch, numbers, by, time.UnixMilli(r.Now), slices.Concat([]records.CommitPart{d.writeRows}, lines, also)...)
		return err
	})
	if err != nil {
		return Standing{}, err
	}
	k.knowAll(events)
	k.agreeWithAlarms()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.standingOf(a), nil
}

// knowAll puts events that changed in the place of what was.
func (k *Keeper) knowAll(events []watchdogs.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range events {
		k.events[events[i].ID] = &events[i]
	}
}

// Change lets a user change an alert, in one commit with also. It fails with ErrUnknown, and as edit does.
func (k *Keeper) Change(id uint64, edit func(*Alert) error, also ...records.CommitPart) (Standing, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	d, a, err := k.currentDraft(id)
	if err == nil {
		err = edit(a)
	}
	if err == nil {
		err = k.write(d, also...)
	}
	if err != nil {
		return Standing{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.standingOf(a), nil
}

// ChangePast is Change for an alert that was put away.
func (k *Keeper) ChangePast(id uint64, edit func(*Alert) error, also ...records.CommitPart) (*Alert, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	e, err := k.readPast(id)
	if err == nil {
		err = edit(&e.Value)
	}
	if err == nil {
		err = k.config.DB.Together(func(tx *records.Tx) error { return k.series.PutIn(tx, e.Key, e.Value) }, also...)
	}
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.noteChange(id)
	k.mu.Unlock()
	k.news.Raise()
	return &e.Value, nil
}

// AcknowledgeEvent is watchdogs.Watch.Acknowledge, and has the alert of the event know it in the same commit.
func (k *Keeper) AcknowledgeEvent(number uint64, by string, at time.Time, also ...records.CommitPart) (watchdogs.Event, error) {
	return k.withEvent(number, by, at, func(change ...records.CommitPart) (watchdogs.Event, error) {
		return k.config.Watch.Acknowledge(number, by, at, slices.Concat(change, also)...)
	})
}

// Mute is watchdogs.Watch.Mute, and has the alert of the event know the acknowledgement in the same commit.
func (k *Keeper) Mute(number uint64, by string, at time.Time, length time.Duration, also ...records.CommitPart) (watchdogs.Event, error) {
	return k.withEvent(number, by, at, func(change ...records.CommitPart) (watchdogs.Event, error) {
		return k.config.Watch.Mute(number, by, at, length, slices.Concat(change, also)...)
	})
}

// RemoveEvent is watchdogs.Remove, and takes the event out of its alert in the same commit. An alert without events is no more.
func (k *Keeper) RemoveEvent(number uint64, also ...records.CommitPart) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.catchUp(); err != nil {
		return err
	}
	d, a, err := k.currentDraft(k.alertOf(number))
	if err != nil { // one that was put away is read with its events
		return watchdogs.Remove(k.config.Watch, number, also...)
	}
	if a.Remove(number); len(a.Parts) == 0 {
		d.done[a.ID] = true
	}
	err = k.commitDraft(d, func(lines ...records.CommitPart) error {
		return watchdogs.Remove(k.config.Watch, number, slices.Concat([]records.CommitPart{d.writeRows}, lines, also)...)
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		delete(k.events, number)
	}
	return err
}

// withEvent changes an event together with its alert, where one is current.
func (k *Keeper) withEvent(number uint64, by string, at time.Time, change func(...records.CommitPart) (watchdogs.Event, error)) (e watchdogs.Event, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.catchUp(); err != nil {
		return e, err
	}
	only := Reader{Now: at.UnixMilli(), Sees: func(p *Part) bool { return p.Event == number }}
	d, a, err := k.currentDraft(k.alertOf(number))
	if err != nil || len(a.Acknowledge(only, by)) == 0 {
		e, err = change() // it belongs to no current alert, or was acknowledged
		k.replaceEvent(&e, err)
		return e, err
	}
	err = k.commitDraft(d, func(lines ...records.CommitPart) error {
		e, err = change(append([]records.CommitPart{d.writeRows}, lines...)...)
		return err
	})
	k.replaceEvent(&e, err)
	k.agreeWithAlarms()
	return e, err
}

// replaceEvent puts an event that changed in the place of what was.
func (k *Keeper) replaceEvent(e *watchdogs.Event, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && k.events[e.ID] != nil {
		k.events[e.ID] = e
	}
}

// alertOf returns the current alert of an event, 0 for none.
func (k *Keeper) alertOf(event uint64) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, a := range k.alerts {
		if slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Event == event }) {
			return id
		}
	}
	return 0
}
