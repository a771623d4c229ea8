package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"quaywatch/access"
	"quaywatch/geo/chart"
	"quaywatch/store"
)

// mostDocument bounds a document that is read: what users keep may be large, but not without end.
const mostDocument = 64 << 20

// exportConfigCommand writes what is configured, for another box; also while the service runs.
func exportConfigCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "export-config", true)
	asked := f.String("format", "", "toml or json (default: by the name of FILE)")
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() > 1 {
		return usageError("quaywatch export-config: name one FILE, or none for standard output")
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	form, err := formOf(*asked, f.Arg(0))
	if err != nil {
		return err
	}
	if err := findStore(c, config, needStore); err != nil {
		return fmt.Errorf("export configuration: %w", err)
	}
	doc, err := exportFrom(ctx, config)
	if err != nil {
		return fmt.Errorf("export configuration: %w", err)
	}
	if f.NArg() == 0 || f.Arg(0) == "-" {
		fmt.Fprintf(c.err, "from %s\n", config.folder())
		return writeDocument(c.out, doc, form)
	}
	err = store.ReplaceFile(f.Arg(0), func(w io.Writer) error { return writeDocument(w, doc, form) })
	if err != nil {
		return fmt.Errorf("export configuration to %s: %w", f.Arg(0), err)
	}
	fmt.Fprintf(c.out, "%d groups, %d users, %d ship lists, %d shapes, %d filters, %d registered ships and %d ports of %s written to %s\n", len(doc.Groups), len(doc.Users),
		len(doc.ShipLists), len(doc.Shapes), len(doc.Filters), len(doc.Register), len(doc.Ports), config.folder(), f.Arg(0))
	return nil
}

func exportFrom(ctx context.Context, config Config) (doc *access.Document, err error) {
	err = onStore(config, func(users *access.Users, beside access.Beside) error {
		doc = users.Export(beside)
		return nil
	})
	if !errors.Is(err, store.ErrLocked) {
		return doc, err
	}
	response, err := callControl(ctx, filepath.Join(config.DataDir, controlName), http.MethodGet, documentPath)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return access.ReadDocument(body)
}

// onStore works on the store of a stopped service. It fails with store.ErrLocked while one runs.
func onStore(config Config, work func(*access.Users, access.Beside) error) error {
	if served(config.DataDir) {
		return store.ErrLocked // known at once, where waiting for the lock takes two seconds
	}
	db, err := openStore(config)
	if err != nil {
		return err
	}
	users, err := access.OpenUsers(db, config.accessOptions())
	var beside access.Beside
	if err == nil {
		beside, err = openBeside(db)
	}
	if err == nil {
		err = work(users, beside)
	}
	return errors.Join(err, db.Close())
}

func openBeside(db *store.DB) (beside access.Beside, err error) {
	if beside.Register, err = access.OpenRegister(db, nil); err != nil {
		return beside, err
	}
	listed, err := chart.LoadPorts()
	if err != nil {
		return beside, err
	}
	beside.Ports, err = access.OpenPorts(db, listed, nil)
	return beside, err
}

// documentPath is where the running service gives and takes what is configured, on the control socket.
const documentPath = "/config-document"

func (a *app) giveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(a.server.ExportConfig()); err != nil {
		a.log.Error("export configuration", "error", err)
	}
}
