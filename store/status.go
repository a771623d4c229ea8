package store

import (
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	"quaywatch/store/track"
)

// Status tells how the store fares.
type Status struct {
	DBBytes, LogBytes int64         // sizes of the two files
	FreeBytes         int64         // of the database, not used at present: what compaction would give back
	Fixes             uint64        // taken since Open, before thinning
	LogWritten        uint64        // bytes written to the log since Open
	DBWritten         uint64        // bytes of keys and values put into the database since Open
	Pending           int           // bytes of records that are not yet synced
	OpenBytes         int           // memory of blocks that are not yet in the database
	OpenShips         int           // ships with something in memory
	LastSync          time.Time     // zero before the first
	Dropped           uint64        // fixes that were not stored because the disk did not keep up
	Retention         time.Duration // 0 keeps everything
	Oldest, Newest    time.Time     // of the buckets in the database: the start of the first, the end of the last; zero when empty
	ReadOnly          string        // why nothing can be written or what a check found; "" when all is well
}

// Status gives the state of the store at this moment.
func (db *DB) Status() Status {
	db.mu.Lock()
	s := Status{Fixes: db.fixes, Dropped: db.dropped, Pending: db.log.pending, OpenBytes: db.openBytes, OpenShips: len(db.list)}
	db.mu.Unlock()
	db.walMu.Lock()
	s.LogBytes, s.LogWritten = db.wal.size(), db.wal.written
	db.walMu.Unlock()
	if ms := db.lastSync.Load(); ms != 0 {
		s.LastSync = time.UnixMilli(ms).UTC()
	}
	s.DBWritten, s.Retention, s.ReadOnly = db.written.Load(), db.options.Retention, db.fault.reason()
	if oldest, newest := db.span(); newest > 0 {
		s.Oldest, s.Newest = time.UnixMilli(oldest).UTC(), time.UnixMilli(newest).UTC()
	}
	db.swap.RLock()
	defer db.swap.RUnlock()
	_ = db.bolt.View(func(tx *bolt.Tx) error { // a closed file has no size
		s.DBBytes = tx.Size()
		stats := db.bolt.Stats()
		s.FreeBytes = int64(stats.FreePageN+stats.PendingPageN) * int64(db.bolt.Info().PageSize)
		return nil
	})
	return s
}

// span gives the start of the first and the end of the last bucket in the database, in Unix milliseconds. They are 0 and 0 when there is
// none.
func (db *DB) span() (oldest, newest int64) {
	_ = db.view(func(tx *bolt.Tx) error { // a closed file has no buckets
		c := tx.Bucket([]byte(bucketBlocks)).Cursor()
		first, _ := c.First()
		last, _ := c.Last()
		if b, _, ok := readBlockKey(first); ok {
			oldest = track.HourStart(b)
		}
		if b, _, ok := readBlockKey(last); ok {
			newest = track.HourStart(b) + track.HourMillis
		}
		return nil
	})
	return oldest, newest
}

func (db *DB) path(name string) string { return filepath.Join(db.options.Dir, name) }
