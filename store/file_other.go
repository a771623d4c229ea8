//go:build !linux

package store

import "os"

// dataSync makes the bytes of f last.
func dataSync(f *os.File) error { return f.Sync() }
