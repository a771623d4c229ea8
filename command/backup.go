package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"quaywatch/config"
	"quaywatch/control"
	"quaywatch/store"
)

// backupCommand writes the whole store into one file. The file appears under its name only when it is whole and synced.
func backupCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "backup", true)
	cfg, err := f.load(args, 1, 1)
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	target := f.Arg(0)
	err = store.ReplaceFile(target, func(w io.Writer) error { return writeBackup(ctx, cfg, w) })
	if err != nil {
		return fmt.Errorf("backup to %s: %w", target, err)
	}
	fmt.Fprintf(c.out, "backup of %s written to %s\n", cfg.Folder(), target)
	return nil
}

func writeBackup(ctx context.Context, cfg config.Config, w io.Writer) error {
	db, err := openStore(cfg)
	if errors.Is(err, store.ErrLocked) {
		return control.Backup(ctx, cfg.DataDir, w)
	}
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(w), db.Close())
}
