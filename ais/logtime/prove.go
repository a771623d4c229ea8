package logtime

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
)

// How much of a log is looked at to find its times.
const (
	sampleLines = 200 // with a sentence
	sampleBytes = 256 << 10
	mostColumns = 64
)

const minute = 60 * 1000

// secondsDigits is how many digits a count of seconds since 1970 has, from 2001 to 2286.
const secondsDigits = 10

// sample is what the first lines of a log hold.
type sample struct {
	decoder  *ais.Decoder
	batch    ais.Batch
	parts    parts
	lines    int     // with a sentence
	stations []int64 // by such line: what a message 4 in it says, 0 for none
	seconds  []int   // by such line: the UTC second of a report in it, -1 for none
	columns  []*column
	json     bool
	newest   int64 // no time is later
}

// column is where times stand line by line, and how sure it is that they are those of the reports.
type column struct {
	key
	zoned  bool
	suffix bool // all its times stand as the decoder reads them behind a sentence
	values []value
	text   string // of the first
	begins int64  // the first time

	doubt  string        // why it is not the column, "" when it proved itself
	agrees int           // with message 4: 1 yes, 0 there is none, -1 no
	shift  time.Duration // that makes its times UTC
	fits   float64       // the share that agrees with the seconds of the reports
	still  bool          // all its times are the same
	score  float64
}

type value struct {
	line   int
	moment moment
	ms     int64
}

// addLine notes what one line holds.
func (s *sample) addLine(line []byte) {
	s.parts.cutLine(line)
	for _, t := range s.parts.times {
		s.addTime(line, t)
	}
	if len(s.parts.sentences) == 0 {
		return
	}
	s.json = s.json || s.parts.json
	s.lines++
	s.stations, s.seconds = append(s.stations, 0), append(s.seconds, -1)
	s.batch.Reset()
	for _, sentence := range s.parts.sentences {
		s.decoder.Line(&s.batch, plainSentence(line[sentence.from:sentence.to]), time.Time{})
	}
	for i := range s.batch.Reports {
		s.noteMessage(s.batch.Reports[i].Message)
	}
}

// addTime notes a time of the line.
func (s *sample) addTime(line []byte, t found) {
	i := slices.IndexFunc(s.columns, func(c *column) bool { return c.key == t.key })
	if i < 0 {
		if i = len(s.columns); i == mostColumns {
			return
		}
		text := string(line[t.at:min(t.end, t.at+40)])
		if t.day.to > 0 {
			text = string(line[t.day.from:t.day.to]) + " " + text
		}
		s.columns = append(s.columns, &column{key: t.key, zoned: true, suffix: true, text: text})
	}
	c := s.columns[i]
	c.zoned = c.zoned && t.moment.zoned
	c.suffix = c.suffix && t.place == behind && t.end-t.at == secondsDigits && line[t.at-1] == ','
	c.values = append(c.values, value{line: s.lines, moment: t.moment})
}

// noteMessage notes the time that a message tells itself.
func (s *sample) noteMessage(m ais.Message) {
	second := ais.Second(60)
	switch m := m.(type) {
	case *ais.BaseStationReport:
		if t := stationTime(m); !t.IsZero() {
			s.stations[s.lines-1] = t.UnixMilli()
		}
	case *ais.PositionReport:
		second = m.Second
	case *ais.ClassBReport:
		second = m.Second
	}
	if v, ok := second.Known(); ok {
		s.seconds[s.lines-1] = v
	}
}

// bestColumn returns the column that proved itself best, and nil with the reason for none.
func (s *sample) bestColumn() (best *column, doubt string) {
	for _, c := range s.columns {
		c.judgeTimes(s)
	}
	slices.SortStableFunc(s.columns, func(a, b *column) int { return cmp.Compare(b.score, a.score) })
	for _, c := range s.columns {
		if c.doubt == "" {
			best = c
			break
		}
		doubt = cmp.Or(doubt, c.where()+": "+c.doubt)
	}
	if best == nil {
		return nil, doubt
	}
	if other := s.twin(best); other != nil {
		return nil, best.where() + ": day and month cannot be told apart"
	}
	return best, ""
}

