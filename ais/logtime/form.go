package logtime

import (
	"bytes"
	"strings"
	"time"
)

// form is how a time is written.
type form uint8

const (
	ordered    form = iota // 2026-11-20T12:00:00Z and the like
	packed                 // 20261120120000
	dayFirst               // 20/11/2026 12:00:00
	monthFirst             // 11/20/2026 12:00:00
	named                  // 20 Nov 2026 12:00:00, Fri Nov 20 12:00:00 2026
	counted                // since 1970
	yearless               // Nov 20 12:00:00
	dateless               // 12:00:00
)

// moment is a time as it is written. One of counted has milliseconds alone.
type moment struct {
	form             form
	zoned            bool // it says its zone
	year, month, day int
	ofDay            int64 // milliseconds since midnight, without the zone
	ms               int64 // of counted: since 1970
}

const dayMillis = 24 * 60 * 60 * 1000

// millisNear returns Unix milliseconds. What the moment lacks comes from near, which it is put as close to as can be.
func (m *moment) millisNear(near int64) int64 {
	switch m.form {
	case counted:
		return m.ms
	case dateless:
		day := near - near%dayMillis
		return closest(near, day-dayMillis+m.ofDay, day+m.ofDay, day+dayMillis+m.ofDay)
	case yearless:
		year := time.UnixMilli(near).UTC().Year()
		if m.onLeapDay() {
			return m.leapDayNear(near, year)
		}
		return closest(near, m.inYear(year-1), m.inYear(year), m.inYear(year+1))
	}
	return m.inYear(m.year)
}

func (m *moment) inYear(year int) int64 {
	return time.Date(year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).UnixMilli() + m.ofDay
}

// onLeapDay reports whether it is a 29 February without a year.
func (m *moment) onLeapDay() bool { return m.form == yearless && m.month == 2 && m.day == 29 }

// leapDayNear returns a 29 February of one of the years around a year, the nearest to a time. Eight years may lie between two of them.
func (m *moment) leapDayNear(near int64, year int) (best int64) {
	for y := year - 8; y <= year+8; y++ {
		if leapYear(y) && (best == 0 || closest(near, best, m.inYear(y)) != best) {
			best = m.inYear(y)
		}
	}
	return best
}

func leapYear(year int) bool { return time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC).Day() == 29 }

func closest(near int64, times ...int64) (best int64) {
	best = times[0]
	for _, t := range times {
		if max(t-near, near-t) < max(best-near, near-best) {
			best = t
		}
	}
	return best
}

