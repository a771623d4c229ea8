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

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/feedset"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/stall"
	"quaywatch/store/unconfirmed"
	"quaywatch/store/wal"
)

// Options say where and how to store.
type Options struct {
	Dir          string
	SyncInterval time.Duration // of the log; 0 is one second
	Retention    time.Duration // of fixes and of static data that was replaced; 0 keeps everything
	FullRate     bool          // keep every fix instead of thinning
	Log          *slog.Logger  // nil is slog.Default()
	Vital        records.Vital //  what is done with damaged records of which none may be missing
}

// DB is an open store. It is a traffic.Observer; its other methods may be called from any goroutine.
type DB struct {
	*records.Database
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

	clock  stall.Stopwatch
	write  atomic.Int64 // when the write to the log that is under way began, by the clock; 0 when none is
	syncer atomic.Int64 // when the goroutine of Run that syncs the log was last seen at work
	fault  logFault

	flushing  sync.Mutex // one flush at a time
	firstLive atomic.Uint64
	newestFix int64     // Unix milliseconds, of the last states at Open
	heldSince time.Time // when too much history was too old at once, or a part of that went last; else zero
	kept      int64     // the time of the last retention
	staticAt  time.Time // when static data left the log last

	wantSync, wantKeeper wake.Kick
	closed               atomic.Bool
}

// Open opens the store in o.Dir, and makes an empty one when there is none. It replays the log, so that everything that was synced is
// there again. When another process has the store, Open returns records.ErrLocked within two seconds. When a file is damaged, Open does not change
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
	db := &DB{options: o, logger: o.Log, ships: map[ais.MMSI]*vessel{}, clock: stall.Start(),
		feeds: feedset.New(), wantSync: wake.NewKick(), wantKeeper: wake.NewKick()}
	db.log.Names = func(n ship.FeedSet) []string { return db.feeds.Names(n) }
	database, err := records.Open(records.Options{Dir: o.Dir, Log: o.Log, Vital: o.Vital, Wake: db.wantKeeper.Wake})
	if err != nil {
		return nil, err
	}
	db.Database = database
	if err := db.readAll(); err != nil {
		if db.wal != nil {
			db.wal.F.Close()
		}
		return nil, errors.Join(err, database.Close(false))
	}
	return db, nil
}

// readAll does what Open does once the database is open.
func (db *DB) readAll() error {
	head := db.Head()
	db.firstLive.Store(head.FirstLive)
	if err := errors.Join(db.loadFeeds(), db.loadStates()); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(db.options.Dir, layout.DBName), err)
	}
	if err := db.openLog(head); err != nil {
		return err
	}
	if err := db.Begin(); err != nil {
		return err
	}
	db.noteStart()
	return nil
}

// Run works until ctx is done. It syncs the log each interval, moves full buckets into the database, drops what is beyond retention, and
// recovers from a full disk.
func (db *DB) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { db.runSync(ctx) })
	all.Go(func() { db.runKeeper(ctx) })
	all.Go(func() { db.RunFolder(ctx) })
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
		if db.fault.stands() == nil {
			db.sync()
		}
		db.syncer.Store(db.clock.Now())
	}
}

// runKeeper does in turn all that writes to the database on its own account.
func (db *DB) runKeeper(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		db.Attend()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			db.recover(time.Now())
		case <-db.wantKeeper:
		}
		if db.Fault() != nil {
			continue
		}
		now := time.Now()
		db.complain("make room in memory", db.makeRoom(now))
		db.complain("write what could wait", db.WriteLater())
		db.complain("set damage aside", db.SetAsideFound())
		if now.Sub(db.staticAt) >= staticEvery {
			db.staticAt = now
			db.complain("write static data", db.flushStatics())
		}
		db.complain("drop what is beyond retention", db.retain(ctx, now))
	}
}

// complain logs an error of work in the background. A fault of the disk is logged once, where it is noted.
func (db *DB) complain(act string, err error) {
	if err != nil && !errors.Is(err, records.ErrFull) && !errors.Is(err, records.ErrReadOnly) && !errors.Is(err, context.Canceled) {
		db.logger.Error("store: "+act, "error", err)
	}
}

// sync writes all pending records to the log and syncs it.
func (db *DB) sync() error {
	db.logStrangers()
	db.walMu.Lock()
	defer db.walMu.Unlock()
	defer db.clock.Begin(&db.write)()
	db.mu.Lock()
	db.log.Cut()
	db.unsynced = append(db.unsynced, db.log.Filled...)
	db.log.Filled = db.log.Filled[:0]
	db.mu.Unlock()
	for len(db.unsynced) > 0 {
		b := db.unsynced[0]
		if err := db.wal.Write(b); err != nil {
			db.fault.note(db.logger, err)
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
	if db.fault.stands() != nil {
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
	for _, write := range []func() error{db.SetAsideFound, db.WriteLater, db.writeStatics, states, free} {
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
	db.StopCheck()
	errs := []error{db.sync(), db.finishLog()}
	if db.Fault() == nil {
		errs = append(errs, db.writeOut())
	}
	db.walMu.Lock()
	errs = append(errs, db.wal.F.Close())
	db.walMu.Unlock()
	return errors.Join(append(errs, db.Database.Close(errors.Join(errs...) == nil))...)
}
