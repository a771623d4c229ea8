package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// delimiters are those that a file may have.
const delimiters = ",;\t|"

// remarks is how many lines may stand before the header.
const remarks = 20

// Looks reports whether a file that begins so is one with a header that names ships and places.
func Looks(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte(bom))) {
		var c columns
		if _, header, found := headerOf(line); found >= 3 || c.find(header) >= 2 && c.at[MMSI] >= 0 {
			return true
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return false
}

const bom = "\xef\xbb\xbf"

// headerOf cuts a line by the delimiter that gives the most columns with usual names.
func headerOf(line []byte) (delimiter byte, header []string, found int) {
	line = bytes.TrimRight(line, "\r\n")
	for _, d := range []byte(delimiters) {
		var c columns
		names, ok := namesOf(line, d)
		if n := c.find(names); ok && n > found {
			delimiter, header, found = d, names, n
		}
	}
	return delimiter, header, found
}

func namesOf(line []byte, delimiter byte) ([]string, bool) {
	cells, ok := splitLine(nil, bytes.Clone(line), delimiter)
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.Map(printableRune, strings.TrimSpace(strings.TrimPrefix(string(cell), "# ")))
	}
	return names, ok
}

// printableRune keeps names of columns fit for a terminal.
func printableRune(r rune) rune {
	if !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// readHeader reads up to the header and finds out how the rows are written.
func (r *Reader) readHeader() error {
	head := r.lines.peekHead()
	switch {
	case len(head) == 0:
		return fmt.Errorf("%w: the file is empty", ErrHeader)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fmt.Errorf("%w: the text is UTF-16; save it as UTF-8", ErrHeader)
	case bytes.HasPrefix(head, []byte(bom)):
		_, _ = r.lines.in.Discard(len(bom)) // they are in the buffer
	}
	if err := r.header(); err != nil {
		return err
	}
	r.comma = r.lines.delimiter != ','
	if r.layout = layoutOf(r.options.Layout, r.columns.header); r.layout == nil {
		return fmt.Errorf("layout %q is not one of %s", r.options.Layout, strings.Join(Layouts(), ", "))
	}
	if at := r.columns.at[ROT]; r.layout.turns && at >= 0 && r.columns.at[Turn] < 0 {
		r.columns.at[ROT], r.columns.at[Turn] = -1, at
	}
	r.findTimes()
	if err := r.essential(); err != nil {
		return err
	}
	return r.dates()
}

// header reads lines up to the header. A file whose columns the caller gives by numbers has none.
func (r *Reader) header() error {
	for range remarks {
		line, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it has no line with the names of columns", ErrHeader)
		}
		if err != nil && !errors.Is(err, errLong) {
			return err
		}
		if len(line) == 0 {
			continue
		}
		delimiter, names, found := headerOf(line)
		if found < 2 && r.readNamedLine(line) {
			return nil
		}
		if found >= 2 {
			r.lines.delimiter = delimiter
			r.columns.find(names)
			return r.takeColumns()
		}
		if line[0] != '#' {
			return fmt.Errorf("%w: line %d: no column has one of the usual names, as mmsi, time, lat, lon; say --columns mmsi=…,time=…,lat=…,lon=…",
				ErrHeader, r.lines.number)
		}
	}
	return fmt.Errorf("%w: it does not stand in the first %d lines", ErrHeader, remarks)
}

// readNamedLine takes the line by the columns that the caller names. It is the header when they stand there, or the first row when all of them are numbers.
func (r *Reader) readNamedLine(line []byte) bool {
	if len(r.options.Columns) < 2 {
		return false
	}
	numbers := true
	for _, name := range r.options.Columns {
		_, err := strconv.Atoi(name)
		numbers = numbers && err == nil
	}
	for _, d := range []byte(delimiters + " ") {
		names, ok := namesOf(line, d)
		if !ok || len(names) < len(r.options.Columns) {
			continue
		}
		if numbers {
			r.pending = bytes.Clone(line)
			for i := range names {
				names[i] = strconv.Itoa(i + 1)
			}
		}
		r.lines.delimiter = d
		r.columns.find(names)
		if r.takeColumns() == nil {
			return true
		}
	}
	r.pending = nil
	return false
}

