package alert

import (
	"errors"
	"maps"
	"slices"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/store/records"
)

// Standing is a current alert with the events of its parts. Nothing of it changes.
type Standing struct {
	*Alert
	Events []*watchdogs.Event
}

// Current returns the alerts that are not put away yet, the earliest first. They are those that are not normal to everybody, and those of the last minute.
func (k *Keeper) Current() []Standing {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Standing
	for _, id := range slices.Sorted(maps.Keys(k.alerts)) {
		all = append(all, k.standingOf(k.alerts[id]))
	}
	return all
}

// One returns a current alert.
func (k *Keeper) One(id uint64) (Standing, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a := k.alerts[id]
	if a == nil {
		return Standing{}, false
	}
	return k.standingOf(a), true
}

// standingOf returns an alert with its events. The caller holds mu.
func (k *Keeper) standingOf(a *Alert) Standing {
	s := Standing{a, make([]*watchdogs.Event, len(a.Parts))}
	for i, p := range a.Parts {
		s.Events[i] = k.events[p.Event]
	}
	return s
}

// Past returns the alerts that were put away at a time or later, the latest first, as long as yield wants more. It reads the store.
func (k *Keeper) Past(since time.Time, yield func(*Alert) bool) error {
	for e, err := range k.series.Backward(records.KeyAt(since), records.EndKey()) {
		if e.Key == (records.Key{}) && err != nil {
			return err
		}
		if err == nil && !yield(&e.Value) { // one that is damaged is passed over
			return nil
		}
	}
	return nil
}

// OnePast returns an alert that was put away. It reads the store.
func (k *Keeper) OnePast(id uint64) (*Alert, error) {
	e, err := k.readPast(id)
	return &e.Value, err
}

func (k *Keeper) readPast(id uint64) (records.SeriesEntry[Alert], error) {
	k.mu.Lock()
	key, known := k.past[id]
	k.mu.Unlock()
	if !known {
		return records.SeriesEntry[Alert]{}, ErrUnknown
	}
	e, err := k.series.Get(key)
	if errors.Is(err, records.ErrNotFound) {
		err = ErrUnknown
	}
	return e, err
}

// Since returns the numbers of the alerts that changed after a count of changes, each once, and the count of now. It is false when some are remembered
// no more. Counts begin with 0 at each start.
func (k *Keeper) Since(count uint64) (ids []uint64, now uint64, whole bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := k.count - uint64(len(k.changed))
	if count > k.count || count < first {
		return nil, k.count, false
	}
	ids = slices.Clone(k.changed[count-first:])
	slices.Sort(ids)
	return slices.Compact(ids), k.count, true
}

// Status is how the alerts are.
type Status struct {
	Current int    // that are not put away
	Dropped uint64 // since the start, for want of room
}

// Status returns how the alerts are now.
func (k *Keeper) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Status{len(k.alerts), k.dropped}
}
