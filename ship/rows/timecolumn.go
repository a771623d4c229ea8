package rows

import (
	"bytes"
	"slices"
	"strings"
)

// sampledRows is how many rows are looked at to find the column of times.
const sampledRows = 200

// findTimes finds the column of times by its values where none has a usual name, or where the one that has holds no times. Of several the one
// counts whose name speaks of the position or of reception. A time may stand in several columns, its date in one and its time of day in another.
func (r *Reader) findTimes() {
	if _, given := r.options.Columns[Time]; given {
		return
	}
	sample := r.sampleRows()
	if r.givenParts() || len(sample) == 0 {
		return
	}
	if at := r.columns.at[Time]; at >= 0 && r.columnShare(sample, at, r.isTime) >= 0.5 && !(r.columnShare(sample, at, midnight) == 1 && r.namedParts(sample)) {
		return
	}
	if r.columns.joined || r.namedParts(sample) {
		return
	}
	best, most := -1, 0
	for i := range r.columns.header {
		if r.isTaken(i) || r.columnShare(sample, i, r.isTime) < sure || r.columnShare(sample, i, midnight) == 1 {
			continue
		}
		if n := spoken(r.columns.header[i], sample, i); best < 0 || n > most {
			best, most = i, n
		}
	}
	if (best < 0 || most < 0) && r.unnamedParts(sample) {
		return
	}
	if best >= 0 {
		r.columns.at[Time], r.byValues = best, true
	}
}

// sure is the share of values that makes a column one of times.
const sure = 0.9

// isTaken reports whether a column is that of a ship's number, or of a field that is no time.
func (r *Reader) isTaken(column int) bool {
	return slices.Contains(r.columns.at[Time+1:Date], column) || r.columns.at[MMSI] == column
}

// sampleRows returns the cells of the first rows, as far as they stand in the buffer.
func (r *Reader) sampleRows() (sample [][][]byte) {
	text := append(append(bytes.Clone(r.pending), '\n'), r.lines.peekHead()...)
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if cells, ok := splitLine(nil, line, r.lines.delimiter); ok && len(line) > 0 && len(cells) >= len(r.columns.header) {
			sample = append(sample, cells)
		}
		if len(sample) == sampledRows {
			break
		}
	}
	return sample
}

// columnShare returns the share of the values of a column that are such. A column that half of the rows leave empty has none.
func (r *Reader) columnShare(sample [][][]byte, at int, such func([]byte) bool) float64 {
	values, times := 0, 0
	for _, cells := range sample {
		if absent(cells[at]) {
			continue
		}
		values++
		if such(cells[at]) {
			times++
		}
	}
	if values == 0 || 2*values < len(sample) {
		return 0
	}
	return float64(times) / float64(values)
}

// isTime reports whether a value is a time, with the day or the month first. Up to nine digits are rather the number of a ship.
func (r *Reader) isTime(value []byte) bool {
	if n, rest := leading(value); n < 10 && len(rest) == 0 && r.options.TimeFormat == "" {
		return false
	}
	for _, o := range []order{dayFirst, monthFirst} {
		reader := timeReader{order: o, format: r.options.TimeFormat}
		if _, ok := reader.readMillis(value); ok {
			return true
		}
	}
	return false
}

// spoken tells how much a column speaks for being the time of the position. It judges by its name, and by values that are not all the same.
func spoken(name string, sample [][][]byte, at int) int {
	plain := letters(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(plain, w) })
	}
	n := 0
	switch {
	case has("eta", "etd", "creat", "insert", "load", "modif", "publish", "export", "static", "voyage", "depart", "arriv", "sail"):
		n = -2
	case has("pos", "fix", "rec", "rx", "heard", "observ", "report", "sighted", "signal"):
		n = 2
	case has("time", "date", "utc", "stamp"):
		n = 1
	}
	varies := slices.ContainsFunc(sample, func(cells [][]byte) bool { return !bytes.Equal(cells[at], sample[0][at]) })
	if varies {
		return 2*n + 1
	}
	return 2 * n
}
