package files

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// LockShared locks a file against one that writes it, without waiting. It returns ErrLocked when another process has it.
func LockShared(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

// Space returns the size of the file system that a folder is on, and what a user without special rights may still write there.
func Space(dir string) (size, free uint64, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, 0, err
	}
	block := uint64(fs.Frsize)
	return fs.Blocks * block, fs.Bavail * block, nil
}

// LockAlone locks a file that no process has locked, without waiting. Else it returns ErrLocked.
func LockAlone(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

// GiveToFolder makes a file that root made one of the owner of the folder of path. So the service can open what a command of root made.
func GiveToFolder(file, path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == 0 {
		return nil
	}
	if err = os.Chown(file, int(is.Uid), int(is.Gid)); errors.Is(err, os.ErrPermission) {
		return nil // a medium without owners
	}
	return err
}
