package store

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"quaywatch/store/records"
)

// logFault remembers why the log cannot be written. While it stands positions are kept in memory, and then dropped.
type logFault struct {
	mu  sync.Mutex
	err error // wraps records.ErrFull or records.ErrReadOnly
}

func (f *logFault) note(log *slog.Logger, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		log.Error("the log cannot be written; positions are kept in memory until it can, then dropped", "error", err)
	}
	f.err = records.DiskError(err)
}

// stands returns what is wrong, nil when nothing is.
func (f *logFault) stands() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *logFault) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = nil
}

// isDiskFull reports whether what is wrong is only that the disk is full.
func (db *DB) isDiskFull() bool {
	return errors.Is(db.Fault(), records.ErrFull) || errors.Is(db.fault.stands(), records.ErrFull)
}

// faultText returns all that is wrong in one line, "" when nothing is.
func (db *DB) faultText() string {
	if err := errors.Join(db.Fault(), db.fault.stands()); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return ""
}

// recover tries to write again after a fault.
func (db *DB) recover(now time.Time) {
	if db.Recover(now) {
		db.wantFlush()
	}
	if err := db.fault.stands(); err != nil {
		if err := db.recoverLog(errors.Is(err, records.ErrFull)); err != nil {
			db.logger.Warn("the log still cannot be written", "error", err)
		} else {
			db.logger.Warn("the log can be written again")
		}
	}
}

func (db *DB) recoverLog(full bool) error {
	db.walMu.Lock()
	if !full {
		if err := db.wal.Reopen(); err != nil {
			db.walMu.Unlock()
			return err
		}
	}
	db.NoteLog()
	db.walMu.Unlock()
	if err := db.sync(); err != nil {
		return err
	}
	db.fault.forget()
	return nil
}
