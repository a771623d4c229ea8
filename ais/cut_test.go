package ais

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// ahead is a position of another ship than position.
const ahead = "!AIVDM,1,1,,B,13aI8e?P00PGpU:NR6s00?vT2000,0*38"

// TestCutSentences takes a sentence whole that stands at once behind one that was cut, wherever that was.
func TestCutSentences(t *testing.T) {
	whole := "!" + sealed(strings.TrimSuffix(ahead[1:], ahead[len(ahead)-3:]))
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	stamped := tag("s:pier,c:"+fmt.Sprint(at.Unix())) + whole
	cuts := map[string]string{}
	for n := 1; n < len(position); n++ {
		cuts[fmt.Sprint("a position after ", n)] = position[:n]
	}
	for _, cut := range []string{
		"$GPRMC,120000,A,5359.79", "$GP", "$GPZDA,120000.00,20,11,2026,00,00*6", tag("s:roof,c:1763640000")[:20], `\s:roof`, `\`,
		"!AIVDM,2,1,3,A,55?MbV02;H;s<HtKR2", "2026-11-20 12:00:00 !AIVDM,1,1,,A,13@n", position + "!AIVDM,1,1,,A,13@ng",
	} {
		cuts[cut] = cut
	}
	for name, cut := range cuts {
		for _, next := range []string{whole, stamped} {
			d, b := NewDecoder(DecoderConfig{}), &Batch{}
			d.Line(b, []byte(cut+next), start)
			want := 1 + strings.Count(cut, position)
			if len(b.Reports) != want || string(b.Reports[want-1].Raw) != whole {
				t.Errorf("%s: %d reports, want %d: refused %v", name, len(b.Reports), want, d.Counters().Bad)
				continue
			}
			if r := b.Reports[want-1]; next == stamped && (r.Station != "pier" || !r.Sent.Equal(at)) {
				t.Errorf("%s: of station %q at %v", name, r.Station, r.Sent)
			}
		}
	}
}
