package ais

import (
	"encoding/binary"
	"math/bits"
)

// textAt decodes chars characters of six-bit text from bit from on. The text ends before the first '@' (ITU-R M.1371-5), and
// blanks at its end are dropped.
func (p *payload) textAt(from, chars int) string {
	var buffer [64]byte // names fit; a longer text of a safety message costs an allocation more
	return string(p.appendText(buffer[:0], from, chars))
}

// appendText appends the text to dst, as textAt does: eight characters at a time.
func (p *payload) appendText(dst []byte, from, chars int) []byte {
	start := len(dst)
	for chars > 0 {
		eight, n := textBytes(p.fieldAt(uint(from), 48))
		n = min(n, chars)
		dst = binary.BigEndian.AppendUint64(dst, eight)
		dst = dst[:len(dst)-8+n]
		if n < 8 {
			break
		}
		from += 48
		chars -= 8
	}
	return trimBlanks(dst, start)
}

// textBytes is textByte for eight six-bit values in 48 bits. n is how many come before the first '@'.
func textBytes(six uint64) (eight uint64, n int) {
	v := six<<8&0x00ffffff00000000 | six&0xffffff // two times 24 bits, four times 12, eight times 6: sixBits backwards
	v = v<<4&0x0fff00000fff0000 | v&0x00000fff00000fff
	v = v<<2&0x3f003f003f003f00 | v&0x003f003f003f003f
	ended := ^(v + 0x7f*eachByte) & highBits // top bit of a byte: its value is 0
	return v | ^v<<1&(0x40*eachByte), bits.LeadingZeros64(ended) / 8
}

// trimBlanks drops the blanks at the end of what was appended since start.
func trimBlanks(dst []byte, start int) []byte {
	end := len(dst)
	for end > start && dst[end-1] == ' ' {
		end--
	}
	return dst[:end]
}

// textByte returns the character of a six-bit value (ITU-R M.1371-5, table 47): 0..31 are '@'..'_', 32..63 blank..'?'.
func textByte(v byte) byte {
	if v < 32 {
		return v + 64
	}
	return v
}

// textsAt decodes several fields and puts them into one allocation.
func (p *payload) textsAt(fields ...[2]int) (out [3]string) {
	var buffer [64]byte
	var ends [3]int
	all := buffer[:0]
	for i, f := range fields {
		all = p.appendText(all, f[0], f[1])
		ends[i] = len(all)
	}
	whole, start := string(all), 0
	for i := range fields {
		out[i] = whole[start:ends[i]]
		start = ends[i]
	}
	return out
}
