package tracking

import (
	"testing"

	"quaywatch/ais"
)

// TestAReceiverThatLiesMovesNoETA: a tracked ship lies at anchor half way. What its receiver then tells for ten minutes, much nearer to the destination, changes
// neither the distance nor how long it has to sail. A ship that sails there is believed.
func TestAReceiverThatLiesMovesNoETA(t *testing.T) {
	t.Parallel()
	told := func(away float64, sails bool) TrackedShip {
		v := newVoyager(t, westPort.Position, "never")
		v.sail(off(westPort.Position, 90, 10), 12)
		id := v.start(vessel, 2, v.at)
		v.lie(20, ais.StatusAtAnchor)
		if there := off(v.place, 90, away); sails {
			v.sail(there, 12)
		} else {
			v.place = there
			v.lie(10, ais.StatusAtAnchor)
		}
		one, err := v.tracks.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	honest, lied := told(0, false), told(8, false)
	if honest.Latest.After == 0 || lied.Latest.After != honest.Latest.After || lied.Latest.Distance != honest.Latest.Distance || lied.Status != honest.Status {
		t.Errorf("with a lie %v, %d s and %.0f m, without %v, %d s and %.0f m", lied.Status, lied.Latest.After, lied.Latest.Distance,
			honest.Status, honest.Latest.After, honest.Latest.Distance)
	}
	if sailed := told(8, true); sailed.Latest.ETA == 0 {
		t.Error("a ship that sails on has no ETA")
	}
}
