package wire

import (
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// Object appends the fields of JSON objects to a buffer. That encodes a list of ten thousand ships several times faster than
// reflection. Strings are escaped as encoding/json does it, < > and & included.
type Object struct {
	B     []byte         // what is written so far, but for what To has
	To    io.Writer      // takes the parts of a long answer; nil keeps all in B
	nulls bool           // unknown fields are null instead of left out: a change record says what is no longer known
	day   int64          // of dayText, in days since 1970
	Entry RegisterLookup // nil if the register is not needed
	Bound BoundPort      // nil if no port of a destination is told
	dayText
	fetched byte // see touchShips
}

// dayText is the part of a time that most fixes share, "2026-11-20T".
type dayText [11]byte

const dayMillis = 24 * 60 * 60 * 1000

// key begins a field. It is given as it is written, as `,"name":`, so that it is one copy of bytes. Only the first field of an Object has no comma.
func (o *Object) Key(written string) { o.B = append(o.B, written...) }

func (o *Object) Integer(name string, v int64) {
	o.Key(name)
	o.B = strconv.AppendInt(o.B, v, 10)
}

// addKnown appends an integer unless it is 0, which means unknown.
func (o *Object) addKnown(name string, v int64) {
	if v != 0 {
		o.Integer(name, v)
	} else {
		o.addUnknown(name)
	}
}

// addUnknown leaves the field out, or says null.
func (o *Object) addUnknown(names ...string) {
	if !o.nulls {
		return
	}
	for _, name := range names {
		o.Key(name)
		o.B = append(o.B, "null"...)
	}
}

// Hundredths appends a number of hundredths that is not negative, in the shortest form.
func (o *Object) Hundredths(name string, v int) {
	o.Key(name)
	o.B = appendHundredths(o.B, v)
}

// Text appends a text, escaped.
func (o *Object) Text(name, v string) {
	o.Key(name)
	o.B = appendText(o.B, v)
}

// knownText appends a text unless it is empty, which means unknown.
func (o *Object) knownText(name, v string) {
	if v != "" {
		o.Text(name, v)
	} else {
		o.addUnknown(name)
	}
}

func (o *Object) addTenths(name string, v int) {
	o.Key(name)
	o.B = appendTenths(o.B, v)
}

func (o *Object) addTruth(name string, v bool) {
	if v {
		o.Key(name)
		o.B = append(o.B, "true"...)
	} else {
		o.addUnknown(name)
	}
}

func (o *Object) Time(name string, millis int64) {
	o.Key(name)
	o.appendTime(millis)
}

// appendTime appends a time in quotes: UTC, milliseconds only where there are any.
func (o *Object) appendTime(millis int64) {
	day := millis / dayMillis
	rest := millis % dayMillis
	if rest < 0 {
		day, rest = day-1, rest+dayMillis
	}
	o.B = append(o.B, '"')
	if day != o.day || o.dayText[0] == 0 {
		text := time.UnixMilli(day*dayMillis).UTC().AppendFormat(nil, "2006-01-02T")
		if len(text) != len(o.dayText) { // beyond the year 9999
			o.B = append(append(o.B, text...), `00:00:00Z"`...)
			return
		}
		o.day, o.dayText = day, dayText(text)
	}
	o.B = append(o.B, o.dayText[:]...)
	seconds := rest / 1000
	o.B = append2(o.B, seconds/3600)
	o.B = append(o.B, ':')
	o.B = append2(o.B, seconds/60%60)
	o.B = append(o.B, ':')
	o.B = append2(o.B, seconds%60)
	if ms := rest % 1000; ms != 0 {
		o.B = append(o.B, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	}
	o.B = append(o.B, 'Z', '"')
}

func append2(b []byte, v int64) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }

// timeText returns a time as the API writes it.
func TimeText(millis int64) string {
	var o Object
	o.appendTime(millis)
	return string(o.B[1 : len(o.B)-1])
}

// appendTenths appends v/10 in the shortest form.
func appendTenths(b []byte, v int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	b = strconv.AppendInt(b, int64(v/10), 10)
	if v%10 != 0 {
		b = append(b, '.', byte('0'+v%10))
	}
	return b
}

// appendHundredths appends a number that is not negative, without zeros at its end.
func appendHundredths(b []byte, v int) []byte {
	if v%10 == 0 {
		return appendTenths(b, v/10)
	}
	b = strconv.AppendInt(b, int64(v/100), 10)
	return append(b, '.', byte('0'+v/10%10), byte('0'+v%10))
}

// appendDegrees appends a place in AIS units as degrees with the six decimals that tell two units apart.
func appendDegrees(b []byte, units int32) []byte {
	size := int64(units)
	if size < 0 {
		size = -size
	}
	micro := (size*10 + 3) / 6
	if units < 0 && micro > 0 {
		b = append(b, '-')
	}
	b = strconv.AppendInt(b, micro/1e6, 10)
	rest := micro % 1e6
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for scale := int64(1e5); rest > 0; scale /= 10 {
		b = append(b, byte('0'+rest/scale))
		rest %= scale
	}
	return b
}

// The ASCII characters that stand for themselves in a JSON string, as bits. Those below '@' are all from the blank on but " & < and >. Those from it on are all
// but \ and DEL.
const (
	plainLow  = 0xFFFFFFFF_00000000 &^ (1<<'"' | 1<<'&' | 1<<'<' | 1<<'>')
	plainHigh = 0xFFFFFFFF_FFFFFFFF &^ (1<<('\\'-64) | 1<<(0x7F-64))
)

// appendText appends a JSON string. What is heard on the air is plain ASCII; anything else takes the slow way.
func appendText(b []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		set := uint64(plainLow)
		if c >= 64 {
			set = plainHigh
		}
		if c >= 128 || set>>(c&63)&1 == 0 {
			slow, err := json.Marshal(text)
			if err != nil {
				return append(b, `""`...)
			}
			return append(b, slow...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// addWord appends a text of our own, which needs no escaping: names of classes, types and statuses.
func (o *Object) addWord(name, v string) {
	o.Key(name)
	o.B = append(o.B, '"')
	o.B = append(o.B, v...)
	o.B = append(o.B, '"')
}

// knownWord appends a word unless it is empty, which means unknown.
func (o *Object) knownWord(name, v string) {
	if v != "" {
		o.addWord(name, v)
	} else {
		o.addUnknown(name)
	}
}
