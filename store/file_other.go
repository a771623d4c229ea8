//go:build !linux

package store

import "os"

// dataSync makes the bytes of f last.
func dataSync(f *os.File) error { return f.Sync() }

// lockShared does nothing here: a file that is in use must not be given.
func lockShared(*os.File) error { return nil }
