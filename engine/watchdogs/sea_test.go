package watchdogs

import (
	"context"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users"
	"quaywatch/users/access"
)

// sea is two simulated harbours whose ships are heard by the real picture, with calls and watchdogs, and what truly happened there.
type sea struct {
	*box
	picture *traffic.Picture
	voyages *portcalls.Calls
	count   uint64
	ticked  time.Time
	ports   []*chart.Port

	events map[ais.MMSI][]sim.Truth    // berthings, departures, anchorings and the like
	places map[ais.MMSI][]sim.Truth    // of moving ships, once a minute
	trawls map[ais.MMSI][][2]time.Time // while the ship says that it fishes
}

func newSea(t *testing.T) *sea {
	t.Helper()
	s := &sea{box: &box{t: t, dir: t.TempDir()}, events: map[ais.MMSI][]sim.Truth{}, places: map[ais.MMSI][]sim.Truth{}, trawls: map[ais.MMSI][][2]time.Time{}}
	var err error
	if s.db, err = store.Open(store.Options{Dir: s.dir}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); _ = s.db.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-over; _ = s.db.Close() })
	if s.areas, err = users.Open(s.db.Database, access.Options{Dir: s.dir, Now: func() time.Time { return begin }, HashMemory: 64}); err != nil {
		t.Fatal(err)
	}
	return s
}
