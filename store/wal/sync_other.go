//go:build !linux

package wal

import "os"

// DataSync makes the bytes of f last.
func DataSync(f *os.File) error { return f.Sync() }
