package ais

import (
	"fmt"
	"slices"
)

// direction says what a codec does with the fields of a message.
type direction uint8

const (
	decoding direction = iota // bits to message
	encoding                  // message to bits
	showing                   // message to JSON
)

// codec visits the fields of a message one after the other. Each message lists its fields once, in its method layout; the
// direction of the codec decides whether this list decodes, encodes or prints the message.
type codec struct {
	direction direction
	bits      *payload // where fields are read from or written to
	at        int      // first bit of the next field
	end       int      // decoding: fields end here
	short     bool     // decoding: a field reached beyond end
	err       error    // the first error
	texts     []decodedText
	chars     []byte // characters of texts
	mistyped  bool   // encoding: the header names a type that has another layout
	printer
}

// decodedText is a text whose characters end at codec.chars[end]; they begin where the text before it ends.
type decodedText struct {
	to  *string
	end int
}

// read decodes the body of m.
func (c *codec) read(p *payload, m Message) error {
	c.bits, c.at, c.end, c.short, c.err = p, headerBits, p.bits, false, nil
	m.layout(c)
	if len(c.texts) > 0 {
		c.keepTexts()
	}
	return c.err
}

// keepTexts gives all decoded texts one piece of memory.
func (c *codec) keepTexts() {
	all, start := string(c.chars), 0
	for _, t := range c.texts {
		*t.to, start = all[start:t.end], t.end
	}
	clear(c.texts) // they point into messages
	c.texts, c.chars = c.texts[:0], c.chars[:0]
}

// write encodes m, header and body, into an empty p.
func (c *codec) write(p *payload, m Message) error {
	*c = codec{direction: encoding, bits: p}
	head := m.Head()
	c.writeBits(uint64(head.Type), 6)
	c.writeBits(uint64(head.Repeat), 2)
	c.mmsi("", &head.MMSI)
	m.layout(c)
	switch {
	case c.mistyped:
		c.keepError(fmt.Errorf("message type %d: not a %T", head.Type, m))
	case p.bits > maxMessageBits:
		c.keepError(fmt.Errorf("message type %d: %d bits, at most %d fit five slots", head.Type, p.bits, maxMessageBits))
	}
	return c.err
}

// types names the message types that have this layout.
func (c *codec) types(types ...uint8) {
	if c.direction == encoding {
		c.checkType(types)
	}
}

func (c *codec) checkType(types []uint8) {
	c.mistyped = !slices.Contains(types, uint8(c.bits.fieldAt(0, 6)))
}

func (c *codec) keepError(err error) {
	if c.err == nil {
		c.err = err
	}
}

// readBits reads width bits, at most 64. Bits beyond the end are zeros.
func (c *codec) readBits(width int) uint64 {
	at := c.at
	c.at = at + width
	if c.at > c.end {
		return c.takeBeyond(at, width)
	}
	return c.bits.variable(uint(at), uint(width))
}

// takeBeyond reads a field that is not there, or the part of it that is.
func (c *codec) takeBeyond(at, width int) uint64 {
	c.short = true
	if at >= c.end {
		return 0
	}
	return c.bits.variable(uint(at), uint(width))
}

// takeSigned reads width bits as a two's complement number.
func (c *codec) takeSigned(width int) int {
	return int(int64(c.readBits(width)<<(64-width)) >> (64 - width))
}

// writeBits writes the low bits of v, at most 64. What does not fit the payload is only counted.
func (c *codec) writeBits(v uint64, width int) {
	at := c.at
	c.skip(width)
	if c.at <= maxPayloadBytes*8 {
		c.bits.putBits(uint(at), uint(width), v)
	}
}

// skip passes over bits. Written, they are zeros.
func (c *codec) skip(width int) {
	c.at += width
	if c.direction == encoding {
		c.bits.bits = max(c.bits.bits, c.at)
	}
}

// seek goes on at a bit. It serves messages whose JSON has another order than their bits.
func (c *codec) seek(bit int) { c.at = bit }

// align goes on at the next whole byte.
func (c *codec) align() { c.skip(-c.at & 7) }

// present sets v to whether the message that is read has that many bits.
func (c *codec) present(v *bool, bits int) {
	if c.direction == decoding {
		*v = c.end >= bits
	}
}

// integer is a number of so many bits. In JSON it is called key; with the key "" it is left out there.
func integer[V ~uint8 | ~uint16 | ~uint32 | ~int | ~int64](c *codec, key string, width int, v *V) {
	switch c.direction {
	case decoding: // as readBits, without the call
		at := c.at
		if c.at = at + width; c.at > c.end {
			*v = V(c.takeBeyond(at, width))
			return
		}
		*v = V(c.bits.variable(uint(at), uint(width)))
	case encoding:
		c.writeBits(uint64(*v), width)
	case showing:
		if key != "" {
			c.showInt(key, int(*v))
		}
	}
}

// optional is an integer for which the value none means "not available". One unit of it in JSON is per units on the air.
func optional[V ~uint8 | ~uint16 | ~uint32 | ~int](c *codec, key string, width int, none V, per int, v *V) {
	if c.direction == showing {
		c.showNumber(key, int(*v), *v != none, per, decimalsOf(per), int(none))
		return
	}
	integer(c, key, width, v)
}

