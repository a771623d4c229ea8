package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// workPrefix begins the names of folders for work. No user's file has such a name.
const workPrefix = temporaryPrefix + "work-"

// Workplace makes a folder in dir for files that are on their way to another name, and returns how to remove it. It removes what a killed
// process left there; a folder in which a process works is locked.
func Workplace(dir string) (work string, done func() error, err error) {
	if err := removeUnused(dir); err != nil {
		return "", nil, err
	}
	if work, err = os.MkdirTemp(dir, workPrefix); err != nil {
		return "", nil, err
	}
	lock, err := os.Open(work)
	if err == nil {
		err = LockShared(lock)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(work))
	}
	return work, func() error { return errors.Join(os.RemoveAll(work), lock.Close()) }, nil
}

// removeUnused removes the folders for work in which no process works.
func removeUnused(dir string) error {
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
		if LockAlone(f) == nil {
			err = os.RemoveAll(path)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// PutInPlace syncs a file and moves it to its final name, where it replaces what stands there.
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
	return SyncFolderOf(path)
}
