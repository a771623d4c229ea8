// Package format writes AIS messages in the forms that subscribers of an outgoing stream choose: NMEA with or without a block, OTH-T GOLD and
// XML. It opens nothing: no file, no socket, no goroutine, no clock.
package format

import (
	"bytes"
	"strconv"
	"time"

	"quaywatch/ais"
)

// Formatter writes the lines of one subscriber (docs/api.md, "The NMEA stream"). In an NMEA format it writes the sentences as they were
// heard, to the byte; only the block before them is ours. It remembers what runs from message to message: group numbers, when the clock
// and the status of feeds were sent, the contacts of this minute. It belongs to one goroutine.
type Formatter struct {
	style  LineStyle
	before heading
	text   string // Style.CustomTag, cleaned
	group  int    // number of the last message in several parts, 1..9999
	clock  time.Time
	status time.Time // when the clock and the state of the feeds are due
	book   goldBook
	xml    *xmlWriter
}

// heading is what stands before the sentences of a message.
type heading struct {
	block  blockForm
	time   bool // c: in the block
	source bool // s: in the block
	pghp   bool // a $PGHP sentence before all
}

// blockForm is the form of the block before a sentence.
type blockForm uint8

const (
	noBlock      blockForm = iota
	tagBlock               // TAG block of NMEA 0183, 4.10: g:1-2-0136, text as t:
	commentBlock           // comment block of IEC 62320-1: 1G2:0136, text as i:
)

// longestBlock is how many characters a block may have, both reverse solidi included (NMEA 0183, 4.10).
const longestBlock = 80

// longestRefusal bounds a reason in a block.
const longestRefusal = 20

// New makes a Formatter for one subscriber.
func New(s LineStyle) *Formatter {
	f := &Formatter{style: s, before: headingOf(s), text: cleanText(s.CustomTag)}
	if s.Form == XML {
		f.xml = newXMLWriter()
	}
	return f
}

// headingOf says which block a style wants before the sentences. The format decides. If it names no block, the method of the time stamp
// decides. If that names none either, the rest that was asked for stands in a TAG block. There is never more than one block.
func headingOf(s LineStyle) heading {
	h := heading{pghp: s.Form == PGHPNMEA || s.Stamp == StampPGHP, source: s.ExternalID}
	h.time = s.Stamp == StampTag || s.Stamp == StampComment
	switch {
	case s.Form == TagNMEA:
		h.block, h.source = tagBlock, true
	case s.Form == CommentNMEA:
		h.block, h.source = commentBlock, true
	case s.Stamp == StampComment:
		h.block = commentBlock
	case s.Stamp == StampTag || s.ExternalID || s.CustomTag != "":
		h.block = tagBlock
	}
	return h
}

// Append appends the bytes of one message, each line ended by CR LF. A format may have nothing to say of a message: then b
// comes back as it was. It allocates nothing for the NMEA formats once b has room.
func (f *Formatter) Append(b []byte, o *Outgoing) []byte {
	switch f.style.Form {
	case OTHGold:
		return f.book.appendReport(b, o)
	case XML:
		return f.xml.appendMessage(b, o)
	}
	if f.before.block == noBlock {
		if o.Refused != "" {
			b = appendPeep(b, o)
		}
		if f.before.pghp {
			b = appendPGHP(b, o)
		}
		return append(append(b, o.Raw...), '\r', '\n')
	}
	if f.before.pghp {
		b = appendPGHP(b, o)
	}
	return f.appendParts(b, o)
}

var lineEnd = []byte("\r\n")

// appendParts appends the sentences of a message, each with its block.
func (f *Formatter) appendParts(b []byte, o *Outgoing) []byte {
	parts := 1 + bytes.Count(o.Raw, lineEnd)
	if parts > 1 {
		f.group = f.group%9999 + 1
	}
	rest := o.Raw
	for part := 1; part <= parts; part++ {
		var sentence []byte
		sentence, rest, _ = bytes.Cut(rest, lineEnd)
		b = f.appendBlock(b, o, part, parts)
		b = append(append(b, sentence...), '\r', '\n')
	}
	return b
}

// appendBlock appends the block of one part; all but the group stands in the first. There is none where it would be empty.
func (f *Formatter) appendBlock(b []byte, o *Outgoing, part, parts int) []byte {
	begin := len(b)
	b = append(b, '\\')
	if parts > 1 {
		b = f.appendGroup(b, part, parts)
	}
	if part == 1 {
		b = f.appendFields(b, begin, o)
	}
	if len(b) == begin+1 {
		return b[:begin]
	}
	return append(ais.AppendChecksum(b, begin), '\\')
}

func (f *Formatter) appendGroup(b []byte, part, parts int) []byte {
	if f.before.block == tagBlock {
		b = append(b, 'g', ':')
	}
	b = strconv.AppendInt(b, int64(part), 10)
	if f.before.block == tagBlock {
		b = strconv.AppendInt(append(b, '-'), int64(parts), 10)
		b = append(b, '-')
	} else {
		b = strconv.AppendInt(append(b, 'G'), int64(parts), 10)
		b = append(b, ':')
	}
	return appendPadded(b, f.group, 4)
}

