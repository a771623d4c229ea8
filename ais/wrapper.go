package ais

import (
	"bytes"
	"strconv"
	"time"
)

// wrapper is what surrounds a sentence: when and by which station it was received, and to which group it belongs.
type wrapper struct {
	sent    time.Time // zero when nothing says so
	station string
	group   string // of a TAG block's g:, "" when none
	part    byte   // of the group, from 1 on
}

// mergeOlder takes from older what w does not know yet.
func (w *wrapper) mergeOlder(older wrapper) {
	if w.sent.IsZero() {
		w.sent = older.sent
	}
	if w.station == "" {
		w.station = older.station
	}
	if w.group == "" {
		w.group, w.part = older.group, older.part
	}
}

// tagBlock reads a TAG block at the start of line, from one reverse solidus to the next (NMEA 4.10, IEC 61162-450):
//
//	\s:r2190001,g:1-2-77,c:1795000000,n:17*hh\
//
// It returns what follows the block. ok is false when the block has a wrong checksum; its content is then not used.
func (d *Decoder) tagBlock(w *wrapper, line []byte) (rest []byte, ok bool) {
	end := bytes.IndexByte(line[1:], '\\')
	if end < 0 {
		return nil, false
	}
	block, rest := line[1:1+end], line[end+2:]
	if star := bytes.LastIndexByte(block, '*'); star >= 0 {
		if star+3 > len(block) || !ChecksumIs(block[:star], block[star+1], block[star+2]) {
			return rest, false
		}
		block = block[:star]
	}
	for len(block) > 0 {
		var field []byte
		field, block, _ = bytes.Cut(block, []byte{','})
		d.tagField(w, field)
	}
	return rest, true
}

// tagField reads one "letter:value" of a TAG block, or the "1G2:group" of the older comment block (IEC 62320-1). Letters
// other than s, c and g are not needed.
func (d *Decoder) tagField(w *wrapper, field []byte) {
	if len(field) > 4 && field[1] == 'G' && field[3] == ':' && field[0] >= '1' && field[0] <= '9' {
		w.part, w.group = field[0]-'0', d.intern(field[4:])
		return
	}
	if len(field) < 3 || field[1] != ':' {
		return
	}
	value := field[2:]
	switch field[0] {
	case 's':
		w.station = d.intern(stationName(value))
	case 'c':
		if t, ok := unixTime(value); ok {
			w.sent = t
		}
	case 'g':
		w.part, w.group = d.tagGroup(value)
	}
}

// stationName returns the name of a TAG block's station as a suffix gives it. It is without the r or b before a number or a code that begins with a number.
func stationName(value []byte) []byte {
	const shortest = len("r2190001")
	if len(value) >= shortest && (value[0] == 'r' || value[0] == 'b') && value[1]-'0' <= 9 {
		return value[1:]
	}
	return value
}

// tagGroup reads "number-total-group". The total is not used: the sentence has it too.
func (d *Decoder) tagGroup(value []byte) (part byte, group string) {
	number, after, ok := bytes.Cut(value, []byte{'-'})
	if !ok || len(number) != 1 || number[0] < '1' || number[0] > '9' {
		return 0, ""
	}
	_, id, ok := bytes.Cut(after, []byte{'-'})
	if !ok || len(id) == 0 {
		return 0, ""
	}
	return number[0] - '0', d.intern(id)
}

// unixTime reads a count since 1970 in seconds, milliseconds, microseconds or nanoseconds, told apart by their size, and
// seconds with a fraction. Times before 1973 and after 2262 are not taken for times.
func unixTime(text []byte) (time.Time, bool) {
	whole, fraction, _ := bytes.Cut(text, []byte{'.'})
	v, ok := digits(whole)
	if !ok || len(whole) < 9 || len(whole) > 19 || v > 1<<63-1 {
		return time.Time{}, false
	}
	switch {
	case v < 1e11:
		nanoseconds, ok := fractionOfSecond(fraction)
		return time.Unix(int64(v), nanoseconds).UTC(), ok && v >= 1e8
	case v < 1e14:
		return time.UnixMilli(int64(v)).UTC(), true
	case v < 1e17:
		return time.UnixMicro(int64(v)).UTC(), true
	}
	return time.Unix(0, int64(v)).UTC(), true
}

