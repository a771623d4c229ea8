package watchdogs

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/store/records"
)

// ErrUnknown says that there is no such event.
var ErrUnknown = errors.New("no such event is known")

// index tells where each event stands, by its number. The numbers are those of the commits, and so are the times.
type index struct {
	mu    sync.RWMutex
	first uint64  // number of the first
	times []int64 // under which they are stored
	origins
}

// read finds all that are kept, and hands those on that can be read.
func (x *index) read(s *records.Series[Event], each func(Event)) error {
	for e, err := range s.Forward(records.Key{}, records.EndKey()) {
		if e.Key == (records.Key{}) && err != nil {
			return err // of another one the place counts, though it cannot be read
		}
		if err != nil {
			x.add(e.Key.Sequence, e.Key.At, nil)
			continue
		}
		from := e.Value.Origin()
		x.add(e.Key.Sequence, e.Key.At, &from)
		e.Value.ID, e.Value.Committed = e.Key.Sequence, e.Key.At
		each(e.Value)
	}
	return nil
}

// add takes the next event, with its origin where that is known. What is kept no longer goes.
func (x *index) add(number uint64, at int64, from *EventOrigin) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.times) == 0 {
		x.first = number
	}
	for x.first+uint64(len(x.times)) < number { // a record was lost to damage
		x.times = append(x.times, at)
		x.origins.add(nil)
	}
	x.times = append(x.times, at)
	x.origins.add(from)
	if len(x.times) > 2*MostEvents {
		x.times = slices.Clone(x.times[MostEvents:])
		x.origins.dropFirst(MostEvents)
		x.first += MostEvents
	}
}

// newestTime returns the time of the latest event, 0 before there is one.
func (x *index) newestTime() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.times) == 0 {
		return 0
	}
	return x.times[len(x.times)-1]
}

// last returns the number of the latest event, 0 before there is one.
func (x *index) last() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.times) == 0 {
		return 0
	}
	return x.first + uint64(len(x.times)) - 1
}

// keyAfter returns the key from which on the events after a number stand.
func (x *index) keyAfter(number uint64) records.Key {
	x.mu.RLock()
	defer x.mu.RUnlock()
	switch {
	case len(x.times) == 0 || number >= x.first+uint64(len(x.times))-1:
		return records.EndKey()
	case number < x.first:
		return records.Key{}
	}
	return records.Key{At: x.times[number+1-x.first], Sequence: number + 1}
}

// eventKey returns the place of an event.
func (x *index) eventKey(number uint64) (records.Key, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if number < x.first || number >= x.first+uint64(len(x.times)) {
		return records.Key{}, false
	}
	return records.Key{At: x.times[number-x.first], Sequence: number}, true
}

// numberBefore returns the number of the last event that was stored before a time.
func (x *index) numberBefore(at int64) uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, _ := slices.BinarySearch(x.times, at)
	if n == 0 {
		return max(x.first, 1) - 1
	}
	return x.first + uint64(n) - 1
}

// Last returns the number of the latest event.
func (w *Watch) Last() uint64 { return w.index.last() }

// After returns the events with a number above another one, the earliest first, up to the last that there is now. Of an event that cannot be read it
// returns the error, and goes on.
func (w *Watch) After(number uint64) iter.Seq2[Event, error] { return Wanted{}.After(w, number) }

// yieldEvents hands entries to yield, and reports whether it wants more.
func yieldEvents(entries iter.Seq2[records.SeriesEntry[Event], error], yield func(Event, error) bool) bool {
	for e, err := range entries {
		if e.Value.ID, e.Value.Committed = e.Key.Sequence, e.Key.At; !yield(e.Value, err) {
			return false
		}
	}
	return true
}

// Get returns an event.
func (w *Watch) Get(number uint64) (Event, error) {
	key, known := w.index.eventKey(number)
	if !known {
		return Event{}, ErrUnknown
	}
	e, err := w.series.Get(key)
	if errors.Is(err, records.ErrNotFound) {
		err = ErrUnknown
	}
	e.Value.ID, e.Value.Committed = key.Sequence, key.At
	return e.Value, err
}

// Acknowledge notes that a user has seen an event, in one commit with also, and returns it. One that was acknowledged keeps the user and time of then.
func (w *Watch) Acknowledge(number uint64, by string, at time.Time, also ...records.CommitPart) (Event, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	e, err := w.Get(number)
	if err != nil || e.Acknowledged != 0 {
		return e, err
	}
	e.Acknowledged, e.By = at.UnixMilli(), by
	key := records.Key{At: e.Committed, Sequence: e.ID}
	err = w.config.DB.Together(func(tx *records.Tx) error { return w.series.PutIn(tx, key, e) }, also...)
	if err == nil {
		w.altered.add(Alteration{Event: number})
		w.news.Raise()
	}
	return e, err
}

// Cursor is up to which event a user was told.
type Cursor struct {
	User  string `json:"user"` // uid
	After uint64 `json:"after"`
	Time  int64  `json:"time"` // when it asked last, or from when on it wants to be told, in Unix milliseconds
}

// cursorRow is a cursor and where it is stored.
type cursorRow struct {
	row    uint64
	cursor Cursor
	stored int64 // Cursor.Time as it is stored
}

// askedEvery is how old the stored time of a cursor that does not move may become. A client that asks each second without news writes nothing until then.
const askedEvery = 10 * time.Minute

// mostCursors bounds the cursors. Users that are gone leave theirs, until others need the place.
const mostCursors = 20_000

// firstLook is how far back a user is told that never asked.
const firstLook = 24 * time.Hour

// Cursor returns up to which event a user was told. One that never asked gets the events of the last day.
func (w *Watch) Cursor(user string, now time.Time) Cursor {
	w.writing.Lock()
	defer w.writing.Unlock()
	if row, ok := w.seen[user]; ok {
		return row.cursor
	}
	begin := now.Add(-firstLook).UnixMilli()
	return Cursor{user, w.index.numberBefore(begin), begin}
}

// SetCursor notes up to which event a user was told, unless another call of the user moved the cursor meanwhile: then it returns form.ErrStale.
func (w *Watch) SetCursor(was, now Cursor) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	row, known := w.seen[now.User]
	if known && row.cursor != was {
		return form.ErrStale
	}
	if !known && len(w.seen) >= mostCursors {
		w.dropOldest()
	}
	if known && row.cursor.After == now.After && now.Time >= row.stored && now.Time-row.stored < askedEvery.Milliseconds() {
		row.cursor = now
		w.seen[now.User] = row
		return nil
	}
	err := w.config.DB.Together(func(tx *records.Tx) (err error) {
		row.row, err = w.cursors.SetIn(tx, row.row, "", now)
		return err
	})
	if err == nil {
		w.seen[now.User] = cursorRow{row.row, now, now.Time}
	}
	return err
}

// CursorAt returns a cursor before the first event that was stored at a time or later.
func (w *Watch) CursorAt(user string, at time.Time) Cursor {
	return Cursor{user, w.index.numberBefore(at.UnixMilli()), at.UnixMilli()}
}

// dropOldest takes the place of the user that asked longest ago.
func (w *Watch) dropOldest() {
	oldest, first := "", cursorRow{}
	for user, row := range w.seen {
		if oldest == "" || cmp.Or(cmp.Compare(row.cursor.Time, first.cursor.Time), cmp.Compare(user, oldest)) < 0 {
			oldest, first = user, row
		}
	}
	if w.cursors.Delete(first.row) == nil {
		delete(w.seen, oldest)
	}
}
