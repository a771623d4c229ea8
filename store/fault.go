package store

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
)

// faults remembers what is wrong with the disk, apart for the database and for the log. While a fault stands nothing is
// acknowledged.
type faults struct {
	mu     sync.Mutex
	dbErr  error // wraps ErrFull or ErrReadOnly
	logErr error

	reopenAt   time.Time     // the database is not opened anew before
	reopenWait time.Duration // from the last try to the next
}

// A file that stays damaged is not opened and read whole each second: the wait doubles from the first to the longest.
const (
	firstReopen   = time.Second
	longestReopen = 15 * time.Second
)

// isDiskFull reports whether what is wrong is only that the disk is full.
func (f *faults) isDiskFull() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Is(f.dbErr, ErrFull) || errors.Is(f.logErr, ErrFull)
}

func classify(err error) error {
	if copies.Full(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrReadOnly, err)
}

func (f *faults) noteDB(log *slog.Logger, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = classify(err)
	if f.dbErr == nil {
		log.Error("the database cannot be written; the store is read-only until it can", "error", err)
	}
	f.dbErr = err
	return err
}

func (f *faults) noteLog(log *slog.Logger, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.logErr == nil {
		log.Error("the log cannot be written; positions are kept in memory until it can, then dropped", "error", err)
	}
	f.logErr = classify(err)
}

func (f *faults) db() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dbErr
}

func (f *faults) logError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logErr
}

// faultText returns all that is wrong in one line, "" when nothing is.
func (f *faults) faultText() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.dbErr, f.logErr); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return ""
}

// recover tries to write again after a fault. A full disk needs only room. After any other error the file is opened anew and checked first, because the system
// may have forgotten pages that it could not write.
func (db *DB) recover(now time.Time) {
	if err := db.fault.db(); err != nil && (errors.Is(err, ErrFull) || db.fault.mayReopen(now)) {
		if err := db.recoverDB(errors.Is(err, ErrFull)); err != nil {
			db.logger.Warn("the database still cannot be written", "error", err)
		} else {
			db.logger.Warn("the database can be written again")
			db.wantFlush()
		}
	}
	if err := db.fault.logError(); err != nil {
		if err := db.recoverLog(errors.Is(err, ErrFull)); err != nil {
			db.logger.Warn("the log still cannot be written", "error", err)
		} else {
			db.logger.Warn("the log can be written again")
		}
	}
}

// mayReopen reports whether it is time to open the database anew, and takes that for done.
func (f *faults) mayReopen(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.reopenAt) {
		return false
	}
	f.reopenWait = min(max(2*f.reopenWait, firstReopen), longestReopen)
	f.reopenAt = now.Add(f.reopenWait)
	return true
}

func (db *DB) recoverDB(full bool) error {
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
		err := db.commitUpdate(func(tx *writeTx) error {
			if v == nil {
				return tx.deleteKey(layout.Meta, []byte(layout.MetaProbe))
			}
			return tx.putValue(layout.Meta, []byte(layout.MetaProbe), v)
		})
		if err != nil {
			return err
		}
	}
	db.fault.mu.Lock()
	db.fault.dbErr, db.fault.reopenAt, db.fault.reopenWait = nil, time.Time{}, 0
	db.fault.mu.Unlock()
	return nil
}

// reopen closes the database, opens it anew and checks it. Readers wait for the opening only. The caller holds writing.
func (db *DB) reopen() error {
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

func (db *DB) exchange() error {
	db.swap.Lock()
	defer db.swap.Unlock()
	if err := db.bolt.Close(); err != nil {
		return err
	}
	file, err := openFile(db.filePath(dbName), false)
	if err != nil {
		return err
	}
	db.bolt = file
	db.noteFile(&db.folder.database, dbName)
	db.updateFigures()
	return nil
}

func (db *DB) recoverLog(full bool) error {
	db.walMu.Lock()
	if !full {
		if err := db.wal.Reopen(); err != nil {
			db.walMu.Unlock()
			return err
		}
	}
	db.noteFile(&db.folder.log, walName)
	db.walMu.Unlock()
	if err := db.sync(); err != nil {
		return err
	}
	db.fault.mu.Lock()
	db.fault.logErr = nil
	db.fault.mu.Unlock()
	return nil
}
