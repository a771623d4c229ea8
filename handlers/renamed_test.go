package handlers

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// A former name is looked for among the ships that have changed since. When these are too many, the answer says so.
func TestAFormerNameAmongTooManyShips(t *testing.T) {
	s := newSite(t)
	ask := func() answer { return s.post(portserver+"/ship/info", `{"name":"LONG GONE","time":"2026-11-20"}`) }
	ask().is(t, 422, "ship_not_found")
	states := make([]ship.State, 100_001)
	for i := range states {
		states[i] = ship.State{MMSI: ais.MMSI(219000000 + i), Heard: noon().UnixMilli(), Reports: ship.ConfirmedReports}
	}
	s.picture.Restore(states)
	ask().is(t, 400, "limit_reached")
}
