package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"quaywatch/access"
	"quaywatch/store"
)

// importConfigCommand makes this box like the one that a document was exported from; also while the service runs.
func importConfigCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "import-config", true)
	asked := f.String("format", "", "toml or json (default: by the name of FILE)")
	fresh := f.Bool("new", false, "make a store where there is none")
	dry := f.Bool("dry-run", false, "only check and tell what would be done")
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return usageError("quaywatch import-config: name one FILE, or - for standard input")
	}
	config, err := f.load()
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
	folder := config.folder()
	if *fresh && *dry {
		remove, err := standIn(&config)
		if err != nil {
			return importFault(f.Arg(0), err)
		}
		defer remove()
	}
	if err := findStore(c, config, needOf(*fresh)); err != nil {
		return importFault(f.Arg(0), err)
	}
	report, err := importInto(ctx, config, doc, *dry)
	if err != nil {
		return importFault(f.Arg(0), err)
	}
	printImport(c.out, report, folder, *dry)
	return nil
}

// standIn gives a configuration without a store an empty one elsewhere, for a dry run: it makes none where the box will have it.
func standIn(config *Config) (remove func(), err error) {
	if there, err := store.Exists(config.DataDir); err != nil || there {
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "quaywatch-*")
	if err != nil {
		return nil, err
	}
	config.DataDir = dir
	remove = func() { _ = os.RemoveAll(dir) }
	db, err := openStore(*config)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// needOf gives what a command needs that makes a store only when it is told to.
func needOf(fresh bool) storeNeed {
	if fresh {
		return makeStore
	}
	return needStoreNew
}

// importFault words what is wrong with a document, a line for each thing.
func importFault(name string, err error) error {
	var wrong access.DocumentError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("import %s: %w", name, err)
	}
	return fmt.Errorf("import %s: nothing was changed:\n  %s", name, strings.Join(wrong, "\n  "))
}

func readDocumentFile(c console, name, form string) (*access.Document, error) {
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

// readBounded reads a file of at most mostDocument bytes.
func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readMost(file)
}

func readMost(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostDocument+1))
	if err == nil && len(text) > mostDocument {
		err = fmt.Errorf("longer than %d MiB", mostDocument>>20)
	}
	return text, err
}

func importInto(ctx context.Context, config Config, doc *access.Document, dry bool) (report *access.Report, err error) {
	err = onStore(config, func(users *access.Users, beside access.Beside) error {
		if report, err = users.Import(doc, beside, dry); err == nil && !dry {
			users.Audit().Note(importEvent(report))
		}
		return err
	})
	if !errors.Is(err, store.ErrLocked) {
		return report, err
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	path := documentPath
	if dry {
		path += "?dry_run=true"
	}
	answer, err := tellControl(ctx, filepath.Join(config.DataDir, controlName), path, body)
	if err != nil {
		return nil, err
	}
	return report, json.Unmarshal(answer, &report)
}

// commandLine stands in the audit log for whoever works on the box itself; no user can have the name.
const commandLine = "(command line)"

// importEvent tells what an import did, with the names of the first things that it touched.
func importEvent(report *access.Report) access.Event {
	const most = 40
	var touched []string
	for _, one := range report.Things {
		switch {
		case one.What == "unchanged":
		case len(touched) == most:
			touched = append(touched, "…")
		case len(touched) < most:
			touched = append(touched, one.Kind+" "+one.Name)
		}
	}
	counts := count(report)
	detail := fmt.Sprintf("%d added, %d changed, %d removed", counts["added"], counts["changed"], counts["removed"])
	if len(touched) > 0 {
		detail += ": " + strings.Join(touched, ", ")
	}
	return access.Event{User: commandLine, Action: "import-config", Result: "ok", Detail: detail}
}

func count(report *access.Report) map[string]int {
	counts := map[string]int{}
	for _, one := range report.Things {
		counts[one.What]++
	}
	return counts
}

// printImport tells what was done: a line for each thing that was added, changed or removed, then the sums.
func printImport(w io.Writer, report *access.Report, folder string, dry bool) {
	for _, one := range report.Things {
		if one.What != "unchanged" {
			fmt.Fprintf(w, "%-9s %-8s %s\n", one.What, one.Kind, printable(one.Name))
		}
	}
	counts := count(report)
	end := ""
	if dry {
		end = "; a dry run, nothing was written"
	}
	fmt.Fprintf(w, "%d added, %d changed, %d unchanged, %d removed in %s%s\n", counts["added"], counts["changed"], counts["unchanged"], counts["removed"], folder, end)
	printStrange(w, report)
	if len(report.Unarmed) > 0 {
		slices.Sort(report.Unarmed)
		fmt.Fprintf(w, "without a password, and cannot sign in until 'quaywatch user passwd NAME': %s\n", strings.Join(report.Unarmed, ", "))
	}
}

// printStrange tells which feeds and outputs are named that this box has not.
func printStrange(w io.Writer, report *access.Report) {
	for _, one := range report.Strange {
		fmt.Fprintf(w, "not configured here: %s\n", printable(one))
	}
}

// printable gives text that moves no cursor.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// takeDocument is import-config on the running service.
func (a *app) takeDocument(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2*mostDocument))
	var report *access.Report
	if err == nil {
		var doc *access.Document
		if doc, err = access.ReadDocument(body); err == nil {
			dry := r.URL.Query().Get("dry_run") == "true"
			if report, err = a.server.ImportConfig(doc, dry); err == nil && !dry {
				a.users.Audit().Note(importEvent(report))
			}
		}
	}
	a.answerControl(w, report, err)
}

// answerControl answers a command with JSON, or with what went wrong.
func (a *app) answerControl(w http.ResponseWriter, answer any, err error) {
	var body bytes.Buffer
	if err == nil {
		err = json.NewEncoder(&body).Encode(answer)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if _, err := body.WriteTo(w); err != nil {
		a.log.Warn("answer a command", "error", err)
	}
}
