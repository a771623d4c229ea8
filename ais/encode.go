package ais

import "strings"

// maxMessageBits is what five slots carry: the longest AIS message (ITU-R M.1371-5, annex 2, 3.2.2.11).
const maxMessageBits = 1008

// Encode returns the bits of a message, left-aligned in data. What is unknown becomes "not available" as AIS codes it.
//
// Errors are: a header with the type of another struct; a text that is too long or has characters without a six-bit code. So are an MMSI of more than 30 bits,
// and a message longer than five slots (1008 bits).
func Encode(m Message) (data []byte, bits int, err error) {
	var c codec
	var p payload
	if err := c.write(&p, m); err != nil {
		return nil, 0, err
	}
	return p.copyBits(nil, 0, p.bits), p.bits, nil
}

// PermittedText reports whether each character of s has a six-bit code in AIS. These have one: capital letters, digits, blank,
// and the punctuation of ASCII without backquote, braces, bar and tilde. '@' ends a text, so it is not permitted. If not ok,
// at is the byte offset of the first character without a code. Call SixBitText first for capital letters.
func PermittedText(s string) (at int, ok bool) {
	for i := range len(s) {
		if s[i] < 32 || s[i] > 95 || s[i] == '@' {
			return i, false
		}
	}
	return 0, true
}

// SixBitText returns s in capital letters, the only ones that AIS has.
func SixBitText(s string) string { return strings.ToUpper(s) }
