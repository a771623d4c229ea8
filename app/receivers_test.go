//go:build !race

package app

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
)

// moored is a ship of which a box hears that it is moored, some metres east of its berth. The box stands over starts.
type moored struct {
	t     *testing.T
	dir   string
	at    time.Time
	count uint64
}

// boot opens the store of the box, and returns the picture that it starts with.
func (m *moored) boot() (*store.DB, *traffic.Picture) {
	m.t.Helper()
	db, err := store.Open(store.Options{Dir: m.dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		m.t.Fatal(err)
	}
	rules := traffic.DefaultConfig()
	rules.Clock = ais.LogClock
	picture := traffic.New(rules)
	picture.Restore(db.States())
	LearnReceivers(picture, db, db.States())
	return db, picture
}

// lies returns the times of the stored places that are untrusted, when the box is started anew before each of the reports that again tells.
func (m *moored) lies(metres []float64, again func(i int) bool) (times []int64) {
	m.t.Helper()
	db, picture := m.boot()
	for i, east := range metres {
		if again(i) {
			if err := db.Close(); err != nil {
				m.t.Fatal(err)
			}
			db, picture = m.boot()
		}
		m.at = m.at.Add(3 * time.Minute)
		m.count++
		p := geo.Destination(geo.Point{Lon: 10.14, Lat: 54.33}, 90, east)
		picture.Apply(&ais.Batch{Reports: []ais.Report{{Received: m.at, Sent: m.at, Feed: "roof", Hash: m.count, Message: &ais.PositionReport{
			Header: ais.Header{Type: 1, MMSI: 219000001}, Status: ais.StatusMoored, Second: 60, COG: 3600, Heading: 511,
			Place: ais.Place{Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000)}}}}}, db)
	}
	if err := db.Close(); err != nil {
		m.t.Fatal(err)
	}
	db, _ = m.boot()
	defer db.Close()
	track, err := db.Track(context.Background(), 219000001, m.at.Add(-24*time.Hour), m.at.Add(time.Hour))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, f := range track {
		if !f.Trusted() {
			times = append(times, f.At)
		}
	}
	if len(track) == 0 || track[len(track)-1].Mark&ship.Untrusted != 0 {
		m.t.Fatalf("%d fixes; the ship is untrusted in the end", len(track))
	}
	return times
}

// TestAStartForgetsNoBerth: whenever the box is started anew, before a receiver lies, while it does or behind it, the same places are untrusted.
func TestAStartForgetsNoBerth(t *testing.T) {
	metres := slices.Repeat([]float64{0}, 20)                                     // an hour at the berth
	metres = append(metres, 5000, 5000, 5200, 4000, 5000, 5000)                   // the receiver lies
	metres = append(append(metres, 10, 10), slices.Repeat([]float64{3000}, 4)...) // and again
	metres = append(metres, 0, 0)
	box := func() *moored {
		return &moored{t: t, dir: t.TempDir(), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	}
	want := box().lies(metres, func(int) bool { return false })
	if len(want) != 10 {
		t.Fatalf("%d places are untrusted", len(want))
	}
	if got := box().lies(metres, func(i int) bool { return i > 3 }); !slices.Equal(got, want) {
		t.Errorf("with a start before each report %d places are untrusted, want %d", len(got), len(want))
	}
}
