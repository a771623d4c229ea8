package logtime

import "bytes"

// half is a date or a time of day that stands alone, in each way in which it can be read.
type half struct {
	span
	name    string // of a member
	moments []moment
}

// parseDay reads a date without a time of day, in each way in which it can be read, and returns how long it is.
func parseDay(text []byte) (days []moment, length int) {
	n := leading(text)
	var rest []byte
	switch {
	case n == 8:
		rest = text[8:]
		days = []moment{{form: packed, year: small(text[:4]), month: small(text[4:6]), day: small(text[6:8])}}
	case n == 1 || n == 2:
		var m moment
		if m, rest = dayAndName(text, n); rest != nil {
			days = []moment{m}
			break
		}
		fallthrough
	case n == 4:
		var v [3]int
		if v, rest = dateParts(text); rest == nil {
			return nil, 0
		}
		days = []moment{{form: ordered, year: v[0], month: v[1], day: v[2]}}
		if n < 4 {
			days = []moment{{form: dayFirst, day: v[0], month: v[1], year: v[2]}}
		}
		if n < 4 && text[n] != '.' {
			days = append(days, moment{form: monthFirst, month: v[0], day: v[1], year: v[2]})
		}
	default:
		return nil, 0
	}
	valid := days[:0]
	for _, m := range days {
		if m.valid() {
			valid = append(valid, m)
		}
	}
	if len(valid) == 0 || len(rest) > 0 && isWord(rest[0]) {
		return nil, 0
	}
	return valid, len(text) - len(rest)
}

// parseNumbers reads year, month, day, hour, minute and second in six columns.
func parseNumbers(text []byte) ([]moment, int) {
	if len(text) < 5 || bytes.IndexByte([]byte(",;\t"), text[4]) < 0 {
		return nil, 0
	}
	v := [6]int{small(text[:4])}
	rest := text[4:]
	for i := 1; i < len(v); i++ {
		if len(rest) == 0 || rest[0] != text[4] {
			return nil, 0
		}
		rest = rest[1:]
		n := leading(rest)
		if n < 1 || n > 2 {
			return nil, 0
		}
		v[i], rest = small(rest[:n]), rest[n:]
	}
	m := moment{form: ordered, year: v[0], month: v[1], day: v[2]}
	if v[3] > 23 || v[4] > 59 || v[5] > 60 || !m.valid() {
		return nil, 0
	}
	fraction, length := fractionOf(rest, ".")
	m.ofDay = 1000*int64(3600*v[3]+60*v[4]+v[5]) + fraction
	return []moment{m}, len(text) - len(rest) + length
}

// noteDate notes a date that stands alone, and returns how long it is; 0 for none. A member holds nothing else.
func (p *parts) noteDate(line []byte, name string, at, to int) int {
	days, length := parseDay(line[at:to])
	if length > 0 && (name == "" || at+length == to) && len(p.days) < mostInGap {
		p.days = append(p.days, half{span{at, at + length}, name, days})
	}
	return length
}

// dateClocks gives the times of day of a gap between sentences a date, if none of its times has one. It is the date that stands apart from them there.
func (p *parts) dateClocks(where place) {
	if len(p.days) == 0 {
		return
	}
	clock := -1
	for i, t := range p.times {
		switch {
		case t.place != where || t.at < p.gap:
		case t.form == dateless && clock < 0:
			clock = i
		case t.form != dateless && t.form != counted:
			return
		}
	}
	if clock >= 0 {
		t := p.times[clock]
		p.dated(p.days[0], t.moment, span{t.at, t.end}, where, "")
	}
}

// joinMembers puts date and time of day together that stand in two members, if no member has both.
func (p *parts) joinMembers() {
	if len(p.times) == 0 && len(p.days) > 0 && len(p.clocks) > 0 {
		day, clock := p.days[0], p.clocks[0]
		p.dated(day, clock.moments[0], clock.span, inMember, day.name+" + "+clock.name)
	}
}

// dated notes a time of day with its date.
func (p *parts) dated(day half, clock moment, at span, where place, name string) {
	for _, m := range day.moments {
		m.ofDay, m.zoned = clock.ofDay, clock.zoned
		p.add(found{key: key{where, 1, name, m.form}, at: at.from, end: at.to, moment: m, day: day.span})
	}
}
