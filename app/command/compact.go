package command

import (
	"context"
	"errors"
	"fmt"

	"quaywatch/app/control"
	"quaywatch/store/records"
)

// compactCommand shrinks the store, through the service when one runs.
func compactCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "compact", true)
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	err = records.Compact(cfg.DataDir)
	if errors.Is(err, records.ErrLocked) {
		err = control.Compact(ctx, cfg.DataDir)
	}
	if err != nil {
		return fmt.Errorf("compact %s: %w", cfg.DataDir, err)
	}
	fmt.Fprintf(c.out, "compacted %s\n", cfg.Folder())
	return nil
}
