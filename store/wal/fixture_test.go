package wal

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// at0 is 2026-03-01 10:00:00 UTC.
const at0 = int64(1772359200000)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sail returns n fixes of a ship that makes a wide turn, a fix every step milliseconds from the time from.
func sail(from int64, n int, step int64) []ship.Fix {
	fixes := make([]ship.Fix, n)
	for i := range fixes {
		cog := (450 + 7*i) % 3600
		fixes[i] = ship.Fix{At: from + int64(i)*step, Lon: 6_130_000 + int32(320*i), Lat: 33_690_000 + int32(190*i), SOG: ais.SOGTenths(120 + i%3),
			COG: ais.COGTenths(cog), Heading: ais.HeadingDegrees(cog / 10), ROT: ais.RawROT(i % 5)}
	}
	return fixes
}
