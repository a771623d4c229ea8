package command

import (
	"context"
	"fmt"
	"io"
	"time"

	"quaywatch/store"
)

// checkCommand reads the whole store. Damage is an error, so that the exit code reports it.
func checkCommand(_ context.Context, c console, args []string) error {
	f := newFlags(c, "check", true)
	cfg, err := f.load(args, 0, 0)
	if err != nil {
		return err
	}
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	report, err := store.Check(cfg.DataDir)
	if err != nil {
		return fmt.Errorf("check %s: %w", cfg.DataDir, err)
	}
	printReport(c.out, &report)
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("check %s: %d problem(s); keep the files, and restore the last backup with 'quaywatch restore'", cfg.DataDir, n)
	}
	return nil
}

// printReport prints what a check found, a line for each problem.
func printReport(w io.Writer, r *store.CheckReport) {
	for _, problem := range r.Problems {
		fmt.Fprintln(w, "damaged:", problem)
	}
	fmt.Fprintf(w, "database: %d ships, %d fixes in %d blocks, %d static records, %d other records\n", r.Ships, r.Fixes, r.Blocks, r.Static, r.Records)
	fmt.Fprintf(w, "log: %d fixes in %d segments\n", r.LogFixes, r.LogSegments)
	if !r.Newest.IsZero() {
		fmt.Fprintf(w, "from %s to %s\n", r.Oldest.Format(time.RFC3339), r.Newest.Format(time.RFC3339))
	}
}
