package store

import (
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// checkedAtStart is the size up to which a database is read whole before anything is written to it; that takes some tens of
// milliseconds. A larger one is checked in the background, and only when it was not closed.
const checkedAtStart = 32 << 20

// guard runs fn, which reads or writes the database. What bbolt finds wrong by a panic, and what a fault of the mapped file
// says, becomes an error: one bad page must not end the service.
func guard(path string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is damaged and was left as it is; keep it, and restore the last backup with 'quaywatch restore': %v", path, p)
		}
	}()
	return fn()
}

// checkSmall reads a small database whole; checked is false when it is too large for that.
func checkSmall(file *bolt.DB) (checked bool, err error) {
	var size int64
	err = guard(file.Path(), func() error {
		return file.View(func(tx *bolt.Tx) error { size = tx.Size(); return nil })
	})
	if err != nil || size > checkedAtStart {
		return false, err
	}
	err = guard(file.Path(), func() error { return checkPages(file) })
	if err != nil {
		return true, fmt.Errorf("%s is damaged and was left as it is; keep it, and restore the last backup with 'quaywatch restore': %w", file.Path(), err)
	}
	return true, nil
}