func (r *Reader) takeColumns() error {
	if missing := r.columns.putFields(r.options.Columns); len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("%w: line %d: no column for %s; it has %s", ErrHeader, r.lines.number, strings.Join(missing, ", "), r.headerText())
	}
	return nil
}

// essential fails when a column is missing without which a row says nothing.
func (r *Reader) essential() error {
	var missing []string
	for _, f := range []Field{MMSI, Time, Lat, Lon} {
		if r.columns.at[f] < 0 && (f != MMSI || r.options.MMSI == 0) && (f != Time || !r.columns.joined) {
			missing = append(missing, f.String())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	hint := "--columns " + strings.Join(missing, "=…,") + "=…"
	if slices.Contains(missing, MMSI.String()) {
		hint += ", or --mmsi NUMBER when all rows are of one ship"
	}
	return fmt.Errorf("%w: line %d: no column for %s; it has %s; say %s", ErrHeader, r.lines.number, strings.Join(missing, ", "), r.headerText(), hint)
}

func (r *Reader) headerText() string {
	const most = 40
	names := r.columns.header
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	text := make([]string, len(names))
	for i, name := range names {
		text[i] = strconv.Quote(name[:min(len(name), 40)])
	}
	return strings.Join(text, ", ")
}

// dates finds out whether the day or the month comes first, where times are written with both before the year.
func (r *Reader) dates() error {
	if r.times.format = r.options.TimeFormat; r.times.format != "" {
		return checkFormat(r.times.format)
	}
	r.times.order = r.layout.order
	day, month, last := true, true, ""
	for _, value := range r.sampleTimes() {
		mayDay, mayMonth := orderOf(value)
		if !mayDay && !mayMonth {
			continue
		}
		day, month, last = day && mayDay, month && mayMonth, string(value)
	}
	switch {
	case last == "":
	case day && month && r.layout.order == unknownOrder:
		return fmt.Errorf("line %d, column %s: %q: day and month cannot be told apart; say --time-format \"%%d/%%m/%%Y %%H:%%M:%%S\" or \"%%m/%%d/%%Y %%H:%%M:%%S\"",
			r.lines.number+1, r.columns.columnName(Time), last)
	case day && !month:
		r.times.order = dayFirst
	case month && !day:
		r.times.order = monthFirst
	}
	return nil
}

// sampleTimes returns the times of the rows that stand in the buffer.
func (r *Reader) sampleTimes() (times [][]byte) {
	var cells [][]byte
	var ok bool
	for line := range bytes.Lines(append(append(bytes.Clone(r.pending), '\n'), r.lines.peekHead()...)) {
		cells, ok = splitLine(cells, bytes.TrimRight(line, "\r\n"), r.lines.delimiter)
		switch at := r.columns.at[Time]; {
		case ok && r.columns.joined && len(cells) >= len(r.columns.header):
			times = append(times, r.columns.joinTime(nil, cells, r.times.format != ""))
		case ok && !r.columns.joined && len(cells) > at:
			times = append(times, cells[at])
		}
	}
	return times
}

// checkFormat refuses letters that no time can be read by.
func checkFormat(format string) error {
	if format == "unix" || format == "unix-ms" {
		return nil
	}
	for rest := format; rest != ""; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		if after == "" || !strings.Contains(parts, after[:1]) {
			return fmt.Errorf("--time-format %q: behind %% comes one of %s", format, strings.Join(strings.Split(parts, ""), " "))
		}
		rest = after[1:]
	}
	if !strings.Contains(format, "%") {
		return fmt.Errorf("--time-format %q: want one like %%d/%%m/%%Y %%H:%%M:%%S, or unix, or unix-ms", format)
	}
	return nil
}
