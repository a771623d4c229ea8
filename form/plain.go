package form

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"quaywatch/internal/rule"
)

// byteOrderMark is how some programs begin a text in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// Plain brings JSON into the form in which it is read, in place. That is without a byte order mark, and with whole numbers as 5.0 written as 5. It returns the
// rule that a text breaks whose characters cannot be kept: bytes that are no UTF-8, or half a surrogate pair.
func Plain(body []byte) *rule.Rule {
	if bytes.HasPrefix(body, []byte(byteOrderMark)) {
		copy(body, "   ")
	}
	if at := badUTF8(body); at >= 0 {
		return rule.New("no_utf8", "must be UTF-8, and is not at byte {offset}", "offset", at)
	}
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '"':
			end, half := textEnd(body, i)
			if half >= 0 {
				return rule.New("half_character", "has half a character at byte {offset}: a surrogate without the other", "offset", half)
			}
			i = end
		case c >= '0' && c <= '9':
			i = wholeNumber(body, i)
		default:
			i++
		}
	}
	return nil
}

// badUTF8 returns the place of the first byte that is no UTF-8, -1 for none.
func badUTF8(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	at := 0
	for at < len(body) {
		r, size := utf8.DecodeRune(body[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}

// textEnd returns the place behind the string that begins at from, and that of its first half surrogate pair, -1 for none.
func textEnd(body []byte, from int) (end, half int) {
	for i := from + 1; i < len(body); i++ {
		switch body[i] {
		case '"':
			return i + 1, -1
		case '\\':
			if r, ok := escaped(body, i); ok && utf16.IsSurrogate(r) {
				low, _ := escaped(body, i+6)
				if utf16.DecodeRune(r, low) == utf8.RuneError {
					return i, i
				}
				i += 10
			}
			i++
		}
	}
	return len(body), -1
}

// escaped reads \uXXXX at a place.
func escaped(body []byte, at int) (rune, bool) {
	if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(body[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}

// wholeNumber puts blanks in the place of decimals that are all zero, and returns the place behind the number.
func wholeNumber(body []byte, from int) int {
	point, zeros, i := -1, true, from
	for ; i < len(body) && bytes.IndexByte([]byte("0123456789.eE+-"), body[i]) >= 0; i++ {
		switch {
		case point < 0 && body[i] == '.':
			point = i
		case body[i] < '0' || body[i] > '9':
			zeros = false
		case point >= 0 && body[i] != '0':
			zeros = false
		}
	}
	if point >= 0 && zeros && point+1 < i {
		for at := point; at < i; at++ {
			body[at] = ' '
		}
	}
	return i
}
