package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"quaywatch/app/config"
	"quaywatch/app/control"
	"quaywatch/engine/stats"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/store/salvage"
	"quaywatch/users"
)

// storeNeed says what a command does where there is no store.
type storeNeed uint8

const (
	needStore    storeNeed = iota // it fails: there is nothing to read or to change
	needStoreNew                  // it fails, unless it may make one
	makeStore                     // it makes one and says so
)

// findStore looks for the store before a command opens it, because opening makes one. A user must not end up in an empty store in the wrong
// folder.
func findStore(c console, cfg config.Config, need storeNeed) error {
	there, err := records.Exists(cfg.DataDir)
	switch {
	case err != nil || there:
		return err
	case need == makeStore:
		fmt.Fprintf(c.err, "making a new store in %s\n", cfg.Folder())
		return nil
	}
	also := ""
	if need == needStoreNew {
		also = ", or make one with --new"
	}
	return fmt.Errorf("there is no store in %s: name the configuration of the service with --config, or its folder with --data-dir%s", cfg.Folder(), also)
}

// openStore opens the store for a command that works on it alone. It makes a store where there is none: see findStore. vital says what is done
// with users and groups that cannot be read.
func openStore(c config.Config, vital records.Vital) (*store.DB, error) {
	o := c.StoreOptions(quietLog())
	o.Vital = vital
	return store.Open(o)
}

// onStore works on the store of a stopped service, or asks a running service to do so. Work that only reads, which passes over what is vital, is done on a
// copy where the folder may only be read.
func onStore(c console, cfg config.Config, vital records.Vital, work func(*store.DB, users.Areas) error, ask func() error) error {
	if control.Served(cfg.DataDir) {
		return ask() // waiting for the lock would take two seconds
	}
	db, err := openStore(cfg, vital)
	if errors.Is(err, records.ErrLocked) {
		return ask()
	}
	if errors.Is(err, records.ErrNoWriting) && vital == records.PassVitalOver {
		remove, copied, err := copyStore(cfg)
		if err != nil {
			return err
		}
		defer remove()
		return onStore(c, copied, vital, work, ask)
	}
	if err != nil {
		return err
	}
	areas, err := openAreas(db, cfg)
	if err == nil {
		for _, d := range db.Unread() {
			fmt.Fprintln(c.err, "left out, because it cannot be read:", d.What)
		}
		err = work(db, areas)
	}
	return errors.Join(err, db.Close())
}

// openAreas opens all areas of a document, of a store in which nothing runs.
func openAreas(db *store.DB, cfg config.Config) (users.Areas, error) {
	areas, err := users.Open(db.Database, cfg.AccessOptions())
	if err != nil {
		return areas, err
	}
	asked, err := stats.Open(stats.Config{DB: db, Ports: areas.Ports.Current, Still: true})
	if err == nil {
		asked.Join(areas.Box)
	}
	return areas, err
}

// copyStore copies the store of a folder that may only be read to one for temporary files. remove removes it.
func copyStore(cfg config.Config) (remove func(), copied config.Config, err error) {
	dir, err := os.MkdirTemp("", "quaywatch-*")
	if err != nil {
		return nil, cfg, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if _, err = salvage.Run(context.Background(), cfg.DataDir, filepath.Join(dir, "copy")); err != nil {
		remove()
		return nil, cfg, err
	}
	cfg.DataDir = filepath.Join(dir, "copy")
	return remove, cfg, nil
}
