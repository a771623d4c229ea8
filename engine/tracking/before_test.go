package tracking

import (
	"testing"
	"time"

	"quaywatch/ais"
)

// TestShipThatStoppedHasTheSpeedOfBefore tracks a ship that lies still, and sailed slower than its type at sea before.
func TestShipThatStoppedHasTheSpeedOfBefore(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 180, 20), "never")
	v.sail(off(v.place, 90, 5.2), 5.2)
	for _, knots := range []float64{4, 3.2, 1.5} { // it slows down
		v.report(knots, ais.StatusUnderWayEngine)
	}
	v.report(0, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.report(0, ais.StatusUnderWayEngine)
	begun := v.is(id, UnderWay)
	sails := begun.Latest.ETA.Time().Sub(v.at).Hours() - alongside/3600.
	if knots := begun.Latest.Distance / 1852 / sails; knots < 5 || knots > 5.3 {
		t.Errorf("a ship that made 5.2 knots is taken to make %.1f", knots)
	}
}

// TestShipThatLayStillIsStopped tracks a ship that lay still for hours before.
func TestShipThatLayStillIsStopped(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 180, 20), "never")
	v.sail(off(v.place, 90, 5.2), 5.2)
	v.lie(120, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.report(0, ais.StatusUnderWayEngine)
	lies := v.is(id, Stopped)
	sails := (time.Duration(lies.Latest.After) * time.Second).Hours() - alongside/3600.
	if knots := lies.Latest.Distance / 1852 / sails; knots < 5 || knots > 5.3 {
		t.Errorf("a ship that made 5.2 knots is taken to make %.1f", knots)
	}
}
