package records

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"quaywatch/store/files"
	"quaywatch/store/layout"
)

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = 1500 * time.Millisecond

// pageSize of a new database. A ship's hour at full rate takes two or three thousand bytes: pages of 4 KiB would stand
// half empty.
const pageSize = 16 << 10

// fileOptions are bbolt's options for a live store. A remap waits for readers, so the first map is large; a 32-bit
// process has no room for more than half a gigabyte.
func fileOptions() *bolt.Options {
	o := &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType, PageSize: pageSize}
	if strconv.IntSize == 64 {
		gigabyte := 1 << 30
		o.InitialMmapSize, o.MaxSize = 4*gigabyte, 1024*gigabyte
	} else {
		o.InitialMmapSize = 512 << 20
	}
	return o
}

// openFile opens a database file that is whole as far as its first pages say, or makes an empty one.
func openFile(path string, create bool) (*bolt.DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && create:
		log := filepath.Join(filepath.Dir(path), layout.LogName)
		if _, err := os.Lstat(log); err == nil { // an empty store would hide that all is gone
			return nil, fmt.Errorf("%s is missing beside its log: use 'quaywatch restore' or 'quaywatch salvage', or move %s away for an empty store", path, log)
		}
		return createFile(path)
	case err != nil:
		return nil, OpenError(path, err)
	}
	if err := checkFileHead(path, info.Size()); err != nil {
		return nil, err
	}
	file, opened, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	// Another process may have put a compacted file in the place of the one that we waited for.
	named, err := os.Stat(path)
	if err != nil || !os.SameFile(named, opened) {
		file.Close()
		return nil, fmt.Errorf("open %s: %w", path, ErrLocked)
	}
	return file, nil
}

// openBolt opens a bbolt file. What bbolt finds wrong by a panic or a fault of the map becomes an error.
func openBolt(path string) (file *bolt.DB, info os.FileInfo, err error) {
	err = guard(path, func() error {
		file, info, err = openUnguarded(path)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

func openUnguarded(path string) (file *bolt.DB, info os.FileInfo, err error) {
	o := fileOptions()
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if err == nil {
			info, err = f.Stat()
		}
		return f, err
	}
	file, err = bolt.Open(path, 0o600, o)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, nil, fmt.Errorf("open %s: %w", path, ErrLocked)
	}
	if err != nil {
		return nil, nil, OpenError(path, err)
	}
	file.AllocSize = 1 << 20 // the file grows in steps of this
	return file, info, nil
}

// createFile makes an empty database beside its final name, syncs it and renames it: a power cut leaves all or nothing.
func createFile(path string) (*bolt.DB, error) {
	if err := discard(path + ".new"); err != nil {
		return nil, err
	}
	file, _, err := openBolt(path + ".new")
	if err != nil {
		return nil, err
	}
	if err = initFile(file); err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = files.RenameSynced(path+".new", path)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("make %s: %w", path, err)
	}
	return file, nil
}

// discard removes what a first start left that was cut short, unless another process is at it just now.
func discard(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	file, _, err := openBolt(path)
	if errors.Is(err, ErrLocked) {
		return err
	}
	if err == nil {
		file.Close()
	}
	return removeIfThere(path)
}

func initFile(file *bolt.DB) error {
	return file.Update(func(tx *bolt.Tx) error {
		for _, name := range layout.OwnBuckets() {
			if layout.IsOnDemand(name) {
				continue
			}
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		meta := tx.Bucket([]byte(layout.Meta))
		if meta.Get([]byte(layout.MetaLog)) == nil {
			if err := newLogID(meta); err != nil {
				return err
			}
		}
		return putMeta(meta, layout.MetaFormat, formatEntry())
	})
}

// newLogID ties the file to a log that does not exist yet.
func newLogID(meta *bolt.Bucket) error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	return putMeta(meta, layout.MetaLog, id)
}

func putMeta(meta *bolt.Bucket, entry string, value []byte) error {
	return meta.Put([]byte(entry), layout.Seal(layout.Meta, []byte(entry), value))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// TieToNewLog makes a database file that is not open one whose log is empty and is made at the next start.
func TieToNewLog(path string) error {
	file, _, err := openBolt(path)
	if err != nil {
		return err
	}
	err = guard(path, func() error {
		return file.Update(func(tx *bolt.Tx) error {
			meta := tx.Bucket([]byte(layout.Meta))
			return errors.Join(newLogID(meta), meta.Delete([]byte(layout.MetaFirstLive)), meta.Delete([]byte(layout.MetaOpen)))
		})
	})
	return errors.Join(err, file.Sync(), file.Close())
}
