package watchdogs

import (
	"errors"
	"time"

	"quaywatch/store/records"
)

// Standing returns those of stored events of which something goes on. That is the alarm of the ship for the watchdog, or the situation that the event is of.
func Standing(w *Watch, events []*Event) map[uint64]bool {
	w.writing.Lock() // for the keys
	defer w.writing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	on := map[uint64]bool{}
	for _, standing := range w.situations.all {
		if standing.active && standing.began != nil {
			on[standing.began.key.Sequence] = true
		}
	}
	for _, e := range events {
		if a := w.find(e.Ship.MMSI, e.Watchdog); a != nil && a.memory.Active {
			on[e.ID] = true
		}
	}
	return on
}

// AcknowledgeAll notes that a user has seen events, in one commit with also, and returns those that are still kept. One that was acknowledged keeps the
// user and time of then.
func AcknowledgeAll(w *Watch, numbers []uint64, by string, at time.Time, also ...records.CommitPart) ([]Event, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	var all []Event
	for _, number := range numbers {
		e, err := w.Get(number)
		if errors.Is(err, ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if e.Acknowledged == 0 {
			e.Acknowledged, e.By = at.UnixMilli(), by
		}
		all = append(all, e)
	}
	err := w.config.DB.Together(func(tx *records.Tx) error {
		for i := range all {
			if err := w.series.PutIn(tx, records.Key{At: all[i].Committed, Sequence: all[i].ID}, all[i]); err != nil {
				return err
			}
		}
		return nil
	}, also...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		w.altered.add(Alteration{Event: all[i].ID})
	}
	w.news.Raise()
	return all, nil
}
