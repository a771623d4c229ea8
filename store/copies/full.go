package copies

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Full reports whether an error means that no more bytes can be had. bbolt wraps some of them by text only.
func Full(err error) bool {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, berrors.ErrMaxSizeReached} {
		if errors.Is(err, full) || strings.Contains(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}

// PathNow returns where a database that is open stands: one that was just made, or compacted, was opened under a temporary name.
func PathNow(file *bolt.DB, name string) string {
	if _, err := os.Stat(file.Path()); errors.Is(err, os.ErrNotExist) {
		return filepath.Join(filepath.Dir(file.Path()), name)
	}
	return file.Path()
}
