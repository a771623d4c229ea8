package command

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"quaywatch/ais/feed"
	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/registry"
	"quaywatch/users/registry/portfile"
)

// importPortsCommand takes files about ports into the ports of this box, also while the service runs.
func importPortsCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "import-ports", true)
	dry := f.Bool("dry-run", false, "only check and tell what would be done")
	cfg, err := f.loadConfig(args, 1, math.MaxInt)
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("import ports: %w", err)
	}
	files := control.PortFiles{Dry: *dry}
	if files.Files, err = readPortFiles(f.Args()); err != nil {
		return fmt.Errorf("import ports: %w", err)
	}
	var report []registry.PortsTaken
	err = onStore(c, cfg, records.RefuseVital, func(_ *store.DB, a users.Areas) (err error) {
		report, err = files.Run(a.Ports, a.Users)
		return err
	}, func() (err error) {
		report, err = files.Send(ctx, cfg.DataDir)
		return err
	})
	if err != nil {
		return fmt.Errorf("import ports: nothing was changed: %w", err)
	}
	taken := 0
	for i := range report {
		printPorts(c.out, &report[i])
		taken += report[i].Rows - len(report[i].Refused)
	}
	if *dry {
		fmt.Fprintln(c.out, "a dry run, nothing was written")
	}
	if taken == 0 {
		return fmt.Errorf("import ports: %w", errNothing)
	}
	return nil
}

// readPortFiles reads files of together at most control.MostDocument bytes, unpacked.
func readPortFiles(paths []string) (files []portfile.NamedFile, err error) {
	left := int64(control.MostDocument)
	for _, path := range paths {
		text, err := readPortFile(path, left)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if left -= int64(len(text)); left < 0 {
			return nil, fmt.Errorf("%s: the files are longer than %d MiB", path, control.MostDocument>>20)
		}
		files = append(files, portfile.NamedFile{Name: filepath.Base(path), Text: string(text)})
	}
	return files, nil
}

func readPortFile(path string, most int64) ([]byte, error) {
	log, err := feed.OpenLog(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return io.ReadAll(io.LimitReader(log, most+1))
}

// mostRefusals is how many refused lines of a file are shown.
const mostRefusals = 1000

// printPorts writes the table that ends the import of a file.
func printPorts(w io.Writer, t *registry.PortsTaken) {
	fmt.Fprintln(w, control.Printable(t.File))
	for _, row := range []struct {
		what string
		n    int
	}{{"rows", t.Rows}, {"new", t.New}, {"changed", t.Changed}, {"unchanged", t.Unchanged}, {"refused", len(t.Refused)}} {
		fmt.Fprintf(w, "  %-13s %10d\n", row.what, row.n)
	}
	for i, refusal := range t.Refused {
		if i == mostRefusals {
			fmt.Fprintf(w, "  %26sand %d more\n", "", len(t.Refused)-i)
			break
		}
		fmt.Fprintf(w, "  %26s%s\n", "", control.Printable(refusal.Error()))
	}
}
