package store

import (
	"os"
	"syscall"
)

// dataSync makes the bytes of f last, without the times of the file: fdatasync.
func dataSync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return err
		}
	}
}

// lockShared locks a file against one that writes it, without waiting. It gives ErrLocked when another process has it.
func lockShared(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}