// twin returns the other way to read the day and the month of a column, when that is as good.
func (s *sample) twin(c *column) *column {
	for _, o := range s.columns {
		if o != c && o.place == c.place && o.n == c.n && o.name == c.name && o.doubt == "" && o.agrees == c.agrees &&
			o.form+c.form == dayFirst+monthFirst && o.form != c.form && (o.form == dayFirst || o.form == monthFirst) {
			return o
		}
	}
	return nil
}

// judgeTimes finds out whether the times of a column are those of the reports. Nearly all lines must have a time, and the times must be plausible and go forward.
// They must also agree with message 4 and with the seconds of the reports.
func (c *column) judgeTimes(s *sample) {
	c.resolveTimes(s)
	c.compareTimes(s)
	n := len(c.values)
	back, odd := 0, 0
	for i, v := range c.values {
		if v.ms < oldest || v.ms > s.newest {
			odd++
		}
		if i > 0 && (v.ms < c.values[i-1].ms-minute || v.ms > c.values[i-1].ms+2*dayMillis) {
			back++
		}
	}
	c.still = n >= 20 && !slices.ContainsFunc(c.values, func(v value) bool { return v.ms != c.begins })
	covered := min(1, float64(n)/float64(max(1, s.lines)))
	switch {
	case c.form == dateless && c.agrees == 0:
		c.doubt = "it has no date, and no message 4 tells one"
	case 10*odd > n:
		c.doubt = "it has times that are none"
	case 5*back > n:
		c.doubt = "it goes to and fro"
	case covered < 0.5 && c.place != inPGHP && c.place != ownLine && c.place != inTag:
		c.doubt = "most lines have none"
	case c.still && c.agrees <= 0 && c.fits < 0.5:
		c.doubt = "it stands still"
	case c.agrees < 0:
		c.doubt = cmp.Or(c.doubt, "message 4 tells another time")
	}
	c.score = float64(1000*c.agrees) + c.likely() + 5*c.fits + covered
	if c.still {
		c.score -= 500
	}
}

// firstStation returns what the first message 4 tells that has no clock of an era ago, as another one shows. Without any it is the newest time that the log can have.
func (s *sample) firstStation() int64 {
	latest := int64(0)
	for _, t := range s.stations {
		if t <= s.newest {
			latest = max(latest, t)
		}
	}
	for _, t := range s.stations {
		if t > latest-era.Milliseconds()/2 && t > 0 {
			return t
		}
	}
	return s.newest
}

// oldest is the earliest time of a log: 1995.
const oldest = 788918400000

// resolveTimes gives each value its time. What it lacks comes from message 4, or else from the newest time that the log can have.
func (c *column) resolveTimes(s *sample) {
	near := s.firstStation()
	if near == s.newest {
		near = c.leapDay(near)
	}
	for i := range c.values {
		v := &c.values[i]
		v.ms = v.moment.millisNear(near)
		if v.moment.form == yearless && v.ms > s.newest {
			v.ms = v.moment.inYear(time.UnixMilli(v.ms).UTC().Year() - 1)
		}
		near = v.ms
	}
	c.begins = c.values[0].ms
}

// leapDay returns the latest 29 February up to a time, if one stands in the column without its year: it tells the year of all. Else it returns the time.
func (c *column) leapDay(newest int64) int64 {
	for i := range c.values {
		if m := &c.values[i].moment; m.onLeapDay() {
			year := time.UnixMilli(newest).UTC().Year()
			for !leapYear(year) || m.inYear(year) > newest {
				year--
			}
			return m.inYear(year)
		}
	}
	return newest
}

