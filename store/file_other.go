//go:build !linux

package store

import (
	"errors"
	"os"
)

// lockShared does nothing here: a file that is in use must not be given.
func lockShared(*os.File) error { return nil }

// diskSpace is not known here.
func diskSpace(string) (size, free uint64, err error) { return 0, 0, errors.ErrUnsupported }

// lockAlone gives ErrLocked: what another process may work on stays.
func lockAlone(*os.File) error { return ErrLocked }
