package store

import (
	"time"
)

// Stalled returns how long the oldest write that is under way has taken; 0 when none is. It never waits.
func (db *DB) Stalled() time.Duration {
	return max(db.clock.Since(&db.write), db.CommitWait())
}

// Idle returns how long Run has not been seen at work, beyond the interval of its syncs. It is a few seconds at most while the disk
// answers. It never waits.
func (db *DB) Idle() time.Duration {
	return max(0, db.clock.Since(&db.syncer)-db.options.SyncInterval, db.Unattended())
}

// noteStart notes what the store is like when it has been opened.
func (db *DB) noteStart() {
	db.NoteLog()
	for i := range db.states {
		if db.states[i].HasFix {
			db.newestFix = max(db.newestFix, db.states[i].Fix.At)
		}
	}
}