// valid reports whether there is such a day. The 29 February of an unknown year is one.
func (m *moment) valid() bool {
	year := m.year
	if m.form == yearless {
		year = 2000
	}
	if year < 1970 || year > 2200 || m.month < 1 || m.month > 12 || m.day < 1 {
		return false
	}
	return time.Date(year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Day() == m.day
}

// parse reads the time that text begins with, in each way in which it can be read, and returns how long it is.
func parse(text []byte) (moments []moment, length int) {
	n := leading(text)
	switch {
	case n == 0:
		return parseNamed(text)
	case n == 8 || n == 14:
		if moments, length = parsePacked(text, n); length > 0 {
			return moments, length
		}
	case n == 4:
		if moments, length = parseNumbers(text); length > 0 {
			return moments, length
		}
		return parseOrdered(text)
	case n <= 2 && n < len(text):
		return parseShort(text, n)
	}
	return parseCount(text, n)
}

// parseCount reads a count since 1970 in seconds, milliseconds, microseconds or nanoseconds. Nine digits would lie before September 2001,
// when nobody recorded AIS, and are rather the number of a ship.
func parseCount(text []byte, n int) ([]moment, int) {
	count := parseDigits(text[:min(n, 19)])
	m := moment{form: counted, zoned: true}
	switch n {
	case 10:
		m.ms = count * 1000
		fraction, length := fractionOf(text[n:], ".")
		n += length
		m.ms += fraction
	case 13:
		m.ms = count
		_, length := fractionOf(text[n:], ".")
		n += length
	case 16:
		m.ms = count / 1e3
	case 19:
		m.ms = count / 1e6
	default:
		return nil, 0
	}
	if n < len(text) && isWord(text[n]) {
		return nil, 0
	}
	return []moment{m}, n
}

// parsePacked reads 20261120120000, 20261120T120000Z, 20261120-120000, and the same in two columns.
func parsePacked(text []byte, n int) ([]moment, int) {
	m := moment{form: packed}
	date, rest := text[:8], text[8:]
	if n == 8 {
		if len(rest) < 7 || bytes.IndexByte([]byte("T _-,;\t"), rest[0]) < 0 {
			return nil, 0
		}
		rest = rest[1:]
	}
	if leading(rest) != 6 {
		return nil, 0
	}
	m.year, m.month, m.day = small(date[:4]), small(date[4:6]), small(date[6:8])
	hour, minute, second := small(rest[:2]), small(rest[2:4]), small(rest[4:6])
	if hour > 23 || minute > 59 || second > 60 || !m.valid() {
		return nil, 0
	}
	fraction, length := fractionOf(rest[6:], ".")
	m.ofDay = 1000*int64(3600*hour+60*minute+second) + fraction
	rest = m.zone(rest[6+length:])
	return []moment{m}, len(text) - len(rest)
}

// parseOrdered reads 2026-11-20T12:00:00Z, 2026/11/20 12:00:00,123 and the like.
func parseOrdered(text []byte) ([]moment, int) {
	parts, rest := dateParts(text)
	if rest == nil {
		return nil, 0
	}
	m := moment{form: ordered, year: parts[0], month: parts[1], day: parts[2]}
	return m.withClock(text, rest)
}

// parseShort reads a date that begins with a day or a month, and a time of day without a date.
func parseShort(text []byte, n int) ([]moment, int) {
	if text[n] == ':' {
		m := moment{form: dateless}
		if rest := m.readClock(text); rest != nil {
			return []moment{m}, len(text) - len(rest)
		}
		return nil, 0
	}
	if m, rest := dayAndName(text, n); rest != nil {
		return m.withClock(text, rest)
	}
	parts, rest := dateParts(text)
	if rest == nil {
		return nil, 0
	}
	day := moment{form: dayFirst, day: parts[0], month: parts[1], year: parts[2]}
	month := moment{form: monthFirst, month: parts[0], day: parts[1], year: parts[2]}
	moments, length := day.withClock(text, rest)
	if text[n] == '.' {
		return moments, length
	}
	other, otherLength := month.withClock(text, rest)
	return append(moments, other...), max(length, otherLength)
}

// dateParts reads three numbers with two equal marks between them. It returns nil for what is none.
func dateParts(text []byte) (parts [3]int, rest []byte) {
	rest = text
	for i := range parts {
		n := leading(rest)
		if n == 0 || n > 4 || i < 2 && (n >= len(rest) || bytes.IndexByte([]byte("-/."), rest[n]) < 0 || i == 1 && rest[n] != text[leading(text)]) {
			return parts, nil
		}
		parts[i], rest = small(rest[:n]), rest[n:]
		if i < 2 {
			rest = rest[1:]
		}
	}
	return parts, rest
}

// dayAndName reads 20 Nov 2026, 20-Nov-2026 and 20/Nov/2026.
func dayAndName(text []byte, n int) (m moment, rest []byte) {
	rest = text[n:]
	if len(rest) < 9 || bytes.IndexByte([]byte(" -/"), rest[0]) < 0 || rest[4] != rest[0] || leading(rest[5:]) != 4 {
		return m, nil
	}
	m = moment{form: named, day: small(text[:n]), month: monthOf(rest[1:4]), year: small(rest[5:9])}
	return m, rest[9:]
}

// parseNamed reads Nov 20 12:00:00, and the same with a year before or behind the time of day.
func parseNamed(text []byte) ([]moment, int) {
	if len(text) < 5 || monthOf(text[:3]) == 0 || text[3] != ' ' {
		return nil, 0
	}
	m := moment{form: yearless, month: monthOf(text[:3])}
	rest := bytes.TrimLeft(text[4:], " ")
	n := leading(rest)
	if n < 1 || n > 2 {
		return nil, 0
	}
	m.day, rest = small(rest[:n]), rest[n:]
	if rest, n = yearBehind(rest); n > 0 {
		m.form, m.year = named, n
	}
	if len(rest) == 0 || rest[0] != ' ' {
		return nil, 0
	}
	if rest = m.readClock(bytes.TrimLeft(rest, " ")); rest == nil {
		return nil, 0
	}
	if after, year := yearBehind(rest); year > 0 && m.form == yearless {
		m.form, m.year, rest = named, year, after
	}
	if !m.valid() {
		return nil, 0
	}
	return []moment{m}, len(text) - len(rest)
}

// yearBehind reads a year behind a blank, perhaps with a comma before it.
func yearBehind(text []byte) (rest []byte, year int) {
	trimmed := bytes.TrimPrefix(text, []byte(","))
	if len(trimmed) < 5 || trimmed[0] != ' ' || leading(trimmed[1:]) != 4 || len(trimmed) > 5 && trimmed[5] == '-' {
		return text, 0
	}
	return trimmed[5:], small(trimmed[1:5])
}

// withClock completes a date by the time of day that follows it.
func (m moment) withClock(text, rest []byte) ([]moment, int) {
	const between = "Tt_,;:\"' \t-"
	n := 0
	for n < len(rest) && n < 4 && strings.IndexByte(between, rest[n]) >= 0 {
		n++
	}
	if n == 0 || !m.valid() {
		return nil, 0
	}
	if rest = m.readClock(rest[n:]); rest == nil {
		return nil, 0
	}
	return []moment{m}, len(text) - len(rest)
}

// readClock reads 12:00:00 with or without a fraction, then AM or PM, then a zone. It returns nil for what is none.
func (m *moment) readClock(text []byte) (rest []byte) {
	n := leading(text)
	if n < 1 || n > 2 || len(text) < n+3 || text[n] != ':' || leading(text[n+1:]) != 2 {
		return nil
	}
	hour, minute, second := small(text[:n]), small(text[n+1:n+3]), 0
	rest = text[n+3:]
	switch {
	case len(rest) >= 3 && rest[0] == ':' && leading(rest[1:]) == 2:
		second, rest = small(rest[1:3]), rest[3:]
	case m.form == dateless || m.form == yearless:
		return nil
	}
	fraction, length := fractionOf(rest, ".,")
	rest = rest[length:]
	if half := bytes.TrimLeft(rest, " "); hour >= 1 && hour <= 12 && len(half) >= 2 && half[1]|0x20 == 'm' && (half[0]|0x20 == 'a' || half[0]|0x20 == 'p') {
		hour %= 12
		if half[0]|0x20 == 'p' {
			hour += 12
		}
		rest = half[2:]
	}
	if hour > 23 || minute > 59 || second > 60 || len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		return nil
	}
	m.ofDay = 1000*int64(3600*hour+60*minute+second) + fraction
	return m.zone(rest)
}

