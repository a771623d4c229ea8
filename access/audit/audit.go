// Package audit is the log of what users did: each line says which user did what, to what, from where and when.
//
// A change and its line are one commit: neither is ever there without the other. The lines of sign-ins and of refusals are commits of
// their own. A line never holds a secret. None of the log is held in memory.
package audit

import (
	"fmt"
	"log/slog"
	"time"

	"quaywatch/form"
	"quaywatch/letters"
	"quaywatch/store"
)

// Bounds of the log.
const (
	kept = 90 * 24 * time.Hour
	most = 100000
)

// Event is one line of the log.
type Event struct {
	Time    time.Time `json:"time"`
	User    string    `json:"user"`             // as given, also of a failed sign-in
	Token   string    `json:"token,omitempty"`  // the name of the token by which a program did it
	Address string    `json:"address"`          // of the machine that sent the request
	Action  string    `json:"action"`           // as "sign-in", "PUT user"
	Object  string    `json:"object,omitempty"` // name of what it was done to
	Result  string    `json:"result"`           // "ok", "failed", "denied"
	Detail  string    `json:"detail,omitempty"` // the fields that were written, by name
}

// Log keeps lines for 90 days, and at most 100,000 of them.
type Log struct {
	events *store.Series[Event]
	now    func() time.Time
	log    *slog.Logger
}

// Open gives the log of a database.
func Open(db *store.DB, now func() time.Time, log *slog.Logger) (*Log, error) {
	events, err := store.OpenSeries[Event](db, "audit", store.Keep{Age: kept, Most: most})
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	return &Log{events, now, log}, nil
}

// Line writes a line in the commit of the change that the line tells of.
type Line = store.Change

// Line gives the line of an event, which is asked for in the commit. Where the line cannot be written, the change is not made.
func (l *Log) Line(of func() Event) Line {
	return func(b *store.Batch) error {
		line := l.bounded(of())
		_, err := l.events.AppendIn(b, line.Time, line)
		return err
	}
}

// Note writes an event that is no change. The event is committed when Note returns. An event that cannot be written goes to the program's
// log: a full disk must not stop a sign-in.
func (l *Log) Note(e Event) {
	e = l.bounded(e)
	if _, err := l.events.Append(e.Time, e); err != nil {
		l.log.Error("audit log", "error", err, "user", e.User, "address", e.Address, "action", e.Action, "object", e.Object, "result", e.Result)
	}
}

// bounded gives an event its time, and bounds what a stranger makes us keep.
func (l *Log) bounded(e Event) Event {
	e.Time = l.now().UTC()
	e.User, e.Object = form.CutName(e.User), form.CutName(e.Object)
	return e
}

// Read returns the events with from <= time < to, the latest first, at most limit of them. A user name limits them to that user. A
// zero time is no bound. An event that cannot be read goes to the program's log.
func (l *Log) Read(from, to time.Time, user string, limit int) ([]Event, error) {
	if oldest := l.now().Add(-kept); from.Before(oldest) {
		from = oldest
	}
	end := store.EndKey()
	if !to.IsZero() {
		end = store.KeyAt(to.Add(time.Millisecond)) // keys are to the millisecond, times are finer
	}
	var events []Event
	for entry, err := range l.events.Backward(store.KeyAt(from), end) {
		e := entry.Value
		switch {
		case err != nil && entry.Key == store.Key{}:
			return nil, fmt.Errorf("read audit log: %w", err)
		case err != nil:
			l.log.Error("audit log: one event is left out", "error", err)
			continue
		case e.Time.Before(from), !to.IsZero() && !e.Time.Before(to), user != "" && letters.Fold(e.User) != letters.Fold(user):
			continue
		}
		if events = append(events, e); len(events) == limit {
			break
		}
	}
	return events, nil
}
