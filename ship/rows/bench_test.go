package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// BenchmarkRows reads rows as NOAA has them, and fails when it had none. allocs/op is for 10,000 rows with their header.
func BenchmarkRows(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "%d,2022-01-03T%02d:%02d:%02d,%.5f,%.5f,%.1f,%.1f,%d,EAGLE %d,IMO8207721,WTD4583,31,0,28,11,3.3,52,A\n",
			367000000+i%500, i/3600, i/60%60, i%60, 30+float64(i%1000)/1000, -88-float64(i%777)/777, float64(i%200)/10, float64(i%3600)/10, i%360, i%500)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(text.Bytes()), Options{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			var row Row
			err := r.Next(&row)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || !row.HasFix {
				b.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatalf("%d rows", n)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	}
}
