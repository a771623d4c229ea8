package watchdogs

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// reportShip hands a report of a ship to what the watchdog is.
func (d *dog) reportShip(a *watchdog.ShipMemory, r watchdog.Position, dst []watchdog.Occurrence) []watchdog.Occurrence {
	if d.zone != nil {
		return d.zone.Report(a, r, dst)
	}
	return d.machine.Report(a, r, dst)
}

// zones are the watchdogs whose circle moves with a ship. They are used with Watch.mu held.
type zones struct {
	watch *Watch
	list  []*dog
}

// useWatchdogs takes the watchdogs of now. One that was there before, and moves with the same ship, goes on with what it remembers.
func (z *zones) useWatchdogs(dogs map[uint64]*dog) {
	was := z.list
	z.list = nil
	for _, d := range dogs {
		if d.of.Watchdog.Type != watchdog.Around {
			continue
		}
		d.zone = watchdog.NewZone(d.machine)
		for _, old := range was {
			if old.id == d.id && old.machine.Ship() == d.machine.Ship() {
				d.zone = old.zone
				d.zone.Use(d.machine)
			}
		}
		z.list = append(z.list, d)
		z.indexWatchdog(d)
	}
}

// indexWatchdog has reports of ships near the center find the watchdog.
func (z *zones) indexWatchdog(d *dog) {
	moving := &z.watch.meets.moving
	if d.indexed {
		moving.remove(d.bounds, d)
	}
	if d.bounds, d.indexed = d.zone.Bounds(); d.indexed {
		moving.insertDog(d.bounds, d)
	}
}

// move takes a report of the center, and looks at the ships near it.
func (z *zones) move(d *dog, r watchdog.Position) {
	moved, look := d.zone.Move(r)
	if moved {
		z.indexWatchdog(d)
	}
	for i := 0; look && i < d.zone.Len(); i++ {
		z.checkShip(d, i)
	}
}

// checkShip looks at a ship near the center.
func (z *zones) checkShip(d *dog, i int) {
	w, s := z.watch, d.zone.Ship(i)
	a := w.find(s.MMSI, d.id)
	fresh := a == nil
	if fresh {
		w.scratch = watchdog.ShipMemory{}
		w.events = d.zone.Look(i, &w.scratch, w.events[:0])
		if len(w.events) == 0 && !w.scratch.Kept() {
			return
		}
		a = &alarm{dog: d, mmsi: s.MMSI, memory: w.scratch, last: s.Fix}
	} else {
		w.events = d.zone.Look(i, &a.memory, w.events[:0])
	}
	if len(w.events) > 0 {
		w.raise(a, s)
	}
	a.retain(w, fresh)
}

// tickZones takes the time of the picture.
func (z *zones) tickZones(now time.Time) {
	for _, d := range z.list {
		d.zone.Tick(now.UnixMilli())
	}
}

// centerOf returns the ship that the circle of an event moves with, nil for none.
func (d *dog) centerOf() *OtherShip {
	if d.zone == nil {
		return nil
	}
	if s := d.zone.Center(); s != nil {
		return otherOf(s)
	}
	return &OtherShip{ShipOfEvent: ShipOf(&ship.State{MMSI: d.machine.Ship()})}
}

// movesWith returns the ship that the circle of the watchdog moves with, 0 for none.
func (d *dog) movesWith() ais.MMSI {
	if d.zone == nil {
		return 0
	}
	return d.machine.Ship()
}
