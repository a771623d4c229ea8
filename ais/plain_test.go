package ais

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlain changes sentences byte by byte, with and without a right checksum. It wants the same reports and counters from
// the fast path for plain sentences as from the path for all other lines.
func TestPlain(t *testing.T) {
	taken := 0
	compare := func(line []byte) {
		short, long := NewDecoder(DecoderConfig{Feed: "roof"}), NewDecoder(DecoderConfig{Feed: "roof"})
		var a, b Batch
		if short.decodePlain(&a, line, start) {
			taken++
		} else {
			short.mixed(&a, line, start)
		}
		long.mixed(&b, line, start)
		if short.Counters() != long.Counters() {
			t.Errorf("%q: counted %+v, want %+v", line, short.Counters(), long.Counters())
		}
		if diff := cmp.Diff(b.Reports, a.Reports); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
	for line := range SplitLines(sentencesOf(t, inventedMessages())) {
		compare(line)
		for i := range line {
			for _, c := range []byte("!*,05:AOWX`\x7f\x80") {
				spoilt := bytes.Clone(line)
				spoilt[i] = c
				compare(spoilt)
				if end := bytes.LastIndexByte(spoilt, '*'); end > 0 && end < len(spoilt)-2 {
					compare([]byte("!" + sealed(string(spoilt[1:end]))))
				}
			}
		}
	}
	if taken < 1000 {
		t.Errorf("%d lines went the short way", taken)
	}
}
