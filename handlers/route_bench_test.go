package handlers

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkRoute is a whole request for a way from a place in the Atlantic to a port of any ocean. None was asked for before, or always the same.
func BenchmarkRoute(b *testing.B) {
	ports := []string{"NLRTM", "SGSIN", "USNYC", "DKAAR", "CNSHA", "BRSSZ", "ZADUR", "AUSYD", "DEHAM", "JPYOK", "GRPIR", "INNSA", "USLAX", "PAONX", "EGPSD", "NOBGO", "FIHEL",
		"MATNG", "CLVAP", "KEMBA"}
	s := newSite(b)
	asked := 0
	ask := func(i int) int {
		const body = `{"source":{"position":{"type":"Point","coordinates":[%.6f,%.6f]}},"destination":{"port":{"locode":%q}}}`
		return s.fetch("POST", portserver+"/ship/route/execute",
			fmt.Sprintf(body, -40+math.Mod(0.37713*float64(i), 20), 30+math.Mod(0.23171*float64(i), 20), ports[i%len(ports)])).Body.Len()
	}
	for _, again := range []bool{false, true} {
		b.Run(fmt.Sprintf("again=%v", again), func(b *testing.B) {
			bytes, i := 0, 0
			for b.Loop() {
				if !again {
					asked++ // also over the rounds of a benchmark
					i = asked
				}
				bytes += ask(i)
			}
			if bytes < b.N*500 {
				b.Fatalf("%d bytes in %d answers", bytes, b.N)
			}
		})
	}
}
