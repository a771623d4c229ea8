package ais

import (
	"bytes"
	"time"
)

// Clock says which clock a feed's reports follow.
type Clock int

// The clocks.
const (
	ReceiverClock Clock = iota // ours: Report.Received is when the line came in
	LogClock                   // the log's own: TAG c:, $PGHP, suffix, prefix, else RMC or ZDA, else messages 4 and 11
)

// DecoderConfig is what a Decoder needs to know.
type DecoderConfig struct {
	Feed    string // goes into every report
	FromSky bool   // the feed is one of satellites; goes into every report
	Clock   Clock
}

// Counters are a decoder's numbers since its start.
type Counters struct {
	Lines, Bytes uint64
	Sentences    uint64               // VDM and VDO with a right checksum
	Other        uint64               // sentences that carry no AIS message
	Messages     [28]uint64           // whole messages by type; 0 is not used
	Bad          [ErrorReasons]uint64 // what was refused, by ErrorReason
}

// TotalMessages is the number of whole messages of all types.
func (c Counters) TotalMessages() (n uint64) {
	for _, m := range c.Messages {
		n += m
	}
	return n
}

// TotalBad is the number of refusals for all reasons.
func (c Counters) TotalBad() (n uint64) {
	for _, bad := range c.Bad {
		n += bad
	}
	return n
}

// Decoder turns the lines of one feed into reports. It keeps what goes on from line to line: parts of messages, the
// wrapper of the next sentence, the log's clock, the own station's state. It belongs to one goroutine.
type Decoder struct {
	config     DecoderConfig
	counters   Counters
	assembler  assembler
	bits       payload
	clock      logClock
	own        OwnState
	interned   map[string]string
	pending    wrapper // of a line that held no sentence: for the next VDM or VDO
	hasPending bool
	held       *Batch // reports from before a log first says what time it is
}

// NewDecoder makes a decoder.
func NewDecoder(c DecoderConfig) *Decoder {
	d := &Decoder{config: c, interned: make(map[string]string)}
	d.assembler.init()
	return d
}

// Counters gives the numbers as they are now.
func (d *Decoder) Counters() Counters {
	c := d.counters
	c.Bad[ErrorFragment] += d.assembler.expired
	return c
}

// Expire drops the parts of messages that others did not follow within 10 s. Line does the same by itself; a feed that
// has gone quiet calls it.
func (d *Decoder) Expire(now time.Time) {
	if d.config.Clock == LogClock {
		now = d.clock.now
	}
	d.assembler.expire(now)
}

// Datagram decodes every line of a datagram.
func (d *Decoder) Datagram(b *Batch, datagram []byte, received time.Time) {
	for line := range SplitLines(datagram) {
		d.Line(b, line, received)
	}
}

// Line decodes one line without its end and appends the messages that it makes whole to b. Text around sentences is read
// where it says something of time or station, else passed over; a line may hold several sentences. received is the time
// of our clock. With LogClock, reports from before the log first says what time it is are held back, at most 4,096 of
// them, and appended as soon as it does; Flush gives what is held at the end.
func (d *Decoder) Line(b *Batch, line []byte, received time.Time) {
	d.counters.Lines++
	d.counters.Bytes += uint64(len(line))
	line = trimLine(line)
	if d.plain(b, line, received) {
		return
	}
	if len(line) > 0 && line[0] == '!' && isAIS(line) {
		line = d.encapsulated(b, &wrapper{}, line, received)
	}
	if len(line) > 0 {
		d.mixed(b, line, received)
	}
}

// mixed reads sentences and what stands between them.
func (d *Decoder) mixed(b *Batch, line []byte, received time.Time) {
	var w wrapper
	for len(line) > 0 {
		switch line[0] {
		case '!':
			if isAIS(line) {
				line = d.encapsulated(b, &w, line, received)
			} else {
				line = d.other(b, &w, line, received)
			}
			w = wrapper{}
		case '$':
			line = d.other(b, &w, line, received)
			w = wrapper{}
		case '#':
			line = d.hash(b, &w, line, received)
		case '\\':
			line = d.tag(&w, line)
		default:
			line = w.before(line)
		}
	}
	if w != (wrapper{}) {
		d.keepForNext(w)
	}
}

// trimLine drops line ends, blanks and the header of an IEC 61162-450 datagram.
func trimLine(line []byte) []byte {
	if len(line) > 6 && line[0] == 'U' && string(line[:6]) == "UdPbC\x00" {
		line = line[6:]
	}
	for len(line) > 0 && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	return line
}

// before reads the text before a line's first sentence and gives the line from there on.
func (w *wrapper) before(line []byte) []byte {
	start := bytes.IndexAny(line, "!$\\")
	if start < 0 {
		return nil
	}
	w.prefix(line[:start])
	return line[start:]
}