// zone reads Z, UTC, GMT, +02:00, +0200 and +02, if one of them is there.
func (m *moment) zone(text []byte) (rest []byte) {
	trimmed := bytes.TrimLeft(text, " ")
	for _, word := range []string{"Z", "z", "UTC", "GMT"} {
		if after, found := bytes.CutPrefix(trimmed, []byte(word)); found && (len(after) == 0 || !isWord(after[0])) {
			m.zoned = true
			return after
		}
	}
	if len(trimmed) < 3 || trimmed[0] != '+' && trimmed[0] != '-' {
		return text
	}
	digits := bytes.Replace(trimmed[1:min(len(trimmed), 6)], []byte(":"), nil, 1)
	n := leading(digits)
	if n != 2 && n != 4 || small(digits[:2]) > 14 {
		return text
	}
	minutes := 60 * small(digits[:2])
	length := 3
	if n == 4 {
		minutes += small(digits[2:4])
		length = 5 + bytes.Count(trimmed[1:min(len(trimmed), 6)], []byte(":"))
	}
	if trimmed[0] == '-' {
		minutes = -minutes
	}
	m.zoned = true
	m.ofDay -= int64(minutes) * 60000
	return trimmed[min(length, len(trimmed)):]
}

// fractionOf reads a fraction of a second behind one of the marks, as milliseconds. Behind a comma it has three or six digits.
func fractionOf(text []byte, marks string) (ms int64, length int) {
	if len(text) < 2 || strings.IndexByte(marks, text[0]) < 0 {
		return 0, 0
	}
	n := leading(text[1:])
	if n == 0 || n > 9 || text[0] == ',' && n != 3 && n != 6 {
		return 0, 0
	}
	ms = parseDigits(append(append([]byte{}, text[1:1+min(n, 3)]...), "00"[:max(0, 3-n)]...))
	return ms, 1 + n
}

// monthOf returns the month of which these are the first three letters in English, and 0 for none.
func monthOf(word []byte) int {
	const names = "jan feb mar apr may jun jul aug sep oct nov dec"
	at := strings.Index(names, strings.ToLower(string(word)))
	if at < 0 || at%4 != 0 || len(word) != 3 {
		return 0
	}
	return at/4 + 1
}

// leading returns how many digits the text begins with.
func leading(text []byte) (n int) {
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// parseDigits reads up to 19 digits.
func parseDigits(digits []byte) (v int64) {
	for _, c := range digits {
		v = v*10 + int64(c-'0')
	}
	return v
}

// small reads up to four digits.
func small(digits []byte) int { return int(parseDigits(digits)) }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
