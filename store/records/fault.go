package records

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
)

// fault remembers why the database cannot be written. While it stands nothing is acknowledged.
type fault struct {
	mu  sync.Mutex
	err error // wraps ErrFull or ErrReadOnly

	reopenAt   time.Time     // the database is not opened anew before
	reopenWait time.Duration // from the last try to the next
}

// A file that stays damaged is not opened and read whole each second: the wait doubles from the first to the longest.
const (
	firstReopen   = time.Second
	longestReopen = 15 * time.Second
)

// DiskError returns what an error of writing means: it wraps ErrFull where the disk is full, else ErrReadOnly.
func DiskError(err error) error {
	if copies.Full(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrReadOnly, err)
}

func (f *fault) note(log *slog.Logger, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = DiskError(err)
	if f.err == nil {
		log.Error("the database cannot be written; the store is read-only until it can", "error", err)
	}
	f.err = err
	return err
}

// stands returns what is wrong, nil when nothing is.
func (f *fault) stands() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Fault returns why the database cannot be written, nil when it can. It wraps ErrFull or ErrReadOnly.
func (db *Database) Fault() error { return db.fault.stands() }

// Recover tries to write again after a fault, and reports whether that has ended it. A full disk needs only room. After any other error the file is opened anew
// and checked first, because the system may have forgotten pages that it could not write.
func (db *Database) Recover(now time.Time) bool {
	err := db.Fault()
	full := errors.Is(err, ErrFull)
	if err == nil || !full && !db.fault.mayReopen(now) {
		return false
	}
	if err := db.tryToWrite(full); err != nil {
		db.logger.Warn("the database still cannot be written", "error", err)
		return false
	}
	db.logger.Warn("the database can be written again")
	return true
}

// mayReopen reports whether it is time to open the database anew, and takes that for done.
func (f *fault) mayReopen(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.reopenAt) {
		return false
	}
	f.reopenWait = min(max(2*f.reopenWait, firstReopen), longestReopen)
	f.reopenAt = now.Add(f.reopenWait)
	return true
}

func (db *Database) tryToWrite(full bool) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	if !full {
		if err := db.reopen(); err != nil {
			return err
		}
	}
	// A commit of a size that a flush may need, taken back at once: after it there is room.
	probe := make([]byte, 256<<10)
	for _, v := range [][]byte{probe, nil} {
		err := db.commitUpdate(func(tx *Tx) error {
			if v == nil {
				return tx.Delete(layout.Meta, []byte(layout.MetaProbe))
			}
			return tx.Put(layout.Meta, []byte(layout.MetaProbe), v)
		})
		if err != nil {
			return err
		}
	}
	db.fault.mu.Lock()
	db.fault.err, db.fault.reopenAt, db.fault.reopenWait = nil, time.Time{}, 0
	db.fault.mu.Unlock()
	return nil
}

// reopen closes the database, opens it anew and checks it. Readers wait for the opening only. The caller holds writing.
func (db *Database) reopen() error {
	if !db.copying.TryLock() {
		return errors.New("a backup or compaction is under way")
	}
	defer db.copying.Unlock()
	if err := db.exchange(); err != nil {
		return err
	}
	db.swap.RLock()
	defer db.swap.RUnlock()
	return guard(db.bolt.Path(), func() error { _, err := checkPages(db.bolt); return err })
}

func (db *Database) exchange() error {
	db.swap.Lock()
	defer db.swap.Unlock()
	if err := db.bolt.Close(); err != nil {
		return err
	}
	file, err := openFile(db.path(), false)
	if err != nil {
		return err
	}
	db.bolt = file
	db.noteFile(&db.folder.database, layout.DBName)
	db.updateFigures()
	return nil
}
