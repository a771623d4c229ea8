package records

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"quaywatch/store/files"
	"quaywatch/store/layout"
)

// lookEvery is how often the data folder is looked at. What is missing at two looks in a row counts as gone: a compaction renames files.
const lookEvery = 10 * time.Second

// Folder tells how the data folder fares, and the disk that it is on. Size and Free are 0 where they are not known.
type Folder struct {
	Size, Free uint64        // of the file system, in bytes; Free is what the service may still write
	Gone       bool          // the folder vanished, or other files stand in the place of ours
	Looking    time.Duration // how long the look that is under way has taken; 0 when none is
}

// folder watches the files of the store under their names.
type folder struct {
	database, log atomic.Pointer[os.FileInfo] // as they were opened

	missing bool // at the last look
	gone    atomic.Bool
	size    atomic.Uint64
	free    atomic.Uint64
	look    atomic.Int64 // when the look that is under way began, by the clock; 0 when none is
}

// noteFile notes which file stands under a name now. When none can be seen, it is still the one from before that has to be there.
func (db *Database) noteFile(file *atomic.Pointer[os.FileInfo], name string) {
	if info, err := os.Stat(filepath.Join(db.dir, name)); err == nil {
		file.Store(&info)
	}
}

// NoteLog notes that the log was opened, so that a look misses it when it is gone.
func (db *Database) NoteLog() { db.noteFile(&db.folder.log, layout.LogName) }

// lostFile returns the first file that no longer stands under its name.
func (db *Database) lostFile() error {
	for name, file := range map[string]*atomic.Pointer[os.FileInfo]{layout.DBName: &db.folder.database, layout.LogName: &db.folder.log} {
		was := file.Load()
		now, err := os.Stat(filepath.Join(db.dir, name))
		if err != nil {
			return err
		}
		if was != nil && !os.SameFile(*was, now) {
			return fmt.Errorf("another file stands at %s", filepath.Join(db.dir, name))
		}
	}
	return nil
}

// RunFolder looks at the data folder from time to time. On a disk that hangs it waits, and holds nothing meanwhile.
func (db *Database) RunFolder(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		done := db.clock.Begin(&db.folder.look)
		db.lookAtFolder()
		done()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (db *Database) lookAtFolder() {
	if size, free, err := files.Space(db.dir); err == nil {
		db.folder.size.Store(size)
		db.folder.free.Store(free)
	}
	db.folder.noteLook(db.logger, db.lostFile())
}

// noteLook takes the result of a look.
func (f *folder) noteLook(log *slog.Logger, err error) {
	was := f.missing
	f.missing = err != nil
	switch {
	case err != nil && was && !f.gone.Swap(true):
		log.Error("the data folder is gone, or another stands in its place; nothing is stored until ours is back or the service is started anew", "error", err)
	case err == nil && f.gone.Swap(false):
		log.Warn("the data folder is there again")
	}
}

// away refuses what would be written to files that no longer stand under their names: the next start would not find it.
func (f *folder) away() error {
	if f.gone.Load() {
		return fmt.Errorf("%w: the data folder is gone, or another stands in its place", ErrReadOnly)
	}
	return nil
}

// Away returns why nothing may be written when the data folder is gone. The error wraps ErrReadOnly.
func (db *Database) Away() error { return db.folder.away() }

// Folder tells how the data folder fares. It never waits.
func (db *Database) Folder() Folder {
	return Folder{db.folder.size.Load(), db.folder.free.Load(), db.folder.gone.Load(), db.clock.Since(&db.folder.look)}
}
