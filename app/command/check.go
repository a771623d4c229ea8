package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/records"
)

// checkCommand reads the whole store, of a running service too, or a backup. Damage is an error, so that the exit code reports it.
func checkCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "check", true)
	cfg, err := f.loadConfig(args, 0, 1)
	if err != nil {
		return err
	}
	what, backup := cfg.DataDir, false
	if f.NArg() == 1 {
		what, backup = f.Arg(0), true
		if is, err := os.Stat(what); err == nil && is.IsDir() {
			cfg.DataDir, backup = what, false
		}
	}
	var report store.CheckReport
	if backup {
		report.Inspection, err = records.CheckFile(ctx, what)
	} else {
		if err := findStore(c, cfg, needStore); err != nil {
			return fmt.Errorf("check: %w", err)
		}
		if report, err = store.Check(cfg.DataDir); errors.Is(err, records.ErrLocked) {
			report, err = control.Check(ctx, cfg.DataDir)
		}
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", what, err)
	}
	printReport(c.out, &report)
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("check %s: %d problem(s); keep the files; 'quaywatch restore' puts a backup in their place, "+
			"and 'quaywatch salvage' reads what is still whole", what, n)
	}
	return nil
}

// printReport prints what a check found, a line for each problem.
func printReport(w io.Writer, r *store.CheckReport) {
	for _, problem := range r.Problems {
		fmt.Fprintln(w, "damaged:", problem)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	fmt.Fprintf(w, "database: %d ships, %d fixes in %d blocks, %d static records, %d other records\n", r.Ships, r.Fixes, r.Blocks, r.Static, r.Records)
	fmt.Fprintf(w, "log: %d fixes in %d segments\n", r.LogFixes, r.LogSegments)
	if !r.Newest.IsZero() {
		fmt.Fprintf(w, "from %s to %s\n", r.Oldest.Format(time.RFC3339), r.Newest.Format(time.RFC3339))
	}
}
