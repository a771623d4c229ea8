package sms

import (
	"slices"

	"quaywatch/form/phone"
)

// MostParts is how many messages one notice may become. A longer text is cut, and ends with "...".
const MostParts = 6

// coding is how the letters of a message are written (3GPP TS 23.040, TP-DCS).
type coding struct {
	scheme      byte
	alone, part int // what a message takes in units, alone and as a part of several
	unit        int // bytes of our letters that are one unit: a septet, or two bytes
}

// The codings.
func gsm7() coding { return coding{scheme: 0x00, alone: 160, part: 153, unit: 1} }
func ucs2() coding { return coding{scheme: 0x08, alone: 70, part: 67, unit: 2} }

// pdu is a SMS-SUBMIT as a modem takes it.
type pdu struct {
	bytes  []byte // with the length of the service centre, which is the one of the SIM card
	length int    // without that, as AT+CMGS asks for it
}

// pdusOf writes a text as messages to a number. reference is the same for all of them, so that a telephone joins them.
func pdusOf(to phone.Number, text string, reference byte) []pdu {
	text = clean(text)
	c := gsm7()
	letters, plain := septetsOf(text)
	dots, _ := septetsOf("...")
	if !plain {
		c = ucs2()
		letters, dots = unitsOf(text), unitsOf("...")
	}
	parts := c.splitLetters(letters, dots)
	var all []pdu
	for i, part := range parts {
		all = append(all, c.submit(to, part, header{reference, byte(len(parts)), byte(i + 1)}))
	}
	return all
}

// splitLetters cuts letters into what fits into messages. No letter is cut in two.
func (c *coding) splitLetters(letters, dots [][]byte) (parts [][]byte) {
	if whole := slices.Concat(letters...); len(whole) <= c.alone*c.unit {
		return [][]byte{whole}
	}
	room := c.part * c.unit
	var part []byte
	for _, letter := range letters {
		if len(part)+len(letter) > room {
			parts = append(parts, part)
			part = nil
		}
		part = append(part, letter...)
	}
	if parts = append(parts, part); len(parts) > MostParts {
		parts = parts[:MostParts]
		parts[MostParts-1] = c.shorten(letters, parts, slices.Concat(dots...))
	}
	return parts
}

// shorten returns the last part again, so that the dots have room behind it.
func (c *coding) shorten(letters, parts [][]byte, dots []byte) (last []byte) {
	before := len(slices.Concat(parts[:MostParts-1]...))
	at := 0
	for _, letter := range letters {
		if at += len(letter); at <= before {
			continue
		}
		if len(last)+len(letter)+len(dots) > c.part*c.unit {
			break
		}
		last = append(last, letter...)
	}
	return append(last, dots...)
}

// header says which part of a text a message is.
type header struct{ reference, parts, number byte }

// submit writes one message: no service centre, no answer asked for, valid for a day.
func (c *coding) submit(to phone.Number, part []byte, h header) pdu {
	const submit, period, withHeader = 0x01, 0x10, 0x40
	const international, day = 0x91, 0xa7
	first := byte(submit | period)
	var data []byte
	count := len(part) / c.unit // of septets, or below of bytes
	if h.parts > 1 {
		first |= withHeader
		data = []byte{5, 0, 3, h.reference, h.parts, h.number}
	}
	if c.unit == 1 {
		bits := 8 * len(data)
		fill := (7 - bits%7) % 7
		count += (bits + fill) / 7
		data = append(data, packSeptets(part, fill)...)
	} else {
		data = append(data, part...)
		count = len(data)
	}
	digits := to.Digits()
	body := []byte{first, 0, byte(len(digits)), international}
	body = append(body, semiOctets(digits)...)
	body = append(body, 0, c.scheme, day, byte(count))
	body = append(body, data...)
	return pdu{append([]byte{0}, body...), len(body)}
}

// semiOctets writes digits two in a byte, the first of them in the lower half.
func semiOctets(digits string) (all []byte) {
	for i := 0; i < len(digits); i += 2 {
		high := byte(0xf)
		if i+1 < len(digits) {
			high = digits[i+1] - '0'
		}
		all = append(all, high<<4|(digits[i]-'0'))
	}
	return all
}
