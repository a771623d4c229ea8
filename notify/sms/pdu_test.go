package sms

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"quaywatch/form/phone"
)

// The messages of published examples have these bytes.
func TestPublishedMessages(t *testing.T) {
	if n := utf8.RuneCountInString(alphabet); n != 128 {
		t.Fatalf("the alphabet has %d letters", n)
	}
	for _, c := range []struct {
		to         phone.Number
		text, want string
		length     int
	}{
		{"+46708251358", "hellohello", "0011000B916407281553F80000A70AE8329BFD4697D9EC37", 23},
		{"+4512345678", "Æ", "0011000A9154214365870000A7011C", 14},
		{"+4512345678", "[€]", "0011000A9154214365870000A706" + septetHex(t, 0x1b, 0x3c, 0x1b, 0x65, 0x1b, 0x3e), 19},
		{"+4512345678", "Жук", "0011000A9154214365870008A70604160443043A", 19},
	} {
		all := pdusOf(c.to, c.text, 9)
		if len(all) != 1 {
			t.Fatalf("%q: %d messages", c.text, len(all))
		}
		if got := strings.ToUpper(hex.EncodeToString(all[0].bytes)); got != c.want || all[0].length != c.length {
			t.Errorf("%q:\n%s of %d, want\n%s of %d", c.text, got, all[0].length, c.want, c.length)
		}
	}
}

// septetHex packs septets by writing all bits as text, the last septet first.
func septetHex(t *testing.T, septets ...byte) string {
	t.Helper()
	bits := ""
	for _, s := range septets {
		bits = fmt.Sprintf("%07b", s) + bits
	}
	for len(bits)%8 != 0 {
		bits = "0" + bits
	}
	out := ""
	for ; bits != ""; bits = bits[:len(bits)-8] {
		n, err := strconv.ParseUint(bits[len(bits)-8:], 2, 8)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("%02X", n)
	}
	return out
}

// heard is a message as a telephone reads it.
type heard struct {
	to                       string
	text                     string
	reference, parts, number int
}

// read is the telephone: it reads the bits of a message as text, and knows nothing of how they were written.
func read(t *testing.T, p pdu) heard {
	t.Helper()
	b := p.bytes
	if b[0] != 0 || len(b)-1 != p.length {
		t.Fatalf("service centre of %d bytes, length %d of %d", b[0], p.length, len(b)-1)
	}
	first, digits := b[1], int(b[3])
	if first&3 != 1 || first&0x18 != 0x10 || b[4] != 0x91 {
		t.Fatalf("%x: no message out, to an international number, with a period", b)
	}
	h := heard{to: "+"}
	at := 5
	for i := range digits {
		h.to += string('0' + rune(b[at+i/2]>>(4*(i%2))&0xf))
	}
	at += (digits + 1) / 2
	scheme, count, data := b[at+1], int(b[at+3]), b[at+4:]
	if len(data) > 140 {
		t.Fatalf("%d bytes of text", len(data))
	}
	skip := 0
	if first&0x40 != 0 {
		if data[0] != 5 || data[1] != 0 || data[2] != 3 {
			t.Fatalf("header % x", data[:6])
		}
		h.reference, h.parts, h.number, skip = int(data[3]), int(data[4]), int(data[5]), 6
	}
	if scheme == 8 {
		if count != len(data) {
			t.Fatalf("%d bytes, said %d", len(data), count)
		}
		var units []uint16
		for i := skip; i < count; i += 2 {
			units = append(units, uint16(data[i])<<8|uint16(data[i+1]))
		}
		h.text = string(utf16.Decode(units))
		return h
	}
	bits := ""
	for _, one := range data {
		bits = fmt.Sprintf("%08b", one) + bits
	}
	if count > 160 || len(data) != (count*7+7)/8 {
		t.Fatalf("%d septets in %d bytes", count, len(data))
	}
	letters := []rune(alphabet)
	more := map[int]rune{0x14: '^', 0x28: '{', 0x29: '}', 0x2f: '\\', 0x3c: '[', 0x3d: '~', 0x3e: ']', 0x40: '|', 0x65: '€'}
	escaped := false
	for i := (skip*8 + 6) / 7; i < count; i++ {
		end := len(bits) - 7*i
		n, err := strconv.ParseInt(bits[end-7:end], 2, 8)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case escaped:
			h.text += string(more[int(n)])
			escaped = false
		case n == escape:
			escaped = true
		default:
			h.text += string(letters[n])
		}
	}
	if escaped {
		t.Fatal("a letter is cut in two")
	}
	return h
}

// Any text comes back whole from its parts, in the fewest messages of its coding, and a longer one is cut and says so.
func TestTextsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	gsm := strings.ReplaceAll(alphabet, "\x1b", "") + "^{}\\[~]|€"
	for round := range 600 {
		letters := []rune(gsm)
		if round%2 == 1 {
			letters = append([]rune("ЖΩ漢😀éa "), letters[:20]...)
		}
		var b strings.Builder
		for range random.IntN(1100) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		text := clean(b.String())
		all := pdusOf("+4512345678", text, 77)
		whole := ""
		for i, p := range all {
			h := read(t, p)
			if h.to != "+4512345678" || len(all) > 1 && (h.reference != 77 || h.parts != len(all) || h.number != i+1) {
				t.Fatalf("%q: part %d: %+v", text, i, h)
			}
			whole += h.text
		}
		start, cut := strings.CutSuffix(whole, "...")
		if whole != text && !(cut && len(all) == MostParts && strings.HasPrefix(text, start) && utf8.RuneCountInString(start) > 100) {
			t.Fatalf("%d parts of %q give %q", len(all), text, whole)
		}
	}
}

// The borders of one message, and of two.
func TestParts(t *testing.T) {
	for text, want := range map[string]int{
		"":                        1,
		strings.Repeat("a", 160):  1,
		strings.Repeat("a", 161):  2,
		strings.Repeat("a", 306):  2,
		strings.Repeat("a", 307):  3,
		strings.Repeat("€", 80):   1,
		strings.Repeat("€", 81):   2,
		strings.Repeat("Ж", 70):   1,
		strings.Repeat("Ж", 71):   2,
		strings.Repeat("😀", 35):   1,
		strings.Repeat("😀", 36):   2,
		strings.Repeat("a", 5000): MostParts,
	} {
		if got := len(pdusOf("+4512345678", text, 1)); got != want {
			t.Errorf("%d letters %.3q: %d messages, want %d", utf8.RuneCountInString(text), text, got, want)
		}
	}
}
