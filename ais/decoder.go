package ais

import (
	"bytes"
	"time"
)

// Clock says which clock a feed's reports follow.
type Clock int

// The clocks.
const (
	ReceiverClock Clock = iota // our clock: Report.Received is when the line came in
	LogClock                   // the clock of the log: TAG c:, $PGHP, suffix, prefix, else RMC or ZDA, else messages 4 and 11
	NoClock                    // when the lines came is not known: Report.Received is zero, and Sent is what stands around the sentence
)

// DecoderConfig holds the settings of a Decoder.
type DecoderConfig struct {
	Feed        string // goes into every report
	BySatellite bool   // the feed is one of satellites; goes into every report
	Clock       Clock
	Begin       time.Time // LogClock: when the log began, if a user says so; the times that stand in the log then mean nothing
	Rate        float64   // with Begin: sentences a second, which alone make the time; 0 goes by the UTC seconds of the reports

	Receipt func(OwnReceipt) // is told of each ABK sentence at once, and must not wait; nil for nothing
}

// Counters are what a decoder has counted since its start.
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

// Decoder turns the lines of one feed into reports. From line to line it keeps parts of messages and the wrapper of the next sentence. It also keeps the clock
// of the log and the state of the own station. It belongs to one goroutine.
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
	pendingOf  uint16 // the port that it came from
	held       *Batch // reports from before a log first says what time it is
}

// NewDecoder makes a decoder.
func NewDecoder(c DecoderConfig) *Decoder {
	d := &Decoder{config: c, interned: make(map[string]string)}
	d.assembler.init()
	if d.begun() {
		d.clock.now, d.clock.rank = c.Begin, clockMessage
	}
	return d
}

// Counters returns the numbers as they are now.
func (d *Decoder) Counters() Counters {
	c := d.counters
	c.Bad[ErrorFragment] += d.assembler.expired
	return c
}

// Expire drops parts of messages whose other parts did not come within 10 s. Line does so too; a feed that is quiet calls
// Expire.
func (d *Decoder) Expire(now time.Time) {
	if d.config.Clock == LogClock {
		now = d.clock.now
	}
	d.assembler.expireSets(now)
}

// Datagram decodes every line of a datagram.
func (d *Decoder) Datagram(b *Batch, datagram []byte, received time.Time) {
	for line := range SplitLines(datagram) {
		d.Line(b, line, received)
	}
}

