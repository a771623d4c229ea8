package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/receiver"
	"quaywatch/ship/rows"
	"quaywatch/store"
)

// How much of a CSV history is held in memory before it goes into the store.
const (
	rowsAtOnce  = 1_000_000
	shipsAtOnce = 200_000 // beyond it what is known of the ships is forgotten with each batch
	saidAtOnce  = 64      // changes of static and voyage data of one ship
)

// csvFlags are the flags that say how a CSV file is written.
type csvFlags struct {
	columns, timeFormat, mmsi string
	raw, dry                  bool
}

func (a *csvFlags) registerFlags(f *flags) {
	f.StringVar(&a.columns, "columns", "", "CSV: which column is what, as `mmsi=ID,time=When`, by name or by number; the fields are "+fieldWords())
	f.StringVar(&a.timeFormat, "time-format", "", "CSV: how times are written, as `%d/%m/%Y %H:%M:%S`, or unix, or unix-ms")
	f.StringVar(&a.mmsi, "mmsi", "", "CSV: the `NUMBER` of the ship that all rows are of, in a file without such a column")
	f.BoolVar(&a.raw, "raw", false, "CSV: values are the integers of AIS: 1/600000 degree, tenths of a knot and of a degree")
	f.BoolVar(&a.dry, "dry-run", false, "only show the first five rows as they would be read")
}

func fieldWords() string {
	var words []string
	for _, f := range rows.Fields() {
		words = append(words, f.String())
	}
	return strings.Join(words, " ")
}

// formats are the values of --format.
func formats() []string { return append([]string{"nmea", "csv"}, rows.Layouts()...) }

// way is how files are read.
type way struct {
	format string // one of formats, or "" to find out
	table  rows.Options
}

// isTable reports whether a file is read as CSV, by the flags or else by how it begins.
func (w way) isTable(in *bufio.Reader) bool {
	if w.format != "" {
		return w.format != "nmea"
	}
	head, _ := in.Peek(headBytes)
	return rows.Looks(head)
}

// headBytes is how much of a file is looked at to find out what it is.
const headBytes = 16 << 10

// readWay returns what the flags say of the files.
func (a *csvFlags) readWay(f *flags, format string) (way, error) {
	if format != "" && !slices.Contains(formats(), format) {
		return way{}, f.wrong("format %q is not one of %s", format, strings.Join(formats(), ", "))
	}
	o, err := a.options(f)
	if err != nil {
		return way{}, err
	}
	if len(o.Columns) > 0 || o.MMSI != 0 || o.Raw || o.TimeFormat != "" {
		if format == "nmea" {
			return way{}, f.wrong("--columns, --time-format, --mmsi and --raw are for CSV files")
		}
		format = cmp.Or(format, "csv")
	}
	if slices.Contains(rows.Layouts(), format) {
		o.Layout = format
	}
	return way{format, o}, nil
}

// options returns what the flags say of a CSV file.
func (a *csvFlags) options(f *flags) (rows.Options, error) {
	o := rows.Options{TimeFormat: a.timeFormat, Raw: a.raw, Columns: map[rows.Field]string{}}
	if a.mmsi != "" {
		n, err := strconv.ParseInt(a.mmsi, 10, 64)
		if err != nil || n < 1 || n > 9999999999 {
			return o, f.wrong("--mmsi %q is not a number of one to ten digits", a.mmsi)
		}
		o.MMSI = ais.MMSI(n)
	}
	if a.columns == "" {
		return o, nil
	}
	for pair := range strings.SplitSeq(a.columns, ",") {
		word, column, found := strings.Cut(pair, "=")
		at := slices.IndexFunc(rows.Fields(), func(f rows.Field) bool { return f.String() == strings.TrimSpace(word) })
		if !found || at < 0 || strings.TrimSpace(column) == "" {
			return o, f.wrong("--columns %q: want FIELD=COLUMN, where FIELD is one of %s", pair, fieldWords())
		}
		o.Columns[rows.Fields()[at]] = strings.TrimSpace(column)
	}
	return o, nil
}

