package stats

import (
	"context"
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats/past"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// noted is a Counter that notes what it is handed.
type noted struct {
	fixes map[ais.MMSI]map[int64]bool
	over  time.Time
	t     *testing.T
}

func (n *noted) Take(m ais.MMSI, part ship.Track) {
	if n.fixes[m] == nil {
		n.fixes[m] = map[int64]bool{}
	}
	for i, f := range part {
		if i > 0 && f.Time().Before(n.over) {
			n.t.Errorf("%d: %v comes after %v was over", m, f.Time(), n.over)
		}
		n.fixes[m][f.At] = true
	}
}

func (n *noted) Over(now time.Time) { n.over = now }
func (n *noted) End()               {}

// TestPlacesThatMove: of two far places each ship there is handed on, hour by hour over the border of a step, and one on the date line; none between them.
func TestPlacesThatMove(t *testing.T) {
	b := newBench(t, Kinds()...)
	west, east, between := geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 179.99, Lat: 56}, geo.Point{Lon: 95, Lat: 56}
	for m, at := range map[ais.MMSI]geo.Point{219000001: west, 219000002: east, 219000003: between} {
		var track ship.Track
		for n := range 240 { // 8:00 to 12:00, and noon is the border of a step
			p := geo.Destination(at, 90, float64(n)*20)
			track = append(track, ship.Fix{At: noon().Add(time.Duration(n-120) * time.Minute).UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit)})
		}
		b.put(m, track)
	}
	r := &Run{stats: b.Statistics, going: &going{}, Past: past.New(t.Context(), b.db), Period: statistic.Period{Begin: noon().Add(-3 * time.Hour), End: noon().Add(3 * time.Hour)}}
	got := &noted{fixes: map[ais.MMSI]map[int64]bool{}, t: t}
	steps := 0
	err := r.scanTracks(t.Context(), Question{Counter: got, Where: func(_ context.Context, from, to time.Time) ([]geo.Rect, error) {
		if steps++; to.Sub(from) > 6*time.Hour {
			t.Errorf("from %v to %v at once", from, to)
		}
		return []geo.Rect{geo.RectOf(west).Expand(20_000), geo.RectOf(east).Expand(20_000)}, nil
	}})
	if told := fmt.Sprint(len(got.fixes[219000001]), len(got.fixes[219000002]), len(got.fixes[219000003])); err != nil || told != "240 240 0" || steps != 2 {
		t.Errorf("%v: fixes %s in %d steps", err, told, steps)
	}
	if err := r.scanTracks(t.Context(), Question{Counter: got, Where: func(context.Context, time.Time, time.Time) ([]geo.Rect, error) { return nil, nil }}); err != nil {
		t.Errorf("nowhere: %v", err)
	}
}
