package filter

import (
	"testing"

	"quaywatch/ais"
)

func TestMID(t *testing.T) {
	for m, want := range map[ais.MMSI]int{219018765: 219, 21900001: 219, 2190001: 219, 111219001: 219, 982190001: 219, 992190001: 219, 821900001: 219,
		970123456: 0, 9900000001: 0, 1: 0} {
		if got := midOf(m); got != want {
			t.Errorf("MID(%d) = %d, want %d", m, got, want)
		}
	}
}
