package records

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"

	"quaywatch/form"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/stall"
)

// What a caller may handle.
var (
	ErrNotFound = form.ErrNotFound
	ErrExists   = form.ErrTaken
	ErrLocked   = files.ErrLocked
	ErrFull     = form.ErrFull
	ErrReadOnly = form.ErrReadOnly
)

// Options say which database is opened, and how.
type Options struct {
	Dir   string
	Log   *slog.Logger
	Vital Vital  // what is done with damaged records of which none may be missing
	Wake  func() // is called when damage was found that SetAsideFound has to set aside
}

// Database is the open database of a store. Its methods may be called from any goroutine.
type Database struct {
	dir        string
	logger     *slog.Logger
	vital      Vital
	wakeKeeper func()
	head       MetaHead        // as the database was found
	found      []pages.Suspect // by the check at the start
	unchecked  bool            // it was too large for the check at the start

	swap    sync.RWMutex // held shared by every View; compaction and recovery replace bolt under it
	bolt    *bolt.DB
	writing sync.Mutex           // one commit at a time
	touched *touchedSet          // what was written since compaction began, guarded by writing
	wanted  []func(tx *Tx) error // make tables and series that were opened and are not there yet, guarded by writing
	copying sync.Mutex           // one compaction, backup or reopening at a time

	clock   stall.Stopwatch
	commit  atomic.Int64 // when the commit that is under way began, by the clock; 0 when none is
	keeper  atomic.Int64 // when who keeps the database was last seen at work; a commit of any caller counts
	figures atomic.Pointer[FileFigures]
	written writeCounts

	fault     fault
	folder    folder
	later     later
	damage    damages
	unwritten []Damage // told at the start and not yet kept

	background sync.WaitGroup
	closing    atomic.Bool // a check in the background is to end
	closed     atomic.Bool
	cutShort   atomic.Bool // the check in the background was ended by StopCheck
}

// Open opens the database in o.Dir, and makes an empty one when there is none. It writes nothing but leaves in the place of pages that were
// wiped (mendWiped): Begin does, once the log was read too. When another process has the file, Open returns ErrLocked within two seconds.
// When it is damaged, the error names it.
func Open(o Options) (*Database, error) {
	db := &Database{dir: o.Dir, logger: o.Log, vital: o.Vital, wakeKeeper: o.Wake, clock: stall.Start(),
		damage: damages{counts: map[string]int{}, waiting: map[ValuePlace]Damage{}}}
	file, err := openFile(db.path(), true)
	if err != nil {
		return nil, err
	}
	db.bolt = file
	if err := db.readLocked(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return db, nil
}

// readLocked reads what Open has to know once the database is locked.
func (db *Database) readLocked() error {
	for _, leftover := range []string{layout.DBName + ".compact", layout.DBName + ".restore"} {
		if err := removeIfThere(filepath.Join(db.dir, leftover)); err != nil {
			return err
		}
	}
	var err error
	if db.head, err = readMeta(db.bolt); err != nil {
		return fmt.Errorf("%s %w", db.bolt.Path(), err)
	}
	db.updateFigures()
	var small bool
	db.found, small, err = checkSmall(db.bolt)
	if err != nil && db.mendWiped() {
		db.found, small, err = checkSmall(db.bolt)
	}
	if err != nil {
		return err
	}
	db.unchecked = !small
	if err := errors.Join(db.loadDamages(), db.checkVital()); err != nil {
		return fmt.Errorf("%s: %w", db.bolt.Path(), err)
	}
	db.noteFile(&db.folder.database, layout.DBName)
	return nil
}

// Head returns what the database said of itself when it was opened. Who opens the log may change it until Begin.
func (db *Database) Head() *MetaHead { return &db.head }

// Begin writes what was found at the start, and marks the database as open. One that was not closed and is too large for the check at the start
// is checked in the background from now on.
func (db *Database) Begin() error {
	if err := errors.Join(db.mendMeta(), db.foundAll(db.found), db.mark(layout.StateOpen), db.SetAsideFound()); err != nil {
		return err
	}
	db.found = nil
	if db.head.Open && db.unchecked {
		db.background.Go(db.checkInBackground)
	}
	return nil
}

// mark writes whether the store is open.
func (db *Database) mark(state byte) error {
	return db.Update(func(tx *Tx) error { return tx.Put(layout.Meta, []byte(layout.MetaOpen), []byte{state}) })
}

// StopCheck ends the check in the background soon.
func (db *Database) StopCheck() { db.closing.Store(true) }

// WaitForCheck waits until the check in the background has ended.
func (db *Database) WaitForCheck() { db.background.Wait() }

// Close waits for the check in the background, and closes the file. What is whole is marked as closed: all before it was written, and checked
// where that was due. It may be called twice.
func (db *Database) Close(whole bool) (err error) {
	if db.closed.Swap(true) {
		return nil
	}
	db.StopCheck()
	db.background.Wait()
	if whole && !db.cutShort.Load() {
		err = db.mark(layout.StateClosed)
	}
	db.swap.Lock()
	defer db.swap.Unlock()
	return errors.Join(err, db.bolt.Close())
}

// WriteCopy writes the pages of the database as they stand to w, while the store goes on. Before that it calls prepare, and no compaction comes between.
// The transaction lasts as long as w takes; pages freed meanwhile are not used again until it ends.
func (db *Database) WriteCopy(w io.Writer, prepare func() error) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	if err := prepare(); err != nil {
		return err
	}
	return db.View(func(tx *bolt.Tx) error { _, err := tx.WriteTo(w); return err })
}

// path returns the path of the database file.
func (db *Database) path() string { return filepath.Join(db.dir, layout.DBName) }

// Exists reports whether there is a store in dir, running or not.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, layout.DBName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a store: %w", err)
	}
	return true, nil
}