// importCSV takes rows in, ship by ship.
func importCSV(ctx context.Context, in io.Reader, db *store.DB, o rows.Options) (*taken, error) {
	t := &taken{unit: "rows"}
	reader, err := rows.NewReader(in, o)
	if err != nil {
		return t, fmt.Errorf("%w: %w", errNothing, err)
	}
	t.layout, _ = reader.Layout()
	t.clock = columnOfTimes(reader)
	all := histories{of: map[ais.MMSI]*history{}}
	var faults [rows.Rules][]string
	for err == nil && ctx.Err() == nil {
		var row rows.Row
		err = reader.Next(&row)
		var fault *rows.RowFault
		if errors.As(err, &fault) {
			if known := &faults[fault.Rule]; len(*known) < mostExamples {
				*known = append(*known, fault.Where())
			}
			err = nil
			continue
		}
		if err == nil {
			t.messages++
			if row.HasFix {
				t.places++
			}
			t.noteMessage(row.MMSI, row.Fix.At)
			all.add(&row)
		}
		if all.held >= rowsAtOnce {
			err = errors.Join(err, all.writeHeld(db, t))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	err = errors.Join(err, all.writeHeld(db, t), ctx.Err())
	t.countRows(reader, &faults)
	return t, err
}

// columnOfTimes names the columns of times of a table where their values told them, or where a time stands in several. It returns "" where the name of a column
// did.
func columnOfTimes(reader *rows.Reader) string {
	name, parts := reader.TimeByValues(), reader.TimeParts()
	switch {
	case len(parts) > 0 && name != "":
		return fmt.Sprintf("columns %s, by their values; --columns date=…,clock=… names others", quotedList(parts))
	case len(parts) > 0:
		return fmt.Sprintf("columns %s; --columns date=…,clock=… names others", quotedList(parts))
	case name != "":
		return fmt.Sprintf("column %q, by its values; --columns time=… names another", name)
	}
	return ""
}

// quotedList returns names in quotation marks, with "and" before the last.
func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	if last := len(quoted) - 1; last > 0 {
		return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
	}
	return strings.Join(quoted, "")
}

// histories is what the rows read so far say of the ships.
type histories struct {
	of   map[ais.MMSI]*history
	held int // rows that are not yet in the store
}

// history is what rows say of one ship.
type history struct {
	class  ship.Class
	track  ship.Track
	static ship.Static
	voyage ship.VoyageData
	said   []store.Said

	receiver receiver.ReceiverMemory
	last     ship.Fix // of the track, with its mark; the zero Fix before the first
}

func (all *histories) add(row *rows.Row) {
	h := all.of[row.MMSI]
	if h == nil {
		h = &history{}
		all.of[row.MMSI] = h
	}
	h.add(row)
	all.held++
}

// writeHeld writes what is held into the store.
func (all *histories) writeHeld(db *store.DB, t *taken) error {
	if all.held == 0 {
		return nil
	}
	batch := make([]store.Imported, 0, len(all.of))
	for mmsi, h := range all.of {
		if len(h.track)+len(h.said) == 0 {
			continue
		}
		if err := h.trust(db, mmsi); err != nil {
			return err
		}
		slices.SortStableFunc(h.said, func(a, b store.Said) int { return cmp.Compare(saidAt(a), saidAt(b)) })
		batch = append(batch, store.Imported{MMSI: mmsi, Class: h.class, Fixes: h.track, Said: h.said})
	}
	n, err := db.ImportTracks(batch)
	t.fixes += uint64(n)
	all.held = 0
	for _, h := range all.of {
		h.track, h.said = h.track[:0], nil
	}
	if len(all.of) > shipsAtOnce {
		clear(all.of)
	}
	return err
}

// trust marks the fixes that a receiver told which lies, as the picture does live. What is stored of the time before the first goes before them.
func (h *history) trust(db *store.DB, mmsi ais.MMSI) error {
	if len(h.track) == 0 || h.class != ship.ClassUnknown && h.class != ship.ClassA && h.class != ship.ClassB {
		return nil
	}
	slices.SortStableFunc(h.track, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
	if h.last.At == 0 {
		first := ship.Time(h.track[0].At)
		stored, err := db.Track(context.Background(), mmsi, first.Add(-time.Hour), first)
		if err != nil {
			return err
		}
		for _, f := range stored.Within(time.Time{}, first) {
			h.receiver.Learn(h.last, f)
			h.last = f
		}
	}
	for i, f := range h.track {
		if f.At <= h.last.At {
			h.track[i] = h.receiver.Late(f)
			continue
		}
		h.last = h.receiver.Take(h.last, f)
		h.track[i] = h.last
	}
	return nil
}

func saidAt(s store.Said) (at int64) {
	if s.Static != nil {
		at = s.Static.At
	}
	if s.Voyage != nil {
		at = max(at, s.Voyage.At)
	}
	return at
}

// add takes a row. Static and voyage data hold from the first row that has them. A value that a row lacks stays.
func (h *history) add(row *rows.Row) {
	if row.Class != ship.ClassUnknown {
		h.class = row.Class
	}
	if row.HasFix {
		h.track = append(h.track, row.Fix)
	}
	static, voyage := h.takeStatic(row), h.takeVoyage(row)
	if !static && !voyage {
		return
	}
	said := store.Said{}
	if h.static.At != 0 {
		s := h.static
		said.Static = &s
	}
	if h.voyage.At != 0 {
		v := h.voyage
		said.Voyage = &v
	}
	if len(h.said) == saidAtOnce {
		h.said = h.said[1:]
	}
	h.said = append(h.said, said)
}

// takeStatic takes the static data of a row, and reports whether they changed.
func (h *history) takeStatic(row *rows.Row) bool {
	s := &h.static
	changed := replaceText(&s.Name, row.Name)
	changed = replaceText(&s.CallSign, row.CallSign) || changed
	changed = replace(&s.IMO, row.IMO) || changed
	changed = replace(&s.Type, row.Type) || changed
	changed = replace(&s.Dimensions, row.Dimensions) || changed
	if changed {
		s.At = row.Fix.At
	}
	return changed
}

// takeVoyage takes the voyage data of a row, and reports whether they changed.
func (h *history) takeVoyage(row *rows.Row) bool {
	v := &h.voyage
	changed := replaceText(&v.Destination, row.Destination)
	changed = replace(&v.Draught, row.Draught) || changed
	changed = replace(&v.ETA, row.ETA) || changed
	if changed {
		v.At = row.Fix.At
	}
	return changed
}

// replace puts a value that is known in the place of another, and reports whether that changed it.
func replace[T comparable](was *T, now T) bool {
	var unknown T
	if now == unknown || now == *was {
		return false
	}
	*was = now
	return true
}

func replaceText(was *string, now []byte) bool {
	if len(now) == 0 || string(now) == *was {
		return false
	}
	*was = string(now)
	return true
}
