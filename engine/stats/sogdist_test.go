package stats

import (
	"testing"

	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// TestSpeedsOfAThinnedStoreWarn: a report before which others were left out is enough, and the warning comes once.
func TestSpeedsOfAThinnedStoreWarn(t *testing.T) {
	r := &Run{}
	q := &sogAsked{SOGs: statistic.NewSOGs(statistic.SOGQuestion{}, func(statistic.SOGDay) {}), run: r}
	q.Take(1, ship.Track{{At: 1}, {At: 2}})
	if len(r.warned) > 0 {
		t.Errorf("%v", r.warned)
	}
	q.Take(1, ship.Track{{At: 2}, {At: 3, LeftOut: 1}})
	q.Take(2, ship.Track{{At: 3, LeftOut: 2}})
	if len(r.warned) != 1 || r.warned[0].Word != "stat_thinned" {
		t.Errorf("%v", r.warned)
	}
}
