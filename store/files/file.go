package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// temporaryPrefix begins the names of files that are on their way to another name.
const temporaryPrefix = ".quaywatch-"

// ErrLocked is given for a file that another process has locked.
var ErrLocked = errors.New("in use by another process")

// Target returns the path at which a file is to be written: that to which a link leads, where path is one. The error names what stands there and is
// no file: a folder, a device, a pipe, or a link that leads nowhere.
func Target(path string) (string, error) {
	is, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, nil
	}
	if err == nil && is.Mode().Type() == os.ModeSymlink {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			is, err = os.Lstat(path)
		}
	}
	if err == nil && !is.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file: what stands there is not replaced", path)
	}
	return path, err
}

// Replace makes path hold what write writes, readable by its owner alone. The file stands under its name only when it is whole and synced. On an error what
// stood there before stays, and nothing is left behind. The error is that of write or of Target, or names the file.
func Replace(path string, write func(io.Writer) error) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix+"*")
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
	return SyncFolderOf(path)
}

// Write returns path these bytes, as Replace does.
func Write(path string, b []byte) error {
	return Replace(path, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// SyncFolderOf makes the name of a file last. A share of the network whose folders cannot be synced is no failure: the file is there.
func SyncFolderOf(path string) error {
	if err := SyncDir(filepath.Dir(path)); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// RenameSynced sets a synced file under its final name and makes the name itself last. The file belongs to whom GiveToFolder says.
func RenameSynced(from, to string) error {
	if err := errors.Join(GiveToFolder(from, to), os.Rename(from, to)); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// SyncDir makes the names of the files in a folder last.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
