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

// TestPartsByPort joins the parts of two programs of one host that number their messages alike, and those of a program that sends each
// from another port.
func TestPartsByPort(t *testing.T) {
	a, b := partsOfType5(t, 219000001, '1'), partsOfType5(t, 219000002, '1')
	long := func(mmsi MMSI) []string {
		return strings.Fields(string(sentencesOf(t, []Message{&BroadcastSafety{Header: Header{Type: 14, MMSI: mmsi}, Text: strings.Repeat("KEEP CLEAR ", 14)}})))
	}
	c, e := long(219000003), long(219000004)
	if len(c) != 3 {
		t.Fatalf("%d parts", len(c))
	}
	type part struct {
		port   uint16
		steady bool
		line   string
	}
	for _, row := range []struct {
		name  string
		parts []part
		want  []MMSI
	}{
		{"two programs", []part{{1, false, a[0]}, {2, false, b[0]}, {1, true, a[1]}, {2, true, b[1]}}, []MMSI{219000001, 219000002}},
		{"two programs, the other first", []part{{1, true, a[0]}, {2, true, b[0]}, {2, true, b[1]}, {1, true, a[1]}}, []MMSI{219000002, 219000001}},
		{"a start is lost", []part{{2, true, b[0]}, {1, true, a[1]}, {2, true, b[1]}}, []MMSI{219000002}},
		{"three parts", []part{{1, false, c[0]}, {2, false, e[0]}, {1, true, c[1]}, {2, true, e[1]}, {1, true, c[2]}, {2, true, e[2]}}, []MMSI{219000003, 219000004}},
		{"a port for each", []part{{1, false, c[0]}, {2, false, c[1]}, {3, false, c[2]}}, []MMSI{219000003}},
		{"a port for each of two programs", []part{{1, false, a[0]}, {2, false, b[0]}, {3, false, a[1]}, {4, false, b[1]}}, nil},
		{"a port for each beside a steady one", []part{{1, false, a[0]}, {9, true, b[0]}, {2, false, a[1]}, {9, true, b[1]}}, []MMSI{219000001, 219000002}},
	} {
		d, batch := NewDecoder(DecoderConfig{}), &Batch{}
		for _, p := range row.parts {
			d.From(p.port, p.steady)
			d.Line(batch, []byte(p.line), start)
		}
		var got []MMSI
		for _, r := range batch.Reports {
			got = append(got, r.Message.Head().MMSI)
		}
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
