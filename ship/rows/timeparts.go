package rows

import (
	"bytes"
	"slices"
	"strings"
)

// givenParts reports whether the caller names columns of parts of the time.
func (r *Reader) givenParts() bool {
	for _, f := range partFields() {
		if _, given := r.options.Columns[f]; given {
			r.columns.joined = true
		}
	}
	if !r.columns.joined {
		return false
	}
	for _, f := range partFields() { // those that it does not name are found by their names, where they say more
		if _, given := r.options.Columns[f]; !given && r.supersedes(f) {
			r.columns.at[f] = -1
		}
	}
	r.columns.wide = r.hasSeconds(r.sampleRows())
	return true
}

// supersedes reports whether the caller names a column that stands for the field too.
func (r *Reader) supersedes(f Field) bool {
	named := func(fields ...Field) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { _, given := r.options.Columns[f]; return given })
	}
	switch f {
	case Date:
		return named(Year, Month, Day)
	case Clock:
		return named(Hour, Minute, Second)
	case Year, Month, Day:
		return named(Date)
	}
	return named(Clock)
}

// partFields are the fields of parts of a time.
func partFields() []Field { return []Field{Date, Clock, Year, Month, Day, Hour, Minute, Second} }

// namedParts finds the columns of parts of the time by their usual names. What stands in them must be such parts.
func (r *Reader) namedParts(sample [][][]byte) bool {
	at := r.columns.at
	for _, f := range partFields() {
		at[f] = r.namedPart(f, sample)
	}
	if day := at[Year] >= 0 && at[Month] >= 0 && at[Day] >= 0; at[Date] < 0 && !day && at[Time] >= 0 && r.columnShare(sample, at[Time], midnight) == 1 {
		at[Date] = at[Time]
	} else if at[Date] < 0 && !day {
		return false
	}
	if at[Date] >= 0 {
		at[Year], at[Month], at[Day] = -1, -1, -1
	}
	switch {
	case at[Clock] >= 0:
		at[Hour], at[Minute], at[Second] = -1, -1, -1
	case at[Hour] < 0:
		return false
	case at[Minute] < 0:
		at[Second] = -1
	}
	r.columns.at, r.columns.joined = at, true
	r.columns.wide = r.hasSeconds(sample)
	return true
}

// namedPart returns the first column with a usual name of a part in which such parts stand, or -1.
func (r *Reader) namedPart(f Field, sample [][][]byte) int {
	for name := range strings.FieldsSeq(usualNames(f)) {
		i := slices.IndexFunc(r.columns.header, func(h string) bool { return letters(h) == name })
		if i >= 0 && !r.isTaken(i) && r.columnShare(sample, i, func(v []byte) bool { return r.isPart(f, v) }) >= sure {
			return i
		}
	}
	return -1
}

// unnamedParts finds a column of dates and one of times of day by their values. Of several those count whose names speak most for them, then those
// that stand side by side.
func (r *Reader) unnamedParts(sample [][][]byte) bool {
	best, date, clock := 0, -1, -1
	for i := range r.columns.header {
		if r.isTaken(i) || r.columnShare(sample, i, r.isDate) < sure {
			continue
		}
		for k := range r.columns.header {
			if k == i || r.isTaken(k) || r.columnShare(sample, k, r.isMarkedClock) < sure {
				continue
			}
			speaks := 4 * (spoken(r.columns.header[i], sample, i) + spoken(r.columns.header[k], sample, k))
			switch k - i {
			case 1:
				speaks += 2
			case -1:
				speaks++
			}
			if date < 0 || speaks > best {
				best, date, clock = speaks, i, k
			}
		}
	}
	if date < 0 {
		return false
	}
	for _, f := range partFields() {
		r.columns.at[f] = -1
	}
	r.columns.at[Date], r.columns.at[Clock] = date, clock
	r.columns.joined, r.byValues = true, true
	return true
}

// isPart reports whether a value is such a part of a time.
func (r *Reader) isPart(f Field, value []byte) bool {
	if f == Date && r.options.TimeFormat == "" {
		return r.isDate(value)
	}
	if f == Clock && r.options.TimeFormat == "" {
		return r.isClock(value)
	}
	if f == Date || f == Clock {
		return !absent(value)
	}
	least, most := [...]int64{1990, 1, 1, 0, 0, 0}, [...]int64{2100, 12, 31, 23, 59, 60}
	n, ok := parseWhole(withoutFraction(f, value))
	return ok && n >= least[f-Year] && n <= most[f-Year]
}

// withoutFraction returns the whole seconds of a value, and other parts as they are.
func withoutFraction(f Field, value []byte) []byte {
	if f == Second {
		value, _, _ = bytes.Cut(value, []byte("."))
	}
	return value
}

// isDate reports whether a value is a date without a time of day, or with midnight.
func (r *Reader) isDate(value []byte) bool {
	text := append(appendDate(nil, value), " 00:00:00"...)
	for _, o := range []order{dayFirst, monthFirst} {
		reader := timeReader{order: o}
		if _, ok := reader.readMillis(text); ok {
			return true
		}
	}
	return false
}

// isClock reports whether a value is a time of day.
func (r *Reader) isClock(value []byte) bool {
	n, rest := leading(value)
	return r.isMarkedClock(value) || n >= 3 && n <= 6 && (len(rest) == 0 || rest[0] == '.') &&
		slices.ContainsFunc([]int{4, 6}, func(width int) bool { return n <= width && readsAsClock(appendClock(nil, value, width == 6)) })
}

