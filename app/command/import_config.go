package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"quaywatch/app/config"
	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/document"
)

// importConfigCommand makes this box like the one that a document was exported from, also while the service runs.
func importConfigCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "import-config", true)
	asked := f.String("format", "", "toml or json (default: by the name of FILE)")
	fresh := f.Bool("new", false, "make a store where there is none")
	dry := f.Bool("dry-run", false, "only check and tell what would be done")
	cfg, err := f.loadConfig(args, 1, 1)
	if err != nil {
		return err
	}
	form, err := formOf(*asked, f.Arg(0))
	if err != nil {
		return err
	}
	doc, err := readDocumentFile(c, f.Arg(0), form)
	if err != nil {
		return err
	}
	folder := cfg.Folder()
	if *fresh && *dry {
		remove, err := standIn(&cfg)
		if err != nil {
			return importFault(f.Arg(0), err)
		}
		defer remove()
	}
	if err := findStore(c, cfg, needOf(*fresh)); err != nil {
		return importFault(f.Arg(0), err)
	}
	report, err := importInto(ctx, c, cfg, doc, *dry)
	if err != nil {
		return importFault(f.Arg(0), err)
	}
	printImport(c.out, report, folder, *dry)
	return nil
}

// standIn returns a dry run an empty store in a temporary folder where the box has none yet. remove removes it.
func standIn(cfg *config.Config) (remove func(), err error) {
	if there, err := records.Exists(cfg.DataDir); err != nil || there {
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "quaywatch-*")
	if err != nil {
		return nil, err
	}
	cfg.DataDir = dir
	remove = func() { _ = os.RemoveAll(dir) }
	db, err := openStore(*cfg, records.RefuseVital)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// needOf returns what a command does that makes a store only if --new is given.
func needOf(fresh bool) storeNeed {
	if fresh {
		return makeStore
	}
	return needStoreNew
}

// importFault returns the error of an import, with a line for each thing that is wrong with the document.
func importFault(name string, err error) error {
	var wrong document.Error
	if !errors.As(err, &wrong) {
		return fmt.Errorf("import %s: %w", name, err)
	}
	return fmt.Errorf("import %s: nothing was changed:\n  %s", name, strings.Join(wrong, "\n  "))
}

func readDocumentFile(c console, name, form string) (*document.Document, error) {
	read := func() ([]byte, error) { return readBounded(name) }
	if name == "-" {
		read = func() ([]byte, error) { return readMost(c.in) }
	}
	text, err := read()
	if err != nil {
		return nil, fmt.Errorf("import configuration: %w", err)
	}
	doc, err := readDocument(text, form)
	if err != nil {
		return nil, importFault(name, err)
	}
	return doc, nil
}

// readBounded reads a file of at most control.MostDocument bytes.
func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readMost(file)
}

func readMost(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, control.MostDocument+1))
	if err == nil && len(text) > control.MostDocument {
		err = fmt.Errorf("longer than %d MiB", control.MostDocument>>20)
	}
	return text, err
}

func importInto(ctx context.Context, c console, cfg config.Config, doc *document.Document, dry bool) (report *document.ImportReport, err error) {
	err = onStore(c, cfg, records.RefuseVital, func(_ *store.DB, c users.Areas) (err error) {
		report, err = c.Box.Import(ctx, doc, dry, control.ImportLine(c.Users))
		return err
	}, func() (err error) {
		report, err = control.Import(ctx, cfg.DataDir, doc, dry)
		return err
	})
	return report, err
}

// printImport prints a line for each thing that was added, changed or removed, then the sums.
func printImport(w io.Writer, report *document.ImportReport, folder string, dry bool) {
	for _, thing := range report.Things {
		if thing.What != "unchanged" {
			fmt.Fprintf(w, "%-9s %-8s %s\n", thing.What, thing.Kind, control.Printable(thing.Name))
		}
	}
	counts := control.Count(report)
	end := ""
	if dry {
		end = "; a dry run, nothing was written"
	}
	fmt.Fprintf(w, "%d added, %d changed, %d unchanged, %d removed in %s%s\n",
		counts["added"], counts["changed"], counts["unchanged"], counts["removed"], folder, end)
	printStrange(w, report)
	if len(report.Unarmed) > 0 {
		slices.Sort(report.Unarmed)
		fmt.Fprintf(w, "without a password, and cannot sign in until 'quaywatch user passwd NAME': %s\n", strings.Join(report.Unarmed, ", "))
	}
}

// printStrange prints the feeds and outputs that are named and that this box has not.
func printStrange(w io.Writer, report *document.ImportReport) {
	for _, text := range report.Strange {
		fmt.Fprintf(w, "not configured here: %s\n", control.Printable(text))
	}
}
