package store

import (
	"path/filepath"
	"time"

	"quaywatch/store/records"
)

// Status tells how the store fares.
type Status struct {
	DBBytes, LogBytes int64             // sizes of the two files
	FreeBytes         int64             // of the database, not used at present: what compaction would give back
	Fixes             uint64            // taken since Open, before thinning
	LogWritten        uint64            // bytes written to the log since Open
	DBWritten         map[string]uint64 // bytes of pages written to the database since Open, by table or series
	Pending           int               // bytes of records that are not yet synced
	OpenBytes         int               // memory of blocks that are not yet in the database
	OpenShips         int               // ships with something in memory
	LastSync          time.Time         // zero before the first
	Dropped           uint64            // fixes that were not stored because the disk did not keep up
	Retention         time.Duration     // 0 keeps everything
	Oldest, Newest    time.Time         // of the buckets in the database: the start of the first, the end of the last; zero when empty
	Stalled           time.Duration     // how long the oldest write that is under way has taken; 0 when none is
	Idle              time.Duration     // as Idle gives it
	Full              bool              // nothing can be written for want of room
	NewestFix         time.Time         // of the ships that were known at Open; zero without any
	Folder            records.Folder
	ReadOnly          string         // why nothing can be written; "" when all is well
	Damaged           map[string]int // what could not be read, by kind (records.DamagedHour …); empty when all is well
}

// WrittenToDB returns the bytes of all tables and series of DBWritten.
func (s Status) WrittenToDB() (bytes uint64) {
	for _, n := range s.DBWritten {
		bytes += n
	}
	return bytes
}

// Status returns the state of the store at this moment. It does not wait for the disk.
func (db *DB) Status() Status {
	db.mu.Lock()
	s := Status{Fixes: db.fixes, Dropped: db.dropped, Pending: db.log.Pending, OpenBytes: db.openBytes, OpenShips: len(db.list)}
	db.mu.Unlock()
	s.LogBytes, s.LogWritten = db.wal.Bytes.Load(), db.wal.Written.Load()
	s.Damaged = db.DamageCounts()
	if ms := db.lastSync.Load(); ms != 0 {
		s.LastSync = time.UnixMilli(ms).UTC()
	}
	s.DBWritten, s.Retention, s.ReadOnly, s.Stalled = db.Written(), db.options.Retention, db.faultText(), db.Stalled()
	s.Idle, s.Full, s.Folder = db.Idle(), db.isDiskFull(), db.Folder()
	if err := db.Away(); err != nil && s.ReadOnly == "" {
		s.ReadOnly = err.Error()
	}
	if db.newestFix > 0 {
		s.NewestFix = time.UnixMilli(db.newestFix).UTC()
	}
	f := db.Figures()
	s.DBBytes, s.FreeBytes = f.Size, f.Free
	if f.Newest > 0 {
		s.Oldest, s.Newest = time.UnixMilli(f.Oldest).UTC(), time.UnixMilli(f.Newest).UTC()
	}
	return s
}

func (db *DB) filePath(name string) string { return filepath.Join(db.options.Dir, name) }
