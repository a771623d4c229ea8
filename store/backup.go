package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// Backup writes all that the store holds at this moment, open blocks included, as one database file to w. The store goes on meanwhile. The
// transaction lasts as long as w takes, and pages that become free meanwhile are not used again until it ends.
//
// While the disk is full nothing can be moved from the log into the database. A copy of the database alone would lack the last hours. So
// Backup writes nothing then, and the error says what to do instead. It wraps ErrFull.
func (db *DB) Backup(w io.Writer) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	if err := db.flush(true); errors.Is(err, ErrFull) {
		return fmt.Errorf("backup: nothing was written: the newest positions are still in %s and cannot join the database until the disk "+
			"has room again; make room and try again, or stop the service and copy %s and %s together: %w", walName, dbName, walName, err)
	} else if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := db.bolt.View(func(tx *bolt.Tx) error { _, err := tx.WriteTo(w); return err }); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// Restore puts a backup in the place of the store in dir, whose database and log are replaced. The backup is checked
// whole before. It gives ErrLocked, and changes nothing, when the store is running.
func Restore(dir, file string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	path := filepath.Join(dir, dbName)
	lock, err := lockForRestore(path)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if lock != nil {
		defer lock.Close()
	}
	temporary := path + ".restore"
	if err := copyBackup(temporary, file); err != nil {
		return errors.Join(fmt.Errorf("restore %s: %w", file, err), removeIfThere(temporary))
	}
	if err := renameSynced(temporary, path); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	// The log of the old database has another id; if this is not reached, Open sets it aside.
	return removeIfThere(filepath.Join(dir, walName))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// lockForRestore locks the database that is to be replaced, which may be damaged or missing.
func lockForRestore(path string) (io.Closer, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	file, _, err := openBolt(path)
	if errors.Is(err, ErrLocked) {
		return nil, err
	}
	if err != nil {
		return nil, nil // no process can have a damaged file open
	}
	return file, nil
}

// copyBackup copies a backup beside the database, checks it and ties it to a new log.
func copyBackup(temporary, backup string) error {
	if err := copyWhole(temporary, backup); err != nil {
		return err
	}
	info, err := os.Stat(temporary)
	if err != nil {
		return err
	}
	if err := checkFileHead(temporary, info.Size()); err != nil {
		return err
	}
	file, _, err := openBolt(temporary)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := readMeta(file); err != nil {
		return err
	}
	if err := checkPages(file); err != nil {
		return err
	}
	err = file.Update(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		return errors.Join(newLogID(meta), meta.Delete([]byte(metaFirstLive)), meta.Delete([]byte(metaOpen)))
	})
	return errors.Join(err, file.Sync())
}

func copyWhole(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Sync(), dst.Close())
}
