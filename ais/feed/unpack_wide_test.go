//go:build !race

package feed

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestOpenLogOfUTF16 reads a log in both orders of bytes, longer than one read, with its mark and without, packed and not.
func TestOpenLogOfUTF16(t *testing.T) {
	want := strings.Repeat("2026-11-20 12:00:00 !AIVDM,1,1,,A,13ANGl@P2F0g9U0P6LH3Q2l00000,0*01\r\n", 5000)
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		for _, mark := range []bool{true, false} {
			var text []byte
			if mark {
				text = order.AppendUint16(nil, 0xfeff)
			}
			for _, c := range utf16.Encode([]rune(want)) {
				text = order.AppendUint16(text, c)
			}
			for packing, packed := range packedAs(t, text) {
				log, err := logOf(t, packed)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(log); err != nil || string(got) != want {
					t.Errorf("%s, mark %v, %s: %v, %d bytes, want %d", name, mark, packing, err, len(got), len(want))
				}
			}
		}
	}
}

// TestBytesThatAreNotUTF16: a log in ASCII, one with some zeros in it, and one too short to tell are read as they are.
func TestBytesThatAreNotUTF16(t *testing.T) {
	const sentence = "!AIVDM,1,1,,A,13ANGl@P2F0g9U0P6LH3Q2l00000,0*01\r\n"
	for _, want := range []string{sentence, "", "a\x00", "a\x00b\x00c\x00", strings.Repeat("\x00", 100) + sentence, "UdPbC\x00" + sentence, strings.Repeat("a\x00b", 30)} {
		log, err := logOf(t, []byte(want))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(log); err != nil || string(got) != want {
			t.Errorf("%q is read as %q, %v", want, got, err)
		}
	}
}