// compareTimes compares the times with what the messages say.
func (c *column) compareTimes(s *sample) {
	var off []int64
	known, good := 0, 0
	for _, v := range c.values {
		if v.line >= s.lines {
			continue
		}
		if t := s.stations[v.line]; t > 0 {
			off = append(off, t-v.ms)
		}
		if second := s.seconds[v.line]; second >= 0 {
			known++
			if behind := ((v.ms/1000)%60 - int64(second) + 120) % 60; behind <= 10 || behind >= 57 {
				good++
			}
		}
	}
	if known > 0 {
		c.fits = float64(good) / float64(known)
	}
	if len(off) > 0 {
		slices.Sort(off)
		c.judgeLead(off[len(off)/2])
	}
}

// judgeLead judges by how much message 4 is ahead. Whole quarters of an hour are those of a zone. Behind a column with dates by whole eras it is the clock of an
// old receiver, which has the time of day alone.
func (c *column) judgeLead(off int64) {
	const quarter = 15 * minute
	if forgot := wholeEras(-off); c.form < yearless {
		off += forgot
	}
	zone := (off + 14*60*minute + quarter/2 + dayMillis*quarter) / quarter * quarter
	zone -= 14*60*minute + dayMillis*quarter
	switch {
	case max(off, -off) <= 5*minute:
		c.agrees = 1
	case max(zone, -zone) <= 14*60*minute && max(off-zone, zone-off) <= minute:
		c.agrees, c.shift = 1, time.Duration(zone)*time.Millisecond
	default:
		c.agrees = -1
	}
}

// wholeEras returns how much of a lag in milliseconds is whole eras, 0 where that leaves more than a zone.
func wholeEras(lag int64) int64 {
	whole := (time.Duration(lag) * time.Millisecond).Round(era).Milliseconds()
	if whole <= 0 || max(lag-whole, whole-lag) > 14*60*minute+5*minute {
		return 0
	}
	return whole
}

// isLocal reports whether a column tells the time of a place, which message 4 has shown.
func (c *column) isLocal() bool { return !c.zoned && c.agrees > 0 && c.shift != 0 }

// likely tells how much the place and the form of a column speak for it.
func (c *column) likely() float64 {
	switch {
	case c.place == inTag, c.place == inPGHP:
		return 60
	case c.place == inMember:
		return c.spoken()
	case c.place == ownLine:
		return 10
	}
	form := [...]float64{ordered: 45, packed: 44, dayFirst: 42, monthFirst: 42, named: 43, counted: 46, yearless: 30, dateless: 20}[c.form]
	if c.place == before {
		form += min(3, float64(c.n)) / 2 // the nearer to the sentence the better
	}
	return form
}

// spoken tells how much the name of a member speaks for reception.
func (c *column) spoken() float64 {
	name := strings.ToLower(c.name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
	}
	fine := 0.0
	if c.form == counted {
		fine = 1 // it often has a fraction
	}
	switch {
	case has("eta", "sent", "creat", "upload", "publish", "process", "insert", "export"):
		return 25
	case has("rx", "rec", "toa", "arriv", "heard"):
		return 58 + fine
	case has("time", "ts", "date", "utc"):
		return 55 + fine
	}
	return 35
}

// where says where the times stand, and how the first is written.
func (c *column) where() string {
	text := [...]string{"TAG c:", "$PGHP", fmt.Sprintf("member %q", c.name), "before the sentence", "behind the sentence", "on lines of its own"}[c.place]
	if c.n > 1 {
		text += fmt.Sprintf(", number %d", c.n)
	}
	if c.place == inPGHP {
		return text
	}
	shown := bytes.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, []byte(c.text))
	return text + ", as " + string(shown)
}

// columnText says which column it is, and what it lacked.
func (c *column) columnText() string {
	text := c.where()
	switch {
	case c.shift > 0:
		text += fmt.Sprintf("; %v behind message 4, as of a local clock", c.shift)
	case c.shift < 0:
		text += fmt.Sprintf("; %v ahead of message 4, as of a local clock", -c.shift)
	case !c.zoned && c.agrees == 0:
		text += "; taken as UTC"
	}
	if c.form == yearless {
		text += fmt.Sprintf("; the year is taken as %d", time.UnixMilli(c.begins).UTC().Year())
	}
	return text
}
