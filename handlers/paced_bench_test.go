package handlers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/traffic"
)

// BenchmarkMakeAPacedPicture is how long the first caller at a delay waits for its paced picture. There are 20,000 ships, of which the store has
// a fix a minute of the last two hours.
func BenchmarkMakeAPacedPicture(b *testing.B) {
	s := newSite(b)
	const ships, minutes = 20000, 120
	for minute := range minutes {
		now := noon().Add(time.Duration(minute) * time.Minute)
		s.batch.Reset()
		for i := range ships {
			s.hash++
			p := position(ais.MMSI(219000000+i), float64(i%180), 50+float64(minute)/1000, 50, 900)
			s.batch.Reports = append(s.batch.Reports, ais.Report{Message: p, Hash: s.hash, Received: now, Feed: "roof"})
		}
		s.picture.Apply(&s.batch, s.db)
		s.picture.Tick(now.Add(time.Second), s.db)
		s.settle()
	}
	now := s.picture.Now()
	for _, delay := range []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour} {
		b.Run(fmt.Sprint(delay), func(b *testing.B) {
			for b.Loop() {
				d := traffic.NewPaced(s.picture, traffic.Pace{Delay: delay}, now)
				if err := d.Backfill(context.Background(), traffic.History{Track: s.db.Track, Static: s.db.StaticAt}); err != nil {
					b.Fatal(err)
				}
				if d.Picture().Len() == 0 && delay < time.Hour {
					b.Fatal("the picture has no ship")
				}
				b.ReportMetric(float64(d.Picture().Len()), "ships")
			}
		})
	}
}
