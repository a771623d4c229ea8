package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"quaywatch/store"
)

// folder gives the data folder of a configuration in full, to be told.
func (c *Config) folder() string {
	if dir, err := filepath.Abs(c.DataDir); err == nil {
		return dir
	}
	return c.DataDir
}

// storeNeed says what a command does where there is no store.
type storeNeed uint8

const (
	needStore    storeNeed = iota // it fails: there is nothing to read or to change
	needStoreNew                  // it fails, unless it is told to make one
	makeStore                     // it makes one and says so
)

// findStore looks for the store of a configuration before a command opens it, which would make one: in the wrong folder nobody is to
// find an empty store, nor to leave a user there.
func findStore(c console, config Config, need storeNeed) error {
	there, err := store.Exists(config.DataDir)
	switch {
	case err != nil || there:
		return err
	case need == makeStore:
		fmt.Fprintf(c.err, "making a new store in %s\n", config.folder())
		return nil
	}
	also := ""
	if need == needStoreNew {
		also = ", or make one with --new"
	}
	return fmt.Errorf("there is no store in %s: name the configuration of the service with --config, or its folder with --data-dir%s", config.folder(), also)
}

// openStore opens the store of a configuration for a command that works on it alone, and makes one where there is none; see findStore.
func openStore(c Config) (*store.DB, error) {
	return store.Open(store.Options{
		Dir: c.DataDir, SyncInterval: time.Duration(c.Store.SyncInterval), Retention: time.Duration(c.Store.Retention),
		FullRate: c.Store.FullRate, Log: quietLog(),
	})
}

// storeArgs reads the flags of a command on the store that takes exactly n arguments.
func storeArgs(c console, name string, args []string, n int) (Config, []string, error) {
	f := newFlags(c, name, true)
	if err := f.parse(args); err != nil {
		return Config{}, nil, err
	}
	if f.NArg() != n {
		return Config{}, nil, usageError(fmt.Sprintf("quaywatch %s: takes %d argument(s), got %d", name, n, f.NArg()))
	}
	config, err := f.load()
	return config, f.Args(), err
}

// backupCommand writes the whole store into one file. The file appears under its name only when it is whole and synced.
func backupCommand(ctx context.Context, c console, args []string) error {
	config, rest, err := storeArgs(c, "backup", args, 1)
	if err != nil {
		return err
	}
	if err := findStore(c, config, needStore); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	target := rest[0]
	err = store.ReplaceFile(target, func(w io.Writer) error { return writeBackup(ctx, config, w) })
	if err != nil {
		return fmt.Errorf("backup to %s: %w", target, err)
	}
	fmt.Fprintf(c.out, "backup of %s written to %s\n", config.folder(), target)
	return nil
}

func writeBackup(ctx context.Context, config Config, w io.Writer) error {
	db, err := openStore(config)
	if errors.Is(err, store.ErrLocked) {
		return backupFromService(ctx, config, w)
	}
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(w), db.Close())
}

func backupFromService(ctx context.Context, config Config, w io.Writer) error {
	response, err := callControl(ctx, filepath.Join(config.DataDir, controlName), http.MethodGet, "/backup")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, response.Body); err != nil {
		return err
	}
	if text := response.Trailer.Get("Quaywatch-Error"); text != "" {
		return errors.New(text)
	}
	return nil
}

// restoreCommand puts a backup in the place of the store; it refuses while a service runs on it.
func restoreCommand(_ context.Context, c console, args []string) error {
	config, rest, err := storeArgs(c, "restore", args, 1)
	if err != nil {
		return err
	}
	if err := store.Restore(config.DataDir, rest[0]); err != nil {
		return fmt.Errorf("restore %s: %w", rest[0], err)
	}
	fmt.Fprintf(c.out, "restored %s into %s\n", rest[0], config.folder())
	return nil
}

// compactCommand shrinks the store, through the service when one runs.
func compactCommand(ctx context.Context, c console, args []string) error {
	config, _, err := storeArgs(c, "compact", args, 0)
	if err != nil {
		return err
	}
	if err := findStore(c, config, needStore); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	err = store.Compact(config.DataDir)
	if errors.Is(err, store.ErrLocked) {
		var response *http.Response
		if response, err = callControl(ctx, filepath.Join(config.DataDir, controlName), http.MethodPost, "/compact"); err == nil {
			response.Body.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("compact %s: %w", config.DataDir, err)
	}
	fmt.Fprintf(c.out, "compacted %s\n", config.folder())
	return nil
}

// checkCommand reads everything; damage is an error, so that the exit code tells.
func checkCommand(_ context.Context, c console, args []string) error {
	config, _, err := storeArgs(c, "check", args, 0)
	if err != nil {
		return err
	}
	if err := findStore(c, config, needStore); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	report, err := store.Check(config.DataDir)
	if err != nil {
		return fmt.Errorf("check %s: %w", config.DataDir, err)
	}
	printReport(c.out, &report)
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("check %s: %d problem(s); keep the files, and restore the last backup with 'quaywatch restore'", config.DataDir, n)
	}
	return nil
}

// printReport prints what a check found, a line for each problem.
func printReport(w io.Writer, r *store.CheckReport) {
	for _, problem := range r.Problems {
		fmt.Fprintln(w, "damaged:", problem)
	}
	fmt.Fprintf(w, "database: %d ships, %d fixes in %d blocks, %d static records, %d other records\n", r.Ships, r.Fixes, r.Blocks, r.Static, r.Records)
	fmt.Fprintf(w, "log: %d fixes in %d segments\n", r.LogFixes, r.LogSegments)
	if !r.Newest.IsZero() {
		fmt.Fprintf(w, "from %s to %s\n", r.Oldest.Format(time.RFC3339), r.Newest.Format(time.RFC3339))
	}
}
