// Package store is then: the tracks, the static history and the last states of ships, and the records of everything
// that an administrator makes, in one bbolt file with a short append log beside it.
package store

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// What a caller may handle.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrLocked   = errors.New("in use by another process")
	ErrFull     = errors.New("disk full")
	ErrReadOnly = errors.New("store is read-only")
)

// Options say where and how to store.
type Options struct {
	Dir          string
	SyncInterval time.Duration // 0 is one second
	Retention    time.Duration // 0 keeps everything
	FullRate     bool          // keep every fix
	Log          *slog.Logger
}

// DB is an open store.
type DB struct{}

// Status tells how the store fares.
type Status struct {
	DBBytes, LogBytes int64
	Fixes             uint64
	BytesWritten      uint64
	Pending           int
	LastSync          time.Time
	Dropped           uint64
	Retention         time.Duration
	Oldest, Newest    time.Time
	ReadOnly          string
}

// CheckReport is what Check found.
type CheckReport struct {
	Blocks, Fixes, Ships, Static int
	Problems                     []string
}

func Open(o Options) (*DB, error)            { return nil, errors.ErrUnsupported }
func (db *DB) Run(ctx context.Context) error { return errors.ErrUnsupported }
func (db *DB) Close() error                  { return errors.ErrUnsupported }
func (db *DB) Observe(u *ship.Update)        {}
func (db *DB) Tick(now time.Time)            {}
func (db *DB) States() []ship.State          { return nil }
func (db *DB) Track(ctx context.Context, m ais.MMSI, from, to time.Time) (ship.Track, error) {
	return nil, errors.ErrUnsupported
}
func (db *DB) Passing(ctx context.Context, area geo.Rect, from, to time.Time, fn func(ais.MMSI, ship.Track) error) error {
	return errors.ErrUnsupported
}
func (db *DB) StaticAt(m ais.MMSI, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	return nil, nil, errors.ErrUnsupported
}
func (db *DB) Ship(m ais.MMSI) (ship.State, error)      { return ship.State{}, errors.ErrUnsupported }
func (db *DB) EachShip(fn func(ship.State) error) error { return errors.ErrUnsupported }
func (db *DB) Backup(w io.Writer) error                 { return errors.ErrUnsupported }
func Restore(dir, file string) error                    { return errors.ErrUnsupported }
func Compact(dir string) error                          { return errors.ErrUnsupported }
func (db *DB) Compact(ctx context.Context) error        { return errors.ErrUnsupported }
func Check(dir string) (CheckReport, error)             { return CheckReport{}, errors.ErrUnsupported }
func (db *DB) Status() Status                           { return Status{} }
func (db *DB) ImportTrack(m ais.MMSI, fixes ship.Track, st *ship.Static, v *ship.VoyageData) error {
	return errors.ErrUnsupported
}
