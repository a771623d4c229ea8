package tracking

import (
	"testing"

	"quaywatch/ais"
)

// TestAReceiverThatLiesMovesNoETA: a tracked ship lies at anchor half way. What its receiver then tells for ten minutes, much nearer to the destination, changes
// neither the distance nor how long it has to sail. A ship that says that it is under way there is believed.
func TestAReceiverThatLiesMovesNoETA(t *testing.T) {
	t.Parallel()
	told := func(away float64, status ais.NavStatus, knots float64) TrackedShip {
		v := newVoyager(t, westPort.Position, "never")
		v.sail(off(westPort.Position, 90, 10), 12)
		id := v.start(vessel, 2, v.at)
		v.lie(20, ais.StatusAtAnchor)
		v.place = off(v.place, 90, away)
		for range 10 {
			v.report(knots, status)
		}
		one, err := v.tracks.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	honest, lied := told(0, ais.StatusAtAnchor, 0), told(8, ais.StatusAtAnchor, 0)
	if honest.Latest.After == 0 || lied.Latest.After != honest.Latest.After || lied.Latest.Distance != honest.Latest.Distance || lied.Status != honest.Status {
		t.Errorf("with a lie %v, %d s and %.0f m, without %v, %d s and %.0f m", lied.Status, lied.Latest.After, lied.Latest.Distance,
			honest.Status, honest.Latest.After, honest.Latest.Distance)
	}
	if sailed := told(8, ais.StatusUnderWayEngine, 12); sailed.Latest.ETA == 0 {
		t.Error("a ship that sails on has no ETA")
	}
}
