package watchdogs

import (
	"errors"
	"slices"
	"time"

	"quaywatch/store/records"
)

// What an alarm or a visit remembers that raises nothing is looked for so often. It is stored when it is so old, in milliseconds of reports.
const (
	scanEvery      = 15 * time.Second
	saveEvery      = 60_000
	saveVisitEvery = 3_600_000 // a start reads what the ship did since from its track
)

// mostAtOnce bounds the events of one commit, so that none waits for very many others.
const mostAtOnce = 1000

// work is what is to be stored, and copies of it.
type work struct {
	at     int64 // the time of the picture
	events []raised
	alarms []savedAlarm
	visits []savedVisit
	gone   []uint64
	left   []uint64

	situations situationWork
	hearings   savedHearings

	whole bool                  // nothing is left
	ended map[records.Key]Event // earlier events that are over
}

// savedAlarm is an alarm to be stored; row is what it had, and then what it got.
type savedAlarm struct {
	of    *alarm
	began *began
	also  []*began
	row   uint64
	copy  alarmRow
}

// savedVisit is a visit to be stored.
type savedVisit struct {
	of   *visit
	row  uint64
	copy visitRow
}

func (u *work) isEmpty() bool {
	return len(u.events)+len(u.alarms)+len(u.visits)+len(u.gone)+len(u.left)+len(u.situations.list)+len(u.situations.gone) == 0 && u.hearings.isEmpty()
}

// Save stores the events that were raised, each with its alarm, and wakes the readers. With all it stores where every alarm stands. What could not
// be stored is tried again the next time; the log tells it once.
func (w *Watch) Save(all bool) {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.distresses.checkAlarms()
	for more := true; more; {
		u := w.takeUnsaved(all)
		if u.isEmpty() {
			return
		}
		err := w.write(&u)
		w.outage.Note(w.config.Log, err, "events cannot be stored; they are tried again each second", "events are stored again")
		if err != nil {
			w.restoreUnsaved(&u)
			return
		}
		w.markStored(&u)
		if len(u.events) > 0 {
			w.news.Raise()
		}
		more = !u.whole
	}
}

// takeUnsaved takes out what is to be stored.
func (w *Watch) takeUnsaved(all bool) work {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := work{at: w.now.UnixMilli(), gone: w.gone, left: w.left}
	u.events, w.pending = inTurn(w.pending, mostAtOnce)
	u.whole = len(w.pending) == 0
	w.gone, w.left = nil, nil
	if w.now.IsZero() && len(u.events) > 0 {
		u.at = u.events[0].event.Time
	}
	if all || w.now.Sub(w.scanned).Abs() >= scanEvery {
		w.scanned = w.now
		w.findUnsaved(all)
	}
	waits := shipsOf(w.pending)
	var later []*alarm
	for _, a := range w.urgent {
		if waits[watched{a.dog.id, a.mmsi}] && !a.over {
			later = append(later, a)
			continue
		}
		if a.urgent = false; !a.over {
			u.alarms = append(u.alarms, savedAlarm{a, a.began, slices.Clone(a.also), a.row, alarmRow{Watchdog: a.dog.id, MMSI: a.mmsi, Memory: a.memory.Clone(), Last: a.last, Crossed: a.crossed}})
			a.saved = a.memory.Silent
		}
	}
	for _, v := range w.moved {
		if v.urgent, v.changed = false, false; !v.over {
			u.visits = append(u.visits, savedVisit{v, v.row, visitRow{v.mmsi, v.follower.Clone(), v.first}})
			v.saved = v.follower.Last.At
		}
	}
	if w.urgent, w.moved = later, nil; u.whole {
		u.situations = w.situations.takeUnsaved() // with their events, or after them
		u.hearings = w.looks.takeUnsaved()
	}
	return u
}

// findUnsaved looks for alarms and visits whose memory is to be stored.
func (w *Watch) findUnsaved(all bool) {
	for _, list := range w.alarms {
		for _, a := range list {
			if all || a.memory.Silent-a.saved >= saveEvery {
				w.hurryAlarm(a)
			}
		}
	}
	for _, v := range w.inPort {
		if v.changed && !v.urgent && (all || v.follower.Last.At-v.saved >= saveVisitEvery) {
			v.urgent = true
			w.moved = append(w.moved, v)
		}
	}
}

