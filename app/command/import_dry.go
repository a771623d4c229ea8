package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ais/logtime"
	"quaywatch/ship"
	"quaywatch/ship/rows"
	"quaywatch/traffic"
)

// shownRows is how many rows or messages a dry run shows.
const shownRows = 5

// dryRun shows how a file would be read, and opens no store.
func dryRun(ctx context.Context, out io.Writer, path string, how way, begin logBegin) error {
	log, err := feed.OpenLog(path)
	if err != nil {
		return err
	}
	defer log.Close()
	in := bufio.NewReaderSize(log, longestLine)
	fmt.Fprintln(out, path)
	if how.isTable(in) {
		return dryTable(in, out, how.table)
	}
	return dryLog(ctx, in, out, path, begin)
}

// errShown ends a dry run of a log.
var errShown = errors.New("enough is shown")

// dryLog shows the first messages of a log, as decode prints them.
func dryLog(ctx context.Context, in io.Reader, out io.Writer, path string, begin logBegin) error {
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: filepath.Base(path), Clock: ais.LogClock, Begin: begin.at, Rate: begin.rate})
	timed := logtime.NewReader(in, writtenBy(path, time.Now()))
	switch column, doubt := timed.Column(), timed.Doubt(); {
	case !begin.at.IsZero():
	case column != "":
		fmt.Fprintf(out, "  times    %s\n", column)
	case doubt != "":
		fmt.Fprintf(out, "  times    not taken: %s\n", doubt)
	}
	var printer ais.JSONPrinter
	var t taken
	err := decodeAll(ctx, timed, decoder, false, func(b *ais.Batch) error {
		for i := range b.Reports {
			if t.messages++; t.messages <= shownRows {
				fmt.Fprintf(out, "  %s\n", printer.Append(nil, &b.Reports[i], false))
			}
		}
		if t.messages >= shownRows {
			return errShown
		}
		return nil
	})
	t.takeCounts(decoder.Counters(), traffic.Stats{})
	if err == nil {
		err = t.nothing()
	}
	if errors.Is(err, errShown) {
		return nil
	}
	return err
}

// dryTable shows the layout of a CSV file, its columns, and its first rows.
func dryTable(in io.Reader, out io.Writer, o rows.Options) error {
	reader, err := rows.NewReader(in, o)
	if err != nil {
		return fmt.Errorf("%w: %w", errNothing, err)
	}
	name, special := reader.Layout()
	fmt.Fprintf(out, "  layout   %s (%s)\n", name, special)
	if times := columnOfTimes(reader); times != "" {
		fmt.Fprintf(out, "  times    %s\n", times)
	}
	found := reader.Found()
	var has, lacks []string
	for _, f := range rows.Fields() {
		if column := found[f]; column != "" {
			has = append(has, f.String()+"="+column)
		} else {
			lacks = append(lacks, f.String())
		}
	}
	fmt.Fprintf(out, "  columns  %s\n  missing  %s\n", strings.Join(has, ", "), strings.Join(lacks, ", "))
	for range shownRows {
		var row rows.Row
		err := reader.Next(&row)
		var fault *rows.RowFault
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &fault):
			fmt.Fprintf(out, "  refused  %v\n", fault)
		case err != nil:
			return err
		default:
			fmt.Fprintf(out, "  line %d  %s\n", reader.Lines(), rowText(&row))
		}
	}
	return nil
}

// rowText shows a row as it is read, with its units.
func rowText(row *rows.Row) string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	put("%d %s", row.MMSI, time.UnixMilli(row.Fix.At).UTC().Format("2006-01-02T15:04:05.999Z"))
	if row.Class != ship.ClassUnknown {
		put(" class %s", row.Class)
	}
	f := row.Fix
	if row.HasFix {
		put(" lat %.6f lon %.6f", f.Point().Lat, f.Point().Lon)
	}
	if v, ok := f.SOG.Knots(); ok {
		put(" sog %.1f kn", v)
	}
	if v, ok := f.COG.Degrees(); ok {
		put(" cog %.1f°", v)
	}
	if v, ok := f.Heading.Degrees(); ok {
		put(" heading %d°", v)
	}
	if v, ok := f.ROT.DegreesPerMinute(); ok {
		put(" rot %.1f°/min", v)
	}
	if f.Status != ais.StatusUndefined {
		put(" status %q", f.Status)
	}
	if f.Mark&ship.BySatellite != 0 {
		put(" by satellite")
	}
	putStatic(&b, row)
	return b.String()
}

func putStatic(b *strings.Builder, row *rows.Row) {
	put := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	if len(row.Name) > 0 {
		put(" name %q", row.Name)
	}
	if len(row.CallSign) > 0 {
		put(" callsign %q", row.CallSign)
	}
	if row.IMO != 0 {
		put(" imo %d", row.IMO)
	}
	if row.Type != 0 {
		put(" type %d %q", row.Type, row.Type)
	}
	if d := row.Dimensions; d != (ais.Dimensions{}) {
		put(" %d m long, %d m wide", d.Length(), d.Width())
	}
	if v, ok := row.Draught.Metres(); ok {
		put(" draught %.1f m", v)
	}
	if len(row.Destination) > 0 {
		put(" to %q", row.Destination)
	}
	if row.ETA != (ais.ETA{}) {
		put(" eta %02d-%02d %02d:%02d", row.ETA.Month, row.ETA.Day, row.ETA.Hour, row.ETA.Minute)
	}
}
