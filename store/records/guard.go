package records

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/pages"
)

// checkedAtStart is the size up to which the pages of a database are checked before anything is written to it. That takes some tens of milliseconds.
const checkedAtStart = 32 << 20

// Why a file of a store cannot be used, beside ErrLocked. The words of each tell what to do.
var (
	ErrDamaged = errors.New("is damaged and was left as it is; keep it: 'quaywatch salvage' gives what can still be read of it, " +
		"and 'quaywatch restore' puts a backup in its place")
	ErrForbidden = errors.New("may not be used by this user; give the user of the service the folder and all files in it (chown), with the modes 0700 and 0600")
	ErrNoWriting = errors.New("is on a file system that is mounted read-only; mount it for writing, or name another folder with data_dir")
	ErrNewer     = errors.New("was written by a newer program; use that program")
)

// OpenError says what it means that a file of the store cannot be opened.
func OpenError(path string, err error) error {
	why := error(nil)
	switch {
	case errors.Is(err, fs.ErrPermission):
		why = ErrForbidden
	case errors.Is(err, syscall.EROFS):
		why = ErrNoWriting
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing: %w", path, err)
	case errors.Is(err, syscall.EIO):
		return fmt.Errorf("%s cannot be read from the disk; copy the folder to a new disk, and 'quaywatch salvage' gives what can still be read: %w", path, err)
	default:
		return fmt.Errorf("open %s: %w", path, err)
	}
	return fmt.Errorf("%s %w: %w", path, why, err)
}

// damagedFile is the error for a file that is no whole database.
func damagedFile(path string, why error) error {
	return fmt.Errorf("%s %w (%w)", path, ErrDamaged, why)
}

// errPages is what is wrong with a file in which bbolt stumbles.
var errPages = errors.New("its pages do not belong together")

// guard runs fn, which reads or writes the database. What bbolt finds wrong by a panic, and what a fault of the mapped file says, becomes ErrDamaged. A bad
// page must not end the service.
func guard(path string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = damagedFile(path, errPages)
		}
	}()
	return fn()
}

// checkSmall checks the pages of a small database, and returns its damaged values. A larger one is checked in the background.
func checkSmall(file *bolt.DB) (damaged []pages.Suspect, small bool, err error) {
	var size int64
	err = guard(file.Path(), func() error {
		return file.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil })
	})
	if err != nil || size > checkedAtStart {
		return nil, false, err
	}
	if damaged, err = checkPages(file); err != nil {
		err = damagedFile(file.Path(), err)
	}
	return damaged, true, err
}
