package rows

import "strings"

// order tells what stands first in a date like 03/04/2026.
type order uint8

const (
	unknownOrder order = iota
	dayFirst
	monthFirst
)

// timeReader reads times as the file writes them. Times without a zone are UTC.
type timeReader struct {
	order  order
	format string // of the caller, "" for none
}

// The times that a report can have, in Unix milliseconds: from the year 1990, before AIS began, to the end of 2100.
const (
	earliest = 631152000000
	latest   = 4133980800000
)

// readMillis reads a time as Unix milliseconds.
func (t *timeReader) readMillis(b []byte) (int64, bool) {
	var c civil
	ok := false
	switch {
	case t.format == "unix":
		c.seconds, c.nanos, ok = epoch(b, 1)
	case t.format == "unix-ms":
		c.seconds, c.nanos, ok = epoch(b, 1000)
	case t.format != "":
		ok = c.formatted(b, t.format)
	default:
		ok = c.guess(b, t.order)
	}
	if !ok {
		return 0, false
	}
	ms := c.unixMillis()
	return ms, ms >= earliest && ms < latest
}

// civil is a time in its parts. seconds is used alone when the file counts seconds since 1970.
type civil struct {
	year, month, day, hour, minute, second int
	nanos                                  int64
	offset                                 int // seconds east of UTC
	seconds                                int64
}

func (c *civil) unixMillis() int64 {
	if c.year == 0 {
		return c.seconds*1000 + c.nanos/1e6
	}
	return 1000*(86400*days(c.year, c.month, c.day)+int64(3600*c.hour+60*c.minute+c.second-c.offset)) + c.nanos/1e6
}

// days returns the days since 1970 of a date in the Gregorian calendar.
func days(year, month, day int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468)
}

// valid reports whether there is such a day and such a time. A second may be a leap second.
func (c *civil) valid() bool {
	if c.month < 1 || c.month > 12 || c.day < 1 || c.hour > 23 || c.minute > 59 || c.second > 60 {
		return false
	}
	if c.day > 28 {
		next, year := c.month+1, c.year
		if next > 12 {
			next, year = 1, year+1
		}
		return c.day <= int(days(year, next, 1)-days(c.year, c.month, 1))
	}
	return true
}

// guess reads a time by its form: 2026-03-01T12:00:00Z and the like, 31/12/2026 23:59:59, 20260301T120000, or a count since 1970.
func (c *civil) guess(b []byte, o order) bool {
	n, rest := leading(b)
	switch {
	case n >= 9 && n != 14 && (len(rest) == 0 || rest[0] == '.'):
		return c.readCount(b, n)
	case n == 14 && len(rest) == 0, n == 8 && len(rest) > 0:
		return c.packed(b)
	case n == 4 && len(rest) > 0:
		return c.date(b, [3]*int{&c.year, &c.month, &c.day}) && c.valid()
	case n < 1 || n > 2 || len(rest) == 0:
		return false
	case rest[0] == '.' || o == dayFirst:
		return c.date(b, [3]*int{&c.day, &c.month, &c.year}) && c.valid()
	case o == monthFirst:
		return c.date(b, [3]*int{&c.month, &c.day, &c.year}) && c.valid()
	}
	return false
}

// readCount reads a count of seconds, milliseconds, microseconds or nanoseconds since 1970, by its digits.
func (c *civil) readCount(b []byte, digits int) (ok bool) {
	per := int64(1)
	switch digits {
	case 9, 10:
	case 12, 13:
		per = 1000
	case 15, 16:
		per = 1e6
	case 18, 19:
		per = 1e9
	default:
		return false
	}
	c.seconds, c.nanos, ok = epoch(b, per)
	return ok
}

