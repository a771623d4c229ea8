package store

import (
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// disk knows what the store waits for, and what the database looked like last. Whoever reads it takes no lock, so a disk that hangs
// holds no reader up. Its times are monotonic: a clock that is set is no stall.
type disk struct {
	opened  time.Time
	log     atomic.Int64 // when the write to the log that is under way began, after opened; 0 when none is
	commit  atomic.Int64 // as log, of the database
	syncer  atomic.Int64 // when the goroutine of Run that syncs the log was last seen at work
	keeper  atomic.Int64 // as syncer, of the one that writes to the database; a commit of any caller counts
	figures atomic.Pointer[figures]
}

// figures are what the database file says of itself.
type figures struct {
	size, free     int64 // bytes
	oldest, newest int64 // as span gives them
}

// now returns the time since opened, never 0.
func (d *disk) now() int64 { return max(1, int64(time.Since(d.opened))) }

// startWait notes that the store waits for the disk from now on, until done is called.
func (d *disk) startWait(under *atomic.Int64) (done func()) {
	under.Store(d.now())
	return func() { under.Store(0) }
}

// timeSince returns how long ago something was noted, 0 when it was not.
func (d *disk) timeSince(noted *atomic.Int64) time.Duration {
	at := noted.Load()
	if at == 0 {
		return 0
	}
	return time.Duration(max(0, d.now()-at))
}

// Stalled returns how long the oldest write that is under way has taken; 0 when none is. It never waits.
func (db *DB) Stalled() time.Duration {
	return max(db.disk.timeSince(&db.disk.log), db.disk.timeSince(&db.disk.commit))
}

// Idle returns how long Run has not been seen at work, beyond the interval of its syncs. It is a few seconds at most while the disk
// answers. It never waits.
func (db *DB) Idle() time.Duration {
	return max(0, db.disk.timeSince(&db.disk.syncer)-db.options.SyncInterval, db.disk.timeSince(&db.disk.keeper))
}

// updateFigures takes the figures of the database anew. The caller sees to it that db.bolt stays.
func (db *DB) updateFigures() {
	f := &figures{}
	_ = guard(db.bolt.Path(), func() error { // a closed file has no figures
		return db.bolt.View(func(tx *bolt.Tx) error {
			stats := db.bolt.Stats()
			f.size, f.free = tx.Size(), int64(stats.FreePageN+stats.PendingPageN)*int64(db.bolt.Info().PageSize)
			f.oldest, f.newest = spanOf(tx)
			return nil
		})
	})
	db.disk.figures.Store(f)
}

// spanOf returns the start of the first and the end of the last bucket in the database, in Unix milliseconds. They are 0 and 0 when there is
// none.
func spanOf(tx *bolt.Tx) (oldest, newest int64) {
	c := tx.Bucket([]byte(layout.Blocks)).Cursor()
	first, _ := c.First()
	last, _ := c.Last()
	if b, _, ok := layout.ReadBlockKey(first); ok {
		oldest = track.HourStart(b)
	}
	if b, _, ok := layout.ReadBlockKey(last); ok {
		newest = track.HourStart(b) + track.HourMillis
	}
	return oldest, newest
}

// noteStart notes what the store is like when it has been opened.
func (db *DB) noteStart() {
	db.noteFile(&db.folder.database, dbName)
	db.noteFile(&db.folder.log, walName)
	for i := range db.states {
		if db.states[i].HasFix {
			db.newestFix = max(db.newestFix, db.states[i].Fix.At)
		}
	}
}
