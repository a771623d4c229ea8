// Package audit is the log of what users did: each line says which user did what, to what, from where and when.
//
// A change and its line are one commit: neither is ever there without the other. The lines of sign-ins and of refusals are commits of
// their own. Changes, refusals and sign-ins each have a share of the log, so that many of one kind take no line of another. A line never
// holds a secret, and all that a caller sent is cut. None of the log is held in memory, but for the latest refusal of each user.
package audit

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"quaywatch/form"
	"quaywatch/store/records"
)

// Bounds of the log. The detail is bounded in characters.
const (
	kept        = 90 * 24 * time.Hour
	most        = 100_000 // lines of a kind
	mostDetail  = 4000    // of a change
	mostRefused = 400     // of a refusal
)

// Kind is what a line tells of.
type Kind int

// The kinds, in the order in which those of one millisecond stand.
const (
	Changes Kind = iota
	Refusals
	SignIns
	kinds
)

// Words are the words of the interface for the kinds.
func Words() []string { return []string{"changes", "refusals", "sign-ins"} }

// KindOf returns the kind of a word.
func KindOf(word string) (k Kind, ok bool) {
	i := slices.Index(Words(), word)
	return Kind(i), i >= 0
}

// LogEntry is one line of the log.
type LogEntry struct {
	Time    time.Time `json:"time"`
	User    string    `json:"user"`             // as given, also of a failed sign-in
	Token   string    `json:"token,omitempty"`  // the name of the token by which a program did it
	Address string    `json:"address"`          // of the machine that sent the request
	Action  string    `json:"action"`           // as "sign-in", "PUT user"
	Object  string    `json:"object,omitempty"` // name of what it was done to
	Result  string    `json:"result"`           // "ok", "failed", "denied"
	Detail  string    `json:"detail,omitempty"` // the fields that were written, by name
	Count   int       `json:"count,omitempty"`  // of equal refusals in a row within a minute of the first; 0 is one
}

// Log keeps the lines of each kind for 90 days, and at most 100,000 of them.
type Log struct {
	db      *records.Database
	lines   [kinds]*records.Series[LogEntry]
	refused latest
	now     func() time.Time
	log     *slog.Logger
}

// Open returns the log of a database.
func Open(db *records.Database, now func() time.Time, log *slog.Logger) (*Log, error) {
	l := &Log{db: db, now: now, log: log, refused: latest{of: map[string]*refusal{}}}
	for k := range kinds {
		var err error
		l.lines[k], err = records.OpenSeries[LogEntry](db, [...]string{"audit", "audit-refusals", "audit-sign-ins"}[k], records.Keep{Age: kept, Most: most})
		if err != nil {
			return nil, fmt.Errorf("open audit log: %w", err)
		}
	}
	return l, nil
}

// LineWriter writes a line in the commit of the change that the line tells of.
type LineWriter = records.CommitPart

// Line returns the line of a change, which is asked for in the commit. Where the line cannot be written, the change is not made.
func (l *Log) Line(of func() LogEntry) LineWriter {
	return func(tx *records.Tx) error {
		line := l.bounded(of(), mostDetail)
		_, err := l.lines[Changes].AppendIn(tx, line.Time, line)
		return err
	}
}

// Note writes what was done without a change. It is committed when Note returns. An event that cannot be written goes to the program's log.
func (l *Log) Note(e LogEntry) { l.appendLine(Changes, l.bounded(e, mostDetail)) }

// SignIn writes a sign-in, as Note does: a full disk must not stop it.
func (l *Log) SignIn(e LogEntry) { l.appendLine(SignIns, l.bounded(e, mostRefused)) }

func (l *Log) appendLine(k Kind, e LogEntry) (records.Key, bool) {
	key, err := l.lines[k].Append(e.Time, e)
	if err != nil {
		l.log.Error("audit log", "error", err, "user", e.User, "address", e.Address, "action", e.Action, "object", e.Object, "result", e.Result)
	}
	return key, err == nil
}

// bounded sets the time of an event, and bounds what a stranger makes us keep.
func (l *Log) bounded(e LogEntry, detail int) LogEntry {
	e.Time = l.now().UTC()
	e.User, e.Token, e.Address = form.CutName(e.User), form.CutName(e.Token), form.CutName(e.Address)
	e.Action, e.Object = form.CutName(e.Action), form.Cut(e.Object, 3*form.MaxName) // an object may be named with its owner
	e.Detail = form.Cut(e.Detail, detail)
	return e
}
