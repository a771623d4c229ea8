package sms

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// The alphabet of 3GPP TS 23.038: the place of a letter is its number. escape stands before letters of the extension.
const (
	alphabet = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	escape   = 0x1b
)

// extension returns the letters that take two septets.
func extension(c rune) (septet byte, ok bool) {
	septet, ok = map[rune]byte{'^': 0x14, '{': 0x28, '}': 0x29, '\\': 0x2f, '[': 0x3c, '~': 0x3d, ']': 0x3e, '|': 0x40, '€': 0x65}[c]
	return septet, ok
}

// septetsOf returns the letters of a text in the GSM alphabet, each of one or two septets. It is false for a text with other letters.
func septetsOf(text string) (all [][]byte, ok bool) {
	numbers := map[rune]byte{}
	n := byte(0)
	for _, c := range alphabet {
		numbers[c] = n
		n++
	}
	for _, c := range text {
		if septet, extended := extension(c); extended {
			all = append(all, []byte{escape, septet})
			continue
		}
		septet, known := numbers[c]
		if !known || septet == escape {
			return nil, false
		}
		all = append(all, []byte{septet})
	}
	return all, true
}

// unitsOf returns the letters of a text in UCS2, each of two bytes, or of four for a pair of surrogates.
func unitsOf(text string) (all [][]byte) {
	for _, c := range text {
		var letter []byte
		for _, unit := range utf16.AppendRune(nil, c) {
			letter = append(letter, byte(unit>>8), byte(unit))
		}
		all = append(all, letter)
	}
	return all
}

// packSeptets writes septets one after the other without the eighth bit, from a bit of the first byte on.
func packSeptets(septets []byte, from int) []byte {
	packed := make([]byte, (from+7*len(septets)+7)/8)
	for i, s := range septets {
		at := from + 7*i
		wide := uint16(s) << (at % 8)
		packed[at/8] |= byte(wide)
		if wide > 0xff {
			packed[at/8+1] |= byte(wide >> 8)
		}
	}
	return packed
}

// clean leaves out what no telephone shows. A line may end as it does on any system.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "?"))
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c != '\n' && unicode.IsControl(c) {
			return -1
		}
		return c
	}, text))
}
