package scan

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
)

var begin = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// everywhere is the whole world.
var everywhere = geo.Rect{West: -180, South: -90, East: 180, North: 90}

// told is a fix of a ship.
type told struct {
	mmsi ais.MMSI
	at   int64
}

// filled returns a store with a day of some ships, which are silent for hours now and then and whose receivers lie at times, and what it has of them that is
// true.
func filled(t *testing.T) (db *store.DB, truth map[told]bool) {
	db, err := store.Open(store.Options{Dir: t.TempDir(), FullRate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	truth = map[told]bool{}
	for m := ais.MMSI(219000001); m < 219000021; m++ {
		var track ship.Track
		for at := begin; at.Before(begin.Add(24 * time.Hour)); at = at.Add(time.Duration(1+rand.IntN(400)) * time.Second) {
			if rand.IntN(60) == 0 {
				at = at.Add(time.Duration(rand.IntN(180)) * time.Minute)
			}
			f := ship.Fix{At: at.UnixMilli(), Lon: int32(6_000_000 + 1000*len(track)), Lat: 33_600_000}
			if rand.IntN(20) == 0 {
				f.Mark = ship.Untrusted
			} else {
				truth[told{m, f.At}] = true
			}
			track = append(track, f)
		}
		if _, err := db.ImportTracks([]store.Imported{{MMSI: m, Class: ship.ClassA, Fixes: track}}); err != nil {
			t.Fatal(err)
		}
	}
	return db, truth
}

// TestEveryFixOfThePeriodComesOnce asks in each way for random periods: each true fix of it is handed on, a fix comes twice only where a piece begins with it, the hours
// come in order, and the end of each part of the period is said when its fixes have come.
func TestEveryFixOfThePeriodComesOnce(t *testing.T) {
	db, truth := filled(t)
	for range 12 {
		from := begin.Add(time.Duration(rand.IntN(20*3600)) * time.Second)
		period := statistic.Period{Begin: from, End: from.Add(time.Duration(1+rand.IntN(12*3600)) * time.Second)}
		ships := []ais.MMSI{219000003, 219000002, 219000003}
		for name, asked := range map[string]Extent{
			"near":  {Period: period, Near: everywhere},
			"where": {Period: period, Where: func(context.Context, time.Time, time.Time) ([]geo.Rect, error) { return []geo.Rect{everywhere}, nil }},
			"ships": {Period: period, Ships: ships},
		} {
			got, last, read := map[told]bool{}, map[ais.MMSI]int64{}, time.Time{}
			err := Each(t.Context(), db, asked, func(p Piece) error {
				if len(p.Track) == 0 {
					read = p.Read
					return nil
				}
				for i, f := range p.Track {
					switch {
					case i > 0 && f.At <= p.Track[i-1].At, i > 0 && f.At <= last[p.MMSI] && name == "ships":
						t.Errorf("%s: %d at %d comes again", name, p.MMSI, f.At)
					case i > 0 && f.Time().Before(read):
						t.Errorf("%s: %d at %d comes after all up to %v was read", name, p.MMSI, f.At, read)
					}
					if period.Holds(f.At) {
						got[told{p.MMSI, f.At}] = true
					}
				}
				last[p.MMSI] = p.Track[len(p.Track)-1].At
				return nil
			})
			want := maps.Clone(truth)
			maps.DeleteFunc(want, func(f told, _ bool) bool {
				return !period.Holds(f.at) || asked.Ships != nil && !slices.Contains(ships, f.mmsi)
			})
			if err != nil || !maps.Equal(got, want) || name != "near" && !read.Equal(period.End) {
				t.Errorf("%s from %v to %v: %d fixes of %d, read up to %v: %v", name, period.Begin, period.End, len(got), len(want), read, err)
			}
		}
	}
}

func TestAnErrorEndsIt(t *testing.T) {
	db, _ := filled(t)
	full := errors.New("full")
	asked := Extent{Period: statistic.Period{Begin: begin, End: begin.Add(24 * time.Hour)}, Near: everywhere}
	pieces := 0
	if err := Each(t.Context(), db, asked, func(Piece) error { pieces++; return full }); !errors.Is(err, full) || pieces != 1 {
		t.Errorf("%d pieces, %v", pieces, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Each(ctx, db, asked, func(Piece) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	asked.Where = func(context.Context, time.Time, time.Time) ([]geo.Rect, error) { return nil, full }
	if err := Each(t.Context(), db, asked, func(Piece) error { return nil }); !errors.Is(err, full) {
		t.Error(err)
	}
}
