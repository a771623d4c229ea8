package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// workPrefix begins the names of folders for work. No user's file has such a name.
const workPrefix = TemporaryPrefix + "work-"

// Workplace makes a folder in dir for files that are on their way to another name, and gives how to remove it. It removes what a killed
// process left there; a folder in which a process works is locked.
func Workplace(dir string) (work string, done func() error, err error) {
	if err := sweep(dir); err != nil {
		return "", nil, err
	}
	if work, err = os.MkdirTemp(dir, workPrefix); err != nil {
		return "", nil, err
	}
	lock, err := os.Open(work)
	if err == nil {
		err = lockShared(lock)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(work))
	}
	return work, func() error { return errors.Join(os.RemoveAll(work), lock.Close()) }, nil
}

// sweep removes the folders for work in which no process works.
func sweep(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range list {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), workPrefix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		if lockAlone(f) == nil {
			err = os.RemoveAll(path)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// PutInPlace syncs a file and gives it its final name, where it replaces what stands there.
func PutInPlace(file, path string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(file, path); err != nil {
		return err
	}
	return syncFolderOf(path)
}

// RefuseOwn tells when a path is a file of the store in dir, by its name or as another name of the same file.
func RefuseOwn(dir, path string) error {
	target, err := os.Stat(path)
	for _, name := range []string{dbName, walName} {
		own := filepath.Join(dir, name)
		is, err2 := os.Stat(own)
		if err == nil && err2 == nil && os.SameFile(target, is) || samePath(own, path) {
			return fmt.Errorf("%s is a file of the store itself", path)
		}
	}
	return nil
}

// samePath tells whether two paths lead to one place, where no file may stand yet.
func samePath(a, b string) bool {
	folderA, err1 := os.Stat(filepath.Dir(a))
	folderB, err2 := os.Stat(filepath.Dir(b))
	return err1 == nil && err2 == nil && os.SameFile(folderA, folderB) && filepath.Base(a) == filepath.Base(b)
}