// write commits all of it. It notes the keys of events and the rows.
func (w *Watch) write(u *work) error {
	at := time.UnixMilli(max(u.at, w.index.newestTime()))
	u.ended = w.noteEnds(u)
	return w.config.DB.Together(func(tx *records.Tx) error {
		for i := range u.events {
			r := &u.events[i]
			if r.untold {
				continue
			}
			key, err := w.series.AppendIn(tx, at, r.event)
			if err != nil {
				return err
			}
			if r.event.ID, r.event.Committed = key.Sequence, key.At; r.begins {
				r.began.key = key
			}
		}
		for key, event := range u.ended {
			if err := w.series.PutIn(tx, key, event); err != nil && !errors.Is(err, records.ErrNotFound) {
				return err
			}
		}
		for i := range u.alarms {
			s := &u.alarms[i]
			if s.began != nil {
				s.copy.Key = s.began.key
			}
			s.copy.Also = nil
			for _, event := range s.also {
				s.copy.Also = append(s.copy.Also, event.key)
			}
			var err error
			if s.row, err = w.rows.SetIn(tx, s.row, "", s.copy); err != nil {
				return err
			}
		}
		for i := range u.visits {
			s := &u.visits[i]
			var err error
			if s.row, err = w.visits.SetIn(tx, s.row, "", s.copy); err != nil {
				return err
			}
		}
		if err := errors.Join(w.situations.write(tx, &u.situations), w.looks.write(tx, &u.hearings)); err != nil {
			return err
		}
		return errors.Join(freeAll(tx, w.rows, u.gone), freeAll(tx, w.visits, u.left))
	})
}

// noteEnds notes in the events that began something when it was over, and returns those of them that were stored before.
func (w *Watch) noteEnds(u *work) map[records.Key]Event {
	here, earlier := map[*began]*Event{}, map[records.Key]Event{}
	for i := range u.events {
		r := &u.events[i]
		switch {
		case r.begins:
			here[r.began] = &r.event
		case r.ends && r.began != nil && here[r.began] != nil:
			here[r.began].Deactivated, here[r.began].Evicted = r.event.Time, r.evicted
		case r.ends && r.began != nil:
			if was, err := w.series.Get(r.began.key); err == nil { // else it is too old to be kept
				was.Value.Deactivated, was.Value.Evicted = r.event.Time, r.evicted
				earlier[r.began.key] = was.Value
			}
		}
	}
	return earlier
}

// freeAll frees rows of a table.
func freeAll[T any](tx *records.Tx, t *records.Table[T], rows []uint64) error {
	for _, id := range rows {
		if err := t.FreeIn(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// markStored gives the events their places and the alarms their rows.
func (w *Watch) markStored(u *work) {
	for i := range u.events {
		if e := &u.events[i]; !e.untold {
			from := e.event.Origin()
			w.index.add(e.event.ID, e.event.Committed, &from)
			w.lasts.add(e.event)
		}
	}
	for key, event := range u.ended {
		w.altered.add(Alteration{Event: key.Sequence, Over: event.Deactivated, Evicted: event.Evicted})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failing = false
	w.situations.setRows(&u.situations)
	for _, s := range u.alarms {
		if s.of.over {
			w.gone = append(w.gone, s.row)
		} else {
			s.of.row = s.row
		}
	}
	for _, s := range u.visits {
		if s.of.over {
			w.left = append(w.left, s.row)
		} else {
			s.of.row = s.row
		}
	}
}

// restoreUnsaved puts back what could not be stored.
func (w *Watch) restoreUnsaved(u *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failing = true
	w.situations.restoreUnsaved(&u.situations)
	w.looks.putBack(&u.hearings)
	w.pending = append(u.events, w.pending...)
	w.gone, w.left = append(w.gone, u.gone...), append(w.left, u.left...)
	for _, s := range u.alarms {
		w.hurryAlarm(s.of)
	}
	for _, s := range u.visits {
		if !s.of.urgent {
			s.of.urgent = true
			w.moved = append(w.moved, s.of)
		}
	}
}
