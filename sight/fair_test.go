package sight

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/fairshare"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users/access/filter"
)

// crowded returns a Sight of some ships, with one place for all callers. Its clock is asked for each ship that a filter looks at.
func crowded(t *testing.T, ships int) *Sight {
	t.Helper()
	p, states := traffic.New(traffic.DefaultConfig()), make([]ship.State, ships)
	for i := range states {
		states[i] = ship.State{MMSI: ais.MMSI(219000000 + i), HasFix: true, Fix: ship.Fix{At: noon().UnixMilli(), Lon: 10 * 600000, Lat: 56 * 600000},
			Heard: noon().UnixMilli(), Reports: ship.ConfirmedReports, Static: &ship.Static{Name: "FLEET", At: 1}}
	}
	p.Restore(states)
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &Sight{config: Config{Picture: p, DB: db, Now: noon}, places: fairshare.New(1), reading: fairshare.New(1)}
}

// looker returns a caller that has not signed in, and that sees Danish ships alone.
func (s *Sight) looker(caller string) *Viewer {
	names := filter.NameSource{}
	view := names.View(filter.Rules{Filters: []form.Keys{{"countries": json.RawMessage("[219]")}}, Satellites: true, Tags: func(string) []string { return nil }})
	return &Viewer{sight: s, view: view, from: &pacedPicture{picture: s.config.Picture}, caller: caller}
}

// questions are what a reader may ask, each of all ships of crowded.
func questions() map[string]func(context.Context, *Viewer) (ships int, err error) {
	corner := func(lon, lat float64) geo.Point { return geo.Point{Lon: lon, Lat: lat} }
	area := geo.Polygon{{corner(9, 55), corner(11, 55), corner(11, 57), corner(9, 55)}}
	return map[string]func(context.Context, *Viewer) (int, error){
		"search": func(ctx context.Context, v *Viewer) (int, error) {
			found, err := v.Search(ctx, "fleet", 0, 1)
			return found.Total, err
		},
		"area": func(ctx context.Context, v *Viewer) (int, error) {
			found, err := v.Inside(ctx, nil, area, noon().Add(-time.Hour))
			return len(found), err
		},
		"identify": func(ctx context.Context, v *Viewer) (int, error) {
			found, _, err := v.Identify(ctx, ship.Identity{Name: "FLEET"}, time.Time{})
			return len(found), err
		},
		"kept ships": func(ctx context.Context, v *Viewer) (int, error) {
			all, _, err := v.Identify(ctx, ship.Identity{Name: "FLEET"}, time.Time{})
			if err != nil {
				return 0, err
			}
			found, err := v.Shown(ctx, all)
			return len(found), err
		},
	}
}

// One address asks fifty questions at once, and again and again. Between two turns of another address it has one.
func TestOneCallerDoesNotHoldUpAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ships, greedy = 64, 50
		s := crowded(t, ships)
		looked := func(count *atomic.Int64) *Sight { // shares the places and the ships
			other := &Sight{config: s.config, places: s.places, reading: s.reading}
			other.config.Now = func() time.Time {
				count.Add(1)
				time.Sleep(fairshare.Length / lookAtOnce * 2) // of the bubble's clock, so that a turn is so many looks
				return noon()
			}
			return other
		}
		var theirs, ours atomic.Int64
		crowd, modest := looked(&theirs), looked(&ours)
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		for range greedy {
			work.Go(func() {
				for ctx.Err() == nil {
					for _, ask := range questions() {
						_, _ = ask(ctx, crowd.looker("192.0.2.1"))
					}
				}
			})
		}
		time.Sleep(20 * fairshare.Length) // of the bubble's clock
		if theirs.Load() < 10*lookAtOnce {
			t.Errorf("in twenty turns %d looks", theirs.Load())
		}
		for what, ask := range questions() {
			before, own := theirs.Load(), ours.Load()
			found, err := ask(t.Context(), modest.looker("192.0.2.2"))
			meanwhile, needed := theirs.Load()-before, ours.Load()-own
			if err != nil || found != ships || needed < ships {
				t.Errorf("%s: %d ships found, %d looked at, %v", what, found, needed, err)
			}
			if meanwhile > 2*needed+4*lookAtOnce {
				t.Errorf("%s: one address looked at %d ships while the other looked at %d", what, meanwhile, needed)
			}
		}
		stop()
		work.Wait()
	})
}

// Each reader waits for its turn, and gives up when its caller goes.
func TestReadersWaitForTheirTurn(t *testing.T) {
	s := crowded(t, 4)
	doors := questions()
	doors["ships"] = func(ctx context.Context, v *Viewer) (int, error) {
		n := 0
		err := v.Ships(ctx, nil, func(*ship.State) bool { n++; return true })
		return n, err
	}
	doors["track"] = func(ctx context.Context, v *Viewer) (int, error) {
		found, err := v.Ship(219000001)
		if err != nil {
			return 0, err
		}
		fixes, err := v.ShownFixes(ctx, &found, ship.Track{found.Fix, found.Fix, found.Fix, found.Fix})
		return len(fixes), err
	}
	turn, err := s.places.Take(t.Context(), "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for what, ask := range doors {
		if _, err := ask(gone, s.looker("192.0.2.2")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s while another has the place: %v", what, err)
		}
	}
	turn.End()
	for what, ask := range doors {
		if n, err := ask(t.Context(), s.looker("192.0.2.2")); n != 4 || err != nil {
			t.Errorf("%s when the place is free: %d of 4, %v", what, n, err)
		}
	}
}

// A reader that waits for the disk holds up no reader of the picture.
func TestASlowDiskHoldsUpNoReaderOfThePicture(t *testing.T) {
	s := crowded(t, 4)
	slow := s.looker("192.0.2.1")
	w, err := slow.beginWork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.End()
	err = w.read(t.Context(), func() error { // as long as this takes
		for what, ask := range questions() {
			if n, err := ask(t.Context(), s.looker("192.0.2.2")); n != 4 || err != nil {
				t.Errorf("%s: %d of 4, %v", what, n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