// epoch reads a count since 1970, of which per make a second.
func epoch(b []byte, per int64) (seconds, nanos int64, ok bool) {
	n, rest := leading(b)
	if n == 0 || n > 19 {
		return 0, 0, false
	}
	var count, fraction int64
	for _, d := range b[:n] {
		count = count*10 + int64(d-'0')
	}
	scale := int64(1e9) / per
	if len(rest) > 0 {
		if fraction, rest, ok = fractional(rest); !ok || len(rest) > 0 {
			return 0, 0, false
		}
	}
	return count / per, count%per*scale + fraction/per, true
}

// packed reads 20260301T120000Z, with or without the letter.
func (c *civil) packed(b []byte) bool {
	if len(b) < 14 || b[8] == 'T' && len(b) < 15 {
		return false
	}
	rest := b[8:]
	if rest[0] == 'T' || rest[0] == ' ' {
		rest = rest[1:]
	}
	var ok [6]bool
	c.year, ok[0] = digits(b[:4])
	c.month, ok[1] = digits(b[4:6])
	c.day, ok[2] = digits(b[6:8])
	c.hour, ok[3] = digits(rest[:2])
	c.minute, ok[4] = digits(rest[2:4])
	c.second, ok[5] = digits(rest[4:6])
	return ok == [6]bool{true, true, true, true, true, true} && c.zone(rest[6:]) && c.valid()
}

// date reads three numbers with two equal marks between them, then the time of day.
func (c *civil) date(b []byte, parts [3]*int) bool {
	var mark byte
	for i, part := range parts {
		n, rest := leading(b)
		if n == 0 || n > 4 {
			return false
		}
		*part, _ = digits(b[:n])
		if part == &c.year && n == 2 {
			c.year += 2000
		} else if part == &c.year && n != 4 {
			return false
		}
		if len(rest) == 0 {
			return false
		}
		if i == 0 {
			mark = rest[0]
		}
		if i < 2 && (rest[0] != mark || mark != '-' && mark != '/' && mark != '.') {
			return false
		}
		b = rest
		if i < 2 {
			b = rest[1:]
		}
	}
	if b[0] != 'T' && b[0] != 't' && b[0] != ' ' {
		return false
	}
	return c.readClock(trimBlanks(b[1:]))
}

// readClock reads 12:00, 12:00:00 or 12:00:00.000, then AM or PM, then a zone.
func (c *civil) readClock(b []byte) bool {
	n, rest := leading(b)
	if n < 1 || n > 2 || len(rest) < 3 || rest[0] != ':' {
		return false
	}
	c.hour, _ = digits(b[:n])
	var ok bool
	if c.minute, ok = digits(rest[1:3]); !ok {
		return false
	}
	rest = rest[3:]
	if len(rest) >= 3 && rest[0] == ':' {
		if c.second, ok = digits(rest[1:3]); !ok {
			return false
		}
		rest = rest[3:]
		if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') {
			if c.nanos, rest, ok = fractional(rest); !ok {
				return false
			}
		}
	}
	return c.half(&rest) && c.zone(rest)
}

// half reads AM or PM, if it is there.
func (c *civil) half(b *[]byte) bool {
	rest := trimBlanks(*b)
	if len(rest) < 2 || rest[1]|0x20 != 'm' || rest[0]|0x20 != 'a' && rest[0]|0x20 != 'p' {
		return true
	}
	if c.hour < 1 || c.hour > 12 {
		return false
	}
	c.hour %= 12
	if rest[0]|0x20 == 'p' {
		c.hour += 12
	}
	*b = rest[2:]
	return true
}

