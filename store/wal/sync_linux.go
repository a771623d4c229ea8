package wal

import (
	"os"
	"syscall"
)

// DataSync makes the bytes of f last, without the times of the file: fdatasync.
func DataSync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return err
		}
	}
}
