package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/feedset"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/unconfirmed"
	"quaywatch/store/wal"
)

// The files of a store, in its directory.
const (
	dbName  = "quaywatch.db"
	walName = "quaywatch.wal"
)

// What a caller may handle.
var (
	ErrNotFound = form.ErrNotFound
	ErrExists   = form.ErrTaken
	ErrLocked   = files.ErrLocked
	ErrFull     = form.ErrFull
	ErrReadOnly = form.ErrReadOnly
)

// Options say where and how to store.
type Options struct {
	Dir          string
	SyncInterval time.Duration // of the log; 0 is one second
	Retention    time.Duration // of fixes and of static data that was replaced; 0 keeps everything
	FullRate     bool          // keep every fix instead of thinning
	Log          *slog.Logger  // nil is slog.Default()
	Vital        Vital         // what is done with damaged records of which none may be missing
}

// DB is an open store. It is a traffic.Observer; its other methods may be called from any goroutine.
type DB struct {
	options Options
	logger  *slog.Logger

	mu             sync.Mutex   // guards what Observe touches
	states         []ship.State // as of Open, until the first Tick
	ships          map[ais.MMSI]*vessel
	list           []*vessel // the same ships, for walking in parts; replaced, not changed, when ships are forgotten
	now            int64     // Unix milliseconds, by Tick
	ticked         bool      // now is of Tick, not of what was stored
	log            wal.Writer
	feeds          feedset.Sets // guarded by mu
	strangers      unconfirmed.ShipTable
	strangersSince uint64 // the log segment from which on it has all strangers
	scratch        []byte
	openBytes      int
	waitingStatics int
	departed       int       // ships in memory that left the picture
	fullHour       bool      // the hour changed since the last flush
	flushedAt      time.Time // the last flush that wrote something
	fixes, dropped uint64
	sealedAt       uint64 // the log segment being filled when the last flush began

	walMu    sync.Mutex // one user of the log's file at a time
	wal      *wal.Log
	unsynced []*wal.Bundle
	lastSync atomic.Int64

	swap    sync.RWMutex // held shared by every View; compaction and recovery replace bolt under it
	bolt    *bolt.DB
	writing sync.Mutex                // one commit at a time
	touched *touchedSet               // what was written since compaction began, guarded by writing
	wanted  []func(tx *writeTx) error // make tables and series that were opened and are not there yet, guarded by writing

	flushing  sync.Mutex // one flush at a time
	copying   sync.Mutex // one compaction, backup or reopening at a time
	firstLive atomic.Uint64
	written   atomic.Uint64 // bytes of values put into the database
	fault     faults
	disk      disk
	folder    folder
	newestFix int64 // Unix milliseconds, of the last states at Open
	later     later
	damage    damages
	heldSince time.Time // when too much history was too old at once, or a part of that went last; else zero
	kept      int64     // the time of the last retention
	unwritten []Damage  // of the log, told at the start and not yet kept
	staticAt  time.Time // when static data left the log last

	wantSync, wantKeeper wake.Kick
	background           sync.WaitGroup
	closed               atomic.Bool
	unchecked            atomic.Bool // the check in the background was cut short by Close
}

// Exists reports whether there is a store in dir, running or not.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, dbName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a store: %w", err)
	}
	return true, nil
}

