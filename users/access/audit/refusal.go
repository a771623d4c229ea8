package audit

import (
	"sync"
	"time"

	"quaywatch/internal/fold"
	"quaywatch/store/records"
)

// How far the last of equal refusals may be from the first, and of how many users the latest is known.
const (
	equalFor  = time.Minute
	mostUsers = 1000
)

// latest knows the latest refusal of each user.
type latest struct {
	mu sync.Mutex // held for a moment, never while the database writes
	of map[string]*refusal
}

// refusal is a line that counts.
type refusal struct {
	LogEntry
	key     records.Key // where the line stands; zero until it is written
	waiting bool        // its count is about to be written
}

// Refuse writes that something was refused, a failed sign-in too. Equal refusals of one user in a row are one line, whose count is written
// within a second or two; no caller waits for that.
func (l *Log) Refuse(e LogEntry) {
	e = l.bounded(e, mostRefused)
	r, isNew := l.refused.addRefusal(e)
	if isNew {
		key, written := l.appendLine(Refusals, e)
		if !written {
			l.refused.dropRefusal(r)
			return
		}
		l.refused.mu.Lock()
		r.key = key
		l.refused.mu.Unlock()
	}
	if l.refused.isCountDue(r) {
		l.db.Later(func(tx *records.Tx) error { return l.lines[Refusals].PutIn(tx, r.key, l.refused.countedLine(r)) })
	}
}

// addRefusal counts a refusal as one more of the user's latest, when that is equal. Otherwise it becomes the latest.
func (l *latest) addRefusal(e LogEntry) (r *refusal, isNew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	user := fold.Name(e.User)
	if r := l.of[user]; r != nil && r.equal(&e) {
		r.Count = max(r.Count, 1) + 1
		return r, false
	}
	if _, known := l.of[user]; !known && len(l.of) >= mostUsers {
		l.makeRoom(e.Time)
	}
	r = &refusal{LogEntry: e}
	l.of[user] = r
	return r, true
}

// makeRoom forgets the refusals that nothing will equal, and all when there are none. The caller holds the lock.
func (l *latest) makeRoom(now time.Time) {
	for user, r := range l.of {
		if now.Sub(r.Time) > equalFor {
			delete(l.of, user)
		}
	}
	if len(l.of) >= mostUsers {
		clear(l.of)
	}
}

// equal reports whether another refusal is the same again. The fields that were written do not count.
func (r *refusal) equal(e *LogEntry) bool {
	since := e.Time.Sub(r.Time)
	return since >= 0 && since <= equalFor && e.Token == r.Token && e.Address == r.Address && e.Action == r.Action && e.Object == r.Object &&
		e.Result == r.Result
}

// dropRefusal forgets a refusal whose line could not be written.
func (l *latest) dropRefusal(r *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if user := fold.Name(r.User); l.of[user] == r {
		delete(l.of, user)
	}
}

// isCountDue reports whether the count of a line has to be written: the line stands, and nobody is about to.
func (l *latest) isCountDue(r *refusal) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Count == 0 || r.waiting || r.key == (records.Key{}) {
		return false
	}
	r.waiting = true
	return true
}

// countedLine returns the line as it is now, to be written.
func (l *latest) countedLine(r *refusal) LogEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.waiting = false
	return r.LogEntry
}

// currentLine returns a line that was read as it is now: its count may be about to be written.
func (l *latest) currentLine(key records.Key, e LogEntry) LogEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.of[fold.Name(e.User)]; r != nil && r.key == key {
		return r.LogEntry
	}
	return e
}
