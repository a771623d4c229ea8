package format

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"quaywatch/ais"
)

// xmlWriter writes messages as XML elements of docs/nmea-stream.xsd. It decodes the sentences again and writes what ais.JSONPrinter prints,
// so that the names are those of the API. A key is an element, an object an element with elements in it, an array several elements of one
// name.
type xmlWriter struct {
	decoder *ais.Decoder
	batch   ais.Batch
	printer ais.JSONPrinter
	json    []byte
}

func newXMLWriter() *xmlWriter {
	return &xmlWriter{decoder: ais.NewDecoder(ais.DecoderConfig{})}
}

// appendMessage appends one <message> and a line end; nothing when the sentences are no message.
func (x *xmlWriter) appendMessage(b []byte, o *Outgoing) []byte {
	x.batch.Reset()
	for line := range ais.SplitLines(o.Raw) {
		x.decoder.Line(&x.batch, line, o.Received)
	}
	for i := range x.batch.Reports {
		r := &x.batch.Reports[i]
		r.Feed, r.Station, r.Received, r.Sent = o.Feed, o.Station, o.Received, o.Sent
		x.json = x.printer.Append(x.json[:0], r, false)
		b = append(b, "<message>"...)
		b, _ = appendMembers(b, x.json)
		b = appendElement(b, "refused", o.Refused)
		b = append(b, "</message>\r\n"...)
	}
	return b
}

// appendClock appends <clock> with our time.
func (x *xmlWriter) appendClock(b []byte, now time.Time) []byte {
	b = append(b, "<clock><time>"...)
	b = now.UTC().AppendFormat(b, time.RFC3339)
	return append(b, "</time></clock>\r\n"...)
}

// appendFeed appends <feed_status> with the state of one feed.
func (x *xmlWriter) appendFeed(b []byte, s *ais.FeedStatus, now time.Time) []byte {
	b = appendElement(append(b, "<feed_status>"...), "name", s.Name)
	b = strconv.AppendBool(append(b, "<connected>"...), s.Connected)
	b = strconv.AppendFloat(append(b, "</connected><messages_per_second>"...), s.MessagesPerSecond, 'f', 1, 64)
	b = append(b, "</messages_per_second>"...)
	if !s.LastMessage.IsZero() {
		b = strconv.AppendInt(append(b, "<age>"...), wholeSeconds(now.Sub(s.LastMessage)), 10)
		b = append(b, "</age>"...)
	}
	return append(b, "</feed_status>\r\n"...)
}

// appendElement appends text as an element, nothing when it is empty.
func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = appendStart(b, name)
	for _, c := range text {
		b = appendRune(b, c)
	}
	return appendEnd(b, name)
}

func appendStart[T string | []byte](b []byte, name T) []byte {
	return append(append(append(b, '<'), name...), '>')
}

func appendEnd[T string | []byte](b []byte, name T) []byte {
	return append(append(append(b, "</"...), name...), '>')
}

// appendRune appends a character of text: one that XML cannot hold becomes the replacement character U+FFFD.
func appendRune(b []byte, c rune) []byte {
	switch {
	case c == '&':
		return append(b, "&amp;"...)
	case c == '<':
		return append(b, "&lt;"...)
	case c == '>':
		return append(b, "&gt;"...)
	case c < ' ', c == 0xfffe, c == 0xffff, c >= 0x7f && c < 0xa0:
		c = utf8.RuneError
	}
	return utf8.AppendRune(b, c)
}

// appendMembers appends the members of the JSON object at the start of json as elements and returns what follows the object.
// json is what ais.JSONPrinter made: right, without white space.
func appendMembers(b, json []byte) (xml, rest []byte) {
	for json[0] != '}' {
		name, after, _ := bytes.Cut(json[2:], []byte{'"'}) // `{"name":` or `,"name":`
		b, json = appendValue(b, name, after[1:])
	}
	return b, json[1:]
}

// appendValue appends a value under a name.
func appendValue(b, name, json []byte) (xml, rest []byte) {
	switch json[0] {
	case '[':
		for json[0] != ']' {
			if json[1] == ']' {
				return b, json[2:]
			}
			b, json = appendValue(b, name, json[1:])
		}
		return b, json[1:]
	case '{':
		b, json = appendMembers(appendStart(b, name), json)
	case '"':
		b, json = appendQuoted(appendStart(b, name), json[1:])
	default:
		end := bytes.IndexAny(json, ",]}")
		b, json = append(appendStart(b, name), json[:end]...), json[end:]
	}
	return appendEnd(b, name), json
}

// appendQuoted appends the text up to the quotation mark, and returns what follows that.
func appendQuoted(b, json []byte) (xml, rest []byte) {
	for json[0] != '"' {
		c, size := utf8.DecodeRune(json)
		if c == '\\' {
			c, size = rune(json[1]), 2
			if c == 'u' {
				code, _ := strconv.ParseUint(string(json[2:6]), 16, 16)
				c, size = rune(code), 6
			}
		}
		b, json = appendRune(b, c), json[size:]
	}
	return b, json[1:]
}
