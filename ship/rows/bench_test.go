package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// noaaRows returns so many rows of 500 ships as NOAA has them, with their header.
func noaaRows(n int) []byte {
	var text bytes.Buffer
	text.WriteString("MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,2022-01-03T%02d:%02d:%02d,%.5f,%.5f,%.1f,%.1f,%d,EAGLE %d,IMO8207721,WTD4583,31,0,28,11,3.3,52,A\n",
			367000000+i%500, i/3600%24, i/60%60, i%60, 30+float64(i%1000)/1000, -88-float64(i%777)/777, float64(i%200)/10, float64(i%3600)/10, i%360, i%500)
	}
	return text.Bytes()
}

// countRows reads all rows, and fails when one is refused.
func countRows(tb testing.TB, text []byte) (n int) {
	tb.Helper()
	r, err := NewReader(bytes.NewReader(text), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var row Row
	for {
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil || !row.HasFix {
			tb.Fatal(err)
		}
		n++
	}
}

// BenchmarkRows reads 10,000 rows, and fails when it had fewer.
func BenchmarkRows(b *testing.B) {
	text := noaaRows(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		n := countRows(b, text)
		if n != 10_000 {
			b.Fatalf("%d rows", n)
		}
		total += n
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "rows/s")
}

// TestARowAllocatesNothing: ten times as many rows take no more allocations.
func TestARowAllocatesNothing(t *testing.T) {
	few, many := noaaRows(2_000), noaaRows(20_000)
	count := func(text []byte, want int) float64 {
		return testing.AllocsPerRun(3, func() {
			if n := countRows(t, text); n != want {
				t.Fatalf("%d rows", n)
			}
		})
	}
	if a, b := count(few, 2_000), count(many, 20_000); b > a+20 {
		t.Errorf("%.0f allocations for 2,000 rows, %.0f for 20,000", a, b)
	}
}