// code is an integer with a meaning in words, which JSON has under textKey.
func code[V ~uint8](c *codec, key, textKey string, width int, v *V, text func(V) string) {
	integer(c, key, width, v)
	if c.direction == showing {
		c.showText(textKey, text(*v))
	}
}

// list is a row of entries of width bits each, at most so many. In JSON it is an array of objects called key. With the key ""
// there is no array: the members of entry 1 have the suffix 1, and so on.
func list[E any](c *codec, key string, entries *[]E, width, most int, layout func(*E, *codec)) {
	begin, end := c.at, c.end
	if n := min(most, (end-begin)/width); c.direction == decoding && n > 0 {
		*entries = make([]E, n)
	}
	if key != "" {
		c.openArray(key)
	}
	for i := range *entries {
		c.at, c.end = begin+i*width, begin+(i+1)*width
		if key == "" {
			c.suffix = i + 1
			layout(&(*entries)[i], c)
			continue
		}
		c.openObject()
		layout(&(*entries)[i], c)
		c.closeObject()
	}
	if key != "" {
		c.closeArray()
	}
	c.at, c.end, c.suffix = begin+len(*entries)*width, end, 0
}

// flag is one bit, true or false in JSON.
func (c *codec) flag(key string, v *bool) {
	switch c.direction {
	case decoding: // as readBits, without the call
		at := c.at
		if c.at = at + 1; c.at > c.end {
			*v = c.takeBeyond(at, 1) != 0
			return
		}
		*v = c.bits.flag(uint(at))
	case encoding:
		c.putBit(*v)
	case showing:
		if key != "" {
			c.showBool(key, *v)
		}
	}
}

// bit is one bit, 1 or 0 in JSON.
func (c *codec) bit(key string, v *bool) {
	if c.direction != showing {
		c.flag(key, v)
		return
	}
	digit := 0
	if *v {
		digit = 1
	}
	c.showInt(key, digit)
}

func (c *codec) putBit(v bool) {
	if v {
		c.writeBits(1, 1)
		return
	}
	c.writeBits(0, 1)
}

// mmsi is an identity of 30 bits.
func (c *codec) mmsi(key string, v *MMSI) {
	if c.direction == encoding && (*v < 0 || *v > 1<<30-1) {
		c.keepError(fmt.Errorf("mmsi %d: does not fit the 30 bits on the air", *v))
		return
	}
	integer(c, key, 30, v)
}

// text is six-bit text in so many characters, filled with '@'. JSON leaves out an empty one, but for raw.
func (c *codec) text(key string, v *string, chars int) {
	if c.direction != showing || *v != "" || c.raw {
		c.fullText(key, v, chars)
	}
}

// fullText is text that JSON has even when it is empty.
func (c *codec) fullText(key string, v *string, chars int) {
	switch c.direction {
	case decoding:
		c.takeText(v, chars)
	case encoding:
		c.putText(*v, chars)
	case showing:
		c.showSixBit(key, *v)
	}
}

// restText is text up to the end of the message, at most so many characters are read.
func (c *codec) restText(key string, v *string, most int) {
	chars := len(*v)
	if c.direction == decoding {
		chars = min((c.end-c.at)/6, most)
	}
	c.fullText(key, v, chars)
}

func (c *codec) takeText(v *string, chars int) {
	at := c.at
	c.at += 6 * chars
	if c.short = c.short || c.at > c.end; !c.short {
		c.chars = c.bits.appendText(c.chars, at, chars)
	}
	c.texts = append(c.texts, decodedText{v, len(c.chars)})
}

func (c *codec) putText(s string, chars int) {
	if len(s) > chars {
		c.keepError(fmt.Errorf("text %q: %d characters, at most %d fit", s, len(s), chars))
		return
	}
	for i := range len(s) {
		if s[i] < 32 || s[i] > 95 {
			c.keepError(fmt.Errorf("text %q: character %q has no six-bit code", s, s[i]))
			return
		}
		c.writeBits(uint64(s[i]&63), 6)
	}
	c.skip(6 * (chars - len(s)))
}

// data is binary data up to the end of the message, but for the last tail bits. JSON has it in hexadecimal digits.
func (c *codec) data(data *[]byte, bits *int, tail int) {
	switch c.direction {
	case decoding:
		n := c.end - tail - c.at
		if n < 0 {
			c.keepError(ErrorLength)
			return
		}
		*bits, *data = n, c.bits.copyBits(make([]byte, 0, (n+7)/8), c.at, c.at+n)
		c.at += n
	case encoding:
		c.putData(*data, *bits)
	case showing:
		c.showData(*data, *bits)
	}
}

// putData writes the first bits of data, which are left-aligned.
func (c *codec) putData(data []byte, bits int) {
	if bits > 8*len(data) {
		c.keepError(fmt.Errorf("binary data: %d bits announced, %d bytes given", bits, len(data)))
		return
	}
	for i := 0; bits > 0; i++ {
		n := min(bits, 8)
		c.writeBits(uint64(data[i]>>(8-n)), n)
		bits -= n
	}
}
