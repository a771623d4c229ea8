package feed

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// linesOf returns the non-empty lines of a stream that comes in the given pieces.
func linesOf(s *splitter, pieces ...[]byte) (lines []string) {
	keep := func(line []byte) {
		if len(line) > 0 {
			lines = append(lines, string(line))
		}
	}
	for _, p := range pieces {
		for line, rest, ok := s.next(p); ok; line, rest, ok = s.next(rest) {
			keep(line)
		}
	}
	keep(s.lastLine())
	return lines
}

func TestLineEnds(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, row := range []struct {
		name, in string
		want     []string
		long     uint64
	}{
		{"unix", "a\nb\n", []string{"a", "b"}, 0},
		{"windows", "a\r\nb\r\n", []string{"a", "b"}, 0},
		{"old mac", "a\rb\r", []string{"a", "b"}, 0},
		{"mixed, empty lines", "a\n\r\nb\r\r\n\nc\r", []string{"a", "b", "c"}, 0},
		{"no end", "a\nb", []string{"a", "b"}, 0},
		{"nothing", "", nil, 0},
		{"just short enough", long + "\r\na\n", []string{long, "a"}, 0},
		{"one too long", long + "x\r\na\n", []string{"a"}, 1},
		{"too long without an end", "a\n" + long + long, []string{"a"}, 1},
		{"binary", "\x00\xff\x80\na\n", []string{"\x00\xff\x80", "a"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s splitter
			if got := linesOf(&s, []byte(row.in)); !slices.Equal(got, row.want) || s.long != row.long {
				t.Errorf("got %.60q, %d too long; want %.60q, %d", got, s.long, row.want, row.long)
			}
		})
	}
}

// However a stream is cut into reads, its lines are the same, and no more than one line is held.
func TestLinesDoNotDependOnReads(t *testing.T) {
	alphabet := rapid.SampledFrom([]byte("ab!\r\n\n"))
	rapid.Check(t, func(t *rapid.T) {
		stream := rapid.SliceOf(alphabet).Draw(t, "stream")
		for range rapid.IntRange(0, 2).Draw(t, "long lines") {
			stream = slices.Insert(stream, rapid.IntRange(0, len(stream)).Draw(t, "at"), bytes.Repeat([]byte("L"), maxLine-2)...)
		}
		var whole, cut splitter
		want := linesOf(&whole, stream)
		var pieces [][]byte
		for rest := stream; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		got := linesOf(&cut, pieces...)
		if cut.dropped != whole.dropped || whole.dropped < whole.long*maxLine {
			t.Fatalf("cut %v: %d bytes dropped; whole: %d of %d lines", pieces, cut.dropped, whole.dropped, whole.long)
		}
		if !slices.Equal(got, want) || cut.long != whole.long {
			t.Fatalf("cut %v: %q, %d long; whole: %q, %d long", pieces, got, cut.long, want, whole.long)
		}
		if cap(cut.held) > 2*maxLine {
			t.Fatalf("holds %d bytes", cap(cut.held))
		}
	})
}
