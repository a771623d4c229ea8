package feed

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestOpenLogOfUTF16 reads a log in both orders of bytes, longer than one read.
func TestOpenLogOfUTF16(t *testing.T) {
	want := strings.Repeat("2026-11-20 12:00:00 !AIVDM,1,1,,A,13ANGl@P2F0g9U0P6LH3Q2l00000,0*01\r\n", 5000)
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		packed := order.AppendUint16(nil, 0xfeff)
		for _, c := range utf16.Encode([]rune(want)) {
			packed = order.AppendUint16(packed, c)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, packed, 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(log)
		if log.Close(); err != nil || string(got) != want {
			t.Errorf("%s: %v, %d bytes, want %d", name, err, len(got), len(want))
		}
	}
}
