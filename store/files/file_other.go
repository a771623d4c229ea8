//go:build !linux

package files

import (
	"errors"
	"os"
)

// LockShared does nothing here: a file that is in use must not be given.
func LockShared(*os.File) error { return nil }

// Space is not known here.
func Space(string) (size, free uint64, err error) { return 0, 0, errors.ErrUnsupported }

// LockAlone returns ErrLocked: what another process may work on stays.
func LockAlone(*os.File) error { return ErrLocked }

// GiveToFolder does nothing here.
func GiveToFolder(string, string) error { return nil }
