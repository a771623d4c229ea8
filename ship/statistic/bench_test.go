package statistic_test

import (
	"testing"

	"quaywatch/geo"
	"quaywatch/ship/statistic"
)

// BenchmarkCounters asks of the track of a ship that is in the area, or near the line, for most of its time.
func BenchmarkCounters(b *testing.B) {
	d := newDice(5)
	track := d.ferry(1000)
	p := statistic.Period{Begin: track[0].Time(), End: track[999].Time()}
	told := 0
	for name, counter := range map[string]func() statistic.Counter{
		"area": func() statistic.Counter {
			return statistic.NewArea(statistic.AreaQuestion{Period: p, Area: geo.NewArea(geo.Polygon{d.ring(40)})}, func(statistic.Visit) { told++ })
		},
		"passageline": func() statistic.Counter {
			return statistic.NewPassages(statistic.PassageQuestion{Period: p, Line: d.line(4)}, func(statistic.LineCrossing) { told++ })
		},
	} {
		b.Run(name, func(b *testing.B) {
			told = 0
			for b.Loop() {
				c := counter()
				c.Take(1, track)
				c.End()
			}
			if told == 0 {
				b.Fatal("nothing is told")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(track)), "ns/fix")
		})
	}
}