// isMarkedClock reports whether a value is a time of day with marks between hour and minute.
func (r *Reader) isMarkedClock(value []byte) bool {
	return bytes.IndexByte(value, ':') >= 0 && readsAsClock(value)
}

func readsAsClock(value []byte) bool {
	c := civil{year: 2000, month: 1, day: 1}
	return c.readClock(value) && c.valid()
}

// midnight reports whether a value is a date with midnight. It may be a date that a program wrote with a time of day all the same.
func midnight(value []byte) bool {
	date := appendDate(nil, value)
	return len(date) < len(value) && bytes.IndexByte(value, ':') >= 0
}

// hasSeconds reports whether times of day without marks have more than four digits.
func (r *Reader) hasSeconds(sample [][][]byte) bool {
	at := r.columns.at[Clock]
	return at >= 0 && slices.ContainsFunc(sample, func(cells [][]byte) bool {
		n, _ := leading(cells[at])
		return n > 4
	})
}

// rowTime returns the time of the row as it is written, or as it is put together of several columns.
func (r *Reader) rowTime() []byte {
	value, _ := r.fieldValue(Time)
	if r.columns.joined {
		r.whole = r.columns.joinTime(r.whole[:0], r.fields, r.options.TimeFormat != "")
		return r.whole
	}
	return value
}

// timeColumns returns the names of the columns in which parts of the time stand.
func (c *columns) timeColumns() (names []string) {
	for _, f := range []Field{Year, Month, Day, Date, Clock, Hour, Minute, Second} {
		if c.at[f] >= 0 {
			names = append(names, c.columnName(f))
		}
	}
	return names
}

// joinTime appends the time that stands in several columns: the date, a blank, the time of day; raw as they are written. A part that is missing makes a
// text that is no time.
func (c *columns) joinTime(to []byte, cells [][]byte, raw bool) []byte {
	part := func(f Field) []byte {
		if c.at[f] < 0 || c.at[f] >= len(cells) {
			return nil
		}
		return cells[c.at[f]]
	}
	switch {
	case c.at[Date] >= 0 && raw:
		to = append(to, part(Date)...)
	case c.at[Date] >= 0:
		to = appendDate(to, part(Date))
	default:
		to = appendPadded(append(appendPadded(append(appendPadded(to, part(Year), 4), '-'), part(Month), 2), '-'), part(Day), 2)
	}
	to = append(to, ' ')
	switch {
	case c.at[Clock] >= 0 && raw:
		return append(to, part(Clock)...)
	case c.at[Clock] >= 0:
		return appendClock(to, part(Clock), c.wide)
	}
	to = append(appendPadded(to, part(Hour), 2), ':')
	if c.at[Minute] < 0 {
		return append(to, "00"...)
	}
	to = appendPadded(to, part(Minute), 2)
	if c.at[Second] >= 0 {
		to = appendPadded(append(to, ':'), part(Second), 2)
	}
	return to
}

// appendPadded appends a whole number, perhaps written as 5.0, with zeros before it. Of a second its fraction stays.
func appendPadded(to, value []byte, width int) []byte {
	if n, rest := leading(value); len(rest) > 1 && rest[0] == '.' && zeros(rest[1:]) {
		value = value[:n]
	}
	n, _ := leading(value)
	for range max(0, min(n, 1)*(width-n)) {
		to = append(to, '0')
	}
	return append(to, value...)
}

// appendDate appends a date. One of eight digits gets its marks, one with the name of a month the number, and midnight behind it goes.
func appendDate(to, value []byte) []byte {
	if i := bytes.IndexAny(value, "T "); i >= 8 && onlyZeros(value[i+1:]) {
		value = value[:i]
	}
	n, rest := leading(value)
	if n == 8 && len(rest) == 0 {
		to = append(append(to, value[:4]...), '-')
		to = append(append(to, value[4:6]...), '-')
		return append(to, value[6:]...)
	}
	var c civil
	if n >= 1 && n <= 2 && len(rest) >= 9 && rest[4] == rest[0] && bytes.IndexByte([]byte(" -/."), rest[0]) >= 0 {
		if _, ok := c.monthName(rest[1:]); ok {
			to = append(to, rest[5:]...)
			to = append(to, '-', byte('0'+c.month/10), byte('0'+c.month%10), '-')
			return appendPadded(to, value[:n], 2)
		}
	}
	return append(to, value...)
}

// onlyZeros reports whether a time of day is midnight.
func onlyZeros(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "0:.Z")) == 0
}

// appendClock appends a time of day. One without marks gets them; wide ones have seconds, and programs that take them for numbers drop their zeros.
func appendClock(to, value []byte, wide bool) []byte {
	n, rest := leading(value)
	if n < 1 || n > 6 || len(rest) > 0 && rest[0] != '.' && rest[0] != 'Z' {
		return append(to, value...)
	}
	width := 4
	if wide {
		width = 6
	}
	var digits [6]byte
	for i := range width {
		digits[i] = '0'
	}
	copy(digits[max(0, width-n):], value[:n])
	to = append(append(append(to, digits[:2]...), ':'), digits[2:4]...)
	if wide {
		to = append(append(to, ':'), digits[4:6]...)
	}
	if len(rest) > 0 && rest[0] == '.' && !wide && zeros(rest[1:]) {
		return to
	}
	return append(to, rest...)
}