// fractionOfSecond reads the digits behind the point as nanoseconds; digits behind the ninth are cut.
func fractionOfSecond(text []byte) (int64, bool) {
	if len(text) > 9 {
		text = text[:9]
	}
	v, ok := digits(text)
	for i := len(text); i < 9; i++ {
		v *= 10
	}
	return int64(v), ok || len(text) == 0
}

// digits reads a number of up to 19 decimal digits.
func digits(text []byte) (v uint64, ok bool) {
	if len(text) > 19 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, len(text) > 0
}

// prefix reads what stands before the sentence on the same line: a time as a Unix count or by RFC 3339 as its last word.
// Anything else is passed over.
func (w *wrapper) prefix(text []byte) {
	text = bytes.TrimRight(text, " \t,;:")
	word := text[bytes.LastIndexAny(text, " \t,;")+1:]
	word = bytes.Trim(word, "[]()")
	if t, ok := unixTime(word); ok {
		w.sent = t
		return
	}
	if len(word) >= 20 && word[4] == '-' {
		if t, err := time.Parse(time.RFC3339Nano, string(word)); err == nil {
			w.sent = t.UTC()
		}
	}
}

// suffix reads what receivers append behind the checksum: ",rSTATION,time", with other fields between or before. It returns
// what follows: nil or the next sentence of the line.
func (d *Decoder) suffix(w *wrapper, line []byte) (rest []byte) {
	if next := bytes.IndexAny(line, "\\!$"); next >= 0 {
		line, rest = line[:next], line[next:]
	}
	if len(line) == 0 || line[0] != ',' {
		return rest
	}
	for line = line[1:]; len(line) > 0; {
		var field []byte
		field, line, _ = bytes.Cut(line, []byte{','})
		field = bytes.TrimSpace(field)
		if t, ok := unixTime(field); ok {
			w.sent = t
		} else if len(field) > 1 && (field[0] == 'r' || field[0] == 'b') {
			w.station = d.intern(field[1:])
		}
	}
	return rest
}

// ReadPGHP reads the proprietary time stamp of the sentence that follows it, and the name of the station that received that:
//
//	$PGHP,1,year,month,day,hour,minute,second,millisecond,country,region,station,online,checksum of the sentence
func ReadPGHP(sentence []byte) (sent time.Time, station []byte, ok bool) {
	var fields [16][]byte
	n := splitFields(fields[:], sentence)
	if n < 12 || string(fields[1]) != "1" {
		return sent, nil, false
	}
	var v [7]int
	for i := range v {
		number, ok := digits(fields[2+i])
		if !ok || number > 9999 {
			return sent, nil, false
		}
		v[i] = int(number)
	}
	sent, ok = date(v[0], v[1], v[2], v[3], v[4], v[5], v[6]*1e6)
	return sent, fields[11], ok
}

// date returns the moment, and not ok for days and times that do not exist. It counts days from 1 March of year 0, so that the
// leap day is the last of a year. It exists because each message 4 has a date and time.Date takes several times as long.
func date(year, month, day, hour, minute, second, nanosecond int) (time.Time, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month) ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 {
		return time.Time{}, false
	}
	if month < 3 {
		year, month = year-1, month+12
	}
	days := year*365 + year/4 - year/100 + year/400 + (153*month-457)/5 + day - 719469
	return time.Unix(int64(((days*24+hour)*60+minute)*60+second), int64(nanosecond)).UTC(), true
}

func daysOf(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// splitFields cuts at commas and returns how many fields there are; those beyond the array are dropped.
func splitFields(fields [][]byte, sentence []byte) int {
	for n := range fields {
		end := bytes.IndexByte(sentence, ',')
		if end < 0 {
			fields[n] = sentence
			return n + 1
		}
		fields[n], sentence = sentence[:end], sentence[end+1:]
	}
	return len(fields)
}

// intern returns the text of b, without an allocation when it is known already. The number of known texts is bounded.
func (d *Decoder) intern(b []byte) string {
	if s, ok := d.interned[string(b)]; ok {
		return s
	}
	if len(d.interned) >= 4096 || len(b) > 64 {
		return string(b)
	}
	s := string(b)
	d.interned[s] = s
	return s
}

// parseNumber reads a decimal number with an optional fraction and sign.
func parseNumber(text []byte) (float64, bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && len(text) > 0
}
