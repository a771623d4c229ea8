package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// TemporaryPrefix begins the names of files that are on their way to another name.
const TemporaryPrefix = ".quaywatch-"

// ReplaceFile gives path what write writes, readable by its owner alone. The file stands under its name only when it is whole and
// synced; on an error what stood there before stays, and nothing is left behind. The error is that of write, or names the file.
func ReplaceFile(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), TemporaryPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // when it has not got its name
	defer file.Close()
	if err := write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolderOf(path)
}

// syncFolderOf makes the name of a file last. A share of the network whose folders cannot be synced is no failure: the file is there.
func syncFolderOf(path string) error {
	if err := syncDir(filepath.Dir(path)); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// renameSynced gives a synced file its final name and makes the name itself last.
func renameSynced(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
