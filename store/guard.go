package store

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/track"
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
	err = guard(file.Path(), func() error {
		if err := checkPages(file); err != nil {
			return err
		}
		return file.View(checkTables)
	})
	if err != nil {
		return true, fmt.Errorf("%s is damaged and was left as it is; keep it, and restore the last backup with 'quaywatch restore': %w", file.Path(), err)
	}
	return true, nil
}

// checkTables looks for records that cannot be read. Pages have no checksum: a page may be whole for bbolt and hold nonsense.
func checkTables(tx *bolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		if slices.Contains(ownBuckets(), string(name)) || isSeries(string(name)) {
			return nil
		}
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return nil
			}
			value, err := unseal(string(name), k, v)
			if err == nil && !json.Valid(value) {
				err = track.ErrCorrupt
			}
			if err != nil {
				return fmt.Errorf("table %s, record %x: not readable: %w", name, k, err)
			}
			return nil
		})
	})
}
