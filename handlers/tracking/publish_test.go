package tracking

import (
	"testing"
	"time"

	"quaywatch/engine/tracking"
	"quaywatch/ship/portcall"
)

// An ETA is told when it has moved by more than ten minutes since it was told, in either direction; arriving and departing are told at once.
func TestWhatIsPublished(t *testing.T) {
	minutes := func(n int) portcall.Millis { return portcall.Millis(time.Duration(n) * time.Minute / time.Millisecond) }
	was := said{minutes(1000), tracking.UnderWay}
	for want, all := range map[string][]said{
		"":           {was, {minutes(1010), tracking.UnderWay}, {minutes(990), tracking.Approaching}, {minutes(1000), tracking.PositionLost}},
		kindETA:      {{minutes(1010) + 1, tracking.UnderWay}, {minutes(989), tracking.Stopped}, {0, tracking.NoRoute}},
		kindArrived:  {{minutes(1000), tracking.Arrived}, {minutes(2000), tracking.Arrived}},
		kindDeparted: {{minutes(1000), tracking.Departed}},
	} {
		for _, now := range all {
			if got := was.changeKind(now); got != want {
				t.Errorf("%+v: %q, want %q", now, got, want)
			}
		}
	}
	for _, status := range []tracking.Status{tracking.Arrived, tracking.Departed} {
		if got := (said{0, status}).changeKind(said{0, status}); got != "" {
			t.Errorf("told again: %q", got)
		}
	}
}
