package reason

import (
	"math"
	"testing"

	"quaywatch/ship/watchdog"
)

// TestTheExampleThatCameFarthest: more reports and higher speeds came nearer to an event, and so did a slower ship over a cable and one that passed closer. Of
// equal ones the first stays, and one that is not known gives way to any.
func TestTheExampleThatCameFarthest(t *testing.T) {
	unknown := math.NaN()
	for _, row := range []struct {
		kind             watchdog.ObstacleKind
		is, than         float64
		farther, reverse bool
	}{
		{watchdog.ByCount, 3, 2, true, false},
		{watchdog.ByCount, 2, 2, false, false},
		{watchdog.ByDraught, 4.5, unknown, true, false},
		{watchdog.ByDraught, unknown, unknown, false, false},
		{watchdog.BySailing, 2, 3, true, false},
		{watchdog.BySailing, 2, 2, false, false},
		{watchdog.ByApart, 180, 200, true, false},
		{watchdog.ByHours, 2, 1, false, false},
	} {
		a, b := watchdog.Hindrance{Kind: row.kind, Is: row.is}, watchdog.Hindrance{Kind: row.kind, Is: row.than}
		if got, back := Farther(&a, &b), Farther(&b, &a); got != row.farther || back != row.reverse {
			t.Errorf("kind %v, %g and %g: %t, the other way %t", row.kind, row.is, row.than, got, back)
		}
	}
}
