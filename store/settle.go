package store

import (
	"errors"
	"time"
)

// KeepPace syncs the log, and moves into the database what fills the memory. A source that can wait calls it now and then: an import, or a
// recorded log played as fast as it goes. So nothing of it is dropped when the disk is slower. At its end the source calls Settle.
func (db *DB) KeepPace() error { return errors.Join(db.sync(), db.makeRoom(time.Now())) }

// Settle is KeepPace, and moves all full hours into the database, however short ago others went there.
func (db *DB) Settle() error { return errors.Join(db.KeepPace(), db.flushBlocks(false)) }
