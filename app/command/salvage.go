package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"quaywatch/store/salvage"
)

// salvageCommand writes what can still be read of a damaged store into a new one.
func salvageCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "salvage", false)
	asJSON := f.Bool("json", false, "print the report as JSON")
	if err := f.parse(args, 2, 2); err != nil {
		return err
	}
	report, err := salvage.Run(ctx, f.Arg(0), f.Arg(1))
	if err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(c.out)
		e.SetIndent("", "  ")
		err = e.Encode(report)
	} else {
		printSalvage(c.out, report)
	}
	if err == nil && !report.Whole() {
		err = lossError(fmt.Sprintf("salvage %s: what can be read is in %s; %d damages, %d things are missing or may be, and %d are to be looked at",
			report.From, report.To, len(report.Damage), len(report.Missing), len(report.Doubtful)))
	}
	return err
}

// printSalvage prints what was read, and a line for each thing that is missing.
func printSalvage(w io.Writer, r *salvage.Findings) {
	for _, text := range r.Damage {
		fmt.Fprintln(w, "damaged:", text)
	}
	for _, missing := range r.Missing {
		fmt.Fprintf(w, "missing: %s%s\n", missing.Text, hoursOf(missing.From, missing.To))
	}
	for _, text := range r.Doubtful {
		fmt.Fprintln(w, "look at:", text)
	}
	fmt.Fprintf(w, "read: %d ships, %d fixes in %d blocks, %d static records, %d other records", r.Ships, r.Fixes, r.Blocks, r.Static, r.Records)
	fmt.Fprintf(w, "; %d of these values stood on pages to which nothing led\n", r.Astray)
	if !r.Newest.IsZero() {
		fmt.Fprintf(w, "from %s to %s\n", r.Oldest.Format(time.RFC3339), r.Newest.Format(time.RFC3339))
	}
	fmt.Fprintf(w, "the new store is in %s\n", r.To)
}

// hoursOf says between which times something is missing, as far as that is known.
func hoursOf(from, to time.Time) string {
	switch {
	case from.IsZero() && to.IsZero():
		return ""
	case to.IsZero():
		return ", from " + from.Format(time.RFC3339) + " on"
	case from.IsZero():
		return ", up to " + to.Format(time.RFC3339)
	}
	return ", from " + from.Format(time.RFC3339) + " to " + to.Format(time.RFC3339)
}