// appendFields appends source, time and text. What does not fit is cut: the constant text first, then the name of the source.
func (f *Formatter) appendFields(b []byte, begin int, o *Outgoing) []byte {
	room := begin + longestBlock - len(`*hh\`) - len(b)
	var digits [20]byte
	stamp := digits[:0]
	if at := o.messageTime(); f.before.time && !at.IsZero() {
		stamp = strconv.AppendInt(stamp, at.Unix(), 10)
		room -= len(",c:") + len(stamp)
	}
	reserved := 0
	if o.Refused != "" {
		reserved = len(",t:refused=") + min(len(o.Refused), longestRefusal)
	}
	if name := f.sourceOf(o); name != "" {
		from := len(b)
		b = AppendField(f.appendKey(b, begin, 's'), name, room-reserved-len(",s:"))
		room -= len(b) - from
	}
	if len(stamp) > 0 {
		b = append(f.appendKey(b, begin, 'c'), stamp...)
	}
	key := byte('t')
	if f.before.block == commentBlock {
		key = 'i'
	}
	switch {
	case o.Refused != "":
		b = append(f.appendKey(b, begin, key), "refused="...)
		b = AppendField(b, o.Refused, longestRefusal)
	case f.text != "" && room > len(",t:"):
		b = AppendField(f.appendKey(b, begin, key), f.text, room-len(",t:"))
	}
	return b
}

// appendKey appends `key:`, with a comma where it is not the first of the block.
func (f *Formatter) appendKey(b []byte, begin int, key byte) []byte {
	if len(b) > begin+1 {
		b = append(b, ',')
	}
	return append(b, key, ':')
}

// sourceOf says which source a message names. It is the feed if its name was asked for, else the station that the sentence names, else
// the feed. So the station stays the same over a chain of relays.
func (f *Formatter) sourceOf(o *Outgoing) string {
	switch {
	case !f.before.source:
		return ""
	case f.style.ExternalID || o.Station == "":
		return o.Feed
	}
	return o.Station
}

// messageTime returns the time of a message: when it was sent, else received; zero when neither is known.
func (o *Outgoing) messageTime() time.Time {
	if o.Sent.IsZero() {
		return o.Received
	}
	return o.Sent
}

// appendPGHP appends the time stamp that precedes the sentences of a message, nothing when there is no time:
//
//	$PGHP,1,year,month,day,hour,minute,second,millisecond,country,region,station,online,checksum of the sentences*hh
//
// The country is the Maritime Identification Digits of the station. Readers take the station for a number, so only a
// number is written.
func appendPGHP(b []byte, o *Outgoing) []byte {
	at := o.messageTime().UTC()
	if at.IsZero() {
		return b
	}
	begin := len(b)
	b = append(b, "$PGHP,1"...)
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	for _, v := range [...]int{year, int(month), day, hour, minute, second, at.Nanosecond() / 1e6} {
		b = strconv.AppendInt(append(b, ','), int64(v), 10)
	}
	country, station := stationNumber(o.Station)
	b = append(append(b, ','), country...)
	b = append(append(append(b, ",,"...), station...), ",1,"...)
	return ais.EndSentence(appendSum(b, o.Raw), begin)
}

// stationNumber returns the Maritime Identification Digits and the number of a station that is named by its MMSI, perhaps after an 'r' or
// 'b'. It returns nothing for others.
func stationNumber(name string) (country, number string) {
	if len(name) > 0 && (name[0] == 'r' || name[0] == 'b') {
		name = name[1:]
	}
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return "", ""
		}
	}
	switch {
	case len(name) == 7: // as coast stations write themselves, without 00
		return name[:3], name
	case len(name) == 9 && (name[:2] == "00" || name[:2] == "99"):
		return name[2:5], name
	case len(name) == 9:
		return name[:3], name
	}
	return "", ""
}

// appendPeep appends the mark before a message that failed a check of plausibility:
//
//	$PQWR,reason,checksum of the sentences*hh
func appendPeep(b []byte, o *Outgoing) []byte {
	begin := len(b)
	b = AppendField(append(b, "$PQWR,"...), o.Refused, longestRefusal)
	return ais.EndSentence(appendSum(append(b, ','), o.Raw), begin)
}

// appendSum appends the checksums of all sentences, exclusive or: for one sentence its own. So do the recorded $PGHP.
func appendSum(b, raw []byte) []byte {
	var sum byte
	for len(raw) > 0 {
		var sentence []byte
		sentence, raw, _ = bytes.Cut(raw, lineEnd)
		if star := bytes.LastIndexByte(sentence, '*'); star > 0 {
			sum ^= ais.Checksum(sentence[1:star])
		}
	}
	return append(b, hexDigits[sum>>4], hexDigits[sum&15])
}

// appendPadded appends v with zeros before it to so many digits; v is not negative.
func appendPadded(b []byte, v, digits int) []byte {
	limit := 1
	for range digits - 1 {
		limit *= 10
	}
	for ; v < limit && limit > 1; limit /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(v), 10)
}