// Line decodes one line without its line end and appends the messages that are now whole to b. A line may hold several
// sentences. Text around sentences is read where it gives a time or a station, and otherwise passed over. received is the
// time by our clock.
//
// With LogClock, reports wait until the log first gives its time, at most 4,096 of them. Then they are appended. Flush
// appends those that still wait at the end of the log. Those that no time came for have received, which may be zero.
func (d *Decoder) Line(b *Batch, line []byte, received time.Time) {
	d.counters.Lines++
	d.counters.Bytes += uint64(len(line))
	line = trimLine(line)
	if d.decodePlain(b, line, received) {
		return
	}
	if len(line) > 0 && line[0] == '!' && IsAIS(line) {
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
			if IsAIS(line) {
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
			line = w.readTextBefore(line)
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

// readTextBefore reads the text before a line's first sentence and returns the line from there on.
func (w *wrapper) readTextBefore(line []byte) []byte {
	start := bytes.IndexAny(line, "!$\\")
	if start < 0 {
		return nil
	}
	w.prefix(line[:start])
	return line[start:]
}

// hash reads a line that begins with '#'. It is a sentence when five letters and a comma follow, as some servers write '#'
// instead of '$'. Otherwise it is a comment.
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

// tag reads a TAG block. One that was cut has no end of its own: the sentence or the block behind it follows at once.
func (d *Decoder) tag(w *wrapper, line []byte) []byte {
	before := *w
	rest, ok := d.tagBlock(w, line)
	cut := len(rest) > 1 && rest[1] == ':' && bytes.IndexByte(rest, '\\') > 0
	if !ok || cut {
		d.bad(ErrorTag)
	}
	if cut {
		*w = before
		return line[len(line)-len(rest)-1:]
	}
	if next := bytes.IndexAny(line[:len(line)-len(rest)], "!$"); !ok && next > 0 {
		return line[next:]
	}
	return rest
}

func (d *Decoder) keepForNext(w wrapper) {
	w.mergeOlder(d.pending)
	d.pending, d.hasPending, d.pendingOf = w, true, d.assembler.port
}

func (d *Decoder) bad(err error) {
	if reason, ok := err.(ErrorReason); ok {
		d.counters.Bad[reason]++
	}
}

// encapsulated reads a VDM or VDO sentence and returns the rest of the line.
func (d *Decoder) encapsulated(b *Batch, w *wrapper, line []byte, received time.Time) (rest []byte) {
	var f fragment
	rest, err := parseFragment(&f, line)
	if len(rest) > 0 {
		rest = d.suffix(w, rest)
	}
	if d.hasPending && (d.pendingOf == d.assembler.port || !d.assembler.steady) {
		w.mergeOlder(d.pending)
		d.pending, d.hasPending = wrapper{}, false
	}
	if err != nil {
		d.bad(err)
		return cutAt(line, rest)
	}
	d.counters.Sentences++
	if d.config.Rate > 0 {
		d.clock.now = d.byRate()
	}
	if f.surplus {
		d.bad(ErrorSurplus)
	}
	d.stamp(b, w, &f)
	if f.total > 1 {
		d.addPart(b, w, &f, received)
		return rest
	}
	d.bits.reset()
	if err := d.bits.add(f.chars, f.fill); err != nil || d.bits.bits == 0 {
		d.bad(ErrorPayload)
		return rest
	}
	if r, held := d.decodeReport(b, w, &f, received); r != nil {
		r.Raw = held.keepSentence(f.sentence)
		d.releaseHeld(b, held, received)
	}
	return rest
}

// stamp takes the time that stands around a sentence. Only the first part of a message moves the clock: all have the same.
func (d *Decoder) stamp(b *Batch, w *wrapper, f *fragment) {
	if w.sent.IsZero() {
		return
	}
	if d.begun() {
		w.sent = time.Time{}
		return
	}
	if w.sent.Unix() < firstMoment {
		w.sent = time.Time{}
		d.bad(ErrorClock)
		return
	}
	if f.number == 1 {
		d.setClock(b, w.sent, clockWrapper)
	}
}

// addPart takes one part of a message. After the last part it reports the message.
func (d *Decoder) addPart(b *Batch, w *wrapper, f *fragment, received time.Time) {
	now := received
	if d.config.Clock == LogClock {
		now = d.clock.now
	}
	s, err := d.assembler.addFragment(f, w, now)
	if err != nil {
		d.bad(err)
		return
	}
	if s == nil {
		return
	}
	d.reportWhole(b, s, f, received)
	d.assembler.releaseSet(s)
}

// reportWhole reports a message whose last part has come.
func (d *Decoder) reportWhole(b *Batch, s *set, f *fragment, received time.Time) {
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
	if r, held := d.decodeReport(b, &s.wrapper, f, received); r != nil {
		r.Raw = held.keepAll(sentences[:f.total])
		d.releaseHeld(b, held, received)
	}
}

// decodeReport decodes the bits and appends the report, without Raw, to a batch: b, or the one that waits for the clock of the
// log. It returns the report and that batch, or nil when the bits are no message.
func (d *Decoder) decodeReport(b *Batch, w *wrapper, f *fragment, received time.Time) (*Report, *Batch) {
	target := b
	if d.holding() {
		target = d.heldBatch()
	}
	message, err := d.bits.decodeMessage(target)
	if err != nil {
		d.bad(err)
		return nil, nil
	}
	d.counters.Messages[d.bits.fieldAt(0, 6)]++
	sent := w.sent
	switch d.config.Clock {
	case LogClock:
		received, sent = d.logTimes(message, received, sent, target == b)
	case NoClock:
		received = time.Time{}
	}
	r := target.addReport()
	r.Message, r.Hash = message, d.bits.hash()
	r.Received, r.Sent = received, sent
	r.Feed, r.BySatellite, r.Station, r.Channel, r.Own = d.config.Feed, d.config.BySatellite, w.station, f.channel, f.own
	if r.Sent.IsZero() && target == b {
		r.Sent = d.sentAt(message, received)
	}
	return r, target
}

// logTimes returns the times of a message by the log's clock, which it may move. received is zero for a message that waits for the first time
// of the log.
func (d *Decoder) logTimes(message Message, received, sent time.Time, settled bool) (time.Time, time.Time) {
	if station, ok := message.(*BaseStationReport); ok && !d.begun() {
		d.stationClock(station)
	}
	d.followReport(message)
	switch {
	case !settled:
		received = d.clock.logTime()
	case !d.clock.now.IsZero():
		received = d.clock.now
	}
	if !isWithin(sent, received, clockStep) {
		sent = time.Time{}
	}
	return received, sent
}

// releaseHeld releases the reports that wait, as soon as the clock of the log is known or when too many wait.
func (d *Decoder) releaseHeld(b, target *Batch, received time.Time) {
	if target == b {
		return
	}
	if !d.holding() {
		d.releaseReports(b)
	} else if len(target.Reports) >= d.mostHeld() {
		d.Flush(b, received)
	}
}
