package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
)

// Query asks for a page of the log.
type Query struct {
	From, To time.Time // From <= time < To; zero is no bound
	User     string    // "" is any
	Kinds    []Kind    // nil is all
	Before   LogPlace  // only what stands before this line; zero is no bound
	Limit    int       // lines of the page, at least 1
}

// LogPlace is where a line stands in the log.
type LogPlace struct {
	kind Kind
	key  records.Key
}

// String returns the place as ParsePlace reads it, "" for the zero LogPlace.
func (p LogPlace) String() string {
	if p == (LogPlace{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d-%d", p.key.At, p.kind, p.key.Sequence)
}

// ParsePlace reads a place.
func ParsePlace(text string) (p LogPlace, err error) {
	if _, err = fmt.Sscanf(text, "%d-%d-%d", &p.key.At, &p.kind, &p.key.Sequence); err != nil || p.String() != text || p.kind < 0 || p.kind >= kinds {
		return LogPlace{}, rule.New("audit_place", "must be a next of an answer")
	}
	return p, nil
}

// endKey returns the key of a kind before which all lines stand that are before the place.
func (p LogPlace) endKey(k Kind) records.Key {
	switch {
	case k < p.kind:
		return records.Key{At: p.key.At + 1}
	case k > p.kind:
		return records.Key{At: p.key.At}
	}
	return p.key
}

// LogPage is a part of the log, the latest line first. Next is the Before of the page that follows; it is zero when none does.
type LogPage struct {
	Events []LogEntry
	Next   LogPlace
}

// Read returns a page of the log. It reads what the page needs and no more, and ends with ctx. A line that cannot be read goes to the
// program's log.
func (l *Log) Read(ctx context.Context, q Query) (page LogPage, err error) {
	if oldest := l.now().Add(-kept); q.From.Before(oldest) {
		q.From = oldest
	}
	var walks []*walk
	for _, k := range allKinds(q.Kinds) {
		w := l.startWalk(k, q)
		defer w.stop()
		walks = append(walks, w)
	}
	user, last := fold.Name(q.User), LogPlace{}
	for {
		w := firstWalk(walks)
		if w == nil {
			return page, nil
		}
		entry, err := w.entry, w.err
		w.readNext()
		switch {
		case ctx.Err() != nil:
			return page, ctx.Err()
		case err != nil && entry.Key == records.Key{}:
			return page, fmt.Errorf("read audit log: %w", err)
		case err != nil:
			l.log.Error("audit log: one event is left out", "error", err)
			continue
		}
		e := entry.Value
		if e.Time.Before(q.From) || !q.To.IsZero() && !e.Time.Before(q.To) || user != "" && fold.Name(e.User) != user {
			continue
		}
		if len(page.Events) == q.Limit {
			page.Next = last
			return page, nil
		}
		if w.kind == Refusals {
			e = l.refused.currentLine(entry.Key, e)
		}
		page.Events, last = append(page.Events, e), LogPlace{w.kind, entry.Key}
	}
}

func allKinds(of []Kind) []Kind {
	if of == nil {
		return []Kind{Changes, Refusals, SignIns}
	}
	return of
}

// walk is the way through the lines of a kind, the latest first.
type walk struct {
	kind  Kind
	entry records.SeriesEntry[LogEntry]
	err   error
	there bool // entry and err are of a line
	next  func() (records.SeriesEntry[LogEntry], error, bool)
	stop  func()
}

func (l *Log) startWalk(k Kind, q Query) *walk {
	end := records.EndKey()
	if !q.To.IsZero() {
		end = records.KeyAt(q.To.Add(time.Millisecond)) // keys are to the millisecond, times are finer
	}
	if q.Before != (LogPlace{}) {
		if before := q.Before.endKey(k); before.At < end.At || before.At == end.At && before.Sequence < end.Sequence {
			end = before
		}
	}
	w := &walk{kind: k}
	w.next, w.stop = iter.Pull2(l.lines[k].Backward(records.KeyAt(q.From), end))
	w.readNext()
	return w
}

func (w *walk) readNext() { w.entry, w.err, w.there = w.next() }

// firstWalk returns the walk whose line comes first, nil when all are at their ends.
func firstWalk(walks []*walk) (found *walk) {
	for _, w := range walks { // of one millisecond the last kind comes first
		if w.there && (found == nil || w.entry.Key.At >= found.entry.Key.At) {
			found = w
		}
	}
	return found
}