// zone reads Z, UTC, GMT, +02:00, +0200 or +02.
func (c *civil) zone(b []byte) bool {
	b = trimBlanks(b)
	if len(b) == 0 {
		return true
	}
	switch string(b) {
	case "Z", "z", "UTC", "GMT", "utc", "gmt":
		return true
	}
	if b[0] != '+' && b[0] != '-' {
		return false
	}
	var part [4]byte
	n := 0
	for _, d := range b[1:] {
		if d == ':' && n == 2 {
			continue
		}
		if n == 4 {
			return false
		}
		part[n] = d
		n++
	}
	if n == 2 {
		part[2], part[3], n = '0', '0', 4
	}
	hours, ok1 := digits(part[:2])
	minutes, ok2 := digits(part[2:])
	if n != 4 || !ok1 || !ok2 || hours > 14 || minutes > 59 {
		return false
	}
	c.offset = 3600*hours + 60*minutes
	if b[0] == '-' {
		c.offset = -c.offset
	}
	return true
}

// formatted reads a time in the format of the caller.
func (c *civil) formatted(b []byte, format string) bool {
	c.year, c.month, c.day = 1970, 1, 1
	for ; format != ""; format = format[1:] {
		if format[0] != '%' {
			if len(b) == 0 || b[0] != format[0] {
				return false
			}
			b = b[1:]
			continue
		}
		format = format[1:]
		var ok bool
		if b, ok = c.readPart(b, format[0]); !ok {
			return false
		}
	}
	return len(b) == 0 && c.valid()
}

// parts are the letters behind % that formatted knows.
const parts = "YymdHIMSfpbz%"

func (c *civil) readPart(b []byte, letter byte) (rest []byte, ok bool) {
	take := func(most int, into *int) ([]byte, bool) {
		n, _ := leading(b[:min(len(b), most)])
		*into, ok = digits(b[:n])
		return b[n:], ok
	}
	switch letter {
	case 'Y':
		return take(4, &c.year)
	case 'y':
		rest, ok = take(2, &c.year)
		c.year += 2000
		return rest, ok
	case 'm':
		return take(2, &c.month)
	case 'd':
		return take(2, &c.day)
	case 'H', 'I':
		return take(2, &c.hour)
	case 'M':
		return take(2, &c.minute)
	case 'S':
		return take(2, &c.second)
	case 'f':
		c.nanos, rest, ok = fractional(append([]byte{'.'}, b...))
		return rest, ok
	case 'p':
		rest = b
		return rest, c.half(&rest) && len(rest) < len(b)
	case 'b':
		return c.monthName(b)
	case 'z':
		return nil, len(b) > 0 && c.zone(b)
	}
	return b[min(1, len(b)):], len(b) > 0 && b[0] == letter
}

func (c *civil) monthName(b []byte) ([]byte, bool) {
	if len(b) < 3 {
		return b, false
	}
	at := strings.Index("jan feb mar apr may jun jul aug sep oct nov dec", strings.ToLower(string(b[:3])))
	c.month = at/4 + 1
	return b[3:], at >= 0 && at%4 == 0
}

// leading returns how many digits b begins with, and what follows them.
func leading(b []byte) (n int, rest []byte) {
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n, b[n:]
}

// digits reads a number of digits alone.
func digits(b []byte) (v int, ok bool) {
	for _, d := range b {
		if d < '0' || d > '9' {
			return 0, false
		}
		v = v*10 + int(d-'0')
	}
	return v, len(b) > 0
}

// fractional reads a point and digits as nanoseconds; digits beyond those are passed over.
func fractional(b []byte) (nanos int64, rest []byte, ok bool) {
	n, rest := leading(b[1:])
	for i := range 9 {
		nanos *= 10
		if i < n {
			nanos += int64(b[1+i] - '0')
		}
	}
	return nanos, rest, n > 0
}

// orderOf tells what a date with a year at its end says of the order: both when it could be either.
func orderOf(b []byte) (day, month bool) {
	n, rest := leading(b)
	if n < 1 || n > 2 || len(rest) < 2 || rest[0] != '/' && rest[0] != '-' {
		return false, false
	}
	m, _ := leading(rest[1:])
	first, ok1 := digits(b[:n])
	second, ok2 := digits(rest[1 : 1+m])
	if !ok1 || !ok2 {
		return false, false
	}
	return second <= 12, first <= 12
}
