package store

import (
	"maps"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
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
	Stalled           time.Duration // how long the oldest write that is under way has taken; 0 when none is
	Idle              time.Duration // as Idle gives it
	Full              bool          // nothing can be written for want of room
	NewestFix         time.Time     // of the ships that were known at Open; zero without any
	Folder            Folder
	ReadOnly          string         // why nothing can be written; "" when all is well
	Damaged           map[string]int // what could not be read, by kind (DamagedHour …); empty when all is well
}

// Status returns the state of the store at this moment. It does not wait for the disk.
func (db *DB) Status() Status {
	db.mu.Lock()
	s := Status{Fixes: db.fixes, Dropped: db.dropped, Pending: db.log.Pending, OpenBytes: db.openBytes, OpenShips: len(db.list)}
	db.mu.Unlock()
	s.LogBytes, s.LogWritten = db.wal.Bytes.Load(), db.wal.Written.Load()
	db.damage.mu.Lock()
	s.Damaged = maps.Clone(db.damage.counts)
	db.damage.mu.Unlock()
	if ms := db.lastSync.Load(); ms != 0 {
		s.LastSync = time.UnixMilli(ms).UTC()
	}
	s.DBWritten, s.Retention, s.ReadOnly, s.Stalled = db.written.Load(), db.options.Retention, db.fault.faultText(), db.Stalled()
	s.Idle, s.Full, s.Folder = db.Idle(), db.fault.isDiskFull(), db.Folder()
	if err := db.folder.away(); err != nil && s.ReadOnly == "" {
		s.ReadOnly = err.Error()
	}
	if db.newestFix > 0 {
		s.NewestFix = time.UnixMilli(db.newestFix).UTC()
	}
	f := db.disk.figures.Load()
	s.DBBytes, s.FreeBytes = f.size, f.free
	if f.newest > 0 {
		s.Oldest, s.Newest = time.UnixMilli(f.oldest).UTC(), time.UnixMilli(f.newest).UTC()
	}
	return s
}

// storedSpan returns what spanOf gives of the database as it is now.
func (db *DB) storedSpan() (oldest, newest int64) {
	_ = db.view(func(tx *bolt.Tx) error { // a closed file has no buckets
		oldest, newest = spanOf(tx)
		return nil
	})
	return oldest, newest
}

func (db *DB) filePath(name string) string { return filepath.Join(db.options.Dir, name) }
