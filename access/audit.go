package access

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/store"
)

// Bounds of the audit log.
const (
	AuditKept    = 90 * 24 * time.Hour
	auditMost    = 100000
	auditPruning = 4 // entries forgotten with each new one, so that no entry waits for many
)

// Event is one line of the audit log: who did what to whom, from where and when. It never holds a secret.
type Event struct {
	Time    time.Time `json:"time"`
	User    string    `json:"user"`             // as given, also of a failed sign-in
	Address string    `json:"address"`          // of the machine that asked
	Action  string    `json:"action"`           // as "sign-in", "PUT user"
	Object  string    `json:"object,omitempty"` // name of what it was done to
	Result  string    `json:"result"`           // "ok", "failed", "denied"
	Detail  string    `json:"detail,omitempty"` // the fields that were written, by name
}

// Audit is the log of who did what, kept for 90 days and at most 100,000 entries.
type Audit struct {
	table *store.Table[Event]
	now   func() time.Time
	log   *slog.Logger

	mu    sync.Mutex
	queue []audited // oldest first
}

type audited struct {
	id uint64
	at time.Time
}

func openAudit(db *store.DB, o Options) (*Audit, error) {
	table, err := store.OpenTable[Event](db, "audit")
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	rows, err := table.All()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	a := &Audit{table: table, now: o.Now, log: o.Log}
	for _, row := range rows {
		a.queue = append(a.queue, audited{row.ID, row.Value.Time})
	}
	return a, nil
}

// Note writes an event, committed when it returns. An event that cannot be written stands in the program's log instead: a full
// disk must not keep anybody from signing in.
func (a *Audit) Note(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Time = a.now().UTC()
	e.User, e.Object = clip(e.User), clip(e.Object)
	id, err := a.table.Insert("", e)
	if err != nil {
		a.log.Error("audit log", "error", err, "user", e.User, "address", e.Address, "action", e.Action, "object", e.Object, "result", e.Result)
		return
	}
	a.queue = append(a.queue, audited{id, e.Time})
	a.prune(e.Time)
}

// clip bounds what a stranger makes us keep.
func clip(text string) string {
	if len(text) > 4*form.MaxName {
		return text[:4*form.MaxName]
	}
	return text
}

func (a *Audit) prune(now time.Time) {
	for range auditPruning {
		if len(a.queue) == 0 || len(a.queue) <= auditMost && now.Sub(a.queue[0].at) <= AuditKept {
			return
		}
		if err := a.table.Delete(a.queue[0].id); err != nil {
			a.log.Error("prune the audit log", "error", err)
			return
		}
		a.queue = a.queue[1:]
	}
}

// Read gives the events from <= time < to, latest first, at most limit; of one user when a name is given. Zero times do not
// bound.
func (a *Audit) Read(from, to time.Time, user string, limit int) ([]Event, error) {
	rows, err := a.table.All()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	oldest := a.now().Add(-AuditKept)
	var events []Event
	for _, row := range slices.Backward(rows) {
		e := row.Value
		switch {
		case e.Time.Before(oldest), e.Time.Before(from), !to.IsZero() && !e.Time.Before(to), user != "" && form.Fold(e.User) != form.Fold(user):
			continue
		}
		if events = append(events, e); len(events) == limit {
			break
		}
	}
	return events, nil
}
