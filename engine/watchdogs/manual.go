package watchdogs

import (
	"time"

	"quaywatch/geo"
	"quaywatch/ship/watchdog"
	"quaywatch/store/records"
)

// What the events have that users made. They are of no watchdog.
const (
	TypeManual watchdog.Type = "manual"
	ManualName string        = "by hand" // in the place of the name of a watchdog
)

// ManualEvent is what a user says of an event.
type ManualEvent struct {
	Text  string     `json:"text"`
	By    string     `json:"by,omitempty"`    // the name of the user
	Place *geo.Point `json:"place,omitempty"` // where it was, if the user says so
}

// Point returns where an event was: where a user says it was, else where its ship was.
func (e *Event) Point() (at geo.Point, known bool) {
	switch {
	case e.Manual != nil && e.Manual.Place != nil:
		return *e.Manual.Place, true
	case e.Fix != nil:
		return e.Fix.Point(), true
	}
	return at, false
}

// AddManual stores an event that a user made, in one commit with also, and returns it with its number. It is of no watchdog, and has no length. It counts
// as raised when it is stored, whenever it was: so it stands behind all events that readers were told of. The function numbered is told the number
// before also is committed.
func AddManual(w *Watch, e Event, now time.Time, numbered func(uint64), also ...records.CommitPart) (Event, error) {
	e.Type, e.Kind, e.Name = TypeManual, watchdog.Manual, ManualName
	w.writing.Lock()
	defer w.writing.Unlock()
	at := time.UnixMilli(max(now.UnixMilli(), w.index.newestTime()))
	err := w.config.DB.Together(func(tx *records.Tx) error {
		key, err := w.series.AppendIn(tx, at, e)
		e.ID, e.Committed = key.Sequence, key.At
		numbered(e.ID)
		return err
	}, also...)
	if err == nil {
		from := e.Origin()
		w.index.add(e.ID, e.Committed, &from)
		w.news.Raise()
	}
	return e, err
}

// Remove removes an event for good, in one commit with also. Its number is never given again. It fails with ErrUnknown.
func Remove(w *Watch, number uint64, also ...records.CommitPart) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	e, err := w.Get(number)
	if err != nil {
		return err
	}
	key := records.Key{At: e.Committed, Sequence: e.ID}
	err = w.config.DB.Together(func(tx *records.Tx) error { return w.series.RemoveIn(tx, key) }, also...)
	if err == nil {
		w.lasts.remove(&e)
		w.altered.add(Alteration{Event: number, Removed: &e})
		w.news.Raise()
	}
	return err
}
