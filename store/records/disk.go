package records

import (
	"maps"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// FileFigures are what the database file says of itself.
type FileFigures struct {
	Size, Free     int64 // bytes; Free is not used at present
	Oldest, Newest int64 // the start of the first and the end of the last hour with fixes, in Unix milliseconds; 0 and 0 without any
}

// Figures returns what the file said of itself after the last commit. It never waits.
func (db *Database) Figures() FileFigures { return *db.figures.Load() }

// Written returns the bytes of pages that commits wrote to the file since Open, by the table or series that they were written for.
func (db *Database) Written() map[string]uint64 { return db.written.copyCounts() }

// writeCounts are bytes of pages by table or series. A page holds many values, and a commit may write several tables. So each gets the share of the commit's
// bytes that it has of the values.
type writeCounts struct {
	mu    sync.Mutex
	bytes map[string]uint64
}

// add shares the bytes of a commit among those that it wrote values of. The state of the file gets what is left over.
func (c *writeCounts) add(bytes int64, values map[string]uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes == nil {
		c.bytes = map[string]uint64{}
	}
	var all uint64
	for _, n := range values {
		all += n
	}
	left := uint64(max(bytes, 0))
	for name, n := range values {
		share := uint64(max(bytes, 0)) * n / all
		c.bytes[name] += share
		left -= share
	}
	c.bytes[layout.Meta] += left
}

func (c *writeCounts) copyCounts() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.bytes)
}

// CommitWait returns how long the commit that is under way has taken, 0 when none is. It never waits.
func (db *Database) CommitWait() time.Duration { return db.clock.Since(&db.commit) }

// Attend notes that who keeps the database is at work. A commit notes that too.
func (db *Database) Attend() { db.keeper.Store(db.clock.Now()) }

// Unattended returns how long ago Attend was called, 0 when it was not. It never waits.
func (db *Database) Unattended() time.Duration { return db.clock.Since(&db.keeper) }

// updateFigures takes the figures of the database anew. The caller sees to it that db.bolt stays.
func (db *Database) updateFigures() {
	f := &FileFigures{}
	_ = guard(db.bolt.Path(), func() error { // a closed file has no figures
		return db.bolt.View(func(tx *bolt.Tx) error {
			stats := db.bolt.Stats()
			f.Size, f.Free = tx.Size(), int64(stats.FreePageN+stats.PendingPageN)*int64(db.bolt.Info().PageSize)
			f.Oldest, f.Newest = spanOf(tx)
			return nil
		})
	})
	db.figures.Store(f)
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

// StoredSpan returns the start of the first and the end of the last hour with fixes, as the database is now, in Unix milliseconds. They are 0
// and 0 when there is none.
func (db *Database) StoredSpan() (oldest, newest int64) {
	_ = db.View(func(tx *bolt.Tx) error { // a closed file has no buckets
		oldest, newest = spanOf(tx)
		return nil
	})
	return oldest, newest
}
