package command

import (
	"context"
	"fmt"

	"quaywatch/store"
)

// restoreCommand puts a backup in the place of the store. It fails while a service runs on the store.
func restoreCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "restore", true)
	cfg, err := f.load(args, 1, 1)
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
	return nil
}