// Open opens the store in o.Dir, and makes an empty one when there is none. It replays the log, so that everything that was synced is
// there again. When another process has the store, Open returns ErrLocked within two seconds. When a file is damaged, Open does not change
// it, but for pages that were wiped (mendWiped), and the error names it.
func Open(o Options) (*DB, error) {
	if o.SyncInterval <= 0 {
		o.SyncInterval = time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	db := &DB{options: o, logger: o.Log, ships: map[ais.MMSI]*vessel{},
		feeds: feedset.New(), wantSync: wake.NewKick(), wantKeeper: wake.NewKick(),
		damage: damages{counts: map[string]int{}, waiting: map[place]Damage{}}}
	db.log.Names = func(n ship.FeedSet) []string { return db.feeds.Names(n) }
	file, err := openFile(filepath.Join(o.Dir, dbName), true)
	if err != nil {
		return nil, err
	}
	db.bolt, db.disk.opened = file, time.Now()
	if err := db.openLocked(); err != nil {
		file.Close()
		if db.wal != nil {
			db.wal.F.Close()
		}
		return nil, err
	}
	return db, nil
}

// openLocked does what Open does once the database is locked.
func (db *DB) openLocked() error {
	for _, leftover := range []string{dbName + ".compact", dbName + ".restore"} {
		if err := os.Remove(filepath.Join(db.options.Dir, leftover)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	head, err := readMeta(db.bolt)
	if err != nil {
		return fmt.Errorf("%s %w", db.bolt.Path(), err)
	}
	db.firstLive.Store(head.firstLive)
	db.updateFigures()
	damaged, small, err := checkSmall(db.bolt)
	if err != nil && db.mendWiped() {
		damaged, small, err = checkSmall(db.bolt)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(db.loadDamages(), db.loadFeeds(), db.loadStates(), db.checkVital()); err != nil {
		return fmt.Errorf("%s: %w", db.bolt.Path(), err)
	}
	if err := db.openLog(&head); err != nil {
		return err
	}
	if err := errors.Join(db.mendMeta(&head), db.foundAll(damaged), db.markOpen(), db.setAsideFound()); err != nil {
		return err
	}
	db.noteStart()
	if head.open && !small {
		db.background.Add(1)
		go db.checkInBackground()
	}
	return nil
}

// mendMeta sets aside the damaged entries about the store and writes what is known of them, and keeps what the log told.
func (db *DB) mendMeta(head *metaHead) error {
	if len(head.traces)+len(db.unwritten) == 0 && head.knowsLog {
		return nil
	}
	return db.update(func(tx *writeTx) error {
		for entry := range head.traces {
			if err := tx.setAside(place{bucket: layout.Meta, key: entry}); err != nil {
				return err
			}
		}
		for _, d := range db.unwritten {
			if err := tx.keepDamage(keptDamage{Damage: d}); err != nil {
				return err
			}
		}
		meta := tx.tx.Bucket([]byte(layout.Meta))
		return errors.Join(putMeta(meta, layout.MetaFormat, formatEntry()), putMeta(meta, layout.MetaLog, head.logID[:]))
	})
}

func (db *DB) markOpen() error {
	return db.update(func(tx *writeTx) error {
		return tx.putValue(layout.Meta, []byte(layout.MetaOpen), []byte{layout.StateOpen})
	})
}

// Run works until ctx is done. It syncs the log each interval, moves full buckets into the database, drops what is beyond retention, and
// recovers from a full disk.
func (db *DB) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { db.runSync(ctx) })
	all.Go(func() { db.runKeeper(ctx) })
	all.Go(func() { db.runFolder(ctx) })
	all.Wait()
	return nil
}

func (db *DB) runSync(ctx context.Context) {
	tick := time.NewTicker(db.options.SyncInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-db.wantSync:
		}
		if db.fault.logError() == nil {
			db.sync()
		}
		db.disk.syncer.Store(db.disk.now())
	}
}

// runKeeper does in turn all that writes to the database on its own account.
func (db *DB) runKeeper(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		db.disk.keeper.Store(db.disk.now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			db.recover(time.Now())
		case <-db.wantKeeper:
		}
		if db.fault.db() != nil {
			continue
		}
		now := time.Now()
		db.complain("make room in memory", db.makeRoom(now))
		db.complain("write what could wait", db.writeLater())
		db.complain("set damage aside", db.setAsideFound())
		if now.Sub(db.staticAt) >= staticEvery {
			db.staticAt = now
			db.complain("write static data", db.flushStatics())
		}
		db.complain("drop what is beyond retention", db.retain(ctx, now))
	}
}

// complain logs an error of work in the background. A fault of the disk is logged once, where it is noted.
func (db *DB) complain(act string, err error) {
	if err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrReadOnly) && !errors.Is(err, context.Canceled) {
		db.logger.Error("store: "+act, "error", err)
	}
}

// sync writes all pending records to the log and syncs it.
func (db *DB) sync() error {
	db.logStrangers()
	db.walMu.Lock()
	defer db.walMu.Unlock()
	defer db.disk.startWait(&db.disk.log)()
	db.mu.Lock()
	db.log.Cut()
	db.unsynced = append(db.unsynced, db.log.Filled...)
	db.log.Filled = db.log.Filled[:0]
	db.mu.Unlock()
	for len(db.unsynced) > 0 {
		b := db.unsynced[0]
		if err := db.wal.Write(b); err != nil {
			db.fault.noteLog(db.logger, err)
			return err
		}
		db.unsynced = db.unsynced[1:]
		db.mu.Lock()
		db.log.Recycle(b)
		db.mu.Unlock()
	}
	db.unsynced = nil
	db.lastSync.Store(time.Now().UnixMilli())
	if err := db.wal.Prepare(); err != nil {
		db.logger.Warn("store: write the next segment of the log beforehand", "error", err)
	}
	return nil
}

// finishLog notes where the log ends.
func (db *DB) finishLog() error {
	if db.fault.logError() != nil {
		return nil // the next start finds the end by itself
	}
	db.walMu.Lock()
	defer db.walMu.Unlock()
	return db.wal.Finish()
}

// writeOut writes what is written at the end. The log is freed only when all before is in the database.
func (db *DB) writeOut() error {
	db.flushing.Lock()
	defer db.flushing.Unlock()
	states := func() error { return db.flushStates(everyShip) }
	free := func() error { return db.freeLog(prunedAfter) }
	for _, write := range []func() error{db.setAsideFound, db.writeLater, db.writeStatics, states, free} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// Close syncs the log, writes the last states and closes the files. What the log holds is replayed at the next Open. It
// may be called twice. Run must have ended.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	errs := []error{db.sync(), db.finishLog()}
	if db.fault.db() == nil {
		errs = append(errs, db.writeOut())
	}
	db.walMu.Lock()
	errs = append(errs, db.wal.F.Close())
	db.walMu.Unlock()
	db.background.Wait()
	if errors.Join(errs...) == nil && !db.unchecked.Load() {
		errs = append(errs, db.update(func(tx *writeTx) error {
			return tx.putValue(layout.Meta, []byte(layout.MetaOpen), []byte{layout.StateClosed})
		}))
	}
	db.swap.Lock()
	defer db.swap.Unlock()
	return errors.Join(append(errs, db.bolt.Close())...)
}
