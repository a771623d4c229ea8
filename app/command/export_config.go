package command

import (
	"context"
	"fmt"
	"io"

	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/files"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/document"
)

// exportConfigCommand writes what is configured, for another box, also while the service runs.
func exportConfigCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "export-config", true)
	asked := f.String("format", "", "toml or json (default: by the name of FILE)")
	cfg, err := f.loadConfig(args, 0, 1)
	if err != nil {
		return err
	}
	form, err := formOf(*asked, f.Arg(0))
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("export configuration: %w", err)
	}
	var doc *document.Document
	err = onStore(c, cfg, records.PassVitalOver,
		func(_ *store.DB, c users.Areas) (err error) { doc, err = c.Box.Export(); return err },
		func() (err error) { doc, err = control.Export(ctx, cfg.DataDir); return err })
	if err != nil {
		return fmt.Errorf("export configuration: %w", err)
	}
	if f.NArg() == 0 || f.Arg(0) == "-" {
		fmt.Fprintf(c.err, "from %s\n", cfg.Folder())
		return writeDocument(c.out, doc, form)
	}
	err = files.Replace(f.Arg(0), func(w io.Writer) error { return writeDocument(w, doc, form) })
	if err != nil {
		return fmt.Errorf("export configuration to %s: %w", f.Arg(0), err)
	}
	fmt.Fprintf(c.out, "%d groups, %d users, %d ship lists, %d shapes, %d filters, %d watchdogs, %d registered ships, %d ports and %d statistics of %s written to %s\n",
		doc.Count("groups"), doc.Count("users"),
		doc.Count("shiplists"), doc.Count("shapes"), doc.Count("filters"), doc.Count("watchdogs"), doc.Count("register"), doc.Count("ports"), doc.Count("statistics"), cfg.Folder(), f.Arg(0))
	return nil
}
