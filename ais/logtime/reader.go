// Package logtime finds the time in the lines of logs of sentences as other programs write them. It puts the time where the decoder reads it: into a TAG block
// before each sentence.
//
// It looks at the first lines, and again where lines follow that have other times instead. Each place where a time stands in them, written in one way, is a
// column. A column proves itself when most lines have it, when its times are plausible and go forward, and when message 4 agrees. Of several the likeliest counts.
// A log whose times the decoder reads by itself, and one that has none, passes as it is.
//
// It opens nothing, and keeps no more than one line in memory.
package logtime

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"time"

	"quaywatch/ais"
)

// Reader reads a log with the times of its lines in TAG blocks. It belongs to one goroutine.
type Reader struct {
	in      *bufio.Reader
	column  *column // nil for none
	led     led
	doubt   string
	rewrite bool
	parts   parts
	newest  time.Time
	near    int64  // the latest time
	missed  int    // lines in a row that have other times instead of the column's
	steps   int    // of about an hour, of a local column
	ready   []byte // bytes to give
	out     []byte // their room
	err     error
}

// NewReader reads the first lines of a log and finds out where its times stand. newest is when the log was written at the latest. A time that is a day later is
// none, and a time without a year is not later.
func NewReader(in io.Reader, newest time.Time) *Reader {
	r := &Reader{in: bufio.NewReaderSize(in, sampleBytes), newest: newest}
	if newest.Year() < 2020 { // our clock is not set
		r.newest = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s, head := r.takeSample()
	if s.lines == 0 {
		return r
	}
	r.column, r.doubt = s.bestColumn()
	r.rewrite = s.json
	if r.column != nil {
		r.near = r.column.begins
		r.rewrite = r.rewrite || !r.column.read(len(s.columns))
	} else {
		r.led = wronglyLed(head)
	}
	return r
}

// takeSample looks at the next lines, and returns them too.
func (r *Reader) takeSample() (s sample, head []byte) {
	head, _ = r.in.Peek(sampleBytes) // a shorter log is there as a whole; another error comes again
	s = sample{decoder: ais.NewDecoder(ais.DecoderConfig{Clock: ais.NoClock}), newest: r.newest.UnixMilli() + dayMillis}
	for line := range ais.SplitLines(head) {
		if s.lines == sampleLines {
			break
		}
		s.addLine(line)
	}
	return s, head
}

// mostMissed is after how many lines with other times the next ones are looked at; if they prove nothing, after so many samples more.
const mostMissed = 8

// proveAnew finds out where the times of the next lines stand: another program wrote them, or the same one after its update.
func (r *Reader) proveAnew() {
	s, _ := r.takeSample()
	r.missed++
	if next, _ := s.bestColumn(); next != nil {
		r.column, r.near, r.steps, r.missed = next, next.begins, 0, 0
	}
}

// read reports whether the decoder reads the column by itself, and takes no other for it.
func (c *column) read(columns int) bool {
	switch {
	case c.shift != 0:
		return false
	case c.place == inTag, c.place == inPGHP:
		return true
	}
	return c.form == counted && c.suffix && columns == 1
}

// Column says where the times stand that are taken, and "" when no column proved itself.
func (r *Reader) Column() string {
	if r.column == nil {
		return ""
	}
	return r.column.columnText()
}

// Doubt says why the likeliest column is not taken when none is, and "" when there is no time in the lines.
func (r *Reader) Doubt() string { return r.doubt }

// Read reads lines.
func (r *Reader) Read(p []byte) (int, error) {
	if !r.rewrite && r.led.bytes <= 0 && len(r.ready) == 0 && r.err == nil {
		return r.in.Read(p)
	}
	for len(r.ready) == 0 && r.err == nil {
		if r.missed%sampleLines == mostMissed {
			r.proveAnew()
		}
		line, err := r.in.ReadSlice('\n')
		r.out = r.out[:0]
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			r.out = append(r.out, line...) // no sentence is so long
		case len(line) > 0:
			r.mended(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			r.err = err
		}
		r.ready = r.out
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

// mended writes a line, while RMC and ZDA are wrong with their time put right.
func (r *Reader) mended(line []byte) {
	if r.led.bytes > 0 {
		if own := r.led.mend(line); own != nil {
			r.out = append(r.out, own...)
			return
		}
	}
	r.stampLine(line)
}

// stampLine puts the time of a line before each of its sentences.
func (r *Reader) stampLine(line []byte) {
	r.parts.cutLine(line)
	times := r.times()
	switch sentences := len(r.parts.sentences); {
	case sentences == 0 && len(times) > 0 && r.column.place == ownLine:
		r.out = ais.AppendTag(r.out, "", times[0].ms)
		r.out = append(r.out, '\n')
		return
	case sentences == 0, len(times) == 0 && !r.parts.json:
		r.out = append(r.out, line...)
		return
	}
	for i, s := range r.parts.sentences {
		r.sentence(line, i, s, times)
	}
}

// stamped is the time that stands at a place of a line.
type stamped struct {
	at int
	ms int64
}

// times returns the times of the column in the line.
func (r *Reader) times() (times []stamped) {
	c := r.column
	if c == nil {
		return nil
	}
	for _, t := range r.parts.times {
		if t.key != c.key {
			continue
		}
		ms := t.moment.millisNear(r.near)
		if c.isLocal() {
			c.shift += r.wallStep(ms-r.near, ms)
		}
		r.near = ms
		times = append(times, stamped{t.at, ms + c.shift.Milliseconds()})
	}
	switch {
	case len(times) > 0:
		r.missed = 0
	case len(r.parts.times) > 0 && len(r.parts.sentences) > 0:
		r.missed++
	}
	return times
}

// sentence writes one sentence of the line with its time, its TAG blocks and what stands behind it.
func (r *Reader) sentence(line []byte, i int, s span, times []stamped) {
	from, to := 0, len(line)
	if i > 0 {
		from = r.parts.sentences[i-1].to
	}
	if i+1 < len(r.parts.sentences) {
		to = r.parts.sentences[i+1].from
	}
	if !r.parts.json {
		if gap := line[from:s.from]; i == 0 && bytes.IndexByte(gap, '$') >= 0 {
			r.out = append(append(r.out, gap[bytes.IndexByte(gap, '$'):]...), '\n')
		}
		r.out = append(r.out, line[tags(line, from, s.from):s.from]...)
	}
	if len(times) > 0 {
		r.out = ais.AppendTag(r.out, "", r.nearestTime(s, times).ms)
	}
	r.out = append(r.out, plainSentence(line[s.from:s.to])...)
	if gap := line[s.to:to]; !r.parts.json && len(gap) > 0 && (gap[0] == ',' || bytes.IndexByte(gap, '$') >= 0) {
		r.suffix(line, s.to, tags(line, s.to, to))
	}
	r.out = append(r.out, '\n')
}

// nearestTime returns the time that belongs to a sentence: the last before it, or the first behind it where times stand behind.
func (r *Reader) nearestTime(s span, times []stamped) stamped {
	next, _ := slices.BinarySearchFunc(times, s.from, func(t stamped, at int) int { return cmp.Compare(t.at, at) })
	last := next - 1
	if last < 0 || r.column.place == behind && last+1 < len(times) {
		last++
	}
	return times[last]
}

// suffix writes what stands behind a sentence, without the times that are not those of the column.
func (r *Reader) suffix(line []byte, from, to int) {
	start := len(r.out)
	r.out = append(r.out, bytes.TrimRight(line[from:to], "\r\n")...)
	for _, t := range r.parts.times {
		if t.place == behind && t.at >= from && t.end <= to {
			for i := t.at; i < t.end && start+i-from < len(r.out); i++ {
				r.out[start+i-from] = '-'
			}
		}
	}
}

// tags returns where the TAG blocks begin that stand directly before a place of the line.
func tags(line []byte, from, to int) int {
	for to > from+1 && line[to-1] == '\\' {
		begin := bytes.LastIndexByte(line[from:to-1], '\\')
		if begin < 0 {
			break
		}
		to = from + begin
	}
	return to
}
