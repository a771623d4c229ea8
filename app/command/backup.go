package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/store/salvage"
	"quaywatch/users/access"
)

// backupCommand writes the whole store into one file. The file appears under its name only when it was read whole and is synced. With
// "verify" before the file it tries a backup.
func backupCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "backup", true)
	cfg, err := f.loadConfig(args, 1, 2)
	if err != nil {
		return err
	}
	if f.NArg() == 2 {
		if f.Arg(0) != "verify" {
			return f.wrong("give one file, or verify and a file")
		}
		return verifyBackup(ctx, c, f.Arg(1))
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	target := f.Arg(0)
	var report *salvage.Findings
	if !control.Served(cfg.DataDir) {
		report, err = salvage.Backup(ctx, cfg.DataDir, nil, target)
	}
	if report == nil && err == nil || errors.Is(err, records.ErrLocked) {
		report, err = salvage.Backup(ctx, cfg.DataDir, func(w io.Writer) error { return control.Backup(ctx, cfg.DataDir, w) }, target)
	}
	if err != nil {
		return fmt.Errorf("backup to %s: %w", target, err)
	}
	if !report.Whole() {
		printSalvage(c.out, report)
		return lossError(fmt.Sprintf("backup to %s: the store is damaged; what is whole was written, and %d things are missing or may be", target,
			len(report.Missing)))
	}
	fmt.Fprintf(c.out, "backup of %s written to %s\n", cfg.Folder(), target)
	return nil
}

// verifyBackup opens a copy of a backup as a service would, and says what it holds.
func verifyBackup(ctx context.Context, c console, file string) error {
	r, err := salvage.Verify(ctx, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s is whole and opens: %d ships, %d positions in %d blocks (a ship and an hour each), %d static records, %d other records\n",
		file, r.Ships, r.Fixes, r.Blocks, r.Static, r.Records)
	if !r.Newest.IsZero() {
		fmt.Fprintf(c.out, "from %s to %s\n", r.Oldest.Format(time.RFC3339), r.Newest.Format(time.RFC3339))
	}
	return nil
}

// restoreCommand puts a backup in the place of the store. It fails while a service runs on the store.
func restoreCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "restore", true)
	cfg, err := f.loadConfig(args, 1, 1)
	if err != nil {
		return err
	}
	aside, err := store.Restore(ctx, cfg.DataDir, f.Arg(0))
	for _, name := range aside {
		fmt.Fprintf(c.out, "the file that stood there is kept as %s\n", name)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "restored %s into %s\n", f.Arg(0), cfg.Folder())
	return putAwayPassword(c, cfg.DataDir)
}

// putAwayPassword puts away the file of the first password, which is not that of a restored administrator.
func putAwayPassword(c console, dir string) error {
	file := filepath.Join(dir, access.PasswordFile)
	err := os.Rename(file, file+".before-restore")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		fmt.Fprintf(c.out, "its administrator has the password of the backup; that of before is in %s\n", file+".before-restore")
	}
	return err
}