// hash reads a line that begins with '#': a sentence when letters and a comma follow, as some servers write it instead of
// '$', else a comment.
func (d *Decoder) hash(b *Batch, w *wrapper, line []byte, received time.Time) []byte {
	comma := bytes.IndexByte(line, ',')
	if comma != 6 {
		return nil
	}
	for _, c := range line[1:comma] {
		if c < 'A' || c > 'Z' {
			return nil
		}
	}
	return d.other(b, w, line, received)
}

func (d *Decoder) tag(w *wrapper, line []byte) []byte {
	rest, ok := d.tagBlock(w, line)
	if !ok {
		d.bad(ErrorTag)
	}
	return rest
}

func (d *Decoder) keepForNext(w wrapper) {
	w.merge(d.pending)
	d.pending, d.hasPending = w, true
}

func (d *Decoder) bad(err error) {
	if reason, ok := err.(ErrorReason); ok {
		d.counters.Bad[reason]++
	}
}

// encapsulated reads a VDM or VDO sentence and gives the rest of the line.
func (d *Decoder) encapsulated(b *Batch, w *wrapper, line []byte, received time.Time) (rest []byte) {
	var f fragment
	rest, err := parseFragment(&f, line)
	if len(rest) > 0 {
		rest = d.suffix(w, rest)
	}
	if d.hasPending {
		w.merge(d.pending)
		d.pending, d.hasPending = wrapper{}, false
	}
	if err != nil {
		d.bad(err)
		return rest
	}
	d.counters.Sentences++
	if !w.sent.IsZero() {
		d.setClock(b, w.sent, clockWrapper)
	}
	if f.total > 1 {
		d.part(b, w, &f, received)
		return rest
	}
	d.bits.reset()
	if err := d.bits.add(f.chars, f.fill); err != nil || d.bits.bits == 0 {
		d.bad(ErrorPayload)
		return rest
	}
	if r, held := d.report(b, w, &f, received); r != nil {
		r.Raw = held.keep(f.sentence)
		d.settle(b, held, received)
	}
	return rest
}

// part takes one part of a message and reports the message when it is the last.
func (d *Decoder) part(b *Batch, w *wrapper, f *fragment, received time.Time) {
	now := received
	if d.config.Clock == LogClock {
		now = d.clock.now
	}
	s, err := d.assembler.place(f, w, now)
	if err != nil {
		d.bad(err)
		return
	}
	if s == nil {
		return
	}
	d.whole(b, s, f, received)
	d.assembler.release(s)
}

// whole reports a message of which the last part has come.
func (d *Decoder) whole(b *Batch, s *set, f *fragment, received time.Time) {
	var sentences [9][]byte
	d.bits.reset()
	for i := range f.total {
		p := s.parts[i]
		if err := d.bits.add(s.text[p.charsFrom:p.charsTo], p.fill); err != nil {
			d.bad(ErrorPayload)
			return
		}
		sentences[i] = s.text[p.from:p.to]
	}
	if r, held := d.report(b, &s.wrapper, f, received); r != nil {
		r.Raw = held.keepAll(sentences[:f.total])
		d.settle(b, held, received)
	}
}

// report decodes the bits and appends the report, all of it but Raw, to b, or to what is held back until the log's clock
// is known; it gives which of them it was, and nil when the bits are no message.
func (d *Decoder) report(b *Batch, w *wrapper, f *fragment, received time.Time) (*Report, *Batch) {
	target := b
	if d.holding() {
		target = d.heldBatch()
	}
	message, err := d.bits.message(target)
	if err != nil {
		d.bad(err)
		return nil, nil
	}
	d.counters.Messages[d.bits.field(0, 6)]++
	if d.config.Clock == LogClock {
		if station, ok := message.(*BaseStationReport); ok {
			d.stationClock(b, station)
		}
		if !d.clock.now.IsZero() {
			received = d.clock.now
		}
	}
	r := target.report()
	r.Message, r.Hash = message, d.bits.hash()
	r.Received, r.Sent = received, w.sent
	r.Feed, r.FromSky, r.Station, r.Channel, r.Own = d.config.Feed, d.config.FromSky, w.station, f.channel, f.own
	if r.Sent.IsZero() && (target == b || !d.clock.now.IsZero()) {
		r.Sent = sentAt(message, received)
	}
	return r, target
}

// settle lets go of what is held back as soon as the log's clock is known, or when there is too much of it.
func (d *Decoder) settle(b, target *Batch, received time.Time) {
	if target != b && (!d.clock.now.IsZero() || len(target.Reports) >= maxHeld) {
		d.Flush(b, received)
	}
}
