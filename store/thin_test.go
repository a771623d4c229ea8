//go:build !race

package store

import (
	"testing"

	"quaywatch/ship"
	"quaywatch/store/track"
)

func TestThinningRatio(t *testing.T) {
	f := newFleet(50)
	all, kept := 0, 0
	for i := range f.updates {
		var fixes []ship.Fix
		for k := range int64(720) {
			fixes = append(fixes, f.next(i, at0+k*5000).Fix)
		}
		all += len(fixes)
		kept += len(track.Thin(fixes, false))
	}
	ratio := float64(all) / float64(kept)
	t.Logf("%.1f fixes heard for one kept", ratio)
	if ratio < 5 {
		t.Errorf("thinning keeps one of %.1f", ratio)
	}
}
