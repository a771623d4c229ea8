package watchdogs

import (
	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// meets finds the watchdogs that a report may concern.
type meets struct {
	areas  areas               // that watch ships
	aids   areas               // that watch aids to navigation
	moving areas               // whose circle moves with a ship
	ofPort map[uint64][]*dog   // by port
	ofShip map[ais.MMSI][]*dog // that name their ship
}

func newMeets() *meets { return &meets{ofPort: map[uint64][]*dog{}, ofShip: map[ais.MMSI][]*dog{}} }

// add takes in a watchdog.
func (x *meets) add(d *dog) {
	bounds, placed := d.machine.Bounds()
	switch named := d.machine.Ship(); {
	case named != 0:
		x.ofShip[named] = append(x.ofShip[named], d)
	case d.port != nil:
		x.ofPort[d.port.ID] = append(x.ofPort[d.port.ID], d)
	case placed:
		if d.machine.Aids() {
			x.aids.insertDog(bounds, d)
		} else {
			x.areas.insertDog(bounds, d)
		}
	}
}

// findNear appends to w.hits the watchdogs that a leg of a ship may concern.
func (w *Watch) findNear(s *ship.State, r geo.Rect) {
	x := w.meets
	if s.Class == ship.ClassAtoN {
		w.hits = x.aids.searchDogs(r, w.hits)
		return
	}
	w.hits = x.moving.searchDogs(r, x.areas.searchDogs(r, w.hits))
	w.hits = append(w.hits, x.ofShip[s.MMSI]...)
}

// charted returns where the register has an aid to navigation, nil where it has none.
func (w *Watch) charted(m ais.MMSI) *geo.Point {
	if w.config.Charted == nil {
		return nil
	}
	at, ok := w.config.Charted(m)
	if !ok {
		return nil
	}
	return &at
}

// hears takes a message that tells no new place. It matters to watchdogs of a silence alone.
func (w *Watch) hears(u *ship.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.alarms[u.Now.MMSI] {
		if w.events = a.dog.machine.Hears(&a.memory, u.Now.Heard, w.events[:0]); len(w.events) > 0 {
			w.raiseSilence(a)
		}
	}
}
