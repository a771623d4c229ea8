package statistic_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// sailed joins the pieces that are told.
func sailed(t *testing.T, q statistic.TracksQuestion, feed func(statistic.Counter)) tracks {
	all := tracks{}
	feed(statistic.NewTracks(q, func(p statistic.TrackPiece) {
		if len(p.Track) == 0 || len(p.Track) > 1000 || len(p.Moments()) != len(p.Track) || p.Moments()[0] != (statistic.Moment{MMSI: p.MMSI, Fix: p.Track[0]}) {
			t.Errorf("a piece of %d fixes", len(p.Track))
		}
		all[p.MMSI] = append(all[p.MMSI], p.Track...)
	}))
	return all
}

// TestTracksInPieces: the pieces are what thinning the whole track gives, whole and in hours.
func TestTracksInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	all := invented(r, 10, geo.Point{Lon: 180}, 5000, 400, nearDay().Add(20*time.Hour), 30)
	period := statistic.Period{Begin: nearDay().Add(21*time.Hour + 3*time.Second), End: nearDay().Add(47*time.Hour + 30*time.Minute)}
	for _, resolution := range []time.Duration{0, time.Second, time.Minute, 7 * time.Minute, 2 * time.Hour, 24 * time.Hour} {
		q := statistic.TracksQuestion{Period: period, Resolution: resolution}
		whole, hours := sailed(t, q, all.whole), sailed(t, q, func(c statistic.Counter) { all.inHours(r, c) })
		segments := 0
		for m, track := range all {
			want := track.Within(period.Begin, period.End).Thin(resolution)
			if !slices.Equal(whole[m], want) || !slices.Equal(hours[m], want) {
				t.Errorf("every %s: %d fixes, %d in hours, want %d", resolution, len(whole[m]), len(hours[m]), len(want))
			}
			for _, f := range want {
				segments += int(f.Mark & ship.NewSegment)
			}
		}
		if segments == 0 {
			t.Errorf("every %s: no segment began", resolution)
		}
	}
}

// TestTracksOfShipsInAShape: the whole track of a ship is told if it was seen in the shape, from begin up to end.
func TestTracksOfShipsInAShape(t *testing.T) {
	in, out, late := ais.MMSI(1), ais.MMSI(2), ais.MMSI(3)
	all := tracks{
		in:   {nearFix(clock(1, 0, 0), 9, 55, 8, 90), nearFix(clock(2, 0, 0), 10, 55, 8, 90), nearFix(clock(3, 0, 0), 11, 55, 8, 90)},
		out:  {nearFix(clock(1, 0, 0), 9, 55, 8, 90), nearFix(clock(3, 0, 0), 11, 55, 8, 90)},
		late: {nearFix(clock(1, 0, 0), 9, 55, 8, 90), nearFix(clock(4, 0, 0), 10, 55, 8, 90)},
	}
	period := statistic.Period{Begin: time.UnixMilli(clock(1, 0, 0)), End: time.UnixMilli(clock(4, 0, 0))}
	seen := statistic.NewSeen(period, geo.NewArea(squareAt(geo.Point{Lon: 10, Lat: 55}, 5000)))
	all.whole(seen)
	if first, ok := seen.First(in); !ok || first != (statistic.Moment{MMSI: in, Fix: all[in][1]}) || seen.Has(out) || seen.Has(late) {
		t.Errorf("first %+v, %v; %v, %v", first, ok, seen.Has(out), seen.Has(late))
	}
	got := sailed(t, statistic.TracksQuestion{Period: period, Only: seen.Has}, all.whole)
	if len(got) != 1 || !slices.Equal(got[in], all[in]) {
		t.Errorf("tracks %v", got)
	}
}

// TestTracksOfARecording: the Solent every ten seconds.
func TestTracksOfARecording(t *testing.T) {
	all := solent(t)
	period := statistic.Period{Begin: time.Date(2016, 1, 12, 13, 10, 0, 0, time.UTC), End: time.Date(2016, 1, 12, 15, 0, 0, 0, time.UTC)}
	got := sailed(t, statistic.TracksQuestion{Period: period, Resolution: 10 * time.Second}, func(c statistic.Counter) { all.inHours(rand.New(rand.NewPCG(1, 1)), c) })
	fixes := 0
	for m, track := range all {
		want := track.Within(period.Begin, period.End).Thin(10 * time.Second)
		fixes += len(want)
		if !slices.Equal(got[m], want) {
			t.Errorf("%d: %d fixes, want %d", m, len(got[m]), len(want))
		}
	}
	if fixes < 1000 {
		t.Errorf("only %d fixes", fixes)
	}
}
