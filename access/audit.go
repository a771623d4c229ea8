package access

import (
	"fmt"
	"log/slog"
	"time"

	"quaywatch/form"
	"quaywatch/letters"
	"quaywatch/store"
)

// Bounds of the audit log.
const (
	auditKept = 90 * 24 * time.Hour
	auditMost = 100000
)

// Event is one line of the audit log: what a user did, to what, from where and when. It never holds a secret.
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

// Audit is the log of what users did, kept for 90 days and at most 100,000 entries. None of it is held in memory.
type Audit struct {
	events *store.Series[Event]
	now    func() time.Time
	log    *slog.Logger
}

func openAudit(db *store.DB, o Options) (*Audit, error) {
	events, err := store.OpenSeries[Event](db, "audit", store.Keep{Age: auditKept, Most: auditMost})
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	return &Audit{events, o.Now, o.Log}, nil
}

// Note writes an event. The event is committed when Note returns. An event that cannot be written goes to the program's log: a full
// disk must not stop a sign-in.
func (a *Audit) Note(e Event) {
	e.Time = a.now().UTC()
	e.User, e.Object = clip(e.User), clip(e.Object)
	if _, err := a.events.Append(e.Time, e); err != nil {
		a.log.Error("audit log", "error", err, "user", e.User, "address", e.Address, "action", e.Action, "object", e.Object, "result", e.Result)
	}
}

// clip bounds what a stranger makes us keep.
func clip(text string) string {
	if len(text) > 4*form.MaxName {
		return text[:4*form.MaxName]
	}
	return text
}

// Read returns the events with from <= time < to, the latest first, at most limit of them. A user name limits them to that user. A
// zero time is no bound. An event that cannot be read goes to the program's log.
func (a *Audit) Read(from, to time.Time, user string, limit int) ([]Event, error) {
	if oldest := a.now().Add(-auditKept); from.Before(oldest) {
		from = oldest
	}
	end := store.EndKey()
	if !to.IsZero() {
		end = store.KeyAt(to.Add(time.Millisecond)) // keys are to the millisecond, times are finer
	}
	var events []Event
	for entry, err := range a.events.Backward(store.KeyAt(from), end) {
		e := entry.Value
		switch {
		case err != nil && entry.Key == store.Key{}:
			return nil, fmt.Errorf("read audit log: %w", err)
		case err != nil:
			a.log.Error("audit log: one event is left out", "error", err)
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
