package config

import (
	"slices"
	"testing"

	"quaywatch/geo/route/passage"
)

// The passages that are shut unless a user opens them are those that the default closes: the network relies on it for its speed.
func TestTheDefaultClosesWhatIsShut(t *testing.T) {
	all, err := passage.All()
	if err != nil {
		t.Fatal(err)
	}
	closed := Default().Route.Closed
	for _, p := range all {
		if p.Shut != slices.Contains(closed, p.Name) {
			t.Errorf("%s: shut %v, closed by default %v", p.Name, p.Shut, !p.Shut)
		}
	}
}
