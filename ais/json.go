package ais

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// JSONPrinter prints reports as JSON. It is reused so that a report costs no allocation; the zero JSONPrinter is ready. One
// goroutine at a time may use it.
type JSONPrinter struct{ codec codec }

// Append appends the report as one JSON object without a line end: `type` is the number of the message. The names are
// those of the interface specification, and where it has none those of gpsd. Scaled values are degrees true, metres and
// knots; what is not available is left out. With raw, integers are as on the air, and so is "not available" (docs/ais.md).
func (j *JSONPrinter) Append(dst []byte, r *Report, raw bool) []byte {
	c := &j.codec
	c.direction, c.json, c.raw, c.suffix = showing, append(dst, '{'), raw, 0
	head := r.Message.Head()
	c.showInt("type", int(head.Type))
	c.showInt("repeat", int(head.Repeat))
	c.showInt("mmsi", int(head.MMSI))
	c.showBool("scaled", !raw)
	r.Message.layout(c)
	if r.Channel != 0 {
		c.showText("channel", string(rune(r.Channel)))
	}
	if r.Own {
		c.showBool("own", true)
	}
	c.showText("feed", r.Feed)
	c.showText("station", r.Station)
	c.showTime("received", r.Received)
	c.showTime("sent", r.Sent)
	out := append(c.json, '}')
	c.json = nil // it is the caller's
	return out
}

// printer appends values to a JSON object.
type printer struct {
	json   []byte // the output
	raw    bool   // print the integers on the air, with their codes for "not available"
	suffix int    // a number behind each key, as in mmsi1; 0 is none
	shown  [64]struct {
		second int64 // of a time that was shown lately
		text   []byte
	}
}

// withKey returns the output with a key behind it, and a comma before that where it is not the first of its object.
func (w *printer) withKey(key string) []byte {
	out := w.json
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, '"'), key...)
	if w.suffix > 0 {
		out = strconv.AppendInt(out, int64(w.suffix), 10)
	}
	return append(out, '"', ':')
}

// openArray begins an array of objects.
func (c *codec) openArray(key string) {
	if c.direction == showing {
		c.json = append(c.withKey(key), '[')
	}
}

func (c *codec) closeArray() { c.closeBracket(']') }

func (c *codec) openObject() {
	if c.direction != showing {
		return
	}
	if c.json[len(c.json)-1] == '}' {
		c.json = append(c.json, ',')
	}
	c.json = append(c.json, '{')
}

func (c *codec) closeObject() { c.closeBracket('}') }

func (c *codec) closeBracket(bracket byte) {
	if c.direction == showing {
		c.json = append(c.json, bracket)
	}
}

func (w *printer) showInt(key string, v int) {
	w.json = strconv.AppendInt(w.withKey(key), int64(v), 10)
}

func (w *printer) showBool(key string, v bool) {
	w.json = strconv.AppendBool(w.withKey(key), v)
}

func (w *printer) showFloat(key string, v float64, decimals int) {
	w.json = strconv.AppendFloat(w.withKey(key), v, 'f', decimals, 64)
}

// showNumber appends v/per, or v itself when raw. What is not ok is left out; raw shows none instead.
func (w *printer) showNumber(key string, v int, ok bool, per, decimals, none int) {
	switch {
	case !ok && !w.raw:
	case !ok:
		w.showInt(key, none)
	case w.raw || per == 1:
		w.showInt(key, v)
	default:
		w.json = appendQuotient(w.withKey(key), v, per, decimals)
	}
}

// appendQuotient appends v/per as strconv appends the float64.
func appendQuotient(out []byte, v, per, decimals int) []byte {
	scale := 1
	for range decimals {
		scale *= 10
	}
	scaled := max(v, -v) * scale
	whole := scaled / per
	rest := 2 * (scaled - whole*per)
	if rest == per || decimals == 0 { // where both neighbours are as near, the float decides
		return strconv.AppendFloat(out, float64(v)/float64(per), 'f', decimals, 64)
	}
	if rest > per {
		whole++
	}
	if v < 0 {
		out = append(out, '-')
	}
	for at := scale; whole < at && at > 1; at /= 10 {
		out = append(out, '0') // before the point, or right behind it
	}
	out = append(strconv.AppendInt(out, int64(whole), 10), 0)
	point := len(out) - 1 - decimals
	copy(out[point+1:], out[point:len(out)-1])
	out[point] = '.'
	return out
}

// showText appends text that may hold any character, unless it is empty.
func (w *printer) showText(key, text string) {
	if text == "" {
		return
	}
	out := append(w.withKey(key), '"')
	if isPlainText(text) {
		w.json = append(append(out, text...), '"')
		return
	}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	w.json = append(out, '"')
}

// isPlainText reports whether JSON has the text as it is.
func isPlainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// showSixBit appends six-bit text, in which only the quotation mark and the reverse solidus need an escape.
func (w *printer) showSixBit(key, text string) {
	out := append(w.withKey(key), '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			out = append(out, '\\')
		}
		out = append(out, text[i])
	}
	w.json = append(out, '"')
}

// constant is text that JSON has and the air has not.
func (c *codec) constant(key, text string) {
	if c.direction == showing {
		c.showText(key, text)
	}
}

// showTime appends a time in UTC, with milliseconds where it has some, unless it is zero.
func (w *printer) showTime(key string, t time.Time) {
	if t.IsZero() {
		return
	}
	second := t.Unix()
	shown := &w.shown[uint64(second)%uint64(len(w.shown))]
	if shown.second != second || shown.text == nil {
		shown.second, shown.text = second, bytes.TrimSuffix(t.UTC().AppendFormat(shown.text[:0], time.RFC3339), []byte("Z"))
	}
	out := append(append(w.withKey(key), '"'), shown.text...)
	if ms := t.Nanosecond() / 1e6; ms > 0 {
		out = append(out, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	}
	w.json = append(out, 'Z', '"')
}

// showETA appends "11-20T18:30Z": the crew gives no year. Without an hour it is the day alone, without a day that some year has nothing.
func (w *printer) showETA(key string, e ETA) {
	day := e.Month >= 1 && e.Month <= 12 && e.Day >= 1 && int(e.Day) <= daysOf(2000, int(e.Month))
	switch {
	case w.raw || day && e.Hour < 24 && e.Minute < 60:
		w.json = fmt.Appendf(w.withKey(key), `"%02d-%02dT%02d:%02dZ"`, e.Month, e.Day, e.Hour, e.Minute)
	case day:
		w.json = fmt.Appendf(w.withKey(key), `"%02d-%02d"`, e.Month, e.Day)
	}
}

// showData appends bits in hexadecimal digits, the last byte filled with zeros, and how many there are.
func (w *printer) showData(data []byte, bits int) {
	w.json = append(hex.AppendEncode(append(w.withKey("data"), '"'), data), '"')
	w.showInt("data_bits", bits)
}
